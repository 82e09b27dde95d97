//! The time between being called into a job and having a shard for it.

use std::sync::Arc;
use std::time::Duration;

use sokohive_proto::{Fence, Owners, Peer, Prepare, Refusal, SegmentName, Task};

use super::Identity;
use super::serving::{Part, Serving};

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
    /// Whether to keep a journal.
    pub journal: bool,
    /// Whether the shard is to stay empty, to be restored.
    pub restores: bool,
    /// The segments of earlier epochs that the job goes on from.
    pub keep: Vec<SegmentName>,
}

/// Called into a job, without a shard yet; or for good, if the shard cannot be laid out.
#[derive(Debug)]
pub(super) struct LayingOut {
    fence: Fence,
    index: u16,
    peers: usize,
    restores: bool,
    heard: Duration,
    problem: Option<Refusal>,
}

impl LayingOut {
    pub(super) fn new(now: Duration, prepare: Prepare, me: &Identity) -> (Self, Layout) {
        let laying = Self {
            fence: prepare.fence,
            index: prepare.index,
            peers: prepare.peers.len(),
            restores: prepare.restores,
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
            journal: prepare.journal,
            restores: prepare.restores,
            keep: prepare.keep,
        };
        (laying, layout)
    }

    pub(super) fn serve<S>(self, shard: Arc<S>) -> Serving<S> {
        let Self { fence, index, peers, restores, heard, .. } = self;
        Serving::new(Part { fence, index, peers, restores }, heard, shard)
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
