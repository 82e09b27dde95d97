//! The worker's services: translate between gRPC and the [`Protocol`], and keep batches moving.
//!
//! One [`Node`] owns the truth, behind a lock that is held for moments only: no call waits for
//! the search or for the network while it has it.

mod control;
mod data;
mod sender;
mod span;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use sokohive_proto::{Fence, Refusal, Security};
use tokio::sync::watch;
use tracing::{info, warn};

pub(crate) use control::Control;
pub(crate) use data::Data;

use crate::epoch_file;
use crate::footprint;
use crate::foundry::Foundry;
use crate::protocol::{Chore, Identity, Layout, Protocol};
use crate::shard::Shard;

/// What all calls share.
pub(crate) struct Node<F: Foundry> {
    foundry: F,
    /// Times of the protocol count from here.
    start: Instant,
    protocol: Mutex<Protocol<F::Shard>>,
    /// Sent to whenever something may be worth looking at. A watch rather than a notification:
    /// many wait for it, and none may miss what happened between looking and waiting.
    changed: watch::Sender<()>,
    closing: AtomicBool,
    data_dir: Option<PathBuf>,
    /// How peers are connected to.
    security: Security,
    /// The runtime that senders run on.
    runtime: tokio::runtime::Handle,
}

impl<F: Foundry> Node<F> {
    /// Must be called within the runtime that is to do the sending.
    pub(crate) fn new(
        foundry: F,
        identity: Identity,
        last_epoch: u64,
        data_dir: Option<PathBuf>,
        security: Security,
    ) -> Arc<Self> {
        Arc::new(Self {
            foundry,
            start: Instant::now(),
            protocol: Mutex::new(Protocol::new(identity, last_epoch)),
            changed: watch::Sender::new(()),
            closing: AtomicBool::new(false),
            data_dir,
            security,
            runtime: tokio::runtime::Handle::current(),
        })
    }

    pub(crate) fn now(&self) -> Duration {
        self.start.elapsed()
    }

    /// The protocol, for a moment.
    pub(crate) fn protocol(&self) -> MutexGuard<'_, Protocol<F::Shard>> {
        // A panic while it was held is a defect; going on is no worse than refusing all calls.
        self.protocol.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    pub(crate) fn has_changed(&self) {
        self.changed.send_replace(());
    }

    /// Refuses all control calls from now on.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
        self.has_changed();
    }

    pub(crate) fn open(&self) -> Result<(), Refusal> {
        if self.closing.load(Ordering::Relaxed) { Err(Refusal::ShuttingDown) } else { Ok(()) }
    }

    /// Lays out a shard on a thread of its own, after the old one has been stopped.
    fn lay_out(self: &Arc<Self>, layout: Layout, stop: Option<Arc<F::Shard>>) {
        let node = Arc::clone(self);
        let fence = layout.fence;
        let spawned = thread::Builder::new().name("lay-out".to_owned()).spawn(move || {
            if let Some(shard) = stop {
                shard.stop();
            }
            node.laid_out(&layout);
        });
        if let Err(error) = spawned {
            let refusal = Refusal::BadBoard(format!("no thread to lay it out on: {error}"));
            self.protocol().laid_out(fence, Err(refusal));
        }
    }

    fn laid_out(self: &Arc<Self>, layout: &Layout) {
        let fence = layout.fence;
        let _inside = span::of_job(fence).entered();
        if layout.journal || layout.restores {
            self.foundry.discard(fence.job, Some(fence.epoch), &layout.keep);
        }
        if let Some(directory) = &self.data_dir
            && let Err(error) = epoch_file::write(directory, fence.epoch)
        {
            warn!("epoch {} not written down: {error}", fence.epoch);
        }
        footprint::check(layout.memory, layout.threads, layout.peers.len() - 1);
        let node = Arc::downgrade(self);
        let wake = move || {
            if let Some(node) = node.upgrade() {
                node.has_changed();
            }
        };
        let result = self.foundry.lay_out(layout, Arc::new(wake)).map(Arc::new);
        match &result {
            Ok(_) => info!("worker {} of {} is ready", layout.index, layout.peers.len()),
            Err(refusal) => warn!("{refusal}"),
        }
        let shard = result.as_ref().ok().cloned();
        if let Some(unwanted) = self.protocol().laid_out(fence, result) {
            unwanted.stop();
        } else if let Some(shard) = shard {
            self.start_senders(layout, &shard);
        }
        self.has_changed();
    }

    fn start_senders(self: &Arc<Self>, layout: &Layout, shard: &Arc<F::Shard>) {
        for (index, peer) in (0..).zip(&layout.peers) {
            if index != layout.index {
                let sender = sender::Sender::new(self, layout, index, &peer.address, shard);
                self.runtime.spawn(sender.run());
            }
        }
    }

    /// Stops a shard where its threads may be waited for.
    pub(crate) fn stop(shard: Option<Arc<F::Shard>>) {
        if let Some(shard) = shard {
            tokio::task::spawn_blocking(move || shard.stop());
        }
    }

    /// Does what has been asked for beside the search, where the disk may be waited for.
    fn see_to(self: &Arc<Self>, fence: Fence, chores: Vec<Chore<F::Shard>>) {
        for chore in chores {
            let node = Arc::clone(self);
            match chore {
                Chore::Remove(names) => {
                    tokio::task::spawn_blocking(move || node.foundry.remove(&names));
                }
                Chore::Sync { shard, ordinal } => {
                    tokio::task::spawn_blocking(move || node.sync(fence, shard, ordinal));
                }
            }
        }
    }

    /// Makes a journal durable, again and again while there is a reason to.
    fn sync(&self, fence: Fence, mut shard: Arc<F::Shard>, mut ordinal: u32) {
        loop {
            let result = shard.sync();
            if let Err(error) = &result {
                warn!("job {}: the journal is not durable: {error}", fence.job);
            }
            let next = self.protocol().synced(fence, ordinal, result);
            self.has_changed();
            match next {
                Some(Chore::Sync { shard: next, ordinal: later }) => {
                    (shard, ordinal) = (next, later);
                }
                Some(Chore::Remove(_)) | None => return,
            }
        }
    }

    /// Tells the coordinator that this process is about to end, and waits until no job is left.
    pub(crate) async fn leave(self: Arc<Self>) {
        let mut changes = self.changes();
        let mut occupied = self.protocol().leave();
        self.has_changed();
        while occupied {
            if changes.changed().await.is_err() {
                return;
            }
            occupied = self.protocol().is_occupied();
        }
    }

    /// Gives up jobs whose coordinator has gone, for as long as the runtime lives.
    pub(crate) async fn watch_over(self: Arc<Self>) {
        loop {
            tokio::time::sleep(Duration::from_secs(5)).await;
            let abandoned = self.protocol().tick(self.now());
            if abandoned.is_some() {
                warn!("the coordinator has gone; its job is given up");
            }
            Self::stop(abandoned);
        }
    }

    /// Ends whatever is under way.
    pub(crate) fn abandon(&self) {
        let shard = self.protocol().abandon();
        Self::stop(shard);
        self.has_changed();
    }
}
