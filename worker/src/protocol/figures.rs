//! Figures of a worker, for whoever watches it.

use std::ops::AddAssign;

use sokohive_engine::Statistics;
use sokohive_proto::{Fence, Level, Traffic};

use crate::shard::ShardStatus;

/// How a worker stands in its job.
#[derive(Clone, Debug)]
pub struct Figures {
    /// The job and the epoch.
    pub fence: Fence,
    /// The level that is open; `None` before the first.
    pub level: Option<Level>,
    /// Its shard.
    pub shard: ShardStatus,
    /// What it has exchanged with its peers.
    pub traffic: Traffic,
    /// Bytes of batches that are kept until peers acknowledge them.
    pub in_flight: u64,
}

/// What a worker has done, in all its jobs since the process started. Only grows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// Jobs, or epochs of jobs, that it has had a shard of.
    pub jobs: u64,
    /// What their searches counted.
    pub statistics: Statistics,
    /// What it exchanged with peers.
    pub traffic: Traffic,
}

impl AddAssign<&Figures> for Totals {
    fn add_assign(&mut self, figures: &Figures) {
        self.jobs += 1;
        self.statistics += figures.shard.statistics;
        self.traffic += figures.traffic;
    }
}
