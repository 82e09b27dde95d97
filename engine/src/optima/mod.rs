//! All solutions of least cost: how many there are, and one of them that is best in what the cost leaves out: with
//! fewest pushes where moves count, with fewest moves where pushes do.
//!
//! It takes a search with [`Want::All`](crate::search::want::Want) that has come to its end: every state of every best
//! solution that is needed here is in the table then, closed and at its least cost, and the rows are known in which best
//! solutions were found ([`levels`](crate::search::levels) has the proof). What is left is dynamic programming over the
//! *tight* edges between these states: those whose walk and push make up the difference of the costs exactly.
//!
//! # Every solution is counted once, where moves count
//!
//! A solution is a string of steps, as many as the best cost C, at whose end the board is finished. From a state, a step
//! leads to one other state at most, so a string is a path of positions, and different strings are different paths. Cut
//! a path at its pushes: a walk, a push, a walk, a push, …, and with the keeper on a goal a last walk. Each walk is a
//! shortest one between its two squares among the boxes as they stand, or the solution could be made shorter. The other
//! way round, shortest walks put together along tight edges make a string of C steps that finishes the board. So the
//! strings are counted by adding up, over all paths along tight edges, the products of the numbers of shortest walks.
//!
//! Let all forward states of cost below F be closed, and fᵢ be the cost right after push i of n, with f₀ = 0. A path is
//! *cut* after the last fᵢ < F. That is one place on every path:
//!
//! * If i = n, the last forward state stands in a finished row, and what follows is the last walk.
//! * If i < n, row i holds the forward state right after push i, P, and the backward state right before push i + 1, Q,
//!   with g(P) < F ≤ g(P) + walk + 1, and g(P) + walk + b(Q) = C. A state with b = 0 is finished, so none of these is.
//!
//! Both kinds are looked for in the rows where solutions were found. A pair in such a row that meets these equations is
//! on a solution of C steps, and that solution is cut there, so nothing is counted that is none, or twice.
//!
//! From the forward states of the cuts a [`Fan`] goes back to the start, from the backward states another on to the
//! finish. Forward-only is the case F = ∞.
//!
//! # Fewest pushes
//!
//! Along the same edges, with least sums of pushes in place of sums of products. The objective is the pair of moves and
//! pushes, compared in this order: no solution of fewest moves is left out, so the pushes are the fewest there are.
//!
//! # Fewest moves, where pushes count
//!
//! Walks cost nothing then, and a state is a box set with a region of the floor, so all that is said above of cuts and
//! edges holds with walks of cost 0: let a solution make C pushes, the fewest there are. Right after its push i it is in
//! a forward state of cost i and in a backward state of cost C − i, or it could be made cheaper, and both are the same
//! box set and region. So push i + 1 is a tight edge: its costs differ by one, and the region of the state before has
//! the square that the keeper pushes from. With f = g(P) = F − 1 and b(Q) = C − F + 1 it is cut in row F − 1, in the
//! one pair of states there that have its region; or, if F > C, where it ends. Hence **the pushes of every solution of
//! C pushes are a path along tight edges** from the start through a cut to a finish, and as each edge costs 1, every such
//! path has C pushes.
//!
//! What remains is where in its region the keeper stands. Right after a push that is one square, so there are few *stands*:
//! a state of a fan and a square. From the start on, push by push, each gets the least moves that lead to it, and the
//! number of ways: of all walks to the side of a box only the shortest, times the ways to the stand before. A solution of
//! fewest moves among those of C pushes is made of such ways, as any part of it could be replaced by a shorter one with as
//! many pushes to the same stand. Its steps, cut at the pushes, are one path of stands and one walk between each two, so
//! none is counted twice. All edges from one push to the next lead a layer further, so stands are taken in the order in
//! which they were reached. (`keepers.rs`)
//!
//! Numbers of solutions saturate: products and sums of numbers from 1 on that end at the largest are the true result, or
//! the largest where that is larger.

mod fan;
mod keepers;
mod walks;

