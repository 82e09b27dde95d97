//! Who is there?

use sokohive_proto::{ClusterFailure, Epoch, Fence, Hello, PROTOCOL};

use super::call::{Reply, Request};
use super::member::Loss;
use super::preparing::Preparing;
use super::releasing::Releasing;
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
            };
            return Releasing::enter(shared, Ending::Failed(failure));
        }
        shared.call_all(&Request::Hello);
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
        let hellos = shared.members.iter().filter_map(|member| member.hello.as_ref());
        let last = hellos.map(|hello| hello.last_epoch).max().unwrap_or(0);
        shared.fence = Some(Fence { job: shared.settings.key, epoch: Epoch::after(last) });
        Preparing::enter(shared)
    }
}

/// Why a worker cannot take part.
fn unfit(shared: &Shared, hello: &Hello) -> Option<Loss> {
    if hello.protocol != PROTOCOL {
        let reason = format!("it speaks protocol version {}, expected {PROTOCOL}", hello.protocol);
        return Some(Loss { reason, retryable: false });
    }
    let met = shared.members.iter().find(|member| {
        member.hello.as_ref().is_some_and(|other| other.incarnation == hello.incarnation)
    })?;
    let reason = format!("it is the same process as worker {}", met.address);
    Some(Loss { reason, retryable: false })
}
