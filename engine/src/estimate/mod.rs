//! Lower bounds on the cost still to come.
//!
//! Nearest goals and the least matching depend on the box set only and count pushes, each of which is a move. They are
//! consistent: a push changes one push distance by at most one, so the sum (and the least matching) falls by at most one,
//! and every edge of the search costs at least that push. The walking bound counts walks as well, and depends on where
//! the keeper is; [`walking`] says why it is consistent.

mod distances;
mod matching;
mod walking;

pub(crate) use self::distances::{PushDistances, pushes_from, pushes_to};
use self::matching::Assignment;
use self::walking::{Walking, WaysBack};
use crate::board::{Board, Square};

/// No number of pushes gets there.
pub(crate) const UNREACHABLE: u32 = u32::MAX / 4;

/// A lower bound, prepared for one board.
#[derive(Clone, Debug)]
pub(crate) enum Estimate {
    /// Nothing: 0 everywhere, so that f is the cost so far.
    None,
    /// Sum of the distances to the nearest goals.
    Nearest(Vec<u32>),
    /// Least sum of distances over all ways to give each box a goal of its own.
    Matching(PushDistances),
    /// Pushes, and the keeper's ways back for the next box. Depends on where the keeper is.
    Walking(Walking),
}

impl Estimate {
    pub(crate) fn nearest(board: &Board) -> Self {
        Self::Nearest(pushes_to(board, board.goals()))
    }

    /// The least matching where it is worth its time, else the nearest goals.
    pub(crate) fn matching(board: &Board) -> Self {
        match is_worth_matching(board, board.goals()) {
            true => Self::Matching(PushDistances::to(board, board.goals())),
            false => Self::nearest(board),
        }
    }

    /// The walking bound where it is worth its time and says more than the matching, else the matching.
    pub(crate) fn walking(board: &Board) -> Self {
        let walking = match is_worth_matching(board, board.goals()) {
            true => Walking::to_goals(board),
            false => None,
        };
        walking.map_or_else(|| Self::matching(board), Self::Walking)
    }

    /// The same for the backward side: how many pushes the boxes of the start need to get where boxes are.
    pub(crate) fn of_the_way_back(&self, board: &Board) -> Self {
        match self {
            Self::None => Self::None,
            Self::Matching(_) if is_worth_matching(board, board.boxes()) => {
                Self::Matching(PushDistances::from(board, board.boxes()))
            }
            Self::Walking(walking) if is_worth_matching(board, board.boxes()) => {
                Self::Walking(walking.of_the_way_from_start(board))
            }
            _ => {
                let mut nearest = vec![UNREACHABLE; board.squares()];
                for &start in board.boxes() {
                    for (least, pushes) in nearest.iter_mut().zip(pushes_from(board, start)) {
                        *least = pushes.min(*least);
                    }
                }
                Self::Nearest(nearest)
            }
        }
    }

    /// Bytes of what was prepared.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::None => 0,
            Self::Nearest(nearest) => size_of_val(nearest.as_slice()) as u64,
            Self::Matching(distances) => distances.bytes(),
            Self::Walking(walking) => walking.bytes(),
        }
    }

    pub(crate) fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Whether the bound depends on where the keeper is, and so differs between states of a row.
    #[inline(always)]
    pub(crate) fn depends_on_keeper(&self) -> bool {
        matches!(self, Self::Walking(_))
    }

    /// Whether two states of any row with the keeper on these squares are known to have the same bound.
    #[inline(always)]
    pub(crate) fn agrees(&self, keeper: Square, other: Square) -> bool {
        match self {
            Self::Walking(walking) => walking.agrees(keeper, other),
            _ => true,
        }
    }
}

/// Whether a matching with so many ends is worth its time: it takes time for the cube of their number, and memory for
/// every pair of a square and an end.
fn is_worth_matching(board: &Board, ends: &[Square]) -> bool {
    const MOST_ENDS: usize = 256;
    const MOST_PAIRS: usize = 4 << 20;
    ends.len() <= MOST_ENDS && board.squares() * ends.len() <= MOST_PAIRS
}

/// A thread's scratch for one estimate.
#[derive(Clone, Debug)]
pub(crate) struct Estimator<'a> {
    estimate: &'a Estimate,
    assignment: Assignment,
    ways_back: WaysBack,
    /// Pushes of the row.
    row: u32,
}

impl<'a> Estimator<'a> {
    pub(crate) fn new(estimate: &'a Estimate) -> Self {
        let (assignment, ways_back) = Default::default();
        Self { estimate, assignment, ways_back, row: 0 }
    }

    /// The bound of a box set wherever the keeper is, `None` if it cannot be finished. Must come before
    /// [`Estimator::with_keeper`] and [`Estimator::after_push`].
    pub(crate) fn of_row(&mut self, boxes: &[Square]) -> Option<u32> {
        self.row = match self.estimate {
            Estimate::None => 0,
            Estimate::Nearest(nearest) => {
                boxes.iter().map(|square| nearest[square.index()]).fold(0, u32::saturating_add)
            }
            Estimate::Matching(distances) => self.assignment.solve(boxes, distances),
            Estimate::Walking(walking) => self.assignment.solve(boxes, walking.pushes()),
        };
        if self.row >= UNREACHABLE {
            return None;
        }
        match self.estimate {
            Estimate::Walking(walking) => {
                self.ways_back.solve(walking, boxes);
                Some(self.row + self.ways_back.least())
            }
            _ => Some(self.row),
        }
    }

    /// The bound of the state with the box set of [`Estimator::of_row`], which can be finished, and the keeper on `keeper`.
    #[inline]
    pub(crate) fn with_keeper(&self, keeper: Square) -> u32 {
        match self.estimate {
            Estimate::Walking(walking) => self.row + self.ways_back.with_keeper(walking, keeper),
            _ => self.row,
        }
    }

    /// The bound of the box set of [`Estimator::of_row`] with box number `index` moved from `from` to `to`, and the keeper
    /// on `keeper`.
    #[inline]
    pub(crate) fn after_push(
        &mut self,
        index: usize,
        (from, to): (Square, Square),
        keeper: Square,
    ) -> Option<u32> {
        let pushes = match self.estimate {
            Estimate::None => 0,
            Estimate::Nearest(nearest) => self.row - nearest[from.index()] + nearest[to.index()],
            Estimate::Matching(distances) => self.assignment.reassigned(index, to, distances),
            Estimate::Walking(walking) => self.assignment.reassigned(index, to, walking.pushes()),
        };
        if pushes >= UNREACHABLE {
            return None;
        }
        match self.estimate {
            Estimate::Walking(walking) => {
                Some(pushes + self.ways_back.after_push(walking, from, to, keeper))
            }
            _ => Some(pushes),
        }
    }
}

#[cfg(test)]
mod tests;
