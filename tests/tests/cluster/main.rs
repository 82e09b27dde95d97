//! Clusters of real processes on this machine.

mod answers;
mod durable;
mod loss;
mod memory;
mod metrics;
mod rivals;
mod serve;
mod tls;

/// Whether this build is fast enough for boards that take seconds.
const FAST: bool = !cfg!(debug_assertions);
