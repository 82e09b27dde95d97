//! Expansion of a row: all pushes that its newly opened states lead to.

use std::ops::ControlFlow;

use super::incumbent::{Finish, Trail};
use super::problem::{Problem, Shift};
use super::side::Side;
use crate::board::Square;
use crate::deadlock::corral::{Corrals, Needed};
use crate::deadlock::freeze::Freeze;
use crate::estimate::Estimator;
use crate::rank::Rank;
use crate::squares::SquareSet;
use crate::table::Row;
use crate::walk::{Cuts, Flood, Ground, distances, flood, representative};
use crate::{Direction, Objective, Rule, Statistics};

/// A state reached by a push, before it is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Successor<R> {
    pub(crate) rank: R,
    pub(crate) keeper: Square,
    pub(crate) cost: u32,
    /// Lower bound on the cost still to come.
    pub(crate) estimate: u32,
}

/// A thread's scratch for expansions.
pub(crate) struct Expander<'a, R, G: Ground> {
    problem: &'a Problem<R, G::Set>,
    ground: G,
    /// By side.
    estimators: [Estimator<'a>; 2],
    freeze: Freeze<G::Set>,
    corrals: Option<Corrals<G::Set>>,
    boxes: Vec<Square>,
    occupied: G::Set,
    wanted: G::Set,
    /// For each square with a box, the box's number in `boxes`.
    number: Vec<u32>,
    /// The row whose boxes are in `boxes` and have been estimated, before it is expanded.
    estimated: Option<R>,
    /// Wanted squares reached, with what the walk there costs from the nearest newly opened state.
    reached: Vec<(Square, u32)>,
}

impl<'a, R: Rank, G: Ground> Expander<'a, R, G> {
    pub(crate) fn new(problem: &'a Problem<R, G::Set>) -> Self {
        let board = &problem.board;
        let none = G::Set::empty(board.squares());
        Self {
            problem,
            ground: G::new(board),
            estimators: problem.estimates.each_ref().map(Estimator::new),
            freeze: Freeze::new(board),
            corrals: problem.corrals.then(|| Corrals::new(board)),
            boxes: vec![Square::from_index(0); problem.boxes()],
            occupied: none.clone(),
            wanted: none,
            number: vec![0; board.squares()],
            estimated: None,
            reached: Vec::new(),
        }
    }

    /// The estimate of a state of a row that is going to be expanded next.
    pub(crate) fn estimate(&mut self, side: Side, rank: R, keeper: Square) -> u32 {
        let estimator = &mut self.estimators[side as usize];
        if self.estimated != Some(rank) {
            self.problem.ranking.unrank(rank, &mut self.boxes);
            if estimator.of_row(&self.boxes).is_none() {
                // Its expansion will come to the same.
                return 0;
            }
            self.estimated = Some(rank);
        }
        estimator.with_keeper(keeper)
    }

    /// Whether a row that is being expanded can be finished.
    #[inline(always)]
    fn can_be_finished(&mut self, side: Side, rank: R) -> bool {
        self.estimated == Some(rank) || self.estimators[side as usize].of_row(&self.boxes).is_some()
    }

