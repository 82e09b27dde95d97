//! Helpers of the end-to-end tests: the real binaries, run as a user runs them.
//!
//! # Layout
//!
//! `binary` builds and finds the binaries, `run` runs them and keeps what they said, `redact` blanks
//! what differs from run to run, `cluster` starts workers and coordinators, `exposition` reads figures strictly, `scratch` holds files for a test, `boards` are boards made for the tests.

mod binary;
pub mod boards;
pub mod cluster;
pub mod exposition;
mod redact;
mod run;
mod scratch;

pub use binary::binary;
pub use redact::redact;
pub use run::{Run, command, command_on_full_disk, run, run_with_input, signal};
pub use scratch::Scratch;
