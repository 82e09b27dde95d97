//! How a job ends.

use sokohive_engine::Limit;
use sokohive_proto::{ClusterFailure, Finish};

/// How a job ends. A solution that goes with it has been walked back to before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// No solution costs less than the one through this state, as every level below its cost is
    /// exhausted on every worker.
    Optimal(Finish),
    /// Every reachable state has been searched, none is a finish.
    Unsolvable,
    /// A limit came first.
    Limit {
        /// Which limit.
        limit: Limit,
        /// Every solution costs at least this much, in moves.
        lower_bound: u32,
        /// The best finish so far.
        best: Option<Finish>,
    },
    /// The cluster failed.
    Failed(ClusterFailure),
}

/// Why a job is stopped from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The time given to it is over.
    Time,
    /// Somebody wants it to stop, and may want to go on later.
    Interrupt,
    /// Nobody wants the answer any more.
    Cancel,
}

impl From<StopReason> for Limit {
    fn from(reason: StopReason) -> Self {
        match reason {
            StopReason::Time => Self::Time,
            StopReason::Interrupt | StopReason::Cancel => Self::Interrupted,
        }
    }
}
