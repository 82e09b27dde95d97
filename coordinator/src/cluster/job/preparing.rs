//! Every worker lays out its shard.

use std::time::Duration;

use sokohive_proto::{Incarnation, Owners, Peer, Prepare};

use super::State;
use super::call::{Reply, Request};
use super::searching::Searching;
use super::shared::Shared;
use super::surveying::Surveying;

/// How long a worker may take to answer while it lays out its shard.
const WAIT: Duration = Duration::from_millis(500);

/// Every worker has been called into the job.
#[derive(Debug)]
pub(super) struct Preparing {
    ready: Vec<bool>,
}

impl Preparing {
    pub(super) fn enter(shared: &mut Shared) -> State {
        let workers = shared.members.len();
        (0..workers).for_each(|worker| call(shared, worker));
        State::Preparing(Self { ready: vec![false; workers] })
    }

    pub(super) fn answered(mut self, shared: &mut Shared, worker: usize, reply: &Reply) -> State {
        match reply {
            Reply::Prepared { ready: true } => self.ready[worker] = true,
            _ => call(shared, worker),
        }
        if self.ready.iter().all(|&ready| ready) {
            if shared.restores() { Searching::restore(shared) } else { Surveying::enter(shared) }
        } else {
            State::Preparing(self)
        }
    }
}

fn call(shared: &mut Shared, worker: usize) {
    let Some(fence) = shared.fence else {
        return;
    };
    let peers = shared.members.iter().map(|member| Peer {
        address: member.address.clone(),
        incarnation: member.hello.as_ref().map_or(Incarnation::new(1), |hello| hello.incarnation),
    });
    let checkpoint = shared.settings.checkpoint.as_deref();
    let placed = checkpoint.map_or(&[][..], |checkpoint| &checkpoint.segments);
    let keep = placed.iter().map(|placed| placed.segment.name.clone());
    let prepare = Prepare {
        fence,
        // Lists of more than 1,024 workers are refused before.
        index: u16::try_from(worker).unwrap_or(u16::MAX),
        peers: peers.collect(),
        owners: Owners::even(shared.members.len()),
        task: shared.settings.task.clone(),
        wait: WAIT,
        journal: shared.settings.every.is_some(),
        restores: shared.restores(),
        keep: keep.collect(),
    };
    shared.call(worker, Request::Prepare(Box::new(prepare)));
}
