//! Why a call was refused, and its place in a gRPC status.

use prost::Message;
use tonic::{Code, Status};

use crate::bad_field::Excess;
use crate::wire::{self, RefusalKind};
use crate::{BadField, Epoch, Incarnation, JobKey, JobNumber, Quantity};

/// Why a call was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The other side speaks another version.
    #[error("protocol version {found} is spoken here, {expected} there")]
    ProtocolVersion {
        /// What the callee speaks.
        expected: u32,
        /// What the caller speaks.
        found: u32,
    },
    /// The worker runs another job.
    #[error("the worker runs job {running}, not {called}")]
    OtherJob {
        /// The callee's job.
        running: JobKey,
        /// The caller's job.
        called: JobKey,
    },
    /// The call belongs to an earlier epoch.
    #[error("epoch {called} is over, {current} has begun")]
    OldEpoch {
        /// The callee's epoch.
        current: u64,
        /// The caller's epoch.
        called: Epoch,
    },
    /// The worker runs no job.
    #[error("the worker runs no job")]
    NoJob,
    /// The call is meant for another process.
    #[error("the worker is incarnation {current}, not {called}: it has been started again")]
    OtherIncarnation {
        /// The callee.
        current: Incarnation,
        /// Whom the caller means.
        called: Incarnation,
    },
    /// A living job has the worker.
    #[error("the worker is busy with job {0}")]
    Busy(JobKey),
    /// The inbox is full for now.
    #[error("the inbox is full")]
    InboxFull,
    /// The batch cannot be used.
    #[error("bad batch: {0}")]
    BadBatch(String),
    /// The sequence number is too far ahead.
    #[error("sequence number {found} is beyond {expected}")]
    Sequence {
        /// The largest number that would do.
        expected: u64,
        /// The number found.
        found: u64,
    },
    /// The call belongs to a level that is over.
    #[error("level number {called} is over, number {current} is open")]
    LevelOver {
        /// Ordinal of the level that is open.
        current: u32,
        /// Ordinal of the caller's level.
        called: u32,
    },
    /// A field is missing or makes no sense.
    #[error("{0}")]
    BadField(String),
    /// The board cannot be taken.
    #[error("bad board: {0}")]
    BadBoard(String),
    /// The worker's memory does not even hold its first table.
    #[error("{0} bytes of memory do not hold the first table")]
    TooLittleMemory(u64),
    /// The worker cannot keep a journal, or cannot read one.
    #[error("no journal: {0}")]
    NoJournal(String),
    /// There is no such job.
    #[error("there is no job {0}")]
    UnknownJob(u64),
    /// The callee is going away.
    #[error("shutting down")]
    ShuttingDown,
    /// The shard is not laid out yet.
    #[error("the shard is not ready yet")]
    NotReady,
    /// The caller has not shown the secret that is asked for.
    #[error("{0}")]
    Unauthenticated(String),
    /// There is more of something than is taken.
    #[error("{found} {quantity}, expected at most {limit}")]
    TooMuch {
        /// What there is too much of.
        quantity: Quantity,
        /// The most that is taken.
        limit: u64,
        /// How much there is.
        found: u64,
    },
}

impl Refusal {
    /// Whether the same call may succeed a little later.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Busy(_) | Self::InboxFull | Self::NotReady)
    }

    /// Refuses a job that a coordinator does not know.
    pub fn unknown_job(number: JobNumber) -> Self {
        Self::UnknownJob(number.get())
    }
}

impl From<BadField> for Refusal {
    fn from(bad: BadField) -> Self {
        match bad.excess() {
            Some(Excess { quantity, limit, found }) => Self::TooMuch { quantity, limit, found },
            None => Self::BadField(bad.to_string()),
        }
    }
}

