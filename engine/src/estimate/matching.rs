//! Minimum-cost matching of boxes to goals.
//!
//! Shortest augmenting paths on reduced costs (R. Jonker and A. Volgenant, *A shortest augmenting path algorithm for
//! dense and sparse linear assignment problems*, 1987). Goals that stay empty are taken by phantom boxes at no cost, so
//! that the matching is always perfect; then a box that moved leaves exactly one goal free, and one augmenting path
//! repairs the matching.

use super::{PushDistances, UNREACHABLE};
use crate::board::Square;

type Cost = i64;

const NOBODY: usize = usize::MAX;

/// The matching of one row, with the dual values that repair it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assignment {
    /// Square of each box; phantoms follow.
    boxes: Vec<Square>,
    goals: usize,
    total: Cost,
    /// Dual values of boxes and goals: cost − dual − dual is never negative, and 0 for matched pairs.
    box_dual: Vec<Cost>,
    goal_dual: Vec<Cost>,
    box_of: Vec<usize>,
    goal_of: Vec<usize>,
    // Scratch of the path search.
    distance: Vec<Cost>,
    parent: Vec<usize>,
    done: Vec<bool>,
}

impl Assignment {
    /// The least sum of distances, [`UNREACHABLE`] or more if some box finds no goal.
    pub(crate) fn solve(&mut self, boxes: &[Square], distances: &PushDistances) -> u32 {
        self.boxes.clear();
        self.boxes.extend_from_slice(boxes);
        self.goals = distances.goals();
        if boxes.len() > self.goals {
            return UNREACHABLE;
        }
        for (list, value) in [(&mut self.box_of, NOBODY), (&mut self.goal_of, NOBODY)] {
            list.clear();
            list.resize(self.goals, value);
        }
        for list in [&mut self.box_dual, &mut self.goal_dual, &mut self.distance] {
            list.clear();
            list.resize(self.goals, 0);
        }
        self.parent.resize(self.goals, NOBODY);
        self.done.resize(self.goals, false);
        self.total = 0;
        for index in 0..self.goals {
            let at = self.boxes.get(index).copied();
            let Some(end) = self.shortest_path(index, at, NOBODY, distances) else {
                return UNREACHABLE;
            };
            self.augment(index, end);
        }
        self.total = self.box_dual.iter().sum::<Cost>() + self.goal_dual.iter().sum::<Cost>();
        self.total.min(Cost::from(UNREACHABLE)) as u32
    }

    /// The sum after one box has moved; the matching itself stays as it is.
    pub(crate) fn reassigned(
        &mut self,
        index: usize,
        to: Square,
        distances: &PushDistances,
    ) -> u32 {
        let freed = self.goal_of[index];
        let Some(end) = self.shortest_path(index, Some(to), freed, distances) else {
            return UNREACHABLE;
        };
        debug_assert_eq!(end, freed, "one goal is free");
        // The path's length in reduced costs, plus the duals at its ends, is the change of the sum.
        let before = self.box_dual[index] + self.goal_dual[freed];
        (self.total - before + self.distance[end] + self.goal_dual[end]) as u32
    }

    fn cost(&self, at: Option<Square>, goal: usize, distances: &PushDistances) -> Cost {
        at.map_or(0, |square| Cost::from(distances.of(square, goal)))
    }

    /// Dijkstra's algorithm from a box standing at `at` to the nearest free goal (`freed` counts as free).
    ///
    /// Leaves distances (with the box's own dual taken as 0) and parents behind.
    fn shortest_path(
        &mut self,
        index: usize,
        at: Option<Square>,
        freed: usize,
        distances: &PushDistances,
    ) -> Option<usize> {
        self.done[..self.goals].fill(false);
        for goal in 0..self.goals {
            self.distance[goal] = self.cost(at, goal, distances) - self.goal_dual[goal];
            self.parent[goal] = index;
        }
        loop {
            let open = (0..self.goals).filter(|&goal| !self.done[goal]);
            let goal = open.min_by_key(|&goal| self.distance[goal])?;
            if self.distance[goal] >= Cost::from(UNREACHABLE / 2) {
                return None;
            }
            if goal == freed || self.box_of[goal] == NOBODY {
                return Some(goal);
            }
            self.done[goal] = true;
            let owner = self.box_of[goal];
            let square = self.boxes.get(owner).copied();
            let reach = self.distance[goal] - self.box_dual[owner];
            for next in 0..self.goals {
                let through = reach + self.cost(square, next, distances) - self.goal_dual[next];
                if !self.done[next] && through < self.distance[next] {
                    self.distance[next] = through;
                    self.parent[next] = owner;
                }
            }
        }
    }

    /// Matches a box along the path that was found to end at the free goal `end`.
    fn augment(&mut self, index: usize, end: usize) {
        let length = self.distance[end];
        for goal in (0..self.goals).filter(|&goal| self.done[goal]) {
            let slack = length - self.distance[goal];
            self.goal_dual[goal] -= slack;
            self.box_dual[self.box_of[goal]] += slack;
        }
        self.box_dual[index] = length;
        let mut goal = end;
        loop {
            let owner = self.parent[goal];
            self.box_of[goal] = owner;
            std::mem::swap(&mut self.goal_of[owner], &mut goal);
            if owner == index {
                return;
            }
        }
    }
}
