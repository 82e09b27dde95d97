//! A job as a client hands it in.

use std::time::Duration;

use crate::bad_field::nonzero;
use crate::{BadField, JobKey, Quantity, Task, wire};

/// Longest name taken, in bytes.
const MAX_NAME_BYTES: usize = 300;

/// A job as a client hands it in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// Drawn at random: the same key again is the same job again.
    pub key: JobKey,
    /// What results are printed under.
    pub name: String,
    /// What is to be proven.
    pub task: Task,
    /// Longest time to search.
    pub timeout: Option<Duration>,
    /// Most rows to expand, in all workers together.
    pub expansions: Option<u64>,
}

impl From<Submission> for wire::SubmitRequest {
    fn from(submission: Submission) -> Self {
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Self {
            key: submission.key.get(),
            name: submission.name,
            task: Some(submission.task.into()),
            timeout_ms: submission.timeout.map(ms),
            expansions: submission.expansions,
        }
    }
}

impl TryFrom<wire::SubmitRequest> for Submission {
    type Error = BadField;

    fn try_from(submission: wire::SubmitRequest) -> Result<Self, BadField> {
        let bytes = submission.name.len();
        BadField::at_most("name", Quantity::NameBytes, MAX_NAME_BYTES, bytes)?;
        Ok(Self {
            key: JobKey::new(nonzero("key", submission.key)?),
            name: submission.name,
            task: Task::from_field(submission.task)?,
            timeout: submission.timeout_ms.map(Duration::from_millis),
            expansions: submission.expansions,
        })
    }
}