impl From<&Refusal> for wire::Refusal {
    fn from(refusal: &Refusal) -> Self {
        use RefusalKind as Kind;
        let (kind, expected, found, detail) = match refusal {
            Refusal::ProtocolVersion { expected, found } => {
                (Kind::ProtocolVersion, u64::from(*expected), u64::from(*found), "")
            }
            Refusal::OtherJob { running, called } => {
                (Kind::OtherJob, running.get(), called.get(), "")
            }
            Refusal::OldEpoch { current, called } => (Kind::OldEpoch, *current, called.get(), ""),
            Refusal::NoJob => (Kind::NoJob, 0, 0, ""),
            Refusal::OtherIncarnation { current, called } => {
                (Kind::OtherIncarnation, current.get(), called.get(), "")
            }
            Refusal::Busy(job) => (Kind::Busy, job.get(), 0, ""),
            Refusal::InboxFull => (Kind::InboxFull, 0, 0, ""),
            Refusal::BadBatch(problem) => (Kind::BadBatch, 0, 0, problem.as_str()),
            Refusal::Sequence { expected, found } => (Kind::Sequence, *expected, *found, ""),
            Refusal::LevelOver { current, called } => {
                (Kind::LevelOver, u64::from(*current), u64::from(*called), "")
            }
            Refusal::BadField(problem) => (Kind::BadField, 0, 0, problem.as_str()),
            Refusal::BadBoard(problem) => (Kind::BadBoard, 0, 0, problem.as_str()),
            Refusal::TooLittleMemory(bytes) => (Kind::TooLittleMemory, 0, *bytes, ""),
            Refusal::NoJournal(problem) => (Kind::NoJournal, 0, 0, problem.as_str()),
            Refusal::UnknownJob(number) => (Kind::UnknownJob, 0, *number, ""),
            Refusal::ShuttingDown => (Kind::ShuttingDown, 0, 0, ""),
            Refusal::NotReady => (Kind::NotReady, 0, 0, ""),
            Refusal::Unauthenticated(problem) => (Kind::Unauthenticated, 0, 0, problem.as_str()),
            Refusal::TooMuch { limit, found, .. } => (Kind::TooMuch, *limit, *found, ""),
        };
        let quantity = match refusal {
            Refusal::TooMuch { quantity, .. } => (*quantity).into(),
            _ => wire::Quantity::Unspecified,
        };
        let (kind, quantity, detail) = (kind.into(), quantity.into(), detail.to_owned());
        Self { kind, expected, found, detail, quantity }
    }
}

impl TryFrom<wire::Refusal> for Refusal {
    type Error = BadField;

    fn try_from(refusal: wire::Refusal) -> Result<Self, BadField> {
        use RefusalKind as Kind;
        let wire::Refusal { kind, expected, found, detail, quantity } = refusal;
        let small = |number| u32::try_from(number).unwrap_or(u32::MAX);
        Ok(match RefusalKind::try_from(kind) {
            Ok(Kind::ProtocolVersion) => {
                Self::ProtocolVersion { expected: small(expected), found: small(found) }
            }
            Ok(Kind::OtherJob) => {
                Self::OtherJob { running: JobKey::new(expected), called: JobKey::new(found) }
            }
            Ok(Kind::OldEpoch) => {
                let called = Epoch::after(found.saturating_sub(1));
                Self::OldEpoch { current: expected, called }
            }
            Ok(Kind::NoJob) => Self::NoJob,
            Ok(Kind::OtherIncarnation) => Self::OtherIncarnation {
                current: Incarnation::new(expected),
                called: Incarnation::new(found),
            },
            Ok(Kind::Busy) => Self::Busy(JobKey::new(expected)),
            Ok(Kind::InboxFull) => Self::InboxFull,
            Ok(Kind::BadBatch) => Self::BadBatch(detail),
            Ok(Kind::Sequence) => Self::Sequence { expected, found },
            Ok(Kind::LevelOver) => {
                Self::LevelOver { current: small(expected), called: small(found) }
            }
            Ok(Kind::BadField) => Self::BadField(detail),
            Ok(Kind::BadBoard) => Self::BadBoard(detail),
            Ok(Kind::TooLittleMemory) => Self::TooLittleMemory(found),
            Ok(Kind::NoJournal) => Self::NoJournal(detail),
            Ok(Kind::UnknownJob) => Self::UnknownJob(found),
            Ok(Kind::ShuttingDown) => Self::ShuttingDown,
            Ok(Kind::NotReady) => Self::NotReady,
            Ok(Kind::Unauthenticated) => Self::Unauthenticated(detail),
            Ok(Kind::TooMuch) => match Quantity::from_field(quantity) {
                Some(quantity) => Self::TooMuch { quantity, limit: expected, found },
                None => {
                    let problem = format!("{quantity} is not a quantity");
                    return Err(BadField::new("refusal.quantity", problem));
                }
            },
            Ok(Kind::Unspecified) | Err(_) => {
                let problem = format!("{kind} is not a kind of refusal");
                return Err(BadField::new("refusal.kind", problem));
            }
        })
    }
}

