//! What the commands share that run on a cluster: what they need of the machine, and of whoever runs
//! them.
//!
//! # Layout
//!
//! - [`memory`]: what the machine, or the container, has.
//! - [`TlsArgs`], [`TokenArgs`]: the flags that say who is believed.

pub mod memory;
mod tls;
mod token;

pub use tls::TlsArgs;
pub use token::{TokenArgs, TokenArgsError};
