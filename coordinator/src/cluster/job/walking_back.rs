//! Rows are read along the solution.

use sokohive_engine::Limit;
use sokohive_proto::{ClusterFailure, Finish, Rank};

use super::call::{CallError, Reply};
use super::concluding::Concluding;
use super::gathering::Gathering;
use super::reading::Reading;
use super::releasing::Releasing;
use super::shared::Shared;
use super::{Command, Ending, State};

/// The search is over and there is a finish to walk back from.
#[derive(Debug)]
pub(super) struct WalkingBack {
    ending: Ending,
    reading: Reading,
    /// Whether all optimal solutions are to be compared then: the cost of each.
    compares: Option<u32>,
}

impl WalkingBack {
    /// Ends with `ending`, after walking back from the finish in it, if there is one.
    pub(super) fn enter(shared: &mut Shared, ending: Ending) -> State {
        Self::walk(shared, ending, None)
    }

    /// Ends with an optimal solution, as all levels are over.
    pub(super) fn enter_proven(shared: &mut Shared, best: Finish) -> State {
        // What earlier attempts have found is not known to the workers of this one.
        let compares = shared.settings.task.all.is_wanted() && !shared.restores();
        Self::walk(shared, Ending::Optimal(best), compares.then_some(best.cost))
    }

    /// Ends at a limit, unless the best solution is proven and only others as good were looked for.
    pub(super) fn enter_limit(shared: &mut Shared, limit: Limit) -> State {
        // Before the tables are there, nothing can be walked back to.
        let best = shared.incumbent.filter(|_| shared.walkable);
        let lower_bound = shared.lower_bound;
        let is_proven = |best: &Finish| best.cost == lower_bound;
        match best.filter(is_proven).filter(|_| shared.settings.task.all.is_wanted()) {
            Some(best) => Self::enter(shared, Ending::Optimal(best)),
            None => Self::enter(shared, Ending::Limit { limit, lower_bound, best }),
        }
    }

    fn walk(shared: &mut Shared, ending: Ending, compares: Option<u32>) -> State {
        let finish = match &ending {
            Ending::Optimal(finish) => Some(*finish),
            Ending::Limit { best, .. } => *best,
            Ending::Unsolvable | Ending::Failed(_) => None,
        };
        let Some(finish) = finish else {
            return Concluding::enter(shared, ending);
        };
        let reading = Reading::begin(shared);
        shared.command(Command::WalkBack(finish));
        State::WalkingBack(Self { ending, reading, compares })
    }

    pub(super) fn wanted(mut self, shared: &mut Shared, wanted: Vec<(usize, Vec<Rank>)>) -> State {
        match self.reading.wanted(shared, wanted) {
            Ok(()) => State::WalkingBack(self),
            Err(reason) => fail(shared, reason),
        }
    }

    pub(super) fn answered(mut self, shared: &mut Shared, worker: usize, reply: Reply) -> State {
        match self.reading.answered(shared, worker, reply) {
            Ok(()) => State::WalkingBack(self),
            Err(reason) => fail(shared, reason),
        }
    }

    /// A worker has not answered.
    pub(super) fn failed(self, shared: &mut Shared, worker: usize, error: CallError) -> State {
        match self.reading.failed(shared, worker, error) {
            None => State::WalkingBack(self),
            Some(loss) => Releasing::enter_failed(shared, worker, loss),
        }
    }

    pub(super) fn tick(mut self, shared: &mut Shared) -> State {
        self.reading.tick(shared);
        State::WalkingBack(self)
    }

    pub(super) fn reading(&self) -> &Reading {
        &self.reading
    }

    pub(super) fn walked_back(self, shared: &mut Shared, result: Result<(), String>) -> State {
        match (result, self.compares) {
            (Ok(()), Some(cost)) => Gathering::enter(shared, self.ending, cost),
            (Ok(()), None) => Concluding::enter(shared, self.ending),
            (Err(reason), _) => fail(shared, format!("walking back along the solution: {reason}")),
        }
    }
}

/// Ends for a reason that no worker is to blame for.
pub(super) fn fail(shared: &mut Shared, reason: String) -> State {
    let level = shared.lower_bound;
    let failure = ClusterFailure { worker: None, level, reason, retryable: false, saved: None };
    Releasing::enter(shared, Ending::Failed(failure))
}
