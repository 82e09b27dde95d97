//! One thread's search, depth first.

use super::Dig;
use crate::board::Square;
use crate::purse::{NoRoom, Purse};
use crate::rank::Rank;
use crate::search::expand::{Expander, Successor};
use crate::search::side::Side;
use crate::table::Row;
use crate::walk::Ground;
use crate::{Limit, Statistics};

/// States opened between two looks at the figures shown to watchers.
const SHOW: u64 = 256;

/// A thread's path and scratch. There is no recursion: a path may be as long as the memory lasts.
pub(super) struct Diver<'d, R, G: Ground> {
    dig: &'d Dig<'d, R, G>,
    expander: Expander<'d, R, G>,
    purse: Purse<'d>,
    /// The states from the start to the one that is being searched.
    path: Vec<Stop<R>>,
    /// What is left to search of the successors of all states on the path, those of the last at the end.
    pending: Vec<Successor<R>>,
    /// The successors of the state opened last.
    fresh: Vec<Successor<R>>,
    row: Row,
    statistics: Statistics,
    /// What of the statistics watchers have been shown.
    shown: Statistics,
}

/// A state on the path.
#[derive(Clone, Copy)]
struct Stop<R> {
    rank: R,
    keeper: Square,
    /// Where its successors begin in [`Diver::pending`].
    first: usize,
}

impl<'d, R: Rank, G: Ground> Diver<'d, R, G> {
    pub(super) fn new(dig: &'d Dig<'d, R, G>) -> Self {
        Self {
            dig,
            expander: Expander::new(dig.problem),
            purse: Purse::new(dig.budget),
            path: Vec::new(),
            pending: Vec::new(),
            fresh: Vec::new(),
            row: Row::default(),
            statistics: Statistics::default(),
            shown: Statistics::default(),
        }
    }

    pub(super) fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Opens a state that is reached by a path from the start, the last of which it is; its successors, or nothing if
    /// the search is over.
    pub(super) fn open(
        &mut self,
        path: impl Iterator<Item = Successor<R>>,
    ) -> Option<&[Successor<R>]> {
        let state = self.go(path).unwrap_or_else(|NoRoom| {
            self.dig.halt(Limit::Memory);
            None
        })?;
        if !self.expand(&state) {
            return None;
        }
        self.statistics.generated += self.fresh.len() as u64;
        Some(&self.fresh)
    }

    /// Searches all that lies within the bound below a state that is reached by a path from the start, the last of which
    /// it is.
    pub(super) fn search(&mut self, path: impl Iterator<Item = Successor<R>>) {
        if self.try_search(path) == Err(NoRoom) {
            self.dig.halt(Limit::Memory);
        }
        self.show();
    }

    /// Notes a state that has been opened before the iterations began.
    pub(super) fn claim(&mut self, state: &Successor<R>) {
        self.dig.cache.claim(state, &mut self.statistics);
    }

    /// Takes a path from the start; returns its last state.
    fn go(
        &mut self,
        path: impl Iterator<Item = Successor<R>>,
    ) -> Result<Option<Successor<R>>, NoRoom> {
        self.path.clear();
        self.pending.clear();
        let mut last = None;
        for state in path {
            self.step(&state)?;
            last = Some(state);
        }
        Ok(last)
    }

    fn step(&mut self, state: &Successor<R>) -> Result<(), NoRoom> {
        let stop = Stop { rank: state.rank, keeper: state.keeper, first: self.pending.len() };
        self.purse.push(&mut self.path, stop)
    }

    fn try_search(&mut self, path: impl Iterator<Item = Successor<R>>) -> Result<(), NoRoom> {
        let Some(leaf) = self.go(path)? else { return Ok(()) };
        self.path.pop();
        let above = self.path.len();
        self.consider(leaf)?;
        loop {
            let first = self.path.get(above..).and_then(<[_]>::last).map_or(0, |stop| stop.first);
            if self.pending.len() == first {
                if self.path.len() == above {
                    return Ok(());
                }
                self.path.pop();
                continue;
            }
            let Some(state) = self.pending.pop() else { return Ok(()) };
            if self.is_on_path(&state) || !self.dig.cache.claim(&state, &mut self.statistics) {
                continue;
            }
            self.step(&state)?;
            if !self.expand(&state) {
                return Ok(());
            }
            // The last is searched first.
            self.fresh.sort_unstable_by_key(|next| std::cmp::Reverse((next.estimate, next.cost)));
            for index in 0..self.fresh.len() {
                self.consider(self.fresh[index])?;
            }
        }
    }

    /// Keeps a state to be searched if it lies within the bound, or else notes that it waits.
    fn consider(&mut self, state: Successor<R>) -> Result<(), NoRoom> {
        let f = state.cost + state.estimate;
        if f <= self.dig.bound() {
            self.statistics.generated += 1;
            return self.purse.push(&mut self.pending, state);
        }
        if self.dig.cache.minds(f) && !self.is_on_path(&state) {
            self.dig.cache.wait(&state, f, &mut self.statistics);
        }
        Ok(())
    }

    /// Whether the path goes through a state, at less cost then: so it may not go there again, even where the table has
    /// forgotten that.
    fn is_on_path(&self, state: &Successor<R>) -> bool {
        self.path.iter().any(|stop| stop.rank == state.rank && stop.keeper == state.keeper)
    }

    /// Opens the last state of the path: its successors are in `fresh` then. False if the search is over.
    fn expand(&mut self, state: &Successor<R>) -> bool {
        if !self.dig.may_go_on() {
            return false;
        }
        let Self { dig, expander, path, fresh, row, statistics, .. } = self;
        row.cost = state.cost;
        row.opened.clear();
        row.opened.push(state.keeper);
        fresh.clear();
        let emit = |successor| fresh.push(successor);
        expander.expand(Side::Forward, state.rank, row, statistics, emit, |finish| {
            dig.offer(finish.cost, path.iter().map(|stop| stop.rank).chain([finish.rank]));
        });
        if self.statistics.expanded - self.shown.expanded >= SHOW {
            self.show();
        }
        true
    }

    /// Shows watchers what has been done since they were last shown.
    fn show(&mut self) {
        let expanded = self.statistics.expanded - self.shown.expanded;
        let states = self.statistics.states - self.shown.states;
        self.shown = self.statistics;
        self.dig.publish(expanded, states);
    }
}
