//! Every worker is asked in which box sets it found optimal solutions.
//!
//! The optimum is proven and has been walked back to. So from here on whatever goes wrong only leaves out the
//! comparison.

use sokohive_proto::{AskEnds, MAX_ENDS, Rank};

use super::call::{CallError, Reply, Request};
use super::comparing::Comparing;
use super::concluding::Concluding;
use super::member::Member;
use super::shared::Shared;
use super::{Ending, State};

/// Most box sets that are gathered, in all. What begins in more of them fits no memory that the comparison gets.
const MOST_ENDS: usize = 1 << 20;

/// Workers are being asked.
#[derive(Debug)]
pub(super) struct Gathering {
    ending: Ending,
    cost: u32,
    ends: Vec<Rank>,
    /// Workers that have not told all.
    waiting: usize,
}

impl Gathering {
    /// Begins, of an optimum that costs so much.
    pub(super) fn enter(shared: &mut Shared, ending: Ending, cost: u32) -> State {
        shared.members.iter_mut().for_each(Member::settle);
        let waiting = shared.members.len();
        let gathering = Self { ending, cost, ends: Vec::new(), waiting };
        (0..waiting).for_each(|worker| gathering.ask(shared, worker, None));
        State::Gathering(gathering)
    }

    fn ask(&self, shared: &mut Shared, worker: usize, after: Option<Rank>) {
        if let Some(fence) = shared.fence {
            shared.call(worker, Request::Ends(AskEnds { fence, cost: self.cost, after }));
        }
    }

    pub(super) fn answered(mut self, shared: &mut Shared, worker: usize, reply: Reply) -> State {
        let Reply::Ends(ends) = reply else {
            return State::Gathering(self);
        };
        let Some(ends) = ends else {
            return self.give_up(shared);
        };
        let (after, is_last) = (ends.last().copied(), ends.len() < MAX_ENDS);
        self.ends.extend(ends);
        if self.ends.len() > MOST_ENDS {
            return self.give_up(shared);
        }
        if !is_last {
            self.ask(shared, worker, after);
            return State::Gathering(self);
        }
        self.waiting -= 1;
        match self.waiting {
            0 => Comparing::enter(shared, self.ending, self.cost, self.ends),
            _ => State::Gathering(self),
        }
    }

    /// A worker has not answered.
    pub(super) fn failed(self, shared: &mut Shared, worker: usize, error: CallError) -> State {
        match shared.members[worker].failed(shared.now, error) {
            None => State::Gathering(self),
            Some(_) => self.give_up(shared),
        }
    }

    /// Ends with what is proven.
    pub(super) fn give_up(self, shared: &mut Shared) -> State {
        shared.members.iter_mut().for_each(Member::settle);
        Concluding::enter(shared, self.ending)
    }
}
