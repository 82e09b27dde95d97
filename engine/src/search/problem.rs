//! What is searched: a board, a rule, and everything worked out about it beforehand.

use std::sync::Arc;

use super::lead::Lead;
use super::side::Side;
use crate::board::{Board, Square};
use crate::budget::Budget;
use crate::deadlock::subsets::DeadSubsets;
use crate::estimate::Estimate;
use crate::rank::{Rank, Ranking};
use crate::squares::SquareSet;
use crate::walk::{Cuts, Ground};
use crate::{Direction, Objective, Rule, SearchChoice};

/// Fixed while the search runs; shared by all threads.
pub(crate) struct Problem<R, S> {
    pub(crate) board: Board,
    pub(crate) rule: Rule,
    pub(crate) objective: Objective,
    pub(crate) search: SearchChoice,
    /// Shared by the problems of a board.
    pub(crate) ranking: Arc<Ranking<R>>,
    pub(crate) lead: Lead,
    /// By side.
    pub(crate) estimates: [Estimate; 2],
    /// By side; where there are several problems of a board, the tables of each side are there once.
    pub(crate) subsets: [Option<Arc<DeadSubsets<S>>>; 2],
    /// Whether pushes that freeze a box off goal are refused.
    pub(crate) freeze: bool,
    /// Whether pushes are left out that corrals make needless.
    pub(crate) corrals: bool,
    /// Whether dominated states are dropped.
    pub(crate) dominance: bool,
    /// Squares that part the board, where floods take so long that it pays to know them.
    pub(crate) cuts: Option<Cuts>,
    pub(crate) goals: S,
    /// For each square a box may stand on, the places of its pushes.
    pub(crate) box_pushes: Vec<BoxPlaces>,
    /// For each square the keeper may stand on, the pushes from there, by direction.
    pub(crate) keeper_pushes: Vec<[Shift; 4]>,
    /// For each square a box may stand on, the places of its pulls.
    pub(crate) box_pulls: Vec<BoxPlaces>,
    /// For each square the keeper may stand on, the pulls from there, by direction of the push they undo.
    pub(crate) keeper_pulls: Vec<[Shift; 4]>,
}

/// What is left out of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pruning {
    pub(crate) dominance: bool,
    pub(crate) deadlocks: bool,
    pub(crate) corrals: bool,
}

/// The pushes, or pulls, of a box on some square, by direction: a square for the keeper, and a second that must be free
/// too. Where there is none, both are the square of the box, which is never free: so nobody has to ask. Whoever looks at
/// these places must know the boxes.
pub(crate) type BoxPlaces = [(Square, Square); 4];

/// A push or pull seen from the keeper: where the box stands, and the square beyond: for a push where the box goes, for
/// a pull where the keeper goes while the box takes its square. Where there is none, both are the square of the keeper,
/// where no box stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shift {
    pub(crate) from: Square,
    pub(crate) to: Square,
}

/// A push takes the keeper beside the box and a live square on the other side.
fn box_pushes(board: &Board, square: Square) -> BoxPlaces {
    let push = |direction: Direction| {
        let side = board.neighbour(square, direction.opposite())?;
        let target = board.neighbour(square, direction)?;
        board.is_live(target).then_some((side, target))
    };
    Direction::ALL.map(|direction| push(direction).unwrap_or((square, square)))
}

/// A pull takes the keeper beside the box and a square for it to step back to.
fn box_pulls(board: &Board, square: Square) -> BoxPlaces {
    let pull = |direction: Direction| {
        let side = board.neighbour(square, direction.opposite())?;
        Some((side, board.neighbour(side, direction.opposite())?))
    };
    Direction::ALL.map(|direction| pull(direction).unwrap_or((square, square)))
}

fn keeper_pushes(board: &Board, keeper: Square) -> [Shift; 4] {
    let push = |direction: Direction| {
        let from = board.neighbour(keeper, direction)?;
        let to = board.neighbour(from, direction)?;
        board.is_live(to).then_some(Shift { from, to })
    };
    Direction::ALL.map(|to| push(to).unwrap_or(Shift { from: keeper, to: keeper }))
}

fn keeper_pulls(board: &Board, keeper: Square) -> [Shift; 4] {
    let pull = |direction: Direction| {
        let from = board.neighbour(keeper, direction)?;
        let to = board.neighbour(keeper, direction.opposite())?;
        board.is_live(from).then_some(Shift { from, to })
    };
    Direction::ALL.map(|to| pull(to).unwrap_or(Shift { from: keeper, to: keeper }))
}

/// Boards of so many squares are flooded square by square rather than in registers.
const LARGE: usize = 257;

impl<R: Rank, S: SquareSet> Problem<R, S> {
    /// Bytes that the places of pushes and pulls of a board take, nearly.
    pub(crate) fn bytes(board: &Board) -> u64 {
        let of_a_square = 2 * size_of::<BoxPlaces>() + 2 * size_of::<[Shift; 4]>();
        (board.squares() * of_a_square) as u64
    }

    /// `None` where the ranks of the board do not fit the word. The budget is charged for dead subsets, but not for those
    /// that one of other problems of the same board has already (`beside`), and not for the ranking.
    pub(crate) fn new<G: Ground<Set = S>>(
        board: Board,
        (rule, objective): (Rule, Objective),
        (search, lead, estimates): (SearchChoice, Lead, [Estimate; 2]),
        Pruning { dominance, deadlocks, corrals }: Pruning,
        beside: &[&Self],
        budget: &Budget,
    ) -> Option<Self> {
        let ranking = match beside.first() {
            Some(beside) => Arc::clone(&beside.ranking),
            None => Arc::new(Ranking::new(board.live(), board.boxes().len())?),
        };
        let goals = S::from_squares(board.squares(), board.goals().iter().copied());
        let box_pushes = board.all().map(|square| box_pushes(&board, square)).collect();
        let keeper_pushes = board.all().map(|keeper| keeper_pushes(&board, keeper)).collect();
        let box_pulls = board.all().map(|square| box_pulls(&board, square)).collect();
        let keeper_pulls = board.all().map(|keeper| keeper_pulls(&board, keeper)).collect();
        let subsets = [Side::Forward, Side::Backward].map(|side| {
            let has_use = deadlocks && search.goes(side);
            let known = || beside.iter().find_map(|beside| beside.subsets[side as usize].clone());
            let built = || DeadSubsets::new(&board, &mut G::new(&board), side, budget);
            has_use.then(|| known().or_else(|| built().map(Arc::new))).flatten()
        });
        Some(Self {
            rule,
            objective,
            search,
            ranking,
            lead,
            estimates,
            subsets,
            freeze: deadlocks,
            corrals,
            dominance,
            cuts: (board.squares() >= LARGE).then(|| Cuts::new(&board)),
            goals,
            box_pushes,
            keeper_pushes,
            box_pulls,
            keeper_pulls,
            board,
        })
    }

    /// Number of boxes.
    pub(crate) fn boxes(&self) -> usize {
        self.board.boxes().len()
    }

    /// The places of the pushes (forward) or pulls (backward) of a box on each square.
    #[inline(always)]
    pub(crate) fn box_places(&self, side: Side) -> &[BoxPlaces] {
        match side {
            Side::Forward => &self.box_pushes,
            Side::Backward => &self.box_pulls,
        }
    }
}
