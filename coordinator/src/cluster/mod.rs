//! Proving a board on a cluster of workers.
//!
//! # Layout
//!
//! - [`job`]: what the coordinator does to run one job, as a plain state machine.

pub mod job;
