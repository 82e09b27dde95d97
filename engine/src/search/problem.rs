//! What is searched: a board, a rule, and everything worked out about it beforehand.

use crate::Rule;
use crate::board::{Board, Square};
use crate::budget::Budget;
use crate::deadlock::subsets::DeadSubsets;
use crate::estimate::Estimate;
use crate::rank::{Rank, Ranking};
use crate::squares::SquareSet;
use crate::walk::Ground;

/// Fixed while the search runs; shared by all threads.
pub(crate) struct Problem<R, S> {
    pub(crate) board: Board,
    pub(crate) rule: Rule,
    pub(crate) ranking: Ranking<R>,
    pub(crate) estimate: Estimate,
    pub(crate) subsets: Option<DeadSubsets<S>>,
    /// Whether pushes that freeze a box off goal are refused.
    pub(crate) freeze: bool,
    /// Whether dominated states are dropped.
    pub(crate) dominance: bool,
    pub(crate) goals: S,
    pub(crate) pushes: Vec<PushPlaces>,
}

/// For a box on some square and each direction: where the keeper must stand and where the box goes.
pub(crate) type PushPlaces = [Option<(Square, Square)>; 4];

impl<R: Rank, S: SquareSet> Problem<R, S> {
    /// `None` where the ranks of the board do not fit the word. The budget is charged for the tables.
    pub(crate) fn new<G: Ground<Set = S>>(
        board: Board,
        rule: Rule,
        estimate: Estimate,
        dominance: bool,
        deadlocks: bool,
        budget: &Budget,
    ) -> Option<Self> {
        let ranking = Ranking::new(board.live(), board.boxes().len())?;
        let goals = S::from_squares(board.squares(), board.goals().iter().copied());
        let pushes = board.all().map(|square| push_places(&board, square)).collect();
        let subsets = deadlocks.then(|| DeadSubsets::new(&board, &mut G::new(&board), budget));
        Some(Self {
            rule,
            ranking,
            estimate,
            subsets: subsets.flatten(),
            freeze: deadlocks,
            dominance,
            goals,
            pushes,
            board,
        })
    }

    /// Number of boxes.
    pub(crate) fn boxes(&self) -> usize {
        self.board.boxes().len()
    }
}

fn push_places(board: &Board, square: Square) -> PushPlaces {
    crate::Direction::ALL.map(|direction| {
        let side = board.neighbour(square, direction.opposite())?;
        let target = board.neighbour(square, direction)?;
        board.is_live(target).then_some((side, target))
    })
}