    /// Hands the successors of the states opened in `row` to `emit`, and finished boards among them to `finish`.
    ///
    /// `row` must hold the closed states of the row too: without them nothing is lost, but work is done twice.
    #[inline]
    pub(crate) fn expand(
        &mut self,
        side: Side,
        rank: R,
        row: &mut Row,
        statistics: &mut Statistics,
        mut emit: impl FnMut(Successor<R>),
        mut finish: impl FnMut(Finish<R>),
    ) {
        if row.opened.is_empty() {
            statistics.stale += 1;
            self.estimated = None;
            return;
        }
        self.place_boxes(side, rank, &row.opened);
        row.other.iter().for_each(|&(_, square)| self.wanted.insert(square));
        match self.problem.objective {
            Objective::Moves => {
                self.reached.clear();
                let reached = &mut self.reached;
                let visit = |square, steps| reached.push((square, steps));
                let floor = (&mut self.ground, &self.occupied, &self.wanted);
                let outcome = match self.problem.dominance {
                    true => flood(floor.0, floor.1, floor.2, row, visit),
                    false => flood_each(floor.0, floor.1, floor.2, row, visit),
                };
                match outcome {
                    Flood::Dominated => statistics.dominated += 1,
                    Flood::Fresh => {
                        statistics.expanded += 1;
                        self.leave(side, rank, row, None, statistics, &mut emit, &mut finish);
                    }
                }
            }
            Objective::Pushes => {
                statistics.expanded += 1;
                for &keeper in &row.opened {
                    let region = self.ground.region(&self.occupied, keeper);
                    self.reached.clear();
                    let reached = &mut self.reached;
                    let inside = |square| {
                        if region.contains(square) {
                            reached.push((square, 0));
                        }
                    };
                    self.wanted.for_each(inside);
                    let region = Some(&region);
                    self.leave(side, rank, row, region, statistics, &mut emit, &mut finish);
                }
            }
        }
        self.occupied.clear();
        self.wanted.clear();
        self.estimated = None;
    }

    /// Makes what can be made from the squares reached: meetings, and pushes or pulls.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "all of an expansion, taken apart by objective")]
    fn leave(
        &mut self,
        side: Side,
        rank: R,
        row: &Row,
        region: Option<&G::Set>,
        statistics: &mut Statistics,
        emit: &mut impl FnMut(Successor<R>),
        finish: &mut impl FnMut(Finish<R>),
    ) {
        self.meet(rank, row, finish);
        match side {
            Side::Forward => self.push(rank, row, region, statistics, emit, finish),
            Side::Backward => self.pull(rank, row, statistics, emit),
        }
    }

    /// Joins the states being opened with those of the other side.
    ///
    /// Two states of a row join when the later of them is opened: the earlier is in the table by then. Where the later
    /// does not own the earlier one's square in the flood, a still earlier state of its side does at no greater cost.
    fn meet(&self, rank: R, row: &Row, finish: &mut impl FnMut(Finish<R>)) {
        for &(cost, square) in &row.other {
            for &(_, steps) in self.reached.iter().filter(|(reached, _)| *reached == square) {
                let cost = row.cost + steps + cost;
                finish(Finish { cost, rank, trail: Trail::Meeting });
            }
        }
    }

    /// Sets up box set, occupied squares, and the squares pushes are possible from, if a keeper of `opened` gets there.
    #[inline(always)]
    fn place_boxes(&mut self, side: Side, rank: R, opened: &[Square]) {
        if self.estimated != Some(rank) {
            self.problem.ranking.unrank(rank, &mut self.boxes);
        }
        for (number, &square) in self.boxes.iter().enumerate() {
            self.occupied.insert(square);
            self.number[square.index()] = number as u32;
        }
        let problem = self.problem;
        let places = problem.box_places(side);
        let parted = |cuts: &Cuts, cut: Square, keeper: Square| {
            opened.iter().all(|&from| cuts.parts(&problem.board, cut, from, keeper))
        };
        for &square in &self.boxes {
            for (keeper, free) in places[square.index()] {
                let is_free = !self.occupied.contains(keeper) & !self.occupied.contains(free);
                let is_open = match &problem.cuts {
                    None => is_free,
                    Some(cuts) => is_free && !parted(cuts, square, keeper),
                };
                self.wanted.insert_if(is_open, keeper);
            }
        }
    }

