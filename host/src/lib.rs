//! What the commands share that run on a cluster: what they need of the machine, and of whoever runs
//! them.
//!
//! # Layout
//!
//! - [`TlsArgs`]: the flags that switch TLS on.

mod tls;

pub use tls::TlsArgs;
