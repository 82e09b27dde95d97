//! The solution behind a finished board, from costs alone.
//!
//! No state knows its parent. But every state that was accepted has a predecessor through which its cost came about: a
//! state of the row before the last push, from which the keeper's walk to the box and the push make up the difference.
//! So the way back is found by asking for one row a candidate push: at most four a step.

use std::collections::VecDeque;

use crate::board::{Board, Square};
use crate::rank::{Rank, Ranking};
use crate::search::incumbent::Finish;
use crate::table::Entry;
use crate::{Direction, Move, Moves, Rule};

/// Whoever has the rows: the table, or the owners of its shards.
pub(crate) trait RowSource<R> {
    /// Why rows cannot be had.
    type Error;
    /// The states of each of the box sets, in the order asked for.
    fn rows(&mut self, ranks: &[R]) -> Result<Vec<Vec<Entry>>, Self::Error>;
}

/// Why a solution could not be put together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReconstructError<E> {
    /// The rows could not be had.
    #[error(transparent)]
    Source(E),
    /// A stored state has no predecessor that explains its cost: the table is not the one of this search.
    #[error("no state leads to the one {push_cost} moves from the start")]
    NoPredecessor {
        /// Cost of the unexplained state, in moves.
        push_cost: u32,
    },
}

/// One push of the solution: the row before it, where the keeper came from, and the push.
struct Push {
    boxes: Vec<Square>,
    keeper: Square,
    side: Square,
    direction: Direction,
}

/// The keeper's steps from the start to `finish`, which cost `finish.cost` moves.
pub(crate) fn reconstruct<R: Rank, S: RowSource<R>>(
    board: &Board,
    rule: Rule,
    ranking: &Ranking<R>,
    finish: Finish<R>,
    source: &mut S,
) -> Result<Moves, ReconstructError<S::Error>> {
    let mut boxes = vec![Square::from_index(0); ranking.boxes()];
    ranking.unrank(finish.rank, &mut boxes);
    let mut keeper = finish.keeper;
    let mut cost = finish.push_cost;
    let last = (boxes.clone(), keeper);
    let mut pushes = Vec::new();
    while cost > 0 {
        let candidates = undone_pushes(board, &boxes, keeper);
        let ranks: Vec<R> =
            candidates.iter().map(|candidate| ranking.rank(&candidate.boxes)).collect();
        let rows = source.rows(&ranks).map_err(ReconstructError::Source)?;
        let explained = candidates.into_iter().zip(rows).find_map(|(candidate, row)| {
            let steps = steps_from(board, &candidate.boxes, candidate.side);
            let cost_through = |entry: &Entry| {
                let walk = steps[entry.keeper.index()]?;
                Some((entry.cost.checked_add(walk)?.checked_add(1)?, *entry))
            };
            let cheapest = row.iter().filter_map(cost_through).min_by_key(|(cost, _)| *cost);
            let (_, entry) = cheapest.filter(|&(through, _)| through <= cost)?;
            Some((candidate, entry))
        });
        let Some((mut push, entry)) = explained else {
            return Err(ReconstructError::NoPredecessor { push_cost: cost });
        };
        keeper = entry.keeper;
        push.keeper = keeper;
        cost = entry.cost;
        boxes.clone_from(&push.boxes);
        pushes.push(push);
    }
    let mut moves = Vec::new();
    for push in pushes.iter().rev() {
        moves.extend(walk(board, &push.boxes, push.keeper, |square| square == push.side));
        moves.push(Move { direction: push.direction, push: true });
    }
    if rule == Rule::KeeperOnGoal {
        let (boxes, keeper) = last;
        let free_goal = |square| board.is_goal(square) && !boxes.contains(&square);
        moves.extend(walk(board, &boxes, keeper, free_goal));
    }
    Ok(moves.into_iter().collect())
}

/// The pushes that may have led here, each with the box set before it.
fn undone_pushes(board: &Board, boxes: &[Square], keeper: Square) -> Vec<Push> {
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

/// Steps of the keeper from a square to every other; `None` where it does not get.
fn steps_from(board: &Board, boxes: &[Square], from: Square) -> Vec<Option<u32>> {
    let mut steps = vec![None; board.squares()];
    steps[from.index()] = Some(0);
    let mut todo = VecDeque::from([(from, 0)]);
    while let Some((square, distance)) = todo.pop_front() {
        for next in Direction::ALL.iter().filter_map(|&to| board.neighbour(square, to)) {
            if steps[next.index()].is_none() && !boxes.contains(&next) {
                steps[next.index()] = Some(distance + 1);
                todo.push_back((next, distance + 1));
            }
        }
    }
    steps
}

/// A shortest walk to the nearest square that `is_there` accepts; empty if there is none.
pub(crate) fn walk(
    board: &Board,
    boxes: &[Square],
    from: Square,
    is_there: impl Fn(Square) -> bool,
) -> Vec<Move> {
    let mut came: Vec<Option<(Square, Direction)>> = vec![None; board.squares()];
    let mut todo = VecDeque::from([from]);
    while let Some(square) = todo.pop_front() {
        if is_there(square) {
            let mut steps = Vec::new();
            let mut at = square;
            while at != from {
                let (before, direction) = came[at.index()].expect("every square but the first");
                steps.push(Move { direction, push: false });
                at = before;
            }
            steps.reverse();
            return steps;
        }
        for direction in Direction::ALL {
            if let Some(next) = board.neighbour(square, direction)
                && next != from
                && came[next.index()].is_none()
                && !boxes.contains(&next)
            {
                came[next.index()] = Some((square, direction));
                todo.push_back(next);
            }
        }
    }
    Vec::new()
}
