//! Calls to workers.

use std::sync::Arc;

use sokohive_proto::{
    AskEnds, Ends, Fence, Hello, OpenLevel, Poll, Prepare, Rank, Refusal, Report, Restore, Row,
    Segment,
};

/// One attempt at a call; never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId(u64);

impl CallId {
    pub(super) fn new(number: u64) -> Self {
        Self(number)
    }
}

/// What a worker is asked. Every request can be repeated without harm.
#[derive(Clone, Debug)]
pub enum Request {
    /// Who is there, and which of these segments can it read?
    Hello(Arc<[Segment]>),
    /// Lay out a shard.
    Prepare(Box<Prepare>),
    /// Read segments, in place of opening the first level.
    Restore(Box<Restore>),
    /// Open a level.
    OpenLevel(OpenLevel),
    /// How do things go?
    Poll(Poll),
    /// Read rows.
    Rows(Fence, Vec<Rank>),
    /// Read where optimal solutions were found.
    Ends(AskEnds),
    /// Give the memory back, and delete what is kept of the job if nobody goes on with it.
    Release {
        /// The job and epoch.
        fence: Fence,
        /// Whether nobody goes on with it.
        discard: bool,
    },
}

/// What a worker answers.
#[derive(Clone, Debug)]
pub enum Reply {
    /// To [`Request::Hello`].
    Hello(Hello),
    /// To [`Request::Prepare`].
    Prepared {
        /// Whether the shard is there; if not, ask again.
        ready: bool,
    },
    /// To [`Request::Restore`], [`Request::OpenLevel`] and [`Request::Poll`].
    Report(Box<Report>),
    /// To [`Request::Rows`].
    Rows(Vec<Row>),
    /// To [`Request::Ends`].
    Ends(Ends),
    /// To [`Request::Release`].
    Released,
}

/// Why a call brought no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The worker said no.
    #[error(transparent)]
    Refused(Refusal),
    /// There was no answer; whether the call has been heard is unknown.
    #[error("{0}")]
    Unreachable(String),
    /// The connection is secured in one way here and in another there, or a certificate is not accepted.
    #[error("{0}")]
    Mismatch(String),
}
