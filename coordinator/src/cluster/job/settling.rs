//! The last edge is made safe before the search is given up.

use std::time::Duration;

use sokohive_engine::Limit;
use sokohive_proto::Poll;

use super::State;
use super::call::{Reply, Request};
use super::keeping::Keeping;
use super::member::{Loss, Member};
use super::releasing::Releasing;
use super::shared::{Shared, Trouble};
use super::walking_back::WalkingBack;

/// How long the checkpoint of the last edge may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Pause between two looks at the workers.
const PAUSE: Duration = Duration::from_millis(10);

/// The search is about to be given up; a checkpoint of its last edge is on its way.
#[derive(Debug)]
pub(super) struct Settling {
    then: Then,
    until: Duration,
    next_wave: Option<Duration>,
}

/// Why the search is given up.
#[derive(Clone, Debug)]
pub(super) enum Then {
    /// A limit has come.
    Limit(Limit),
    /// A worker, by its index, cannot go on.
    Failed(usize, Loss),
}

impl Settling {
    /// Ends at once if there is nothing to make safe.
    pub(super) fn enter(shared: &mut Shared, then: Then) -> State {
        let settling = Self { then, until: shared.now + PATIENCE, next_wave: None };
        settling.go_on(shared)
    }

    pub(super) fn answered(self, shared: &mut Shared, worker: usize, reply: Reply) -> State {
        if let Reply::Report(report) = reply
            && let Some(Trouble::Failed(worker, loss)) = shared.absorb(worker, *report)
        {
            return Self { then: self.then.or_failed(worker, loss), ..self }.end(shared);
        }
        self.go_on(shared)
    }

    /// A manifest has been written, or could not be.
    pub(super) fn committed(self, shared: &mut Shared, written: bool) -> State {
        if written {
            return self.go_on(shared);
        }
        if let Some(keeping) = &mut shared.keeping {
            keeping.forget_edge();
        }
        self.end(shared)
    }

    pub(super) fn tick(mut self, shared: &mut Shared) -> State {
        if self.next_wave.is_some_and(|at| at <= shared.now) {
            self.next_wave = None;
        }
        self.go_on(shared)
    }

    pub(super) fn deadline(&self) -> Duration {
        self.next_wave.map_or(self.until, |at| at.min(self.until))
    }

    fn go_on(mut self, shared: &mut Shared) -> State {
        let waits = shared.keeping.as_mut().is_some_and(Keeping::settle);
        shared.commit_what_is_durable();
        if !waits || shared.now >= self.until {
            return self.end(shared);
        }
        if self.next_wave.is_none() && !shared.members.iter().any(Member::is_busy) {
            if let Some(fence) = shared.fence {
                let (level, incumbent) = (shared.level, shared.incumbent_cost());
                shared.call_each(|upkeep, _| {
                    Request::Poll(Poll { fence, level, incumbent, wait: Duration::ZERO, upkeep })
                });
            }
            self.next_wave = Some(shared.now + PAUSE);
        }
        State::Settling(self)
    }

    fn end(self, shared: &mut Shared) -> State {
        match self.then {
            Then::Limit(limit) => WalkingBack::enter_limit(shared, limit),
            Then::Failed(worker, loss) => Releasing::enter_failed(shared, worker, loss),
        }
    }
}

impl Then {
    /// A worker failed meanwhile: nothing can be walked back to then.
    fn or_failed(self, worker: usize, loss: Loss) -> Self {
        match self {
            Self::Limit(_) => Self::Failed(worker, loss),
            failed @ Self::Failed(..) => failed,
        }
    }
}
