//! What is written down of a search, so that it can be gone on with after everything was killed.
//!
//! A checkpoint has two parts: the states, which are in segments of journals wherever the shards
//! keep them, and the rest, which is in one small file, the manifest. A manifest is written whole or
//! not at all, and only when all the segments that it names are durable.

mod keeper;
mod lock;
pub mod manifest;

pub(crate) use keeper::{Keeper, forget, tidy, to_engine};
pub(crate) use lock::{Held, lock};
pub use manifest::{ManifestError, read, remove, write};
