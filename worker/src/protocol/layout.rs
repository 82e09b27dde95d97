//! The time between being called into a job and having a shard for it.

use std::sync::Arc;
use std::time::Duration;

use sokohive_proto::{Fence, Owners, Peer, Prepare, Refusal, Task};

use super::Identity;
use super::serving::Serving;

/// What a shard is laid out from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The job and epoch.
    pub fence: Fence,
    /// Index of this worker.
    pub index: u16,
    /// All workers of the job.
    pub peers: Vec<Peer>,
    /// Which of them owns what.
    pub owners: Owners,
    /// What is to be proven.
    pub task: Task,
    /// Bytes that the shard may use.
    pub memory: u64,
    /// Threads to search on.
    pub threads: u32,
}

/// Called into a job, without a shard yet; or for good, if the shard cannot be laid out.
#[derive(Debug)]
pub(super) struct LayingOut {
    fence: Fence,
    index: u16,
    peers: usize,
    heard: Duration,
    problem: Option<Refusal>,
}

impl LayingOut {
    pub(super) fn new(now: Duration, prepare: Prepare, me: &Identity) -> (Self, Layout) {
        let laying = Self {
            fence: prepare.fence,
            index: prepare.index,
            peers: prepare.peers.len(),
            heard: now,
            problem: None,
        };
        let layout = Layout {
            fence: prepare.fence,
            index: prepare.index,
            peers: prepare.peers,
            owners: prepare.owners,
            memory: prepare.task.memory.unwrap_or(u64::MAX).min(me.memory),
            task: prepare.task,
            threads: me.threads,
        };
        (laying, layout)
    }

    pub(super) fn serve<S>(self, shard: Arc<S>) -> Serving<S> {
        Serving::new(self.fence, self.index, self.peers, self.heard, shard)
    }

    pub(super) fn fail(self, problem: Refusal) -> Self {
        Self { problem: Some(problem), ..self }
    }

    pub(super) fn fence(&self) -> Fence {
        self.fence
    }

    pub(super) fn problem(&self) -> Option<Refusal> {
        self.problem.clone()
    }

    pub(super) fn heard(&mut self, now: Duration) {
        self.heard = now;
    }

    pub(super) fn last_heard(&self) -> Duration {
        self.heard
    }
}
