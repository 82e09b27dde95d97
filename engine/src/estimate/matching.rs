//! Minimum-cost matching of boxes to goals.
//!
//! Shortest augmenting paths on reduced costs (R. Jonker and A. Volgenant, *A shortest augmenting path algorithm for
//! dense and sparse linear assignment problems*, 1987). Goals that stay empty are taken by phantom boxes at no cost, so
//! that the matching is always perfect; then a box that moved leaves exactly one goal free, and one augmenting path
//! repairs the matching.

use super::{PushDistances, UNREACHABLE};
use crate::board::Square;

/// Sums of distances are far below [`UNREACHABLE`], and twice that fits.
type Cost = i32;

const NOBODY: usize = usize::MAX;

/// The matching of one row, with the dual values that repair it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assignment {
    /// Square of each box; phantoms follow.
    boxes: Vec<Square>,
    goals: usize,
    total: Cost,
    /// Dual values of boxes and goals: cost − dual − dual is never negative, and 0 for matched pairs. Those of goals
    /// are never positive.
    box_dual: Vec<Cost>,
    goal_dual: Vec<Cost>,
    box_of: Vec<usize>,
    goal_of: Vec<usize>,
    /// The costs of a phantom.
    nothing: Vec<Cost>,
    // Scratch of the path search.
    /// Of the goals that are done.
    distance: Vec<Cost>,
    /// The least distance known of the others, which is never negative; `Cost::MIN` for those that are done.
    open: Vec<Cost>,
    parent: Vec<usize>,
}

impl Assignment {
    /// The least sum of distances, [`UNREACHABLE`] or more if some box finds no goal.
    pub(crate) fn solve(&mut self, boxes: &[Square], distances: &PushDistances) -> u32 {
        self.boxes.clear();
        self.boxes.extend_from_slice(boxes);
        self.goals = distances.ends();
        if boxes.len() > self.goals {
            return UNREACHABLE;
        }
        for list in [&mut self.box_of, &mut self.goal_of, &mut self.parent] {
            list.clear();
            list.resize(self.goals, NOBODY);
        }
        for list in [&mut self.box_dual, &mut self.goal_dual, &mut self.nothing] {
            list.clear();
            list.resize(self.goals, 0);
        }
        for list in [&mut self.distance, &mut self.open] {
            list.resize(self.goals, 0);
        }
        for index in 0..self.goals {
            self.begin(index, boxes.get(index), distances);
            let Some(end) = self.shortest_path(NOBODY, Cost::MAX, distances) else {
                return UNREACHABLE;
            };
            self.augment(index, end);
        }
        self.total = self.box_dual.iter().sum::<Cost>() + self.goal_dual.iter().sum::<Cost>();
        self.total as u32
    }

    /// The sum after one box has moved by one square; the matching itself stays as it is.
    ///
    /// The sum falls by one at most, and rises by as much at most as the distance to the goal it has. If every goal takes a
    /// box and every push counts, it cannot stay: squares are black and white like those of a chessboard, and how many
    /// boxes stand on black tells whether the sum is even.
    pub(crate) fn reassigned(
        &mut self,
        index: usize,
        to: Square,
        distances: &PushDistances,
    ) -> u32 {
        let freed = self.goal_of[index];
        let costs = distances.row(to);
        // With the goal it has.
        let most = self.total + costs[freed] - distances.row(self.boxes[index])[freed];
        if most < self.total {
            return most as u32;
        }
        self.begin(index, Some(&to), distances);
        // The path's length in reduced costs, plus the duals at its ends, is the change of the sum.
        let kept = self.total - self.box_dual[index] - self.goal_dual[freed];
        let cannot_stay = self.boxes.len() == self.goals && distances.all_count();
        let enough = most - Cost::from(cannot_stay) - kept - self.goal_dual[freed];
        let sum = match self.shortest_path(freed, enough, distances) {
            Some(end) => kept + self.distance[end] + self.goal_dual[freed],
            None => most,
        };
        if sum >= UNREACHABLE as Cost / 2 { UNREACHABLE } else { sum as u32 }
    }

    /// Begins a path search from a box, wherever it stands; from a phantom where there is none.
    #[inline(always)]
    fn begin(&mut self, index: usize, at: Option<&Square>, distances: &PushDistances) {
        let costs = distances.row_or(at, &self.nothing);
        let duals = self.goal_dual.iter().zip(costs);
        for (open, (dual, cost)) in self.open.iter_mut().zip(duals) {
            *open = cost - dual;
        }
        self.parent.fill(index);
    }

    /// Dijkstra's algorithm to the nearest free goal (`freed` counts as free); `None` where that is as far as `enough`, or
    /// out of reach.
    ///
    /// Leaves distances (with the box's own dual taken as 0) and parents behind.
    fn shortest_path(
        &mut self,
        freed: usize,
        enough: Cost,
        distances: &PushDistances,
    ) -> Option<usize> {
        loop {
            let (mut goal, mut least) = (0, u32::MAX);
            for (index, &open) in self.open.iter().enumerate() {
                // Those that are done come out larger than all others.
                if (open as u32) < least {
                    (goal, least) = (index, open as u32);
                }
            }
            let least = self.open.get(goal).copied().filter(|&open| open >= 0)?;
            if least >= enough || least >= UNREACHABLE as Cost / 2 {
                return None;
            }
            self.distance[goal] = least;
            if goal == freed || self.box_of[goal] == NOBODY {
                return Some(goal);
            }
            self.open[goal] = Cost::MIN;
            let owner = self.box_of[goal];
            let costs = distances.row_or(self.boxes.get(owner), &self.nothing);
            let reach = least - self.box_dual[owner];
            let open = self.open.iter_mut().zip(&mut self.parent);
            for ((open, parent), (dual, cost)) in open.zip(self.goal_dual.iter().zip(costs)) {
                let through = reach + cost - dual;
                if through < *open {
                    (*open, *parent) = (through, owner);
                }
            }
        }
    }

    /// Matches a box along the path that was found to end at the free goal `end`.
    fn augment(&mut self, index: usize, end: usize) {
        let length = self.distance[end];
        for goal in (0..self.goals).filter(|&goal| self.open[goal] == Cost::MIN) {
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
