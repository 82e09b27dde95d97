//! Every worker lays out its shard.
//!
//! Workers are claimed one after the other, in the order of their incarnations: the same for every job,
//! whatever its list of workers says. So of jobs that start at the same moment one goes first, and the
//! others wait for the first worker that they share; no two jobs hold what the other waits for (Havender,
//! *Avoiding deadlock in multitasking systems*, 1968). Laying out goes on side by side. A worker that has
//! been claimed is called again and again until all are ready, or others would take it for abandoned.
//!
//! A job that comes too late all the same, as its epoch is over by the time it has a worker, gives way and
//! begins anew.

use std::time::Duration;

use sokohive_proto::{Incarnation, Owners, Peer, Prepare, Refusal};

use super::State;
use super::call::{CallError, Reply, Request};
use super::giving_way::GivingWay;
use super::member::Member;
use super::releasing::Releasing;
use super::searching::Searching;
use super::shared::Shared;
use super::surveying::Surveying;

/// How long a worker may take to answer while it lays out its shard.
const WAIT: Duration = Duration::from_millis(500);

/// Pause between two calls to a worker that is ready while others are not.
const BEAT: Duration = Duration::from_secs(1);

/// Workers are being called into the job.
#[derive(Debug)]
pub(super) struct Preparing {
    /// The workers that are to be claimed after those called so far, the next one last.
    waiting: Vec<usize>,
    stages: Vec<Stage>,
}

/// How far a worker is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// It has not said yet that it takes part.
    Unclaimed,
    /// It takes part, and lays out its shard.
    LayingOut,
    /// It is ready, and is to be called again then.
    Ready(Duration),
}

impl Preparing {
    pub(super) fn enter(shared: &mut Shared) -> State {
        let mut waiting: Vec<usize> = (0..shared.members.len()).collect();
        waiting
            .sort_by_key(|&worker| std::cmp::Reverse(incarnation(&shared.members[worker]).get()));
        let stages = vec![Stage::Unclaimed; shared.members.len()];
        let mut preparing = Self { waiting, stages };
        preparing.claim(shared);
        State::Preparing(preparing)
    }

    /// Calls the next worker.
    fn claim(&mut self, shared: &mut Shared) {
        if let Some(worker) = self.waiting.pop() {
            call(shared, worker, Duration::ZERO);
        }
    }

    pub(super) fn answered(mut self, shared: &mut Shared, worker: usize, reply: &Reply) -> State {
        let was_unclaimed = self.stages[worker] == Stage::Unclaimed;
        if let Reply::Prepared { ready: true } = reply {
            self.stages[worker] = Stage::Ready(shared.now + BEAT);
        } else {
            self.stages[worker] = Stage::LayingOut;
            call(shared, worker, WAIT);
        }
        if was_unclaimed {
            self.claim(shared);
        }
        if self.stages.iter().any(|stage| !matches!(stage, Stage::Ready(_))) {
            return State::Preparing(self);
        }
        // What is still awaited tells nothing new.
        shared.members.iter_mut().for_each(Member::settle);
        if shared.restores() { Searching::restore(shared) } else { Surveying::enter(shared) }
    }

    /// A worker has refused to take part, or has not answered.
    pub(super) fn failed(self, shared: &mut Shared, worker: usize, error: CallError) -> State {
        let contested = match &error {
            CallError::Refused(refusal @ (Refusal::Busy(_) | Refusal::OldEpoch { .. })) => {
                Some(refusal.clone())
            }
            _ => None,
        };
        if let Some(refusal) = contested {
            if let Some(loss) = shared.contested(&refusal) {
                return Releasing::enter_failed(shared, worker, loss);
            }
            let is_first_come = self.stages[worker] == Stage::Unclaimed;
            if !(is_first_come && matches!(refusal, Refusal::Busy(_))) {
                return GivingWay::enter(shared);
            }
        }
        match shared.members[worker].failed(shared.now, error) {
            None => State::Preparing(self),
            Some(loss) => Releasing::enter_failed(shared, worker, loss),
        }
    }

    pub(super) fn tick(self, shared: &mut Shared) -> State {
        for (worker, stage) in self.stages.iter().enumerate() {
            if matches!(stage, Stage::Ready(at) if *at <= shared.now)
                && !shared.members[worker].is_busy()
            {
                call(shared, worker, Duration::ZERO);
            }
        }
        State::Preparing(self)
    }

    pub(super) fn deadline(&self, members: &[Member]) -> Option<Duration> {
        let due = |(stage, member): (&Stage, &Member)| match stage {
            Stage::Ready(at) if !member.is_busy() => Some(*at),
            _ => None,
        };
        self.stages.iter().zip(members).filter_map(due).min()
    }
}

fn incarnation(member: &Member) -> Incarnation {
    member.hello.as_ref().map_or(Incarnation::new(1), |hello| hello.incarnation)
}

fn call(shared: &mut Shared, worker: usize, wait: Duration) {
    let Some(fence) = shared.fence else {
        return;
    };
    let peers = shared
        .members
        .iter()
        .map(|member| Peer { address: member.address.clone(), incarnation: incarnation(member) });
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
        wait,
        journal: shared.settings.every.is_some(),
        restores: shared.restores(),
        keep: keep.collect(),
    };
    shared.call(worker, Request::Prepare(Box::new(prepare)));
}