    /// What of `shifts` can be done, with its direction: a box stands where one is needed, and none where none may be.
    #[inline(always)]
    fn possible(
        &self,
        shifts: &[Shift; 4],
    ) -> impl Iterator<Item = (Direction, Shift)> + use<R, G> {
        let shifts = *shifts;
        let mut possible = shifts.iter().enumerate().fold(0_u32, |set, (index, shift)| {
            let is_possible =
                self.occupied.contains(shift.from) & !self.occupied.contains(shift.to);
            set | u32::from(is_possible) << index
        });
        std::iter::from_fn(move || {
            let index = possible.trailing_zeros() as usize;
            possible &= possible.wrapping_sub(1);
            Some((*Direction::ALL.get(index)?, shifts[index % 4]))
        })
    }

    /// All pushes from the squares reached.
    #[inline(always)]
    fn push(
        &mut self,
        rank: R,
        row: &Row,
        region: Option<&G::Set>,
        statistics: &mut Statistics,
        emit: &mut impl FnMut(Successor<R>),
        finish: &mut impl FnMut(Finish<R>),
    ) {
        if self.reached.is_empty() {
            return;
        }
        if !self.can_be_finished(Side::Forward, rank) {
            statistics.dead += 1;
            return;
        }
        let problem = self.problem;
        let needed = match (&mut self.corrals, region) {
            (Some(corrals), Some(region)) => {
                corrals.needed(&problem.board, &self.boxes, &self.occupied, region)
            }
            _ => Needed::All,
        };
        let only = match needed {
            Needed::All => None,
            Needed::Only(boxes) => Some(boxes.clone()),
            Needed::None => {
                statistics.dead += 1;
                return;
            }
        };
        let off_goal = |&&square: &&Square| !problem.goals.contains(square);
        let homeless = self.boxes.iter().filter(off_goal).count();
        for index in 0..self.reached.len() {
            let (keeper, steps) = self.reached[index];
            let pushes = &problem.keeper_pushes[keeper.index()];
            for (direction, Shift { from, to }) in self.possible(pushes) {
                if only.as_ref().is_some_and(|boxes| !boxes.contains(from)) {
                    continue;
                }
                let number = self.number[from.index()] as usize;
                let estimate = match self.lost(Side::Forward, from, to, direction) {
                    true => None,
                    false => {
                        let estimator = &mut self.estimators[Side::Forward as usize];
                        estimator.after_push(number, (from, to), from)
                    }
                };
                let Some(estimate) = estimate else {
                    statistics.dead += 1;
                    continue;
                };
                self.check_consistency(Side::Forward, &row.opened, (keeper, steps), estimate);
                let rank = problem.ranking.moved(rank, &self.boxes, number, to);
                let cost = row.cost + steps + 1;
                let left = homeless - usize::from(!problem.goals.contains(from));
                if left == 0
                    && problem.goals.contains(to)
                    && let Some(walk) = self.finishing_walk(from, to)
                {
                    let trail = Trail::Finished { keeper: from, push_cost: cost };
                    let cost = cost + problem.objective.walk(walk);
                    finish(Finish { cost, rank, trail });
                }
                let keeper = self.stand(from, from, to);
                emit(Successor { rank, keeper, cost, estimate });
            }
        }
    }

    /// All pulls from the squares reached: pushes that end with the keeper there.
    #[inline(always)]
    fn pull(
        &mut self,
        rank: R,
        row: &Row,
        statistics: &mut Statistics,
        emit: &mut impl FnMut(Successor<R>),
    ) {
        let problem = self.problem;
        if !self.can_be_finished(Side::Backward, rank) {
            return;
        }
        for index in 0..self.reached.len() {
            let (keeper, steps) = self.reached[index];
            let pulls = &problem.keeper_pulls[keeper.index()];
            for (direction, Shift { from, to }) in self.possible(pulls) {
                let number = self.number[from.index()] as usize;
                let estimate = match self.lost(Side::Backward, from, keeper, direction) {
                    true => None,
                    false => {
                        let estimator = &mut self.estimators[Side::Backward as usize];
                        estimator.after_push(number, (from, keeper), to)
                    }
                };
                let Some(estimate) = estimate else {
                    statistics.dead += 1;
                    continue;
                };
                self.check_consistency(Side::Backward, &row.opened, (keeper, steps), estimate);
                let rank = problem.ranking.moved(rank, &self.boxes, number, keeper);
                let keeper = self.stand(to, from, keeper);
                emit(Successor { rank, keeper, cost: row.cost + steps + 1, estimate });
            }
        }
    }

