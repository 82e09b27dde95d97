//! All optimal solutions are compared, and rows are read for that.
//!
//! The optimum is proven and has been walked back to. So whatever goes wrong only leaves out the comparison.

use sokohive_proto::Rank;

use super::call::{CallError, Reply};
use super::concluding::Concluding;
use super::member::Member;
use super::reading::Reading;
use super::shared::Shared;
use super::{Command, Ending, Optima, State};

/// The driver compares.
#[derive(Debug)]
pub(super) struct Comparing {
    ending: Ending,
    reading: Reading,
}

impl Comparing {
    /// Begins, as it is known in which box sets solutions of this cost were found.
    pub(super) fn enter(shared: &mut Shared, ending: Ending, cost: u32, ends: Vec<Rank>) -> State {
        let reading = Reading::begin(shared);
        let forward_closed_below = shared.settings.levels.forward_closed_below();
        shared.command(Command::Compare(Optima { cost, forward_closed_below, ends }));
        State::Comparing(Self { ending, reading })
    }

    pub(super) fn wanted(mut self, shared: &mut Shared, wanted: Vec<(usize, Vec<Rank>)>) -> State {
        match self.reading.wanted(shared, wanted) {
            Ok(()) => State::Comparing(self),
            Err(_) => self.end(shared),
        }
    }

    pub(super) fn answered(mut self, shared: &mut Shared, worker: usize, reply: Reply) -> State {
        match self.reading.answered(shared, worker, reply) {
            Ok(()) => State::Comparing(self),
            Err(_) => self.end(shared),
        }
    }

    /// A worker has not answered.
    pub(super) fn failed(self, shared: &mut Shared, worker: usize, error: CallError) -> State {
        match self.reading.failed(shared, worker, error) {
            None => State::Comparing(self),
            Some(_) => self.end(shared),
        }
    }

    pub(super) fn tick(mut self, shared: &mut Shared) -> State {
        self.reading.tick(shared);
        State::Comparing(self)
    }

    pub(super) fn reading(&self) -> &Reading {
        &self.reading
    }

    /// Ends with what is proven; what the comparison has come to is the driver's.
    pub(super) fn end(self, shared: &mut Shared) -> State {
        shared.members.iter_mut().for_each(Member::settle);
        Concluding::enter(shared, self.ending)
    }
}
