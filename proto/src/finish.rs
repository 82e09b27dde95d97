//! A solution that was found.

use crate::bad_field::{moves_from_field, required};
use crate::{BadField, Rank, wire};

/// A solution that was found: what it costs, and where to take up its trail.
///
/// Ordered by cost first, so that the smallest is the best and ties do not depend on who reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Finish {
    /// Cost of the solution, in moves.
    pub cost: u32,
    /// The box set to begin with.
    pub rank: Rank,
    /// How it was found.
    pub trail: Trail,
}

/// How a solution was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Trail {
    /// By a push that finished the board.
    Finished {
        /// The keeper's square right after the push, in the engine's numbering.
        keeper: u32,
        /// Cost up to the push, in moves.
        push_cost: u32,
    },
    /// In a row with states of both sides: some two of them, and the walk between, cost as much.
    Meeting,
}

impl From<Finish> for wire::Finish {
    fn from(finish: Finish) -> Self {
        use wire::finish::Trail as Wire;
        let trail = match finish.trail {
            Trail::Finished { keeper, push_cost } => {
                Wire::Finished(wire::Finished { keeper, push_cost })
            }
            Trail::Meeting => Wire::Meeting(wire::Meeting {}),
        };
        Self { cost: finish.cost, rank: finish.rank.to_wire(), trail: Some(trail) }
    }
}

impl TryFrom<wire::Finish> for Finish {
    type Error = BadField;

    fn try_from(finish: wire::Finish) -> Result<Self, BadField> {
        use wire::finish::Trail as Wire;
        Ok(Self {
            cost: moves_from_field("finish.cost", finish.cost)?,
            rank: Rank::from_field("finish.rank", &finish.rank)?,
            trail: match required("finish.trail", finish.trail)? {
                Wire::Finished(wire::Finished { keeper, push_cost }) => {
                    let push_cost = moves_from_field("finish.finished.push_cost", push_cost)?;
                    Trail::Finished { keeper, push_cost }
                }
                Wire::Meeting(wire::Meeting {}) => Trail::Meeting,
            },
        })
    }
}
