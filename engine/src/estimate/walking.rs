//! The walking bound: pushes, and the keeper's ways back.
//!
//! Most steps of a solution of fewest moves are no pushes: the keeper walks back for the next box. This bound counts
//! some of these walks, by cuts that boxes have to be pushed over one at a time.
//!
//! # Levels and cuts
//!
//! The *level* of a square is its distance from an origin, in steps over the floor without boxes, or how much nearer to
//! an origin it is than the square farthest from it. Floors are black and white like chessboards, so every step of the
//! keeper, and every push of a box, leads up or down by exactly one level.
//! The keeper is *beyond* cut d if its level is d or more. Each step of the keeper crosses one cut: the steps between
//! levels d − 1 and d cross cut d.
//!
//! A box crosses cut d when it is pushed from level d to level d + 1: the keeper steps onto level d then. Cut d *counts*
//! if for each such push (between squares that are live) the keeper comes from level d − 1, so that keeper and box go up
//! together. Where it could come from level d + 1, as where a box is pushed past the mouth of a corridor, it need not
//! come back for the next box, and the cut does not count.
//!
//! # The bound
//!
//! Let at least n boxes still have to cross cut d: if more boxes than goals have a level of at most d, the boxes too many.
//! With each of them the keeper crosses the cut upward. Between two crossings upward there is one downward, and one
//! before the first if the keeper is beyond. So at least n − 1 steps lead down over the cut, and n if the keeper is
//! beyond. The bound is the sum of these over all cuts that count, plus the least number of pushes in which the keeper
//! does *not* step down over such a cut: those are counted as ways back already. A step crosses one cut only, so nothing
//! is counted twice, and **the bound never exceeds the moves still to come**.
//!
//! Backward the same is said of the way from the start, of which is known where the keeper stands at either end: if
//! `n` boxes have to cross the cut upward on balance, it crosses it upward as often, and downward n times, once more
//! if it starts beyond, and once less if it ends beyond.
//!
//! # Consistency
//!
//! The bound depends on the boxes and on the cuts that the keeper is beyond. **No step lowers it by more than one**, so no
//! edge of the search lowers it by more than its cost:
//!
//! * A step up without a push puts the keeper beyond one more cut, which lowers nothing.
//! * A step down over cut d that counts, with or without a push, lowers the number of cut d by one at most. The push is
//!   free, so the number of pushes stays, and the box does not cross a cut that counts upward, for the keeper would have to
//!   go up with it.
//! * A step down over a cut that does not count changes no other; with a push, the number of pushes falls by one at most.
//! * A step up with a push that takes the box up over cut d that counts: one box less has to cross, and the keeper is
//!   beyond. The number of cut d stays, and that of pushes falls by one at most.
//! * Any other push lets the box cross downward, or over a cut that does not count. No number of a cut falls.
//!
//! The other way round in time the same holds backward. A bound of the boxes alone (always n − 1) would not do: two pushes
//! in a row that take a box over two cuts lower it by four.
//!
//! As the bound of a row differs from state to state, states of a row that have the same cost may wait at different f,
//! and are opened each at its own ([`Table::open_row`](crate::table::Table::open_row)).
//!
//! # Which levels
//!
//! Any origin will do, either way round, and any choice of the cuts that could count. Taken is what gives the start the
//! largest bound.

use std::collections::VecDeque;

use super::{Assignment, PushDistances, UNREACHABLE};
use crate::Direction;
use crate::board::{Board, Square};

/// A walking bound, prepared for one board and one side.
#[derive(Clone, Debug)]
pub(crate) struct Walking {
    /// Of each square.
    level: Vec<u32>,
    /// Of each level d, whether cut d counts.
    counts: Vec<bool>,
    /// Of each level d, how many ends have a level of at most d.
    ends_within: Vec<i32>,
    /// Whether the ends are where boxes come from, and the keeper, on this level. Else they are goals.
    start: Option<u32>,
    /// Pushes that are not free, between squares and ends.
    pushes: PushDistances,
}

/// Bounds of boards with more levels take too long.
const MOST_LEVELS: usize = 1 << 10;

/// Distances computed to choose among origins: of a square, an end, and an origin.
const MOST_TRIED: usize = 1 << 22;

