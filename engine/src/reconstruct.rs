//! The solution behind a finished board, from costs alone.
//!
//! No state knows its parent. But every state that was accepted has a predecessor through which its cost came about: a
//! state of the row before the last push, from which the keeper's walk to the box and the push make up the difference.
//! So the way back is found by asking for one row a candidate push: at most four a step where the keeper's square is known,
//! and at most four a box where all that is stored is its region. States of the backward side
//! lead on to the finish in the same way.

use crate::board::{Board, Square};
use crate::paths::Paths;
use crate::rank::{Rank, Ranking};
use crate::search::incumbent::{Finish, Trail};
use crate::search::side::Side;
use crate::table::Entry;
use crate::{Direction, Move, Moves, Objective, Rule};

/// Rows asked for at once, at most.
pub(crate) const PORTION: usize = 512;

/// Whoever has the rows: the table, or the owners of its shards.
pub(crate) trait RowSource<R> {
    /// Why rows cannot be had.
    type Error;
    /// The states of each of the box sets, in the order asked for.
    fn rows(&mut self, ranks: &[R]) -> Result<Vec<Vec<Entry>>, Self::Error>;
}

/// Why a solution could not be put together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReconstructError<E> {
    /// The rows could not be had.
    #[error(transparent)]
    Source(E),
    /// A stored state has no neighbour that explains its cost: the table is not the one of this search.
    #[error("no state explains the cost of {cost}")]
    NoPredecessor {
        /// The unexplained cost.
        cost: u32,
    },
}

/// One push of a solution: the keeper steps from `side` to `from`, and takes the box there on to `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Push {
    pub(crate) side: Square,
    pub(crate) from: Square,
    pub(crate) to: Square,
    pub(crate) direction: Direction,
}

/// A push, and the boxes at its other end: before it where it is undone, after it where it is made.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) push: Push,
    pub(crate) boxes: Vec<Square>,
}

/// The keeper's steps from the start to `finish`, which cost at most `finish.cost`.
pub(crate) fn reconstruct<R: Rank, S: RowSource<R>>(
    board: &Board,
    (rule, objective): (Rule, Objective),
    ranking: &Ranking<R>,
    finish: Finish<R>,
    source: &mut S,
) -> Result<Moves, ReconstructError<S::Error>> {
    let mut boxes = vec![Square::from_index(0); ranking.boxes()];
    ranking.unrank(finish.rank, &mut boxes);
    let mut trail = Walkback { board, objective, ranking, source, paths: Paths::new(board) };
    let pushes = match finish.trail {
        Trail::Finished { keeper, push_cost } => trail.back_to_start(boxes, keeper, push_cost)?,
        Trail::Meeting => {
            let (forward, backward) = trail.meeting(finish.rank, &boxes, finish.cost)?;
            let mut pushes = trail.back_to_start(boxes.clone(), forward.keeper, forward.cost)?;
            pushes.extend(trail.on_to_finish(boxes, backward.keeper, backward.cost)?);
            pushes
        }
    };
    Ok(spell(board, rule, trail.paths, &pushes))
}

/// A stored state that a way leads on from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Met<R> {
    pub(crate) side: Side,
    pub(crate) rank: R,
    pub(crate) keeper: Square,
    pub(crate) cost: u32,
}

/// The box sets from the end that a stored state's side comes from to that state, which costs at most `met.cost`.
pub(crate) fn sets_to_end<R: Rank, S: RowSource<R>>(
    board: &Board,
    objective: Objective,
    ranking: &Ranking<R>,
    Met { side, rank, keeper, cost }: Met<R>,
    source: &mut S,
) -> Result<Vec<R>, ReconstructError<S::Error>> {
    let mut boxes = vec![Square::from_index(0); ranking.boxes()];
    ranking.unrank(rank, &mut boxes);
    let mut trail = Walkback { board, objective, ranking, source, paths: Paths::new(board) };
    // From the state on, undoing its pushes or making them.
    let shifts: Vec<(Square, Square)> = match side {
        Side::Forward => {
            let pushes = trail.back_to_start(boxes.clone(), keeper, cost)?;
            pushes.iter().rev().map(|push| (push.to, push.from)).collect()
        }
        Side::Backward => {
            let pushes = trail.on_to_finish(boxes.clone(), keeper, cost)?;
            pushes.iter().map(|push| (push.from, push.to)).collect()
        }
    };
    let mut sets = vec![rank];
    for (from, to) in shifts {
        boxes = moved(&boxes, from, to);
        sets.push(ranking.rank(&boxes));
    }
    sets.reverse();
    Ok(sets)
}

