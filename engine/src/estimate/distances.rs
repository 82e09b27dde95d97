//! Pushes that take a lone box to a goal.

use std::collections::VecDeque;

use super::UNREACHABLE;
use crate::Direction;
use crate::board::{Board, Square};

/// Fewest pushes between each square and each of some ends, if the keeper could always get behind the box.
#[derive(Clone, Debug)]
pub(crate) struct PushDistances {
    ends: usize,
    /// Whether every push counts one.
    all_count: bool,
    /// At `square * ends + end`.
    pushes: Vec<i32>,
}

impl PushDistances {
    /// Pushes that take a box to each of some goals. Takes time and memory for each pair of a square and a goal.
    pub(crate) fn to(board: &Board, goals: &[Square]) -> Self {
        Self::of(board, true, goals.iter().map(|&goal| pushes_to(board, &[goal])))
    }

    /// Pushes that bring a box from each of some squares.
    pub(crate) fn from(board: &Board, starts: &[Square]) -> Self {
        Self::of(board, true, starts.iter().map(|&start| pushes_from(board, start)))
    }

    /// The same, of pushes that have a [price](priced_pushes_to).
    pub(crate) fn priced_to(board: &Board, goals: &[Square], price: impl Price) -> Self {
        Self::of(board, false, goals.iter().map(|&goal| priced_pushes_to(board, &[goal], &price)))
    }

    /// The same, of pushes that have a [price](priced_pushes_from).
    pub(crate) fn priced_from(board: &Board, starts: &[Square], price: impl Price) -> Self {
        let each = starts.iter().map(|&start| priced_pushes_from(board, start, &price));
        Self::of(board, false, each)
    }

    fn of(board: &Board, all_count: bool, each: impl ExactSizeIterator<Item = Vec<u32>>) -> Self {
        let ends = each.len();
        let mut pushes = vec![0; board.squares() * ends];
        for (end, distances) in each.enumerate() {
            for (square, distance) in distances.into_iter().enumerate() {
                pushes[square * ends + end] = distance as i32;
            }
        }
        Self { ends, all_count, pushes }
    }

    pub(crate) fn bytes(&self) -> u64 {
        size_of_val(self.pushes.as_slice()) as u64
    }

    pub(crate) fn ends(&self) -> usize {
        self.ends
    }

    /// Whether every push counts one, so that distances of neighbours differ by one and no less.
    pub(crate) fn all_count(&self) -> bool {
        self.all_count
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

/// What a push counts, 0 or 1, by the squares that the keeper steps from and to.
pub(crate) trait Price: Fn(Square, Square) -> u32 {}

impl<F: Fn(Square, Square) -> u32> Price for F {}

/// Fewest pushes from each square to the nearest of some targets: breadth-first search by pulls.
pub(crate) fn pushes_to(board: &Board, targets: &[Square]) -> Vec<u32> {
    priced_pushes_to(board, targets, &|_, _| 1)
}

/// The same, of pushes that count 0 or 1: those that count 0 are followed first.
pub(crate) fn priced_pushes_to(board: &Board, targets: &[Square], price: &impl Price) -> Vec<u32> {
    priced(board, targets, |square, direction| {
        let from = board.neighbour(square, direction)?;
        // The keeper pushes from one square further on.
        let keeper = board.neighbour(from, direction)?;
        Some((from, price(keeper, from)))
    })
}

/// Fewest pushes from one square to each square, if the keeper could always get behind the box.
pub(crate) fn pushes_from(board: &Board, start: Square) -> Vec<u32> {
    priced_pushes_from(board, start, &|_, _| 1)
}

/// The same, of pushes that count 0 or 1.
pub(crate) fn priced_pushes_from(board: &Board, start: Square, price: &impl Price) -> Vec<u32> {
    priced(board, &[start], |square, direction| {
        let to = board.neighbour(square, direction)?;
        let keeper = board.neighbour(square, direction.opposite())?;
        Some((to, price(keeper, square)))
    })
}

/// Least sum of prices from some squares on, by steps that each lead in some direction, to a square at a price of 0 or 1.
fn priced(
    board: &Board,
    starts: &[Square],
    step: impl Fn(Square, Direction) -> Option<(Square, u32)>,
) -> Vec<u32> {
    let mut sums = vec![UNREACHABLE; board.squares()];
    starts.iter().for_each(|start| sums[start.index()] = 0);
    // Ascending by sum, and no two sums in it differ by more than one.
    let mut todo: VecDeque<(Square, u32)> = starts.iter().map(|&start| (start, 0)).collect();
    while let Some((square, sum)) = todo.pop_front() {
        if sum > sums[square.index()] {
            continue;
        }
        for direction in Direction::ALL {
            let Some((next, price)) = step(square, direction) else { continue };
            let known = &mut sums[next.index()];
            if sum + price < *known {
                *known = sum + price;
                match price {
                    0 => todo.push_front((next, sum)),
                    _ => todo.push_back((next, sum + price)),
                }
            }
        }
    }
    sums
}