impl Walking {
    /// Of the moves that bring the boxes to goals. `None` where it says no more of the start than the least matching, and
    /// where there are too many levels.
    pub(crate) fn to_goals(board: &Board) -> Option<Self> {
        let origin_costs = (board.squares() * board.goals().len()).max(1);
        let origins = (MOST_TRIED / origin_costs).max(1);
        let step = board.squares().div_ceil(origins).max(1);
        let tried = board.all().step_by(step).chain(board.goals().iter().copied().take(origins));
        let families = tried.flat_map(|origin| {
            let outward = levels(board, origin);
            let most = outward.iter().copied().max().unwrap_or(0);
            let inward = outward.iter().map(|&level| most - level).collect();
            [outward, inward].into_iter().flat_map(|level| {
                let all = Self::of_levels(board, level);
                // Cuts that hardly any box has to cross only make pushes free.
                let busy = all.as_ref().map(|all| all.with_busy_cuts(board));
                [all, busy].into_iter().flatten()
            })
        });
        let mut best: Option<(u32, Self)> = None;
        for walking in families {
            let bound = walking.of(board.boxes(), board.keeper());
            if best.as_ref().is_none_or(|&(least, _)| bound > least) && bound < UNREACHABLE {
                best = Some((bound, walking));
            }
        }
        let pushes =
            Assignment::default().solve(board.boxes(), &PushDistances::to(board, board.goals()));
        best.filter(|&(bound, _)| bound > pushes).map(|(_, walking)| walking)
    }

    /// With all cuts that can count.
    fn of_levels(board: &Board, level: Vec<u32>) -> Option<Self> {
        let levels = level.iter().max().map_or(0, |&most| most as usize + 1);
        if levels > MOST_LEVELS {
            return None;
        }
        let counts = countable(board, &level, levels);
        let ends_within = within(&level, levels, board.goals());
        let pushes = PushDistances::priced_to(board, board.goals(), price(&level, &counts));
        Some(Self { level, counts, ends_within, start: None, pushes })
    }

    /// With those cuts that two boxes or more of the start have to cross.
    fn with_busy_cuts(&self, board: &Board) -> Self {
        let within = within(&self.level, self.counts.len(), board.boxes());
        let busy = |cut: usize| within[cut] - self.ends_within[cut] >= 2;
        let counts = self.counts.iter().enumerate().map(|(cut, &counts)| counts && busy(cut));
        let counts: Vec<bool> = counts.collect();
        let pushes = PushDistances::priced_to(board, board.goals(), price(&self.level, &counts));
        Self { counts, pushes, ..self.clone() }
    }

    /// The same cuts for the way from the start.
    pub(crate) fn of_the_way_from_start(&self, board: &Board) -> Self {
        let price = price(&self.level, &self.counts);
        Self {
            level: self.level.clone(),
            counts: self.counts.clone(),
            ends_within: within(&self.level, self.counts.len(), board.boxes()),
            start: Some(self.level[board.keeper().index()]),
            pushes: PushDistances::priced_from(board, board.boxes(), price),
        }
    }

    /// The bound of one state, from scratch; [`UNREACHABLE`] or more if it cannot be finished.
    fn of(&self, boxes: &[Square], keeper: Square) -> u32 {
        let mut ways_back = WaysBack::default();
        ways_back.solve(self, boxes);
        Assignment::default().solve(boxes, &self.pushes) + ways_back.with_keeper(self, keeper)
    }

    /// Pushes that are not free, between squares and ends.
    pub(crate) fn pushes(&self) -> &PushDistances {
        &self.pushes
    }

    /// Whether the bounds of two states of a row are known to be the same from where the keepers stand.
    #[inline(always)]
    pub(crate) fn agrees(&self, keeper: Square, other: Square) -> bool {
        self.level[keeper.index()] == self.level[other.index()]
    }

    /// Bytes of what was prepared.
    pub(crate) fn bytes(&self) -> u64 {
        let of_a_level = size_of::<bool>() + size_of::<i32>();
        (size_of_val(self.level.as_slice()) + self.counts.len() * of_a_level) as u64
            + self.pushes.bytes()
    }

    /// Steps of the keeper that lead down over a cut, if so many boxes have to cross it upward.
    #[inline(always)]
    fn ways_back(&self, cut: usize, crossings: i32, keeper_is_beyond: bool) -> i32 {
        let beyond = i32::from(keeper_is_beyond);
        let more = match self.start {
            None => beyond - 1,
            Some(start) => i32::from(start as usize >= cut) - beyond,
        };
        (crossings + more).max(0)
    }
}

/// The ways back of one row.
#[derive(Clone, Debug, Default)]
pub(crate) struct WaysBack {
    /// Of each cut, the boxes that have to cross it upward, on balance.
    crossings: Vec<i32>,
    /// With the keeper on each level, steps that lead down over cuts that count.
    steps: Vec<i32>,
}

