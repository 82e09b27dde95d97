//! What a search counts. Each counter is defined here, once.

use std::ops::AddAssign;

/// Counters of one search, summed over its threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Rows taken from the open list that generated: some state in them was new and not dominated. With
    /// [`SearchChoice::Ida`](crate::SearchChoice::Ida) states, each time they were opened.
    pub expanded: u64,
    /// Rows taken in which nothing new was left: every state being opened was dominated.
    pub dominated: u64,
    /// Queue entries overtaken: the row had no state of this level left to open. With
    /// [`SearchChoice::Ida`](crate::SearchChoice::Ida) states met again in an iteration, at no smaller cost.
    pub stale: u64,
    /// Relaxations tried on the table.
    pub attempts: u64,
    /// Successors queued: new states, or states reached at less cost.
    pub generated: u64,
    /// Successors refused because the board can no longer be finished.
    pub dead: u64,
    /// Closed states reached again at less cost; 0 with a consistent estimate.
    pub reopened: u64,
    /// Successors sent to other shards; 0 in one process.
    pub transferred: u64,
    /// Successors not sent because the same state had gone out at no greater cost.
    pub filtered: u64,
    /// States stored in the table.
    pub states: u64,
    /// Levels searched; with [`SearchChoice::Ida`](crate::SearchChoice::Ida) iterations.
    pub levels: u64,
    /// Most bytes the search held at once.
    pub peak_bytes: u64,
    /// Bytes of the open list written to disk, each time they were.
    pub spilled_bytes: u64,
}

impl AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        self.expanded += other.expanded;
        self.dominated += other.dominated;
        self.stale += other.stale;
        self.attempts += other.attempts;
        self.generated += other.generated;
        self.dead += other.dead;
        self.reopened += other.reopened;
        self.transferred += other.transferred;
        self.filtered += other.filtered;
        self.states += other.states;
        self.levels = self.levels.max(other.levels);
        self.peak_bytes += other.peak_bytes;
        self.spilled_bytes += other.spilled_bytes;
    }
}
