//! Numbers that are not to come twice.

use std::hash::{BuildHasher, RandomState};

/// A random number other than 0. The standard library's hash keys are random and new on each call;
/// nothing here has to be secret.
pub(crate) fn nonzero() -> u64 {
    RandomState::new().hash_one(std::process::id()).max(1)
}
