//! What can be said of a board without searching it.

use ethnum::U256;

use crate::board::{Board, Square};
use crate::estimate::{Estimate, Estimator, UNREACHABLE, pushes_from};
use crate::plan::layout;
use crate::rank::{Rank, rank_bits};
use crate::{EntryWidth, Level, Position};

/// A survey of one board.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Inspection {
    /// The playing area.
    pub board: Board,
    /// Each box within the keeper's reach.
    pub boxes: Vec<BoxInspection>,
    /// Sum of the pushes to the nearest goals; `None` if some box reaches none.
    pub nearest: Option<u32>,
    /// Least pushes to bring every box to a goal of its own, or to the nearest ones where there are too many goals to
    /// match; `None` if that cannot be.
    pub matching: Option<u32>,
    /// Bits of the number of a box set.
    pub rank_bits: u32,
    /// Whether [`Inspection::rank_bits`] is exact, or a close lower bound because there are too many box sets to count.
    pub rank_bits_exact: bool,
    /// Width of the table entries the board takes; `None` if it is too wide.
    pub entry_width: Option<EntryWidth>,
    /// Bits of an entry that are left for the cost.
    pub cost_bits: Option<u32>,
}

/// A box and its way home.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BoxInspection {
    /// Where it stands.
    pub position: Position,
    /// Fewest pushes to each goal, in reading order of the goals, if the keeper could always get behind the box.
    pub pushes: Vec<(Position, Option<u32>)>,
}

impl Inspection {
    /// Surveys a level. `memory` is the limit in bytes that a search would have.
    pub fn new(level: &Level, memory: u64) -> Self {
        let board = Board::new(level);
        let mut goals = board.goals().to_vec();
        goals.sort_by_key(|&goal| board.position(goal));
        let to_goals = |square| {
            let distances = pushes_from(&board, square);
            let pushes = |&goal: &Square| {
                let pushes = distances[goal.index()];
                (board.position(goal), (pushes < UNREACHABLE).then_some(pushes))
            };
            goals.iter().map(pushes).collect()
        };
        let mut boxes: Vec<_> = board
            .boxes()
            .iter()
            .map(|&square| BoxInspection {
                position: board.position(square),
                pushes: to_goals(square),
            })
            .collect();
        boxes.sort_by_key(|inspection| inspection.position);
        let bound = |estimate: &Estimate| Estimator::new(estimate).of_row(board.boxes());
        let (nearest, matching) =
            (bound(&Estimate::nearest(&board)), bound(&Estimate::matching(&board)));
        let (rank_bits, rank_bits_exact) = rank_bits(board.live(), board.boxes().len());
        let plan = plan::<u64>(&board, memory, EntryWidth::Bytes8)
            .or_else(|| plan::<u128>(&board, memory, EntryWidth::Bytes16))
            .or_else(|| plan::<U256>(&board, memory, EntryWidth::Bytes32));
        Self {
            boxes,
            nearest,
            matching,
            rank_bits,
            rank_bits_exact,
            entry_width: plan.map(|(width, _)| width),
            cost_bits: plan.map(|(_, bits)| bits),
            board,
        }
    }
}

fn plan<R: Rank>(board: &Board, memory: u64, width: EntryWidth) -> Option<(EntryWidth, u32)> {
    layout::<R>(board, memory).map(|layout| (width, layout.cost_bits))
}
