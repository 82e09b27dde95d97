//! A job of a serving coordinator, as it is kept over restarts.

use prost::Message;

use crate::bad_field::required;
use crate::{BadField, JobNumber, JobResult, Submission, wire};

/// A job of a serving coordinator, as it is kept over restarts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredJob {
    /// Its number.
    pub number: JobNumber,
    /// What was submitted.
    pub submission: Submission,
    /// How it ended; `None` while it has not.
    pub result: Option<JobResult>,
}

impl StoredJob {
    /// The message, as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let Self { number, submission, result } = self.clone();
        let stored = wire::StoredJob {
            id: number.get(),
            submission: Some(submission.into()),
            result: result.map(Into::into),
        };
        stored.encode_to_vec()
    }

    /// Reads the bytes of a message.
    ///
    /// # Errors
    ///
    /// If they are no such message, or one of its fields makes no sense.
    pub fn decode(bytes: &[u8]) -> Result<Self, BadField> {
        let broken = |error| BadField::new("job", format_args!("{error}"));
        let stored = wire::StoredJob::decode(bytes).map_err(broken)?;
        Ok(Self {
            number: JobNumber::new(stored.id)
                .ok_or_else(|| BadField::new("id", "must not be 0"))?,
            submission: required("submission", stored.submission)?.try_into()?,
            result: stored.result.map(JobResult::try_from).transpose()?,
        })
    }
}
