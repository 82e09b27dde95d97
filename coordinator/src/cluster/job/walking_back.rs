//! Rows are read along the solution.
//!
//! The walk itself may take a while, and not touch every worker. All of them are called from time to time
//! meanwhile, or others would take them for abandoned. What they say to that does not matter.

use std::collections::VecDeque;
use std::time::Duration;

use sokohive_engine::Limit;
use sokohive_proto::{ClusterFailure, MAX_RANKS, Poll, Rank, Row, Upkeep};

use super::call::{CallError, Reply, Request};
use super::concluding::Concluding;
use super::member::Member;
use super::releasing::Releasing;
use super::shared::Shared;
use super::{Command, Ending, State};

/// Pause between two calls to a worker that is not asked for rows.
const BEAT: Duration = Duration::from_secs(2);

/// The search is over and there is a finish to walk back from.
#[derive(Debug)]
pub(super) struct WalkingBack {
    ending: Ending,
    /// The rows being read; empty while none are.
    reading: Vec<Reading>,
    /// When the workers are to be called that are not asked for rows.
    beat: Duration,
}

/// The rows that one worker is asked for.
#[derive(Debug)]
struct Reading {
    worker: usize,
    waiting: VecDeque<Rank>,
    asked: usize,
    rows: Vec<Row>,
}

impl WalkingBack {
    /// Ends with `ending`, after walking back from the finish in it, if there is one.
    pub(super) fn enter(shared: &mut Shared, ending: Ending) -> State {
        let finish = match &ending {
            Ending::Optimal(finish) => Some(*finish),
            Ending::Limit { best, .. } => *best,
            Ending::Unsolvable | Ending::Failed(_) => None,
        };
        let Some(finish) = finish else {
            return Concluding::enter(shared, ending);
        };
        // Reports that are still awaited tell nothing new.
        shared.members.iter_mut().for_each(Member::settle);
        shared.command(Command::WalkBack(finish));
        State::WalkingBack(Self { ending, reading: Vec::new(), beat: shared.now + BEAT })
    }

    /// Ends at a limit.
    pub(super) fn enter_limit(shared: &mut Shared, limit: Limit) -> State {
        // Before the tables are there, nothing can be walked back to.
        let best = shared.incumbent.filter(|_| shared.walkable);
        let lower_bound = shared.lower_bound;
        Self::enter(shared, Ending::Limit { limit, lower_bound, best })
    }

    pub(super) fn wanted(mut self, shared: &mut Shared, wanted: Vec<(usize, Vec<Rank>)>) -> State {
        let known = |(worker, ranks): &(usize, Vec<Rank>)| {
            *worker < shared.members.len() && !ranks.is_empty()
        };
        if !self.reading.is_empty() || wanted.is_empty() || !wanted.iter().all(known) {
            return fail(shared, "rows were wanted that nobody has".to_owned());
        }
        for (worker, ranks) in wanted {
            shared.members[worker].settle();
            let mut reading = Reading { worker, waiting: ranks.into(), asked: 0, rows: Vec::new() };
            reading.ask(shared);
            self.reading.push(reading);
        }
        State::WalkingBack(self)
    }

    pub(super) fn answered(mut self, shared: &mut Shared, worker: usize, reply: Reply) -> State {
        let reading = self.reading.iter_mut().find(|reading| reading.worker == worker);
        let (Some(reading), Reply::Rows(rows)) = (reading, reply) else {
            return State::WalkingBack(self);
        };
        if rows.len() != reading.asked {
            return fail(shared, format!("{} rows for {} ranks", rows.len(), reading.asked));
        }
        reading.rows.extend(rows);
        reading.ask(shared);
        if self.reading.iter().all(|reading| reading.asked == 0) {
            let rows = self.reading.drain(..).map(|reading| (reading.worker, reading.rows));
            shared.command(Command::Deliver(rows.collect()));
        }
        State::WalkingBack(self)
    }

    /// A worker has not answered. It may be lost, if there is nothing to be read from it.
    pub(super) fn failed(self, shared: &mut Shared, worker: usize, error: CallError) -> State {
        if !self.reads_from(worker) {
            shared.members[worker].settle();
            return State::WalkingBack(self);
        }
        match shared.members[worker].failed(shared.now, error) {
            None => State::WalkingBack(self),
            Some(loss) => Releasing::enter_failed(shared, worker, loss),
        }
    }

    pub(super) fn tick(mut self, shared: &mut Shared) -> State {
        if self.beat > shared.now {
            return State::WalkingBack(self);
        }
        self.beat = shared.now + BEAT;
        let (level, incumbent) = (shared.level, shared.incumbent_cost());
        for worker in 0..shared.members.len() {
            if let (Some(fence), false) = (shared.fence, self.reads_from(worker)) {
                shared.members[worker].settle();
                let (wait, upkeep) = (Duration::ZERO, Upkeep::default());
                shared.call(worker, Request::Poll(Poll { fence, level, incumbent, wait, upkeep }));
            }
        }
        State::WalkingBack(self)
    }

    pub(super) fn deadline(&self) -> Duration {
        self.beat
    }

    /// Whether rows of this worker are awaited.
    fn reads_from(&self, worker: usize) -> bool {
        self.reading.iter().any(|reading| reading.worker == worker && reading.asked > 0)
    }

    pub(super) fn walked_back(self, shared: &mut Shared, result: Result<(), String>) -> State {
        match result {
            Ok(()) => Concluding::enter(shared, self.ending),
            Err(reason) => fail(shared, format!("walking back along the solution: {reason}")),
        }
    }
}

impl Reading {
    /// Asks for the next ranks, as many as one call takes.
    fn ask(&mut self, shared: &mut Shared) {
        let ranks: Vec<Rank> = self.waiting.drain(..self.waiting.len().min(MAX_RANKS)).collect();
        self.asked = ranks.len();
        if let (Some(fence), false) = (shared.fence, ranks.is_empty()) {
            shared.call(self.worker, Request::Rows(fence, ranks));
        }
    }
}

/// Ends for a reason that no worker is to blame for.
fn fail(shared: &mut Shared, reason: String) -> State {
    let level = shared.lower_bound;
    let failure = ClusterFailure { worker: None, level, reason, retryable: false, saved: None };
    Releasing::enter(shared, Ending::Failed(failure))
}
