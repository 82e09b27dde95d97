//! A worker of the simulation: the real protocol, and what the driver around it keeps.

use std::collections::HashMap;
use std::sync::Arc;

use sokohive_proto::{Fence, Incarnation, Push};
use sokohive_worker::protocol::{Identity, Layout, Protocol};

use crate::shard::GraphShard;

/// A push that has not been acknowledged.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    pub(crate) push: Push,
    pub(crate) peer: usize,
    pub(crate) records: u64,
    pub(crate) failures: u32,
    /// Counts the sendings; answers to earlier ones count as well.
    pub(crate) attempt: u32,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) protocol: Protocol<GraphShard>,
    pub(crate) alive: bool,
    /// No message gets in or out.
    pub(crate) cut: bool,
    pub(crate) shard: Option<Arc<GraphShard>>,
    pub(crate) layout: Option<Layout>,
    pub(crate) pending: HashMap<(Fence, u16, u64), Pending>,
    /// Whether a step is due.
    pub(crate) stepping: bool,
    /// Starts of this worker so far; what belongs to an earlier one is void.
    pub(crate) life: u64,
}

impl Node {
    pub(crate) fn new(worker: usize, life: u64) -> Self {
        let incarnation = Incarnation::new(1000 * (worker as u64 + 1) + life);
        Self {
            protocol: Protocol::new(
                Identity { incarnation, memory: 1 << 20, threads: 1, keeps_journal: false },
                0,
            ),
            alive: true,
            cut: false,
            shard: None,
            layout: None,
            pending: HashMap::new(),
            stepping: false,
            life,
        }
    }

    pub(crate) fn reachable(&self) -> bool {
        self.alive && !self.cut
    }
}
