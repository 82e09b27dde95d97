//! A worker of the simulation: the real protocol, and what the driver around it keeps.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use sokohive_proto::{Fence, Incarnation, Push};
use sokohive_worker::protocol::{Identity, Layout, Protocol};

use crate::disk::Disk;
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
    /// Whether it is to be sent again after a pause.
    pub(crate) rests: bool,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) protocol: Protocol<GraphShard>,
    pub(crate) alive: bool,
    /// No message gets in or out.
    pub(crate) cut: bool,
    pub(crate) disk: Option<Arc<Mutex<Disk>>>,
    /// Whether it ends as soon as it is released.
    pub(crate) leaving: bool,
    pub(crate) shard: Option<Arc<GraphShard>>,
    pub(crate) layout: Option<Layout>,
    pub(crate) pending: HashMap<(Fence, u16, u64), Pending>,
    /// Whether a step is due.
    pub(crate) stepping: bool,
    /// Starts of this worker so far; what belongs to an earlier one is void.
    pub(crate) life: u64,
}

impl Node {
    /// A worker that starts, with a disk if it has one.
    pub(crate) fn new(worker: usize, life: u64, disk: Option<Arc<Mutex<Disk>>>) -> Self {
        let last_epoch = disk.as_ref().map_or(0, |disk| disk.lock().unwrap().epoch);
        let keeps_journal = disk.is_some();
        let incarnation = Incarnation::new(1000 * (worker as u64 + 1) + life);
        Self {
            protocol: Protocol::new(
                Identity { incarnation, memory: 1 << 20, threads: 1, keeps_journal },
                last_epoch,
            ),
            disk,
            leaving: false,
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
