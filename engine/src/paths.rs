//! Shortest walks of the keeper among boxes, one at a time.
//!
//! A solution of a large board has as many walks as pushes, most of them short. So a walk costs no more than the squares
//! it looks at: what is known of a square carries the number of the walk it belongs to.

use std::collections::VecDeque;

use crate::board::{Board, Square};
use crate::{Direction, Move};

/// Scratch for walks on one board.
#[derive(Clone, Debug)]
pub(crate) struct Paths<'a> {
    board: &'a Board,
    walk: u32,
    seen: Vec<Seen>,
    todo: VecDeque<Square>,
}

/// How a square was reached.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// The walk in which it was.
    walk: u32,
    steps: u32,
    /// The last step; of no meaning where the walk began.
    by: Direction,
}

impl<'a> Paths<'a> {
    pub(crate) fn new(board: &'a Board) -> Self {
        let never = Seen { walk: 0, steps: 0, by: Direction::Up };
        Self { board, walk: 0, seen: vec![never; board.squares()], todo: VecDeque::new() }
    }

    /// Visits squares in the order of their distance from `from` until `visit`, which is told the distance, says stop.
    fn spread(
        &mut self,
        boxes: &[Square],
        from: Square,
        mut visit: impl FnMut(Square, u32) -> bool,
    ) -> Option<Square> {
        self.walk += 1;
        self.todo.clear();
        self.todo.push_back(from);
        self.seen[from.index()] = Seen { walk: self.walk, steps: 0, by: Direction::Up };
        while let Some(square) = self.todo.pop_front() {
            let steps = self.seen[square.index()].steps;
            if visit(square, steps) {
                return Some(square);
            }
            for by in Direction::ALL {
                if let Some(next) = self.board.neighbour(square, by)
                    && self.seen[next.index()].walk != self.walk
                    && !boxes.contains(&next)
                {
                    self.seen[next.index()] = Seen { walk: self.walk, steps: steps + 1, by };
                    self.todo.push_back(next);
                }
            }
        }
        None
    }

    /// Steps from one square to each of others, `None` where there is no way of at most `most` steps.
    pub(crate) fn steps(
        &mut self,
        boxes: &[Square],
        from: Square,
        to: &[Square],
        most: u32,
    ) -> Vec<Option<u32>> {
        let mut found = vec![None; to.len()];
        let mut missing = to.len();
        if missing > 0 {
            self.spread(boxes, from, |square, steps| {
                if steps > most {
                    return true;
                }
                for index in (0..to.len()).filter(|&index| to[index] == square) {
                    found[index] = Some(steps);
                    missing -= 1;
                }
                missing == 0
            });
        }
        found
    }

    /// All squares that the keeper can walk to.
    pub(crate) fn region(&mut self, boxes: &[Square], from: Square) -> Vec<Square> {
        let mut region = Vec::new();
        self.spread(boxes, from, |square, _| {
            region.push(square);
            false
        });
        region
    }

    /// A shortest walk to the nearest square that `is_there` accepts; empty if there is none.
    pub(crate) fn walk(
        &mut self,
        boxes: &[Square],
        from: Square,
        is_there: impl Fn(Square) -> bool,
    ) -> Vec<Move> {
        let Some(mut at) = self.spread(boxes, from, |square, _| is_there(square)) else {
            return Vec::new();
        };
        let mut steps = Vec::new();
        while at != from {
            let direction = self.seen[at.index()].by;
            steps.push(Move { direction, push: false });
            at = self.board.neighbour(at, direction.opposite()).expect("the way it came");
        }
        steps.reverse();
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;
    use crate::board::tests::board;

    #[test]
    fn walks_go_round_boxes_and_end_at_the_nearest() {
        let board = board("#######\n#@ $ .#\n#  #  #\n#     #\n#######");
        let at = |row, column| board.square_at(Position { row, column }).expect("floor");
        let mut paths = Paths::new(&board);
        let boxes = board.boxes();
        let walk = |paths: &mut Paths<'_>, to| -> String {
            let steps: crate::Moves =
                paths.walk(boxes, at(1, 1), |s| s == to).into_iter().collect();
            steps.to_string()
        };
        assert_eq!(walk(&mut paths, at(1, 1)), "");
        assert_eq!(walk(&mut paths, at(1, 4)).len(), 7);
        assert_eq!(walk(&mut paths, at(1, 3)), "", "a box is no place to stand");
        let to = [at(1, 4), at(1, 1), at(1, 2), at(1, 3), at(1, 4)];
        let steps = |paths: &mut Paths<'_>, most| paths.steps(boxes, at(1, 1), &to, most);
        assert_eq!(steps(&mut paths, 7), [Some(7), Some(0), Some(1), None, Some(7)]);
        assert_eq!(steps(&mut paths, 6), [None, Some(0), Some(1), None, None]);
        assert_eq!(paths.steps(boxes, at(1, 1), &[], 9), []);
    }
}
