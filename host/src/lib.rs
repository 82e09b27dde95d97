//! What the commands share that run on a cluster: what they need of the machine, and of whoever runs
//! them.
//!
//! # Layout
//!
//! - [`TlsArgs`], [`TokenArgs`]: the flags that say who is believed.

mod tls;
mod token;

pub use tls::TlsArgs;
pub use token::{TokenArgs, TokenArgsError};
