//! What is searched: a board, a rule, and everything worked out about it beforehand.

use crate::board::{Board, Square};
use crate::budget::Budget;
use crate::deadlock::subsets::DeadSubsets;
use crate::estimate::Estimate;
use crate::rank::{Rank, Ranking};
use crate::squares::SquareSet;
use crate::walk::Ground;
use crate::{Direction, Rule};

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
    /// For each square a box may stand on, the places of its pushes.
    pub(crate) box_pushes: Vec<BoxPushes>,
    /// For each square the keeper may stand on, the pushes from there, by direction.
    pub(crate) keeper_pushes: Vec<[Option<KeeperPush>; 4]>,
}

/// The pushes of a box on some square: where the keeper must stand, and where the box goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxPushes {
    places: [(Square, Square); 4],
    count: usize,
}

/// A push seen from the keeper: where the box stands, and where it goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeeperPush {
    pub(crate) from: Square,
    pub(crate) target: Square,
}

impl BoxPushes {
    fn new(board: &Board, square: Square) -> Self {
        let mut pushes = Self { places: [(square, square); 4], count: 0 };
        for direction in Direction::ALL {
            if let Some(side) = board.neighbour(square, direction.opposite())
                && let Some(target) = board.neighbour(square, direction)
                && board.is_live(target)
            {
                pushes.places[pushes.count] = (side, target);
                pushes.count += 1;
            }
        }
        pushes
    }

    #[inline(always)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(Square, Square)> {
        self.places.iter().take(self.count)
    }
}

fn keeper_pushes(board: &Board, side: Square) -> [Option<KeeperPush>; 4] {
    Direction::ALL.map(|direction| {
        let from = board.neighbour(side, direction)?;
        let target = board.neighbour(from, direction)?;
        board.is_live(target).then_some(KeeperPush { from, target })
    })
}

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
        let box_pushes = board.all().map(|square| BoxPushes::new(&board, square)).collect();
        let keeper_pushes = board.all().map(|side| keeper_pushes(&board, side)).collect();
        let subsets = deadlocks.then(|| DeadSubsets::new(&board, &mut G::new(&board), budget));
        Some(Self {
            rule,
            ranking,
            estimate,
            subsets: subsets.flatten(),
            freeze: deadlocks,
            dominance,
            goals,
            box_pushes,
            keeper_pushes,
            board,
        })
    }

    /// Number of boxes.
    pub(crate) fn boxes(&self) -> usize {
        self.board.boxes().len()
    }
}