use self::fan::Fan;
use self::keepers::fewest_moves;
use self::walks::{Walks, Ways};
use crate::board::{Board, Square};
use crate::budget::Budget;
use crate::paths::Paths;
use crate::purse::{NoRoom, Purse};
use crate::rank::{Rank, Ranking};
use crate::reconstruct::{PORTION, RowSource, spell};
use crate::search::side::Side;
use crate::table::Entry;
use crate::{Control, Moves, Objective, Rule};

/// What is known of all solutions of least cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Optima {
    /// How many there are; `u64::MAX` stands for so many or more. Where pushes count, only those of fewest moves.
    pub(crate) count: u64,
    /// One of them, with the fewest pushes, or moves where pushes count.
    pub(crate) moves: Moves,
}

/// Why nothing is known of all solutions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unknown<E> {
    /// The rows could not be had.
    Source(E),
    /// It does not fit the memory.
    Memory,
    /// Somebody asked to stop.
    Stopped,
    /// A state has no neighbour that explains its cost: the table is not the one of such a search.
    Unexplained,
}

impl<E> From<NoRoom> for Unknown<E> {
    fn from(_: NoRoom) -> Self {
        Self::Memory
    }
}

/// A search that is over.
#[derive(Clone, Debug)]
pub(crate) struct Searched<'a, R> {
    pub(crate) board: &'a Board,
    pub(crate) rule: Rule,
    pub(crate) objective: Objective,
    pub(crate) ranking: &'a Ranking<R>,
    /// What the best solutions cost.
    pub(crate) cost: u32,
    /// All forward states of best solutions that cost less than this are closed.
    pub(crate) forward_closed_below: u32,
    /// The rows in which best solutions were found, each once.
    pub(crate) ends: &'a [R],
}

/// A place where solutions are cut in two.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// The forward state, in the fan of these.
    forward: u32,
    /// The backward state; without it, the last walk follows.
    backward: Option<u32>,
    /// Shortest walks from the one to the other.
    walks: u64,
}

/// All best solutions of a search.
///
/// What it takes to know them is charged to the budget and given back.
pub(crate) fn optima<R: Rank, S: RowSource<R>>(
    searched: &Searched<'_, R>,
    source: &mut S,
    budget: &Budget,
    control: &Control,
) -> Result<Optima, Unknown<S::Error>> {
    let mut purse = Purse::new(budget);
    let mut walks = Walks::new(searched.board);
    let mut fans = [Fan::new(Side::Forward), Fan::new(Side::Backward)];
    let mut cuts = Vec::new();
    for ranks in searched.ends.chunks(PORTION) {
        if control.stopped().is_some() {
            return Err(Unknown::Stopped);
        }
        let rows = source.rows(ranks).map_err(Unknown::Source)?;
        for (&rank, row) in ranks.iter().zip(rows) {
            searched.cut(rank, &row, &mut walks, &mut purse, &mut fans, &mut cuts)?;
        }
    }
    for fan in &mut fans {
        fan.spread(searched, source, &mut walks, &mut purse, control)?;
    }
    match searched.objective {
        Objective::Moves => fewest_pushes(searched, &mut fans, &cuts),
        Objective::Pushes => {
            fewest_moves(searched, &mut fans, &mut cuts, &mut walks, &mut purse, control)
        }
    }
}

