//! A Sokohive cluster worker: owns one shard of the best-g table.
//!
//! # Layout
//!
//! - [`protocol`]: what the worker does on every call, as a plain state machine.
//! - [`Shard`], [`Foundry`]: what is needed of the search, and of the place that it keeps journals in.
//! - `service`: the gRPC services and the senders of batches; translate, and keep batches moving.
//! - [`serve()`]: a worker on a bound listener until told to stop; `register` offers it to a
//!   coordinator.
//!
//! Compute and I/O never share a thread: the shard brings its own threads, the services run on
//! tokio.

mod cli;
mod engine_shard;
mod epoch_file;
mod footprint;
mod foundry;
mod metrics;
mod probe;
pub mod protocol;
mod register;
mod segments;
mod serve;
mod service;
mod shard;
mod size;

pub use cli::{Cli, DEFAULT_PORT};
pub use engine_shard::{EngineFoundry, EngineShard, Places};
pub use footprint::beside;
pub use foundry::{Foundry, Wake};
pub use probe::{ProbeError, probe};
pub use register::RegisterError;
pub use serve::{Options, ServeError, serve};
pub use shard::{OfferError, Restoration, Sealed, Shard, ShardStatus};
pub use size::{BadSize, Bytes};
