//! Pushes after which the board cannot be finished any more.
//!
//! Every test here is sound for every objective and both rules: it only refuses what no solution passes through.
//!
//! * *Dead squares*: a box on a square from which it could reach no goal even alone. They have no number in a box set
//!   ([`Board::live`](crate::Board::live)).
//! * *Freeze* ([`freeze`]): boxes that block each other for good, one of them off goal.
//! * *Subsets* ([`subsets`]): two or three boxes that cannot all be brought home from where the keeper is, even if the
//!   other boxes were taken away. Taking boxes away only makes a board easier.
//! * An infeasible matching, which the estimate finds.

pub(crate) mod corral;
pub(crate) mod freeze;
pub(crate) mod subsets;

#[cfg(test)]
mod tests;
