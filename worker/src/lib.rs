//! A Sokohive cluster worker: owns one shard of the best-g table.
//!
//! # Layout
//!
//! - [`protocol`]: what the worker does on every call, as a plain state machine.
//! - [`Shard`]: what the protocol needs of the search.

pub mod protocol;
mod shard;

pub use shard::{OfferError, Sealed, Shard, ShardStatus};
