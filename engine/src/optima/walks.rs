//! How many shortest walks of the keeper there are.

use std::collections::VecDeque;

use crate::Direction;
use crate::board::{Board, Square};

/// The shortest walks from one square to another, or to the nearest of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ways {
    /// Steps of each.
    pub(super) steps: u32,
    /// How many there are; saturates.
    pub(super) number: u64,
}

/// Scratch for walks on one board. A walk costs no more than the squares it looks at.
#[derive(Clone, Debug)]
pub(super) struct Walks<'a> {
    board: &'a Board,
    walk: u64,
    /// For each square the walk that saw it last, and how.
    seen: Vec<(u64, Ways)>,
    todo: VecDeque<Square>,
}

impl<'a> Walks<'a> {
    pub(super) fn new(board: &'a Board) -> Self {
        let never = (0, Ways { steps: 0, number: 0 });
        Self { board, walk: 0, seen: vec![never; board.squares()], todo: VecDeque::new() }
    }

    /// Visits squares in the order of their distance, all walks there being counted, until `visit` says stop.
    fn spread(
        &mut self,
        boxes: &[Square],
        from: Square,
        mut visit: impl FnMut(Square, Ways) -> bool,
    ) {
        self.walk += 1;
        self.todo.clear();
        self.todo.push_back(from);
        self.seen[from.index()] = (self.walk, Ways { steps: 0, number: 1 });
        while let Some(square) = self.todo.pop_front() {
            // All squares one step nearer have been taken before, so nothing is added any more.
            let (_, here) = self.seen[square.index()];
            if visit(square, here) {
                return;
            }
            for by in Direction::ALL {
                let Some(next) = self.board.neighbour(square, by) else { continue };
                let (walk, there) = &mut self.seen[next.index()];
                if *walk == self.walk {
                    if there.steps == here.steps + 1 {
                        there.number = there.number.saturating_add(here.number);
                    }
                } else if !boxes.contains(&next) {
                    (*walk, *there) = (self.walk, Ways { steps: here.steps + 1, ..here });
                    self.todo.push_back(next);
                }
            }
        }
    }

    /// The walks to each of some squares, `None` where there is none of at most `most` steps.
    pub(super) fn ways_to_each(
        &mut self,
        boxes: &[Square],
        from: Square,
        to: &[Square],
        most: u32,
    ) -> Vec<Option<Ways>> {
        let mut found = vec![None; to.len()];
        let mut missing = to.len();
        if missing > 0 {
            self.spread(boxes, from, |square, ways| {
                if ways.steps > most {
                    return true;
                }
                for index in (0..to.len()).filter(|&index| to[index] == square) {
                    found[index] = Some(ways);
                    missing -= 1;
                }
                missing == 0
            });
        }
        found
    }

    /// The walks to all squares that `is_there` accepts and that are as near as the nearest.
    pub(super) fn ways_to_nearest(
        &mut self,
        boxes: &[Square],
        from: Square,
        is_there: impl Fn(Square) -> bool,
    ) -> Option<Ways> {
        let mut nearest: Option<Ways> = None;
        self.spread(boxes, from, |square, ways| {
            if nearest.is_some_and(|nearest| ways.steps > nearest.steps) {
                return true;
            }
            if is_there(square) {
                let before = nearest.map_or(0, |nearest| nearest.number);
                nearest = Some(Ways { number: before.saturating_add(ways.number), ..ways });
            }
            false
        });
        nearest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;
    use crate::board::tests::board;

    fn ways(steps: u32, number: u64) -> Option<Ways> {
        Some(Ways { steps, number })
    }

    #[test]
    fn walks_around_boxes_are_counted() {
        let board = board("#######\n#@ $ .#\n#  #  #\n#     #\n#######");
        let at = |row, column| board.square_at(Position { row, column }).expect("floor");
        let boxes = board.boxes();
        let mut walks = Walks::new(&board);
        let to = [at(1, 1), at(1, 2), at(2, 2), at(3, 3), at(1, 3), at(1, 5)];
        let found = walks.ways_to_each(boxes, at(1, 1), &to, 7);
        assert_eq!(found, [ways(0, 1), ways(1, 1), ways(2, 2), ways(4, 3), None, None]);
        assert_eq!(walks.ways_to_each(boxes, at(1, 1), &to[5..], 8), [ways(8, 9)]);
        assert_eq!(walks.ways_to_each(boxes, at(1, 1), &[], 8), []);
        // Two squares are as near, one of them by two walks.
        let there = |square: Square| [at(2, 2), at(3, 1), at(3, 3)].contains(&square);
        assert_eq!(walks.ways_to_nearest(boxes, at(1, 1), there), ways(2, 3));
        assert_eq!(walks.ways_to_nearest(boxes, at(1, 1), |_| false), None);
    }

    #[test]
    fn the_number_saturates() {
        let side = 40;
        let wall = "#".repeat(side + 2);
        let row = |keeper: &str| format!("#{keeper}{}#", " ".repeat(side - keeper.len()));
        let mut rows = vec![wall.clone(), row("@"), row(" $.")];
        rows.extend((2..side).map(|_| row("")));
        rows.push(wall);
        let board = board(&rows.join("\n"));
        let corner = board.square_at(Position { row: side, column: side }).expect("floor");
        let near = board.square_at(Position { row: 11, column: 11 }).expect("floor");
        let mut walks = Walks::new(&board);
        let found = walks.ways_to_each(&[], board.keeper(), &[near, corner], 100);
        // As many as ways to choose 10 of 20.
        assert_eq!(found, [ways(20, 184_756), ways(78, u64::MAX)]);
        let goal = |square| square == corner;
        assert_eq!(walks.ways_to_nearest(&[], board.keeper(), goal), ways(78, u64::MAX));
    }
}
