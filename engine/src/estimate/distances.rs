//! Pushes that take a lone box to a goal.

use std::collections::VecDeque;

use super::UNREACHABLE;
use crate::Direction;
use crate::board::{Board, Square};

/// Fewest pushes from each live square to each goal, if the keeper could always get behind the box.
#[derive(Clone, Debug)]
pub(crate) struct PushDistances {
    goals: usize,
    /// At `square * goals + goal`.
    pushes: Vec<i32>,
}

impl PushDistances {
    /// Breadth-first search from every goal. Takes time and memory for each pair of a square and a goal.
    pub(crate) fn new(board: &Board) -> Self {
        let goals = board.goals().len();
        let mut pushes = vec![0; board.squares() * goals];
        for (goal, &target) in board.goals().iter().enumerate() {
            for (square, distance) in pushes_to(board, &[target]).into_iter().enumerate() {
                pushes[square * goals + goal] = distance as i32;
            }
        }
        Self { goals, pushes }
    }

    pub(crate) fn bytes(&self) -> u64 {
        size_of_val(self.pushes.as_slice()) as u64
    }

    pub(crate) fn goals(&self) -> usize {
        self.goals
    }

    /// From a square to each goal.
    #[inline(always)]
    pub(crate) fn row(&self, square: Square) -> &[i32] {
        &self.pushes[square.index() * self.goals..][..self.goals]
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
