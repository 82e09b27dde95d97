//! Who is there?

use std::sync::Arc;

use sokohive_proto::{ClusterFailure, Epoch, Fence, Hello, PROTOCOL, Segment};

use super::call::{Reply, Request};
use super::claiming::Claiming;
use super::member::{Loss, Member};
use super::releasing::Releasing;
use super::restoring::deal;
use super::shared::Shared;
use super::{Ending, State};

/// Every worker has been asked who it is.
#[derive(Debug)]
pub(super) struct Greeting {
    /// What each has said last.
    hellos: Vec<Option<Hello>>,
    /// An epoch that each has been made to take note of, 0 for none.
    noted: Vec<u64>,
}

impl Greeting {
    pub(super) fn enter(shared: &mut Shared) -> State {
        if shared.members.is_empty() {
            let failure = ClusterFailure {
                worker: None,
                level: 0,
                reason: "there are no workers".to_owned(),
                retryable: true,
                saved: None,
            };
            return Releasing::enter(shared, Ending::Failed(failure));
        }
        shared.call_all(&Request::Hello(segments(shared)));
        let workers = shared.members.len();
        State::Greeting(Self { hellos: vec![None; workers], noted: vec![0; workers] })
    }

    pub(super) fn answered(mut self, shared: &mut Shared, worker: usize, reply: Reply) -> State {
        let hello = match reply {
            Reply::Hello(hello) => hello,
            // It has taken note of an epoch on the way to the one of the job.
            Reply::Released => {
                shared.call(worker, Request::Hello(segments(shared)));
                return State::Greeting(self);
            }
            _ => return State::Greeting(self),
        };
        if let Some(loss) = unfit(shared, worker, &hello) {
            return Releasing::enter_failed(shared, worker, loss);
        }
        if hello.last_epoch < self.noted[worker] {
            let reason = format!("it takes no note of epoch {}", self.noted[worker]);
            return Releasing::enter_failed(shared, worker, Loss { reason, retryable: true });
        }
        shared.members[worker].hello = Some(hello.clone());
        self.hellos[worker] = Some(hello);
        let Some(epochs) = self.epochs() else {
            return State::Greeting(self);
        };
        shared.dealt = match deal(shared) {
            Ok(dealt) => dealt,
            Err(failure) => return Releasing::enter(shared, Ending::Failed(failure)),
        };
        let known = epochs.iter().copied().max().unwrap_or(0);
        let checkpoint = shared.settings.checkpoint.as_deref();
        let written = checkpoint.map_or(0, |checkpoint| checkpoint.epoch.get());
        // Those before may be under another one, if the job has given way.
        let used = shared.fence.map_or(0, |fence| fence.epoch.get());
        let last = known.max(written).max(used).max(shared.settings.last_epoch);
        let epoch = Epoch::after(last);
        if self.lift(shared, &epochs, epoch) {
            return State::Greeting(self);
        }
        shared.fence = Some(Fence { job: shared.settings.key, epoch });
        Claiming::enter(shared)
    }

    /// The largest epoch that each has seen, once all have answered.
    fn epochs(&self) -> Option<Vec<u64>> {
        self.hellos.iter().map(|hello| hello.as_ref().map(|hello| hello.last_epoch)).collect()
    }

    /// Makes those that are too far behind the epoch of the job take note of one that they take: somebody
    /// may have used many up elsewhere. Says whether there are such.
    fn lift(&mut self, shared: &mut Shared, epochs: &[u64], epoch: Epoch) -> bool {
        let mut any = false;
        for (worker, &last) in epochs.iter().enumerate() {
            let most = last + Epoch::MOST_AHEAD;
            if let Some(step) = Epoch::new(most).filter(|&step| step < epoch) {
                any = true;
                self.hellos[worker] = None;
                self.noted[worker] = step.get();
                let fence = Fence { job: shared.settings.key, epoch: step };
                shared.call(worker, Request::Release { fence, discard: false });
            }
        }
        any
    }
}

/// What the job goes on from.
fn segments(shared: &Shared) -> Arc<[Segment]> {
    let checkpoint = shared.settings.checkpoint.as_deref();
    let placed = checkpoint.map_or(&[][..], |checkpoint| &checkpoint.segments);
    placed.iter().map(|placed| placed.segment.clone()).collect()
}

/// Why a worker cannot take part.
fn unfit(shared: &Shared, worker: usize, hello: &Hello) -> Option<Loss> {
    if hello.protocol != PROTOCOL {
        let reason = format!("it speaks protocol version {}, expected {PROTOCOL}", hello.protocol);
        return Some(Loss { reason, retryable: false });
    }
    if shared.settings.every.is_some() && !hello.keeps_journal {
        let reason = "it keeps no journal: start it with --data-dir".to_owned();
        return Some(Loss { reason, retryable: false });
    }
    if hello.last_epoch >= Epoch::LAST {
        let reason = format!("it has used up all {} epochs", Epoch::LAST);
        return Some(Loss { reason, retryable: false });
    }
    let same =
        |other: &Member| other.hello.as_ref().is_some_and(|o| o.incarnation == hello.incarnation);
    let mut others = shared.members.iter().enumerate().filter(|&(other, _)| other != worker);
    let (_, met) = others.find(|(_, other)| same(other))?;
    let reason = format!("it is the same process as worker {}", met.address);
    Some(Loss { reason, retryable: false })
}
