//! How a job ended.

use std::fmt;
use std::time::Duration;

use sokohive_engine::{Limit, SearchChoice, Statistics, Tie};

use crate::bad_field::required;
use crate::task::search_from_field;
use crate::{BadField, Traffic, wire};

/// The cluster failed: nothing is proven but the bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterFailure {
    /// Host and port of the worker that was lost or that failed; `None` where none is to blame.
    pub worker: Option<String>,
    /// The level that was being searched, in moves, 0 before the first: every solution costs at
    /// least this much.
    pub level: u32,
    /// What happened.
    pub reason: String,
    /// Whether the same job may succeed when it is submitted again.
    pub retryable: bool,
    /// What is safe on disk, for people.
    pub saved: Option<String>,
}

impl fmt::Display for ClusterFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(worker) = &self.worker {
            write!(f, "worker {worker}: ")?;
        }
        let saved = self.saved.as_deref().unwrap_or("nothing was saved");
        write!(f, "{}, at level {}; {saved}", self.reason, self.level)
    }
}

/// A solution than which none costs less.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Optimum {
    /// It, in LURD notation.
    pub moves: String,
    /// What is proven of it among all that cost as little.
    pub tie: Tie,
    /// How many of these there are; `u64::MAX` stands for so many or more. `None` where they were not to be
    /// counted, or could not be.
    pub count: Option<u64>,
}

impl Optimum {
    /// One of which no more is known.
    pub fn any(moves: String) -> Self {
        Self { moves, tie: Tie::Any, count: None }
    }
}

/// What was proven, or what stopped the proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobEnding {
    /// No solution costs less than this one.
    Optimal(Optimum),
    /// There is no solution, and why.
    Unsolvable(String),
    /// The board is too wide for the engine, and by how much.
    Unsupported(String),
    /// A limit came first.
    Limit {
        /// Which limit.
        limit: Limit,
        /// Every solution costs at least this much, in moves.
        lower_bound: u32,
        /// The best solution so far, in LURD notation.
        best: Option<String>,
    },
    /// The cluster failed.
    Failed(ClusterFailure),
}

/// How a job ended, and what it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobResult {
    /// What was proven, or what stopped the proof.
    pub ending: JobEnding,
    /// The ends that were searched from; [`SearchChoice::Auto`] if nothing had to be searched.
    pub search: SearchChoice,
    /// Sums over the workers.
    pub statistics: Statistics,
    /// Sums over the workers.
    pub traffic: Traffic,
    /// Time from the first message to the result.
    pub elapsed: Duration,
    /// States stored on every worker.
    pub states: Vec<u64>,
    /// Threads of all workers together.
    pub threads: u32,
}

impl From<JobEnding> for wire::job_result::Ending {
    fn from(ending: JobEnding) -> Self {
        match ending {
            JobEnding::Optimal(Optimum { moves, tie, count }) => {
                let tie = match tie {
                    Tie::Any => wire::Tie::Unspecified,
                    Tie::FewestMoves => wire::Tie::FewestMoves,
                    Tie::FewestPushes => wire::Tie::FewestPushes,
                };
                Self::Optimal(wire::Optimal { moves, tie: tie.into(), count })
            }
            JobEnding::Unsolvable(reason) => Self::Unsolvable(wire::Unsolvable { reason }),
            JobEnding::Unsupported(reason) => Self::Unsupported(wire::Unsupported { reason }),
            JobEnding::Limit { limit, lower_bound, best } => {
                let limit = match limit {
                    Limit::Time => wire::Limit::Time,
                    Limit::Memory => wire::Limit::Memory,
                    Limit::Disk => wire::Limit::Disk,
                    Limit::Expansions => wire::Limit::Expansions,
                    Limit::Interrupted => wire::Limit::Interrupted,
                };
                Self::Limit(wire::LimitReached { limit: limit.into(), lower_bound, best })
            }
            JobEnding::Failed(failure) => Self::Failed(wire::ClusterFailed {
                worker: failure.worker.unwrap_or_default(),
                level: failure.level,
                reason: failure.reason,
                retryable: failure.retryable,
                saved: failure.saved.unwrap_or_default(),
            }),
        }
    }
}

