//! Proving a board on a cluster of workers.
//!
//! # Layout
//!
//! - [`job`]: what the coordinator does to run one job, as a plain state machine.
//! - [`Drive`]: runs such a machine over the network; `link` is the connection to one worker, `knock`
//!   finds out whether one wants TLS, `scribe` writes manifests.
//! - `plain`: a job that keeps nothing, and the second search that compares optimal solutions.
//! - [`recovery`]: whether a job that failed is tried again, and on whom; `durable` does so.
//! - [`Plan`], `prepare`: what is needed of the engine for a board.
//! - [`solve()`]: one board on a list of workers.
//! - [`serve()`]: the long-running coordinator; [`Client`] talks to one.

mod client;
mod drive;
mod durable;
pub mod job;
mod knock;
mod link;
mod plain;
mod plan;
mod prepare;
pub mod recovery;
mod scribe;
mod serve;
mod solve;

pub use client::{Client, ClientError, CoordinatorStatus, JobLine};
pub use drive::{Attempt, Drive};
pub use durable::{Safety, clean_up};
pub use plan::{Plan, ReadRows};
pub use serve::{ServeError, ServeOptions, StoreError, serve};
pub use solve::{ClusterOptions, ClusterSolve, solve, task};
