//! Figures of a running search.

use std::time::Duration;

use crate::wire;

/// Figures of a running search, over all workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobProgress {
    /// Proven: every solution costs at least this much, in moves.
    pub lower_bound: u32,
    /// Cost of the best solution so far, in moves.
    pub best: Option<u32>,
    /// Rows expanded.
    pub expanded: u64,
    /// States stored.
    pub states: u64,
    /// Bytes held.
    pub memory: u64,
    /// Time since the first message.
    pub elapsed: Duration,
    /// Workers that take part.
    pub workers: u32,
    /// Time since the moment that the newest checkpoint is of; `None` where none are kept.
    pub unsaved: Option<Duration>,
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl From<JobProgress> for wire::Progress {
    fn from(progress: JobProgress) -> Self {
        Self {
            lower_bound: progress.lower_bound,
            best: progress.best,
            expanded: progress.expanded,
            states: progress.states,
            memory_bytes: progress.memory,
            elapsed_ms: milliseconds(progress.elapsed),
            workers: progress.workers,
            unsaved_ms: progress.unsaved.map(milliseconds),
        }
    }
}

impl From<wire::Progress> for JobProgress {
    fn from(progress: wire::Progress) -> Self {
        Self {
            lower_bound: progress.lower_bound,
            best: progress.best,
            expanded: progress.expanded,
            states: progress.states,
            memory: progress.memory_bytes,
            elapsed: Duration::from_millis(progress.elapsed_ms),
            workers: progress.workers,
            unsaved: progress.unsaved_ms.map(Duration::from_millis),
        }
    }
}