impl WaysBack {
    /// Counts them for a box set.
    pub(crate) fn solve(&mut self, walking: &Walking, boxes: &[Square]) {
        let levels = walking.counts.len();
        self.crossings.clear();
        self.crossings.resize(levels, 0);
        for square in boxes {
            self.crossings[walking.level[square.index()] as usize] += 1;
        }
        let (mut boxes_within, mut below) = (0, 0);
        for (cut, crossings) in self.crossings.iter_mut().enumerate() {
            boxes_within += *crossings;
            *crossings = boxes_within - walking.ends_within[cut];
            if walking.start.is_some() {
                *crossings = -*crossings;
            }
            if walking.counts[cut] {
                below += walking.ways_back(cut, *crossings, false);
            }
        }
        self.steps.clear();
        let mut steps = below;
        for (cut, &crossings) in self.crossings.iter().enumerate() {
            if walking.counts[cut] {
                steps += walking.ways_back(cut, crossings, true)
                    - walking.ways_back(cut, crossings, false);
            }
            self.steps.push(steps);
        }
    }

    /// The steps with the keeper somewhere.
    #[inline(always)]
    pub(crate) fn with_keeper(&self, walking: &Walking, keeper: Square) -> u32 {
        self.steps[walking.level[keeper.index()] as usize] as u32
    }

    /// The least of them wherever the keeper is. They rise with its level, or fall.
    pub(crate) fn least(&self) -> u32 {
        let [first, last] =
            [self.steps.first(), self.steps.last()].map(|s| s.copied().unwrap_or(0));
        first.min(last) as u32
    }

    /// The same with a box moved by one square.
    #[inline(always)]
    pub(crate) fn after_push(
        &self,
        walking: &Walking,
        from: Square,
        to: Square,
        keeper: Square,
    ) -> u32 {
        let [from, to, keeper] =
            [from, to, keeper].map(|square| walking.level[square.index()] as usize);
        let cut = from.min(to);
        let steps = self.steps[keeper];
        if !walking.counts[cut] {
            return steps as u32;
        }
        let crossings = self.crossings[cut];
        // Forward one less has to cross if it went up; backward it has come that way then.
        let now = match (from < to) == walking.start.is_none() {
            true => crossings - 1,
            false => crossings + 1,
        };
        let is_beyond = keeper >= cut;
        let change =
            walking.ways_back(cut, now, is_beyond) - walking.ways_back(cut, crossings, is_beyond);
        (steps + change) as u32
    }
}

/// Distance of each square from an origin.
fn levels(board: &Board, origin: Square) -> Vec<u32> {
    let mut level = vec![UNREACHABLE; board.squares()];
    level[origin.index()] = 0;
    let mut todo = VecDeque::from([origin]);
    while let Some(square) = todo.pop_front() {
        for direction in Direction::ALL {
            if let Some(next) = board.neighbour(square, direction)
                && level[next.index()] == UNREACHABLE
            {
                level[next.index()] = level[square.index()] + 1;
                todo.push_back(next);
            }
        }
    }
    level
}

/// Of each level d, whether cut d can count: boxes that cross it upward are pushed by a keeper who does so too.
fn countable(board: &Board, level: &[u32], levels: usize) -> Vec<bool> {
    let mut counts = vec![true; levels];
    let is_live = |square: &Square| board.is_live(*square);
    for from in board.all().filter(is_live) {
        for direction in Direction::ALL {
            let to = board.neighbour(from, direction).filter(is_live);
            let keeper = board.neighbour(from, direction.opposite());
            let (Some(to), Some(keeper)) = (to, keeper) else { continue };
            let [keeper, from, to] = [keeper, from, to].map(|square| level[square.index()]);
            if from < to && from < keeper {
                counts[from as usize] = false;
            }
        }
    }
    counts
}

/// What a push costs by the step that the keeper makes: nothing down over a cut that counts.
fn price(level: &[u32], counts: &[bool]) -> impl Fn(Square, Square) -> u32 {
    |from, to| {
        let [from, to] = [from, to].map(|square| level[square.index()]);
        u32::from(from < to || !counts[from as usize])
    }
}

/// Of each level, how many of some squares have at most this level.
fn within(level: &[u32], levels: usize, squares: &[Square]) -> Vec<i32> {
    let mut within = vec![0; levels];
    squares.iter().for_each(|square| within[level[square.index()] as usize] += 1);
    let mut sum = 0;
    within.iter_mut().for_each(|count| {
        sum += *count;
        *count = sum;
    });
    within
}

#[cfg(test)]
mod tests;
