//! The best finished board found so far.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::board::Square;

/// A finished board: where the last push left it, and what it costs in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Finish<R> {
    /// Cost of the whole solution, the keeper's last walk included.
    pub(crate) cost: u32,
    pub(crate) rank: R,
    /// The keeper's square right after the last push.
    pub(crate) keeper: Square,
    /// Cost up to that push.
    pub(crate) push_cost: u32,
}

/// The cheapest [`Finish`], with its cost in reach of every thread.
#[derive(Debug)]
pub(crate) struct Incumbent<R> {
    /// `u32::MAX` for none. Only ever falls. Relaxed: a thread that still sees an old value queues more than it must.
    cost: AtomicU32,
    best: Mutex<Option<Finish<R>>>,
}

impl<R: Copy> Incumbent<R> {
    pub(crate) fn new() -> Self {
        Self { cost: AtomicU32::new(u32::MAX), best: Mutex::new(None) }
    }

    /// Cost of the best solution known, `u32::MAX` for none.
    #[inline(always)]
    pub(crate) fn cost(&self) -> u32 {
        self.cost.load(Ordering::Relaxed)
    }

    /// The best finish found here.
    pub(crate) fn best(&self) -> Option<Finish<R>> {
        *self.best.lock().expect("no holder panics")
    }

    /// Keeps a finish if it is cheaper than all before.
    pub(crate) fn offer(&self, finish: Finish<R>) {
        let mut best = self.best.lock().expect("no holder panics");
        if best.is_none_or(|best| finish.cost < best.cost) {
            *best = Some(finish);
        }
        self.cost.fetch_min(finish.cost, Ordering::Relaxed);
    }

    /// Takes over the cost of a solution found elsewhere.
    pub(crate) fn lower(&self, cost: u32) {
        self.cost.fetch_min(cost, Ordering::Relaxed);
    }
}