/// The steps of a solution with these pushes: the shortest walks between them, and the last walk.
pub(crate) fn spell(board: &Board, rule: Rule, mut paths: Paths<'_>, pushes: &[Push]) -> Moves {
    let mut boxes = board.boxes().to_vec();
    let mut keeper = board.keeper();
    let mut moves = Vec::new();
    for &Push { side, from, to, direction } in pushes {
        moves.extend(paths.walk(&boxes, keeper, |square| square == side));
        moves.push(Move { direction, push: true });
        boxes.iter_mut().filter(|square| **square == from).for_each(|square| *square = to);
        keeper = from;
    }
    if rule == Rule::KeeperOnGoal {
        let free_goal = |square| board.is_goal(square) && !boxes.contains(&square);
        moves.extend(paths.walk(&boxes, keeper, free_goal));
    }
    moves.into_iter().collect()
}

struct Walkback<'a, R, S> {
    board: &'a Board,
    objective: Objective,
    ranking: &'a Ranking<R>,
    source: &'a mut S,
    paths: Paths<'a>,
}

impl<R: Rank, S: RowSource<R>> Walkback<'_, R, S> {
    /// The squares the keeper may stand on in a state that is stored with this one: its region where walks cost nothing.
    fn places(&mut self, boxes: &[Square], keeper: Square) -> Vec<Square> {
        match self.objective {
            Objective::Moves => vec![keeper],
            Objective::Pushes => self.paths.region(boxes, keeper),
        }
    }

    /// The first of some steps for which a state explains the cost, with that state.
    fn explain(
        &mut self,
        side: Side,
        steps: &[Step],
        cost: u32,
    ) -> Result<(Step, Entry), ReconstructError<S::Error>> {
        for steps in steps.chunks(PORTION) {
            let ranks: Vec<R> = steps.iter().map(|step| self.ranking.rank(&step.boxes)).collect();
            let rows = self.source.rows(&ranks).map_err(ReconstructError::Source)?;
            for (step, row) in steps.iter().zip(rows) {
                let square = match side {
                    Side::Forward => step.push.side,
                    Side::Backward => step.push.from,
                };
                if let Some(entry) = self.cheapest(side, &row, &step.boxes, square, cost) {
                    return Ok((step.clone(), entry));
                }
            }
        }
        Err(ReconstructError::NoPredecessor { cost })
    }

    /// The pushes from the start to a forward state, in the order they are made.
    fn back_to_start(
        &mut self,
        mut boxes: Vec<Square>,
        mut keeper: Square,
        mut cost: u32,
    ) -> Result<Vec<Push>, ReconstructError<S::Error>> {
        let mut pushes = Vec::new();
        while cost > 0 {
            let places = self.places(&boxes, keeper);
            let steps = undone_pushes(self.board, &boxes, &places);
            let (step, entry) = self.explain(Side::Forward, &steps, cost)?;
            (boxes, keeper, cost) = (step.boxes, entry.keeper, entry.cost);
            pushes.push(step.push);
        }
        pushes.reverse();
        Ok(pushes)
    }

    /// The pushes from a backward state to the finish, in the order they are made.
    fn on_to_finish(
        &mut self,
        mut boxes: Vec<Square>,
        mut keeper: Square,
        mut cost: u32,
    ) -> Result<Vec<Push>, ReconstructError<S::Error>> {
        let mut pushes = Vec::new();
        while cost > 0 {
            let places = self.places(&boxes, keeper);
            let steps = pushes_from(self.board, &boxes, &places);
            let (step, entry) = self.explain(Side::Backward, &steps, cost)?;
            (boxes, keeper, cost) = (step.boxes, entry.keeper, entry.cost);
            pushes.push(step.push);
        }
        Ok(pushes)
    }

    /// The entry of a row from which the walk to (or from) `square` and one push cost at most `cost` in all.
    fn cheapest(
        &mut self,
        side: Side,
        row: &[Entry],
        boxes: &[Square],
        square: Square,
        cost: u32,
    ) -> Option<Entry> {
        let own: Vec<Entry> =
            row.iter().copied().filter(|entry| entry.side == side && entry.cost < cost).collect();
        // The walk may be as long as the cheapest of them leaves.
        let most =
            self.objective.longest_walk(cost - 1 - own.iter().map(|entry| entry.cost).min()?);
        let keepers: Vec<Square> = own.iter().map(|entry| entry.keeper).collect();
        let walks = self.paths.steps(boxes, square, &keepers, most);
        let through = own.into_iter().zip(walks).filter_map(|(entry, walk)| {
            let walk = walk?;
            let cost = entry.cost.checked_add(self.objective.walk(walk))?.checked_add(1)?;
            Some((cost, walk, entry))
        });
        // Of what costs the same, the shorter walk.
        let (through, _, entry) = through.min_by_key(|&(cost, walk, _)| (cost, walk))?;
        (through <= cost).then_some(entry)
    }

    /// The two states of a row that join at the least cost.
    fn meeting(
        &mut self,
        rank: R,
        boxes: &[Square],
        cost: u32,
    ) -> Result<(Entry, Entry), ReconstructError<S::Error>> {
        let rows = self.source.rows(&[rank]).map_err(ReconstructError::Source)?;
        let row = rows.first().map_or(&[][..], Vec::as_slice);
        let of = |side| row.iter().filter(move |entry| entry.side == side);
        let mut best: Option<(u32, Entry, Entry)> = None;
        for backward in of(Side::Backward) {
            let keepers: Vec<Square> = of(Side::Forward).map(|entry| entry.keeper).collect();
            let most = self.objective.longest_walk(cost);
            let walks = self.paths.steps(boxes, backward.keeper, &keepers, most);
            for (forward, walk) in of(Side::Forward).zip(walks) {
                let sum = forward.cost.checked_add(backward.cost);
                let walk = walk.map(|walk| self.objective.walk(walk));
                let Some(total) = walk.and_then(|walk| sum?.checked_add(walk)) else { continue };
                if best.is_none_or(|(least, ..)| total < least) {
                    best = Some((total, *forward, *backward));
                }
            }
        }
        let found = best.filter(|&(total, ..)| total <= cost);
        found
            .map(|(_, forward, backward)| (forward, backward))
            .ok_or(ReconstructError::NoPredecessor { cost })
    }
}