impl TryFrom<wire::job_result::Ending> for JobEnding {
    type Error = BadField;

    fn try_from(ending: wire::job_result::Ending) -> Result<Self, BadField> {
        use wire::job_result::Ending;
        Ok(match ending {
            Ending::Optimal(wire::Optimal { moves, tie, count }) => {
                let tie = match wire::Tie::try_from(tie) {
                    Ok(wire::Tie::Unspecified) => Tie::Any,
                    Ok(wire::Tie::FewestMoves) => Tie::FewestMoves,
                    Ok(wire::Tie::FewestPushes) => Tie::FewestPushes,
                    Err(_) => {
                        let problem = format!("{tie} is nothing known of a solution");
                        return Err(BadField::new("optimal.tie", problem));
                    }
                };
                Self::Optimal(Optimum { moves, tie, count })
            }
            Ending::Unsolvable(unsolvable) => Self::Unsolvable(unsolvable.reason),
            Ending::Unsupported(unsupported) => Self::Unsupported(unsupported.reason),
            Ending::Limit(reached) => Self::Limit {
                limit: match wire::Limit::try_from(reached.limit) {
                    Ok(wire::Limit::Time) => Limit::Time,
                    Ok(wire::Limit::Memory) => Limit::Memory,
                    Ok(wire::Limit::Disk) => Limit::Disk,
                    Ok(wire::Limit::Expansions) => Limit::Expansions,
                    Ok(wire::Limit::Interrupted) => Limit::Interrupted,
                    _ => {
                        let problem = format!("{} is not a limit", reached.limit);
                        return Err(BadField::new("limit.limit", problem));
                    }
                },
                lower_bound: reached.lower_bound,
                best: reached.best,
            },
            Ending::Failed(failed) => Self::Failed(ClusterFailure {
                worker: (!failed.worker.is_empty()).then_some(failed.worker),
                level: failed.level,
                reason: failed.reason,
                retryable: failed.retryable,
                saved: (!failed.saved.is_empty()).then_some(failed.saved),
            }),
        })
    }
}

impl From<JobResult> for wire::JobResult {
    fn from(result: JobResult) -> Self {
        Self {
            ending: Some(result.ending.into()),
            statistics: Some(result.statistics.into()),
            traffic: Some(result.traffic.into()),
            elapsed_ms: u64::try_from(result.elapsed.as_millis()).unwrap_or(u64::MAX),
            states_per_worker: result.states,
            threads: result.threads,
            search: wire::Search::from(result.search).into(),
        }
    }
}

impl TryFrom<wire::JobResult> for JobResult {
    type Error = BadField;

    fn try_from(result: wire::JobResult) -> Result<Self, BadField> {
        Ok(Self {
            ending: required("result.ending", result.ending)?.try_into()?,
            statistics: result.statistics.unwrap_or_default().into(),
            traffic: result.traffic.unwrap_or_default().into(),
            elapsed: Duration::from_millis(result.elapsed_ms),
            states: result.states_per_worker,
            threads: result.threads,
            search: search_from_field("result.search", result.search)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_all_solutions_goes_with_the_optimum() {
        for tie in [Tie::Any, Tie::FewestMoves, Tie::FewestPushes] {
            for count in [None, Some(1), Some(u64::MAX)] {
                let ending = JobEnding::Optimal(Optimum { moves: "rR".to_owned(), tie, count });
                let sent = wire::job_result::Ending::from(ending.clone());
                assert_eq!(JobEnding::try_from(sent), Ok(ending));
            }
        }
        let strange = wire::Optimal { tie: 99, ..wire::Optimal::default() };
        let error = JobEnding::try_from(wire::job_result::Ending::Optimal(strange)).unwrap_err();
        assert_eq!(error.field(), "optimal.tie");
    }
}
