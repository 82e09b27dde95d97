//! Where shards come from.

use std::sync::Arc;

use sokohive_proto::Refusal;

use crate::Shard;
use crate::protocol::Layout;

/// To be called by a shard whenever its status may be worth looking at: a batch is sealed, all
/// threads are idle, a better finish is found, something has gone wrong. Never waits.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// Lays out shards and starts their threads.
pub trait Foundry: Send + Sync + 'static {
    /// What it makes.
    type Shard: Shard;

    /// Lays out a shard. May take long: it is called on a thread of its own.
    ///
    /// # Errors
    ///
    /// If the board cannot be taken.
    fn lay_out(&self, layout: &Layout, wake: Wake) -> Result<Self::Shard, Refusal>;
}
