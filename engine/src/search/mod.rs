//! The search: level-synchronous parallel A* over rows.

pub(crate) mod agenda;
pub(crate) mod expand;
pub(crate) mod incumbent;
pub(crate) mod problem;
pub(crate) mod shard;
