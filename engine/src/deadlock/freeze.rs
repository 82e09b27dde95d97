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
        while self.release(board) && self.held.contains(pushed) {}
        let off_goal = |&square: &Square| self.held.contains(square) && !board.is_goal(square);
        let lost = self.held.contains(pushed) && self.cluster.iter().any(off_goal);
        self.forget();
        lost
    }

    /// The boxes of a board that are frozen, on goals or off.
    #[cfg(test)]
    pub(crate) fn frozen(&mut self, board: &Board, boxes: &[Square]) -> Vec<Square> {
        let all = S::from_squares(board.squares(), boxes.iter().copied());
        let mut frozen = boxes.to_vec();
        frozen.retain(|&square| {
            self.gather(board, &all, square);
            while self.release(board) {}
            let held = self.held.contains(square);
            self.forget();
            held
        });
        frozen
    }

    /// Lets go the boxes of the cluster that can move while the others are held; whether there were any.
    fn release(&mut self, board: &Board) -> bool {
        let mut released = false;
        for &square in &self.cluster {
            let can_move = |axis| !Self::blocked(board, &self.held, square, axis);
            if self.held.contains(square) && AXES.iter().any(can_move) {
                self.held.remove(square);
                released = true;
            }
        }
        released
    }

    fn forget(&mut self) {
        self.cluster.iter().for_each(|&square| self.held.remove(square));
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::squares::Mask;
    use crate::{Level, Position};

    /// Whether the box at this row and column of a board is found lost, as if it had just been pushed there.
    fn lost(rows: &str, row: usize, column: usize) -> bool {
        let level = Level::parse(&rows.replace('|', "\n")).expect("a legal board");
        let board = Board::new(&level);
        let boxes = Mask::<1>::from_squares(board.squares(), board.boxes().iter().copied());
        let at = |&square: &Square| board.position(square) == Position { row, column };
        let pushed = board.boxes().iter().copied().find(at).expect("a box is there");
        Freeze::new(&board).lost(&board, &boxes, pushed)
    }

    #[test]
    fn four_in_a_square_are_frozen() {
        assert!(lost("########|#      #|# $$   #|# $$ ..#|#@   ..#|########", 2, 2));
        assert!(lost("########|#      #|# **   #|# *$  .#|#@     #|########", 2, 2));
    }

    #[test]
    fn frozen_on_goals_is_not_lost() {
        assert!(!lost("########|#      #|# **   #|# **   #|#@     #|########", 2, 2));
    }

    #[test]
    fn two_along_a_wall_are_frozen() {
        assert!(lost("########|#.$$  .#|#      #|#@     #|########", 1, 2));
    }

    #[test]
    fn a_box_that_can_move_frees_those_that_lean_on_it() {
        // The middle one leans on both others, and each of them can go up or down.
        assert!(!lost("########|#      #|# $$$ .#|#@    .#|#     .#|########", 2, 3));
        // The upper one leans on the lower one, which can go left and right.
        assert!(!lost("#######|#    ##|# $## #|# $   #|#@  ..#|#######", 2, 2));
    }

    #[test]
    fn boxes_that_hold_each_other_all_around_are_frozen() {
        // No box of the ring has a wall on either axis: only together they hold.
        let ring = "##########|#  ....  #|#  $$    #|# $  $   #|# $  $   #|#  $$  ..#|#@     ..#|##########";
        assert!(!lost(ring, 2, 3), "the corners of the ring are open");
        let full = "#########|#  ..   #|#  $$   #|#  $$ ..#|#@      #|#########";
        assert!(lost(full, 2, 3));
    }

    #[test]
    fn both_ways_dead_is_as_good_as_a_wall() {
        // The upper box can be pushed into one of two niches, from which it never comes back.
        assert!(lost("#####|##@##|##.##|# $ #|##$##|##.##|## ##|#####", 3, 2));
        // With a goal in a niche it can be brought home.
        assert!(!lost("#####|##@##|##.##|#.$ #|##$##|##.##|## ##|#####", 3, 2));
    }
}
