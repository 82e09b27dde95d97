//! A finishing state.

use crate::{BadField, Rank, wire};

/// A finishing state and what the whole solution through it costs.
///
/// Ordered by cost first, so that the smallest is the best and ties do not depend on who reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Finish {
    /// Cost of the solution, in moves.
    pub cost: u32,
    /// The box set.
    pub rank: Rank,
    /// The keeper's square right after the last push, in the engine's numbering.
    pub keeper: u32,
    /// Cost up to that push, in moves.
    pub push_cost: u32,
}

impl From<Finish> for wire::Finish {
    fn from(finish: Finish) -> Self {
        Self {
            cost: finish.cost,
            rank: finish.rank.to_wire(),
            keeper: finish.keeper,
            push_cost: finish.push_cost,
        }
    }
}

impl TryFrom<wire::Finish> for Finish {
    type Error = BadField;

    fn try_from(finish: wire::Finish) -> Result<Self, BadField> {
        Ok(Self {
            cost: finish.cost,
            rank: Rank::from_field("finish.rank", &finish.rank)?,
            keeper: finish.keeper,
            push_cost: finish.push_cost,
        })
    }
}
