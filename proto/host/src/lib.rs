//! What the commands share that run on a cluster: what they need of the machine, and of whoever runs
//! them.
//!
//! # Layout
//!
//! - [`check_folder`]: whether files can be kept in a folder.
//! - [`memory`]: what the machine, or the container, has.
//! - [`Page`], [`serve_metrics`]: figures for a monitoring system.
//! - [`TlsArgs`], [`TokenArgs`]: the flags that say who is believed.

mod folder;
pub mod memory;
mod metrics;
mod tls;
mod token;

pub use folder::{FolderError, check_folder};
pub use metrics::{Page, Source, serve_metrics};
pub use tls::TlsArgs;
pub use token::{TokenArgs, TokenArgsError};
