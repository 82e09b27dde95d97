//! The search: level-synchronous parallel A* over rows.

pub(crate) mod agenda;
pub(crate) mod ends;
pub(crate) mod exchange;
pub(crate) mod expand;
pub(crate) mod incumbent;
pub(crate) mod layers;
pub(crate) mod lead;
pub(crate) mod levels;
mod nameless;
pub(crate) mod problem;
pub(crate) mod put_off;
pub(crate) mod roots;
pub(crate) mod shard;
pub(crate) mod side;
pub(crate) mod spill;
pub(crate) mod want;

#[cfg(test)]
mod tests;
