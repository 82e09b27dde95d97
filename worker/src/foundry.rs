//! Where shards come from.

use std::sync::Arc;

use sokohive_proto::{Epoch, JobKey, Refusal, Segment, SegmentName};

use crate::Shard;
use crate::protocol::Layout;

/// To be called by a shard whenever its status may be worth looking at: a batch is sealed, all
/// threads are idle, a better finish is found, something has gone wrong. Never waits.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// Lays out shards and starts their threads; keeps what outlives them.
pub trait Foundry: Send + Sync + 'static {
    /// What it makes.
    type Shard: Shard;

    /// Lays out a shard. May take long: it is called on a thread of its own.
    ///
    /// # Errors
    ///
    /// If the board cannot be taken.
    fn lay_out(&self, layout: &Layout, wake: Wake) -> Result<Self::Shard, Refusal>;

    /// Whether there is a place for journals.
    fn keeps_journal(&self) -> bool;

    /// Which of the segments are in that place, and at least as long. Waits for the disk.
    fn present(&self, segments: &[Segment]) -> Vec<bool>;

    /// Deletes segments. Waits for the disk.
    fn remove(&self, names: &[SegmentName]);

    /// Deletes all segments of a job, or only those begun before some epoch, except those to be
    /// kept. Waits for the disk.
    fn discard(&self, job: JobKey, before: Option<Epoch>, keep: &[SegmentName]);
}
