//! The solution behind a finished board, from costs alone.
//!
//! No state knows its parent. But every state that was accepted has a predecessor through which its cost came about: a
//! state of the row before the last push, from which the keeper's walk to the box and the push make up the difference.
//! So the way back is found by asking for one row a candidate push: at most four a step. States of the backward side
//! lead on to the finish in the same way.

use crate::board::{Board, Square};
use crate::paths::Paths;
use crate::rank::{Rank, Ranking};
use crate::search::incumbent::{Finish, Trail};
use crate::search::side::Side;
use crate::table::Entry;
use crate::{Direction, Move, Moves, Objective, Rule};

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

/// One push of the solution: the boxes and the keeper before its walk there, the square it pushes from, and where to.
pub(crate) struct Push {
    pub(crate) boxes: Vec<Square>,
    pub(crate) keeper: Square,
    pub(crate) side: Square,
    pub(crate) direction: Direction,
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
    let (pushes, boxes, keeper, onward) = match finish.trail {
        Trail::Finished { keeper, push_cost } => {
            (trail.back_to_start(boxes.clone(), keeper, push_cost)?, boxes, keeper, Vec::new())
        }
        Trail::Meeting => {
            let (forward, backward) = trail.meeting(finish.rank, &boxes, finish.cost)?;
            let pushes = trail.back_to_start(boxes.clone(), forward.keeper, forward.cost)?;
            let onward = trail.on_to_finish(boxes.clone(), backward.keeper, backward.cost)?;
            (pushes, boxes, forward.keeper, onward)
        }
    };
    Ok(spell(board, rule, trail.paths, &pushes, boxes, keeper, onward))
}

/// The steps of a solution: pushes, each with boxes and keeper before it, that lead to these boxes and this keeper; from
/// there on pushes with those after; and the last walk.
pub(crate) fn spell(
    board: &Board,
    rule: Rule,
    mut paths: Paths<'_>,
    pushes: &[Push],
    mut boxes: Vec<Square>,
    mut keeper: Square,
    onward: Vec<Push>,
) -> Moves {
    let mut moves = Vec::new();
    for push in pushes {
        moves.extend(paths.walk(&push.boxes, push.keeper, |square| square == push.side));
        moves.push(Move { direction: push.direction, push: true });
    }
    for push in onward {
        moves.extend(paths.walk(&boxes, keeper, |square| square == push.side));
        moves.push(Move { direction: push.direction, push: true });
        (boxes, keeper) = (push.boxes, push.keeper);
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
    fn rows(&mut self, pushes: &[Push]) -> Result<Vec<Vec<Entry>>, ReconstructError<S::Error>> {
        let ranks: Vec<R> = pushes.iter().map(|push| self.ranking.rank(&push.boxes)).collect();
        self.source.rows(&ranks).map_err(ReconstructError::Source)
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
            let candidates = undone_pushes(self.board, &boxes, keeper);
            let rows = self.rows(&candidates)?;
            let explained = candidates.into_iter().zip(rows).find_map(|(candidate, row)| {
                let side = candidate.side;
                let entry = self.cheapest(Side::Forward, &row, &candidate.boxes, side, cost)?;
                Some((candidate, entry))
            });
            let (push, entry) = explained.ok_or(ReconstructError::NoPredecessor { cost })?;
            (keeper, cost) = (entry.keeper, entry.cost);
            boxes.clone_from(&push.boxes);
            pushes.push(Push { keeper, ..push });
        }
        pushes.reverse();
        Ok(pushes)
    }

    /// The pushes from a backward state to the finish; each with the boxes and the keeper after it.
    fn on_to_finish(
        &mut self,
        mut boxes: Vec<Square>,
        mut keeper: Square,
        mut cost: u32,
    ) -> Result<Vec<Push>, ReconstructError<S::Error>> {
        let mut pushes = Vec::new();
        while cost > 0 {
            let candidates = pushes_from(self.board, &boxes, keeper);
            let rows = self.rows(&candidates)?;
            let explained = candidates.into_iter().zip(rows).find_map(|(candidate, row)| {
                let after = candidate.keeper;
                let entry = self.cheapest(Side::Backward, &row, &candidate.boxes, after, cost)?;
                Some((candidate, entry))
            });
            let (push, entry) = explained.ok_or(ReconstructError::NoPredecessor { cost })?;
            (keeper, cost) = (entry.keeper, entry.cost);
            boxes.clone_from(&push.boxes);
            pushes.push(push);
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
        let most = self.longest_walk(cost - 1 - own.iter().map(|entry| entry.cost).min()?);
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

    /// The most steps that a walk may have if it costs at most so much.
    fn longest_walk(&self, cost: u32) -> u32 {
        match self.objective {
            Objective::Moves => cost,
            Objective::Pushes => u32::MAX,
        }
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
            let most = self.longest_walk(cost);
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

/// The pushes the keeper can make from where it stands, each with the boxes and the keeper after it.
pub(crate) fn pushes_from(board: &Board, boxes: &[Square], keeper: Square) -> Vec<Push> {
    let push = |direction: Direction| {
        let from = board.neighbour(keeper, direction)?;
        let to = board.neighbour(from, direction)?;
        if !boxes.contains(&from) || boxes.contains(&to) || !board.is_live(to) {
            return None;
        }
        let on = |&square: &Square| if square == from { to } else { square };
        let mut boxes: Vec<Square> = boxes.iter().map(on).collect();
        boxes.sort_unstable();
        Some(Push { boxes, keeper: from, side: keeper, direction })
    };
    Direction::ALL.into_iter().filter_map(push).collect()
}

/// The pushes that may have led here, each with the box set before it.
pub(crate) fn undone_pushes(board: &Board, boxes: &[Square], keeper: Square) -> Vec<Push> {
    let undo = |direction: Direction| {
        let pushed = board.neighbour(keeper, direction)?;
        let side = board.neighbour(keeper, direction.opposite())?;
        if !boxes.contains(&pushed) || boxes.contains(&side) || !board.is_live(keeper) {
            return None;
        }
        let back = |&square: &Square| if square == pushed { keeper } else { square };
        let mut boxes: Vec<Square> = boxes.iter().map(back).collect();
        boxes.sort_unstable();
        Some(Push { boxes, keeper, side, direction })
    };
    Direction::ALL.into_iter().filter_map(undo).collect()
}
