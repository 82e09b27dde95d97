//! Stopping a search from outside, and watching it.
//!
//! The engine reads no clock: whoever owns one calls [`Control::stop`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

/// Why a search is asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Stop {
    /// The time given to it is over.
    Time = 1,
    /// Somebody does not want the answer any more.
    Interrupt = 2,
}

/// A handle on a running search, shared by cloning.
#[derive(Clone, Debug, Default)]
pub struct Control(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// 0, or the [`Stop`] that was asked for first.
    stop: AtomicU8,
    /// Published by the search for watchers; each is a value of its own and no order among them matters.
    level: AtomicU32,
    /// Cost of the best solution found, `u32::MAX` for none, stored bitwise negated so that 0 means none.
    best: AtomicU32,
    expanded: AtomicU64,
    states: AtomicU64,
    open: AtomicU64,
    memory: AtomicU64,
}

/// A glance at a running search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The level being searched: every solution costs at least this much.
    pub lower_bound: u32,
    /// Cost of the best solution so far.
    pub best: Option<u32>,
    /// Rows expanded so far.
    pub expanded: u64,
    /// States stored so far.
    pub states: u64,
    /// Rows waiting in the open list.
    pub open: u64,
    /// Bytes held by the search.
    pub memory: u64,
}

impl Control {
    /// A control nobody has used yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the search to end; the first reason counts. Takes effect within milliseconds.
    pub fn stop(&self, reason: Stop) {
        let _ = self.0.stop.compare_exchange(0, reason as u8, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// The reason of the first [`Control::stop`], if there was one.
    pub fn stopped(&self) -> Option<Stop> {
        match self.0.stop.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(Stop::Time),
            _ => Some(Stop::Interrupt),
        }
    }

    /// The newest figures.
    pub fn progress(&self) -> Progress {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let best = !self.0.best.load(Ordering::Relaxed);
        Progress {
            lower_bound: self.0.level.load(Ordering::Relaxed),
            best: (best != u32::MAX).then_some(best),
            expanded: load(&self.0.expanded),
            states: load(&self.0.states),
            open: load(&self.0.open),
            memory: load(&self.0.memory),
        }
    }

    /// Shows watchers from where a search begins: rows expanded and bound proven before, and the cost of the best solution
    /// known, `u32::MAX` for none.
    pub(crate) fn begin(&self, expanded: u64, best: u32, lower_bound: u32) {
        self.0.expanded.store(expanded, Ordering::Relaxed);
        self.0.states.store(0, Ordering::Relaxed);
        self.0.best.store(!best, Ordering::Relaxed);
        self.publish_level(lower_bound);
    }

    /// Shows watchers the bound proven so far.
    pub(crate) fn publish_level(&self, lower_bound: u32) {
        self.0.level.store(lower_bound, Ordering::Relaxed);
    }

    /// Shows watchers what a thread has done since it last did so, and the state of the search now.
    pub(crate) fn publish(&self, expanded: u64, states: u64, best: u32, open: u64, memory: u64) {
        self.0.expanded.fetch_add(expanded, Ordering::Relaxed);
        self.0.states.fetch_add(states, Ordering::Relaxed);
        self.0.best.store(!best, Ordering::Relaxed);
        self.0.open.store(open, Ordering::Relaxed);
        self.0.memory.store(memory, Ordering::Relaxed);
    }
}
