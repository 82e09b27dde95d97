//! Frozen boxes: the greatest set of boxes each of which the others, or walls, hold on both axes.

use crate::Direction;
use crate::board::{Board, Square};
use crate::squares::SquareSet;

/// Scratch of the test.
#[derive(Clone, Debug)]
pub(crate) struct Freeze<S> {
    /// Boxes that hang together with the pushed one, side by side.
    cluster: Vec<Square>,
    /// Those of them that nothing has shown to be movable.
    held: S,
}

const AXES: [[Direction; 2]; 2] =
    [[Direction::Left, Direction::Right], [Direction::Up, Direction::Down]];

impl<S: SquareSet> Freeze<S> {
    pub(crate) fn new(board: &Board) -> Self {
        Self { cluster: Vec::new(), held: S::empty(board.squares()) }
    }

    /// Whether the box just pushed to `pushed` is frozen, with a box off goal frozen along with it.
    ///
    /// The greatest fixed point: all boxes of the cluster are held at first; one that can move on some axis, given that
    /// the held ones cannot, is let go, until none can. No box that stays held can be the first of them to move, so none
    /// ever moves. Marks live for one test only.
    pub(crate) fn lost(&mut self, board: &Board, boxes: &S, pushed: Square) -> bool {
        if !AXES.iter().all(|axis| Self::blocked(board, boxes, pushed, axis)) {
            return false;
        }
        self.gather(board, boxes, pushed);
        loop {
            let mut released = false;
            for &square in &self.cluster {
                if self.held.contains(square)
                    && !AXES.iter().all(|axis| Self::blocked(board, &self.held, square, axis))
                {
                    self.held.remove(square);
                    released = true;
                }
            }
            if !self.held.contains(pushed) {
                break;
            }
            if !released {
                break;
            }
        }
        let stays = self.held.contains(pushed);
        let off_goal = |&square: &Square| self.held.contains(square) && !board.is_goal(square);
        let lost = stays && self.cluster.iter().any(off_goal);
        for &square in &self.cluster {
            self.held.remove(square);
        }
        lost
    }

    fn gather(&mut self, board: &Board, boxes: &S, pushed: Square) {
        self.cluster.clear();
        self.cluster.push(pushed);
        self.held.insert(pushed);
        let mut next = 0;
        while let Some(&square) = self.cluster.get(next) {
            next += 1;
            for direction in Direction::ALL {
                if let Some(beside) = board.neighbour(square, direction)
                    && boxes.contains(beside)
                    && !self.held.contains(beside)
                {
                    self.held.insert(beside);
                    self.cluster.push(beside);
                }
            }
        }
    }

    /// Whether a box cannot move on an axis while the boxes of `held` stay: a wall or a held box on one side, or both
    /// sides dead, so that a push either way loses it.
    fn blocked(board: &Board, held: &S, square: Square, axis: &[Direction; 2]) -> bool {
        let sides = axis.map(|direction| board.neighbour(square, direction));
        let stuck = |side: Option<Square>| side.is_none_or(|beside| held.contains(beside));
        let dead = |side: Option<Square>| side.is_none_or(|beside| !board.is_live(beside));
        sides.into_iter().any(stuck) || sides.into_iter().all(dead)
    }

    /// The boxes of a board that are frozen, on goals or off.
    #[cfg(test)]
    pub(crate) fn frozen(&mut self, board: &Board, boxes: &[Square]) -> Vec<Square> {
        let all = S::from_squares(board.squares(), boxes.iter().copied());
        let mut frozen = Vec::new();
        for &square in boxes {
            self.gather(board, &all, square);
            let mut before = usize::MAX;
            let held = |scratch: &Self| {
                scratch.cluster.iter().filter(|&&square| scratch.held.contains(square)).count()
            };
            while held(self) < before {
                before = held(self);
                for &square in &self.cluster {
                    if !AXES.iter().all(|axis| Self::blocked(board, &self.held, square, axis)) {
                        self.held.remove(square);
                    }
                }
            }
            if self.held.contains(square) {
                frozen.push(square);
            }
            for &square in &self.cluster {
                self.held.remove(square);
            }
        }
        frozen
    }
}