/// The best of all solutions whose states are in the fans, where moves count.
fn fewest_pushes<R: Rank, E>(
    searched: &Searched<'_, R>,
    fans: &mut [Fan<R>; 2],
    cuts: &[Cut],
) -> Result<Optima, Unknown<E>> {
    fans.iter_mut().for_each(Fan::add_up);
    let [forward, backward] = fans;
    let onward = |cut: &Cut| match cut.backward {
        Some(number) => (backward.ways(number), backward.pushes(number)),
        None => (1, 0),
    };
    let count = cuts.iter().fold(0_u64, |sum, cut| {
        let product = forward.ways(cut.forward).saturating_mul(cut.walks);
        sum.saturating_add(product.saturating_mul(onward(cut).0))
    });
    let pushes = |cut: &Cut| forward.pushes(cut.forward).saturating_add(onward(cut).1);
    let best = cuts.iter().min_by_key(|cut| pushes(cut)).ok_or(Unknown::Unexplained)?;
    let mut way = forward.way(best.forward).ok_or(Unknown::Unexplained)?;
    if let Some(number) = best.backward {
        way.extend(backward.way(number).ok_or(Unknown::Unexplained)?);
    }
    let Searched { board, rule, .. } = *searched;
    let moves = spell(board, rule, Paths::new(board), &way);
    Ok(Optima { count, moves })
}

impl<R: Rank> Searched<'_, R> {
    /// The box set of a rank.
    fn boxes(&self, rank: R) -> Vec<Square> {
        let mut boxes = vec![Square::from_index(0); self.ranking.boxes()];
        self.ranking.unrank(rank, &mut boxes);
        boxes
    }

    /// Cuts the solutions that are cut in this row.
    fn cut<E>(
        &self,
        rank: R,
        row: &[Entry],
        walks: &mut Walks<'_>,
        purse: &mut Purse<'_>,
        [forward, backward]: &mut [Fan<R>; 2],
        cuts: &mut Vec<Cut>,
    ) -> Result<(), Unknown<E>> {
        let boxes = self.boxes(rank);
        let is_finished = boxes.iter().all(|&square| self.board.is_goal(square));
        let mut onward = closed(row, Side::Backward);
        onward.retain(|entry| {
            // The push from there leads to a forward state that costs no less than the limit.
            entry.cost > 0
                && entry.cost <= (self.cost + 1).saturating_sub(self.forward_closed_below)
        });
        let keepers: Vec<Square> = onward.iter().map(|entry| entry.keeper).collect();
        for state in closed(row, Side::Forward) {
            if state.cost >= self.forward_closed_below || state.cost > self.cost {
                continue;
            }
            let left = self.cost - state.cost;
            if is_finished
                && let Some(Ways { steps, number }) = self.last_walk(&boxes, state.keeper, walks)
                && self.objective.walk(steps) == left
            {
                let forward = forward.add(rank, state, purse)?;
                purse.push(cuts, Cut { forward, backward: None, walks: number })?;
            }
            let most = self.objective.longest_walk(left);
            let reached = walks.ways_to_each(&boxes, state.keeper, &keepers, most);
            for (&other, ways) in onward.iter().zip(reached) {
                if let Some(Ways { steps, number }) = ways
                    && self.objective.walk(steps).checked_add(other.cost) == Some(left)
                {
                    let forward = forward.add(rank, state, purse)?;
                    let backward = Some(backward.add(rank, other, purse)?);
                    purse.push(cuts, Cut { forward, backward, walks: number })?;
                }
            }
        }
        Ok(())
    }

    /// The shortest walks to the end of the game, all boxes being on goals.
    fn last_walk(&self, boxes: &[Square], keeper: Square, walks: &mut Walks<'_>) -> Option<Ways> {
        match self.rule {
            Rule::Classic => Some(Ways { steps: 0, number: 1 }),
            Rule::KeeperOnGoal => {
                walks.ways_to_nearest(boxes, keeper, |square| self.board.is_goal(square))
            }
        }
    }
}

/// The closed states of one side in a row, in the order of their squares.
fn closed(row: &[Entry], side: Side) -> Vec<Entry> {
    let mut own: Vec<Entry> =
        row.iter().copied().filter(|entry| entry.side == side && entry.closed).collect();
    // Where the slots of a row lie depends on the threads.
    own.sort_unstable_by_key(|entry| entry.keeper);
    own
}

/// The steps of a walk that make up the difference of the costs of two states with one push between them.
fn tight_walk(far: u32, near: u32) -> Option<u32> {
    far.checked_sub(near)?.checked_sub(1)
}
