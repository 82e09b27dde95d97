//! Pushes that take a lone box to a goal.

use super::UNREACHABLE;
use crate::Direction;
use crate::board::{Board, Square};

/// Fewest pushes from each live square to each goal, if the keeper could always get behind the box.
#[derive(Clone, Debug)]
pub(crate) struct PushDistances {
    goals: usize,
    /// At `square * goals + goal`.
    pushes: Vec<u32>,
}

impl PushDistances {
    /// Breadth-first search by pulls from every goal.
    pub(crate) fn new(board: &Board) -> Self {
        let goals = board.goals().len();
        let mut pushes = vec![UNREACHABLE; board.squares() * goals];
        for (goal, &target) in board.goals().iter().enumerate() {
            pushes[target.index() * goals + goal] = 0;
            let mut todo = std::collections::VecDeque::from([target]);
            while let Some(square) = todo.pop_front() {
                let next = pushes[square.index() * goals + goal] + 1;
                for direction in Direction::ALL {
                    let Some(from) = board.neighbour(square, direction) else { continue };
                    let known = &mut pushes[from.index() * goals + goal];
                    // The keeper pushes from one square further on.
                    if *known == UNREACHABLE && board.neighbour(from, direction).is_some() {
                        *known = next;
                        todo.push_back(from);
                    }
                }
            }
        }
        Self { goals, pushes }
    }

    pub(crate) fn goals(&self) -> usize {
        self.goals
    }

    #[inline(always)]
    pub(crate) fn of(&self, square: Square, goal: usize) -> u32 {
        self.pushes[square.index() * self.goals + goal]
    }
}
