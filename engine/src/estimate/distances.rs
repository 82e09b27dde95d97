//! Pushes that take a lone box to a goal.

use std::collections::VecDeque;

use super::UNREACHABLE;
use crate::Direction;
use crate::board::{Board, Square};

/// Fewest pushes between each square and each of some ends, if the keeper could always get behind the box.
#[derive(Clone, Debug)]
pub(crate) struct PushDistances {
    ends: usize,
    /// At `square * ends + end`.
    pushes: Vec<i32>,
}

impl PushDistances {
    /// Pushes that take a box to each of some goals. Takes time and memory for each pair of a square and a goal.
    pub(crate) fn to(board: &Board, goals: &[Square]) -> Self {
        Self::of(board, goals.iter().map(|&goal| pushes_to(board, &[goal])))
    }

    /// Pushes that bring a box from each of some squares.
    pub(crate) fn from(board: &Board, starts: &[Square]) -> Self {
        Self::of(board, starts.iter().map(|&start| pushes_from(board, start)))
    }

    fn of(board: &Board, each: impl ExactSizeIterator<Item = Vec<u32>>) -> Self {
        let ends = each.len();
        let mut pushes = vec![0; board.squares() * ends];
        for (end, distances) in each.enumerate() {
            for (square, distance) in distances.into_iter().enumerate() {
                pushes[square * ends + end] = distance as i32;
            }
        }
        Self { ends, pushes }
    }

    pub(crate) fn bytes(&self) -> u64 {
        size_of_val(self.pushes.as_slice()) as u64
    }

    pub(crate) fn ends(&self) -> usize {
        self.ends
    }

    /// Between a square and each end.
    #[inline(always)]
    pub(crate) fn row(&self, square: Square) -> &[i32] {
        &self.pushes[square.index() * self.ends..][..self.ends]
    }

    /// The same, or what takes its place where there is no box.
    #[inline(always)]
    pub(crate) fn row_or<'a>(&'a self, square: Option<&Square>, nothing: &'a [i32]) -> &'a [i32] {
        square.map_or(nothing, |&square| self.row(square))
    }
}

/// Fewest pushes from each square to the nearest of some targets: breadth-first search by pulls.
pub(crate) fn pushes_to(board: &Board, targets: &[Square]) -> Vec<u32> {
    let mut pushes = vec![UNREACHABLE; board.squares()];
    targets.iter().for_each(|target| pushes[target.index()] = 0);
    let mut todo: VecDeque<Square> = targets.iter().copied().collect();
    while let Some(square) = todo.pop_front() {
        let next = pushes[square.index()] + 1;
        for direction in Direction::ALL {
            let Some(from) = board.neighbour(square, direction) else { continue };
            let known = &mut pushes[from.index()];
            // The keeper pushes from one square further on.
            if *known == UNREACHABLE && board.neighbour(from, direction).is_some() {
                *known = next;
                todo.push_back(from);
            }
        }
    }
    pushes
}

/// Fewest pushes from one square to each square, if the keeper could always get behind the box.
pub(crate) fn pushes_from(board: &Board, start: Square) -> Vec<u32> {
    let mut pushes = vec![UNREACHABLE; board.squares()];
    pushes[start.index()] = 0;
    let mut todo = VecDeque::from([start]);
    while let Some(square) = todo.pop_front() {
        let next = pushes[square.index()] + 1;
        for direction in Direction::ALL {
            let Some(to) = board.neighbour(square, direction) else { continue };
            let known = &mut pushes[to.index()];
            if *known == UNREACHABLE && board.neighbour(square, direction.opposite()).is_some() {
                *known = next;
                todo.push_back(to);
            }
        }
    }
    pushes
}
