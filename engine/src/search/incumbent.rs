//! The best finished board found so far.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use super::want::Want;
use crate::board::Square;

/// A solution that was found: what it costs, and where to take up its trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Finish<R> {
    /// Cost of the whole solution.
    pub(crate) cost: u32,
    /// The box set to begin with.
    pub(crate) rank: R,
    pub(crate) trail: Trail,
}

/// How a solution was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trail {
    /// By a push that finished the board: the keeper's square right after it, and the cost up to it.
    Finished { keeper: Square, push_cost: u32 },
    /// In a row with states of both sides: some two of them, and the walk between, cost as much.
    Meeting,
}

/// The cheapest [`Finish`], with its cost in reach of every thread.
#[derive(Debug)]
pub(crate) struct Incumbent<R> {
    /// `u32::MAX` for none. Only ever falls. Relaxed: a thread that still sees an old value queues more than it must.
    cost: AtomicU32,
    want: Want,
    best: Mutex<Option<Finish<R>>>,
}

impl<R: Copy> Incumbent<R> {
    pub(crate) fn new(want: Want) -> Self {
        Self { cost: AtomicU32::new(u32::MAX), want, best: Mutex::new(None) }
    }

    /// Cost of the best solution known, `u32::MAX` for none.
    #[inline(always)]
    pub(crate) fn cost(&self) -> u32 {
        self.cost.load(Ordering::Relaxed)
    }

    /// Whether what is bounded by `f` may be part of a solution that is still wanted.
    #[inline(always)]
    pub(crate) fn admits(&self, f: u32) -> bool {
        match self.want {
            Want::Any => f < self.cost(),
            Want::All => f <= self.cost(),
        }
    }

    /// The best finish found here.
    pub(crate) fn best(&self) -> Option<Finish<R>> {
        *self.best.lock().expect("no holder panics")
    }

    /// Keeps a finish if it is cheaper than all found here before, and no dearer than any found elsewhere.
    pub(crate) fn offer(&self, finish: Finish<R>) {
        let mut best = self.best.lock().expect("no holder panics");
        // A solution as cheap as one known from elsewhere is worth keeping, a dearer one is not.
        if finish.cost <= self.cost() && best.is_none_or(|best| finish.cost < best.cost) {
            *best = Some(finish);
        }
        self.cost.fetch_min(finish.cost, Ordering::Relaxed);
    }

    /// Takes over the cost of a solution found elsewhere.
    pub(crate) fn lower(&self, cost: u32) {
        self.cost.fetch_min(cost, Ordering::Relaxed);
    }
}
