//! Workers give their memory back.

use std::time::Duration;

use super::call::{CallError, Reply, Request};
use super::member::{Loss, Member};
use super::shared::Shared;
use super::{Command, Ending, State};

/// How long the workers have to say that they have given their memory back. The next job may
/// start later than that, never earlier than they have.
const PATIENCE: Duration = Duration::from_secs(2);

/// Every worker has been released; the ending is settled.
#[derive(Debug)]
pub(super) struct Releasing {
    ending: Ending,
    until: Duration,
    /// The worker for whose loss the job ends. Nothing is expected of it.
    lost: Option<usize>,
}

impl Releasing {
    pub(super) fn enter(shared: &mut Shared, ending: Ending) -> State {
        Self::release(shared, ending, None)
    }

    pub(super) fn enter_failed(shared: &mut Shared, worker: usize, loss: Loss) -> State {
        let ending = shared.failure(worker, loss);
        Self::release(shared, ending, Some(worker))
    }

    fn release(shared: &mut Shared, ending: Ending, lost: Option<usize>) -> State {
        shared.members.iter_mut().for_each(Member::settle);
        // Without an epoch nobody has been called into the job.
        if let Some(fence) = shared.fence {
            let discard = shared.discard;
            shared.call_all(&Request::Release { fence, discard });
        }
        let releasing = Self { ending, until: shared.now + PATIENCE, lost };
        releasing.end_if_done(shared)
    }

    /// Any answer will do: a worker that refuses to be released is not in the job. Without one the
    /// call is made again.
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
        self.end_if_done(shared)
    }

    pub(super) fn tick(self, shared: &mut Shared) -> State {
        shared.call_again();
        self.end_if_done(shared)
    }

    pub(super) fn deadline(&self) -> Duration {
        self.until
    }

    fn end_if_done(self, shared: &mut Shared) -> State {
        let mut others = shared.members.iter().enumerate();
        let waiting = others.any(|(worker, member)| member.is_busy() && Some(worker) != self.lost);
        if waiting && shared.now < self.until {
            return State::Releasing(self);
        }
        shared.command(Command::End(self.ending));
        State::Ended
    }
}
