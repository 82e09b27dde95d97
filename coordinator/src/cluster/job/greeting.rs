//! Who is there?

use sokohive_proto::{ClusterFailure, Epoch, Fence, Hello, PROTOCOL};

use super::call::{Reply, Request};
use super::claiming::Claiming;
use super::member::Loss;
use super::releasing::Releasing;
use super::restoring::deal;
use super::shared::Shared;
use super::{Ending, State};

/// Every worker has been asked who it is.
#[derive(Debug)]
pub(super) struct Greeting;

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
        let checkpoint = shared.settings.checkpoint.as_deref();
        let placed = checkpoint.map_or(&[][..], |checkpoint| &checkpoint.segments);
        let segments = placed.iter().map(|placed| placed.segment.clone()).collect();
        shared.call_all(&Request::Hello(segments));
        State::Greeting(Self)
    }

    pub(super) fn answered(self, shared: &mut Shared, worker: usize, reply: Reply) -> State {
        let Reply::Hello(hello) = reply else {
            return State::Greeting(self);
        };
        if let Some(loss) = unfit(shared, &hello) {
            return Releasing::enter_failed(shared, worker, loss);
        }
        shared.members[worker].hello = Some(hello);
        if shared.members.iter().any(|member| member.hello.is_none()) {
            return State::Greeting(self);
        }
        shared.dealt = match deal(shared) {
            Ok(dealt) => dealt,
            Err(failure) => return Releasing::enter(shared, Ending::Failed(failure)),
        };
        let hellos = shared.members.iter().filter_map(|member| member.hello.as_ref());
        let known = hellos.map(|hello| hello.last_epoch).max().unwrap_or(0);
        let checkpoint = shared.settings.checkpoint.as_deref();
        let written = checkpoint.map_or(0, |checkpoint| checkpoint.epoch.get());
        let last = known.max(written).max(shared.settings.last_epoch);
        shared.fence = Some(Fence { job: shared.settings.key, epoch: Epoch::after(last) });
        Claiming::enter(shared)
    }
}

/// Why a worker cannot take part.
fn unfit(shared: &Shared, hello: &Hello) -> Option<Loss> {
    if hello.protocol != PROTOCOL {
        let reason = format!("it speaks protocol version {}, expected {PROTOCOL}", hello.protocol);
        return Some(Loss { reason, retryable: false });
    }
    if shared.settings.every.is_some() && !hello.keeps_journal {
        let reason = "it keeps no journal: start it with --data-dir".to_owned();
        return Some(Loss { reason, retryable: false });
    }
    let met = shared.members.iter().find(|member| {
        member.hello.as_ref().is_some_and(|other| other.incarnation == hello.incarnation)
    })?;
    let reason = format!("it is the same process as worker {}", met.address);
    Some(Loss { reason, retryable: false })
}
