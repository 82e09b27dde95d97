//! Another job came first: what has been claimed is given back, and the job begins anew.

use std::time::Duration;

use super::State;
use super::call::{CallError, Reply, Request};
use super::greeting::Greeting;
use super::member::Member;
use super::shared::Shared;

/// How long the workers have to say that they are free again.
const PATIENCE: Duration = Duration::from_secs(2);

/// Least time before the job begins anew.
const PAUSE: Duration = Duration::from_millis(20);

/// Every worker has been released; the job is to be greeted under another epoch.
#[derive(Debug)]
pub(super) struct GivingWay {
    /// Not before then, even if all have answered.
    from: Duration,
    /// Not after then, even if some have not.
    until: Duration,
}

impl GivingWay {
    /// Also those that have not been called yet are released: a call may be on its way.
    pub(super) fn enter(shared: &mut Shared) -> State {
        shared.members.iter_mut().for_each(Member::settle);
        if let Some(fence) = shared.fence {
            shared.call_all(&Request::Release { fence, discard: false });
        }
        State::GivingWay(Self { from: shared.now + PAUSE, until: shared.now + PATIENCE })
    }

    /// Any answer will do. Without one the call is made again.
    pub(super) fn answered(
        self,
        shared: &mut Shared,
        worker: usize,
        result: Result<Reply, CallError>,
    ) -> State {
        match result {
            Err(error @ CallError::Unreachable(_)) => {
                let _ = shared.members[worker].failed(shared.now, error);
            }
            Ok(_) | Err(_) => shared.members[worker].settle(),
        }
        self.go_on(shared)
    }

    pub(super) fn tick(self, shared: &mut Shared) -> State {
        self.go_on(shared)
    }

    pub(super) fn deadline(&self, now: Duration) -> Duration {
        if now < self.from { self.from } else { self.until }
    }

    fn go_on(self, shared: &mut Shared) -> State {
        let waits = shared.members.iter().any(Member::is_busy);
        if shared.now < self.from || (waits && shared.now < self.until) {
            return State::GivingWay(self);
        }
        shared.members.iter_mut().for_each(Member::settle);
        Greeting::enter(shared)
    }
}
