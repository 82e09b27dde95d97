//! What is open before the first level?

use std::time::Duration;

use sokohive_proto::{Poll, Upkeep};

use super::State;
use super::call::{Reply, Request};
use super::member::Member;
use super::searching::{Searching, end_for};
use super::shared::Shared;

/// Every worker has been asked for its first report.
#[derive(Debug)]
pub(super) struct Surveying;

impl Surveying {
    pub(super) fn enter(shared: &mut Shared) -> State {
        if let Some(fence) = shared.fence {
            let poll = Poll {
                fence,
                level: None,
                incumbent: None,
                wait: Duration::ZERO,
                upkeep: Upkeep::default(),
            };
            shared.call_all(&Request::Poll(poll));
        }
        shared.walkable = true;
        State::Surveying(Self)
    }

    pub(super) fn answered(self, shared: &mut Shared, worker: usize, reply: Reply) -> State {
        if let Reply::Report(report) = reply
            && let Some(trouble) = shared.absorb(worker, *report)
        {
            return end_for(shared, trouble);
        }
        if shared.members.iter().any(Member::is_busy) {
            State::Surveying(self)
        } else {
            Searching::advance(shared)
        }
    }
}