/// The pushes that the keeper can make from one of some squares.
pub(crate) fn pushes_from(board: &Board, boxes: &[Square], keepers: &[Square]) -> Vec<Step> {
    let step = |side: Square, direction: Direction| {
        let from = board.neighbour(side, direction)?;
        let to = board.neighbour(from, direction)?;
        if !boxes.contains(&from) || boxes.contains(&to) || !board.is_live(to) {
            return None;
        }
        let push = Push { side, from, to, direction };
        Some(Step { push, boxes: moved(boxes, from, to) })
    };
    let directions = |side| Direction::ALL.into_iter().filter_map(move |to| step(side, to));
    keepers.iter().copied().flat_map(directions).collect()
}

/// The pushes that may have led here, with the keeper on one of some squares after them.
pub(crate) fn undone_pushes(board: &Board, boxes: &[Square], keepers: &[Square]) -> Vec<Step> {
    let step = |from: Square, direction: Direction| {
        let to = board.neighbour(from, direction)?;
        let side = board.neighbour(from, direction.opposite())?;
        if !boxes.contains(&to) || boxes.contains(&side) || !board.is_live(from) {
            return None;
        }
        let push = Push { side, from, to, direction };
        Some(Step { push, boxes: moved(boxes, to, from) })
    };
    let directions = |from| Direction::ALL.into_iter().filter_map(move |to| step(from, to));
    keepers.iter().copied().flat_map(directions).collect()
}

/// The boxes when one of them has been moved, in ascending order.
fn moved(boxes: &[Square], from: Square, to: Square) -> Vec<Square> {
    let mut boxes: Vec<Square> =
        boxes.iter().map(|&square| if square == from { to } else { square }).collect();
    boxes.sort_unstable();
    boxes
}