    /// In debug builds: whether neither the walk to where a push or pull begins nor that itself lowers the estimate by more
    /// than its steps.
    #[inline(always)]
    fn check_consistency(
        &self,
        side: Side,
        opened: &[Square],
        (keeper, steps): (Square, u32),
        after: u32,
    ) {
        let estimator = &self.estimators[side as usize];
        let before = || estimator.with_keeper(keeper);
        debug_assert!(before() <= after + 1, "{:?} {keeper:?} {after}", self.boxes);
        let is_near = |&from: &Square| estimator.with_keeper(from) <= before() + steps;
        debug_assert!(opened.iter().any(is_near), "{:?} {opened:?} {keeper:?}", self.boxes);
    }

    /// The square that a state is stored with whose keeper is on `keeper` when a box has been moved: where walks cost
    /// nothing, the one that stands for its region.
    #[inline(always)]
    fn stand(&mut self, keeper: Square, from: Square, to: Square) -> Square {
        match self.problem.objective {
            Objective::Moves => keeper,
            Objective::Pushes => {
                self.occupied.remove(from);
                self.occupied.insert(to);
                let stand = representative(&mut self.ground, &self.occupied, keeper);
                self.occupied.remove(to);
                self.occupied.insert(from);
                stand
            }
        }
    }

    /// Whether no solution passes through the board after a push, or backward, before the push that is undone.
    #[inline(always)]
    fn lost(&mut self, side: Side, from: Square, target: Square, direction: Direction) -> bool {
        self.occupied.remove(from);
        let others = self.boxes.iter().copied().filter(|&square| square != from);
        let subsets = self.problem.subsets[side as usize].as_ref();
        let mut lost =
            subsets.is_some_and(|tables| tables.lost(target, direction, &self.occupied, others));
        if !lost && self.problem.freeze && side == Side::Forward {
            self.occupied.insert(target);
            lost = self.freeze.lost(&self.problem.board, &self.occupied, target);
            self.occupied.remove(target);
        }
        self.occupied.insert(from);
        lost
    }

    /// Steps the keeper still has to walk after a push that may have been the last, if it was.
    #[cold]
    fn finishing_walk(&mut self, from: Square, target: Square) -> Option<u32> {
        self.occupied.remove(from);
        self.occupied.insert(target);
        let walk = finishing_walk(&mut self.ground, self.problem, &self.occupied, from);
        self.occupied.remove(target);
        self.occupied.insert(from);
        walk
    }
}

/// Steps from `keeper` to where a board with these boxes is finished; `None` if it is not, or out of reach.
pub(crate) fn finishing_walk<R, G: Ground>(
    ground: &mut G,
    problem: &Problem<R, G::Set>,
    boxes: &G::Set,
    keeper: Square,
) -> Option<u32> {
    if !boxes.is_subset(&problem.goals) {
        return None;
    }
    match problem.rule {
        Rule::Classic => Some(0),
        Rule::KeeperOnGoal => {
            let mut walk = None;
            distances(ground, boxes, &problem.goals, keeper, |_, steps| {
                walk = Some(steps);
                ControlFlow::Break(())
            });
            walk
        }
    }
}

/// Like [`flood`] without dominance: every newly opened state alone, as if the row held no other.
fn flood_each<G: Ground>(
    ground: &mut G,
    boxes: &G::Set,
    wanted: &G::Set,
    row: &Row,
    mut visit: impl FnMut(Square, u32),
) -> Flood {
    for &square in &row.opened {
        let mut alone = Row { cost: row.cost, opened: vec![square], ..Row::default() };
        flood(ground, boxes, wanted, &mut alone, &mut visit);
    }
    Flood::Fresh
}
