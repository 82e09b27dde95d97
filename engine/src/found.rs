//! The best solution so far, as the box sets it goes through.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::board::{Board, Square};
use crate::paths::Paths;
use crate::rank::{Rank, Ranking};
use crate::reconstruct::{Push, spell};
use crate::{Direction, Moves, Rule};

/// The cheapest solution found, with its cost in reach of every thread.
pub(crate) struct Found<R> {
    /// `u32::MAX` for none. Only ever falls. Relaxed: it guards no other memory.
    cost: AtomicU32,
    /// The cost again, and all box sets from the start on, a push between each and the next.
    best: Mutex<Option<(u32, Vec<R>)>>,
}

impl<R: Rank> Found<R> {
    pub(crate) fn new() -> Self {
        Self { cost: AtomicU32::new(u32::MAX), best: Mutex::new(None) }
    }

    /// Cost of the best solution, `u32::MAX` for none.
    pub(crate) fn cost(&self) -> u32 {
        self.cost.load(Ordering::Relaxed)
    }

    /// Keeps a solution if it is cheaper than all before.
    pub(crate) fn offer(&self, cost: u32, sets: impl Iterator<Item = R>) {
        let mut best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        if best.as_ref().is_none_or(|&(least, _)| cost < least) {
            *best = Some((cost, sets.collect()));
            self.cost.store(cost, Ordering::Relaxed);
        }
    }

    /// The best solution, with its cost.
    pub(crate) fn moves(
        &self,
        board: &Board,
        rule: Rule,
        ranking: &Ranking<R>,
    ) -> Option<(u32, Moves)> {
        let best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        let (cost, sets) = best.as_ref()?;
        let boxes = |&rank: &R| {
            let mut boxes = vec![Square::from_index(0); ranking.boxes()];
            ranking.unrank(rank, &mut boxes);
            boxes
        };
        let pushes: Vec<Push> = sets
            .windows(2)
            .filter_map(|pair| push_between(board, &boxes(&pair[0]), &boxes(&pair[1])))
            .collect();
        Some((*cost, spell(board, rule, Paths::new(board), &pushes)))
    }
}

/// The push that leads from one box set to another, both in ascending order; `None` if there is none.
fn push_between(board: &Board, before: &[Square], after: &[Square]) -> Option<Push> {
    let only_in = |these: &[Square], others: &[Square]| {
        these.iter().copied().find(|square| others.binary_search(square).is_err())
    };
    let (from, to) = (only_in(before, after)?, only_in(after, before)?);
    let leads = |&direction: &Direction| board.neighbour(from, direction) == Some(to);
    let direction = Direction::ALL.into_iter().find(leads)?;
    let side = board.neighbour(from, direction.opposite())?;
    Some(Push { side, from, to, direction })
}