/// The one place where refusals get their gRPC codes.
impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Self {
        let code = match refusal {
            Refusal::ProtocolVersion { .. }
            | Refusal::OtherJob { .. }
            | Refusal::OldEpoch { .. }
            | Refusal::NoJob
            | Refusal::OtherIncarnation { .. }
            | Refusal::LevelOver { .. }
            | Refusal::NoJournal(_) => Code::FailedPrecondition,
            Refusal::Sequence { .. } => Code::OutOfRange,
            Refusal::Busy(_) | Refusal::ShuttingDown | Refusal::NotReady => Code::Unavailable,
            Refusal::TooMuch { quantity, .. } if !quantity.may_fall() => Code::InvalidArgument,
            Refusal::InboxFull | Refusal::TooLittleMemory(_) | Refusal::TooMuch { .. } => {
                Code::ResourceExhausted
            }
            Refusal::Unauthenticated(_) => Code::Unauthenticated,
            Refusal::BadBatch(_) | Refusal::BadField(_) | Refusal::BadBoard(_) => {
                Code::InvalidArgument
            }
            Refusal::UnknownJob(_) => Code::NotFound,
        };
        let details = wire::Refusal::from(&refusal).encode_to_vec();
        Self::with_details(code, refusal.to_string(), details.into())
    }
}

impl Refusal {
    /// The refusal in a status; `None` where the status is the transport's own.
    pub fn from_status(status: &Status) -> Option<Self> {
        if status.details().is_empty() {
            return None;
        }
        wire::Refusal::decode(status.details()).ok()?.try_into().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::Refusal;
    use crate::{Epoch, Incarnation, JobKey, Quantity};
    use tonic::Status;

    #[test]
    fn every_refusal_survives_the_journey_in_a_status() {
        let all = [
            Refusal::ProtocolVersion { expected: 2, found: 1 },
            Refusal::OtherJob { running: JobKey::new(3), called: JobKey::new(4) },
            Refusal::OldEpoch { current: 7, called: Epoch::after(4) },
            Refusal::NoJob,
            Refusal::OtherIncarnation { current: Incarnation::new(5), called: Incarnation::new(6) },
            Refusal::Busy(JobKey::new(9)),
            Refusal::InboxFull,
            Refusal::BadBatch("cut short".to_owned()),
            Refusal::Sequence { expected: 64, found: 1000 },
            Refusal::LevelOver { current: 12, called: 11 },
            Refusal::BadField("field index: missing".to_owned()),
            Refusal::BadBoard("no keeper".to_owned()),
            Refusal::TooLittleMemory(1 << 20),
            Refusal::NoJournal("disk full".to_owned()),
            Refusal::UnknownJob(3),
            Refusal::ShuttingDown,
            Refusal::NotReady,
            Refusal::Unauthenticated("a job token is missing".to_owned()),
            Refusal::TooMuch { quantity: Quantity::BoardBytes, limit: 10, found: 11 },
            Refusal::TooMuch { quantity: Quantity::Workers, limit: 10, found: 11 },
        ];
        for refusal in all {
            let status = Status::from(refusal.clone());
            assert_eq!(Refusal::from_status(&status), Some(refusal));
        }
    }

    #[test]
    fn a_foreign_status_holds_no_refusal() {
        assert_eq!(Refusal::from_status(&Status::unavailable("connection refused")), None);
        let garbage = Status::with_details(tonic::Code::Internal, "", vec![255; 9].into());
        assert_eq!(Refusal::from_status(&garbage), None);
    }
}
