//! A job at one moment.

use std::fmt;

use sokohive_engine::{Objective, Rule};

use crate::bad_field::{nonzero, required};
use crate::task::{objective_from_field, rule_from_field};
use crate::{BadField, JobProgress, JobResult, wire};

/// Number of a job at its coordinator, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobNumber(u64);

impl JobNumber {
    /// A number from a command line or a list; 0 names no job.
    pub fn new(number: u64) -> Option<Self> {
        (number != 0).then_some(Self(number))
    }

    /// The number on the wire.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for JobNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Where a job stands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "there is one a job")]
pub enum JobState {
    /// Waiting for its turn.
    Queued,
    /// Being worked on; no figures before the search starts.
    Running(Option<JobProgress>),
    /// Over.
    Ended(JobResult),
}

/// A job at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobEvent {
    /// Its number.
    pub id: JobNumber,
    /// What results are printed under.
    pub name: String,
    /// When its board counts as finished.
    pub rule: Rule,
    /// What its solution has fewest of.
    pub objective: Objective,
    /// Whether its optimal solutions are to be counted.
    pub counts: bool,
    /// Where it stands.
    pub state: JobState,
    /// What people may want to know of it, the oldest first.
    pub notes: Vec<String>,
}

impl From<JobEvent> for wire::JobEvent {
    fn from(event: JobEvent) -> Self {
        let (state, progress, result) = match event.state {
            JobState::Queued => (wire::JobState::Queued, None, None),
            JobState::Running(progress) => {
                (wire::JobState::Running, progress.map(Into::into), None)
            }
            JobState::Ended(result) => (wire::JobState::Ended, None, Some(result.into())),
        };
        Self {
            id: event.id.0,
            name: event.name,
            state: state.into(),
            progress,
            result,
            rule: wire::Rule::from(event.rule).into(),
            objective: wire::Objective::from(event.objective).into(),
            notes: event.notes,
            counts: event.counts,
        }
    }
}

impl TryFrom<wire::JobEvent> for JobEvent {
    type Error = BadField;

    fn try_from(event: wire::JobEvent) -> Result<Self, BadField> {
        let state = match wire::JobState::try_from(event.state) {
            Ok(wire::JobState::Queued) => JobState::Queued,
            Ok(wire::JobState::Running) => JobState::Running(event.progress.map(Into::into)),
            Ok(wire::JobState::Ended) => {
                JobState::Ended(required("result", event.result)?.try_into()?)
            }
            _ => {
                let problem = format!("{} is not a state of a job", event.state);
                return Err(BadField::new("state", problem));
            }
        };
        Ok(Self {
            id: JobNumber(nonzero("id", event.id)?),
            name: event.name,
            rule: rule_from_field("rule", event.rule)?,
            objective: objective_from_field("objective", event.objective)?,
            counts: event.counts,
            state,
            notes: event.notes,
        })
    }
}
