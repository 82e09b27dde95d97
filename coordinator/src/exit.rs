//! How the process ends: the exit codes, in words.

use std::io;
use std::process::ExitCode;

use sokohive_host::TokenArgsError;
use sokohive_proto::{Refusal as Refused, TlsError};

use crate::board::Refusal;
use crate::cluster::ClientError;
use crate::event::Ending;
use crate::outcome::Outcome;

/// Everything asked for was done; every board solved is proven optimal.
pub const SUCCESS: u8 = 0;
/// A board is proven unsolvable, or (`verify`) the move string does not solve the board.
pub const UNSOLVABLE: u8 = 1;
/// Bad usage, bad input, or a board beyond what the engine supports; `serve`: an address that it cannot
/// listen on, or a state folder that it cannot read.
pub const BAD_INPUT: u8 = 2;
/// A limit came first (time, memory, expansions), or somebody interrupted. No verdict on the board.
pub const LIMIT: u8 = 3;
/// The cluster failed.
pub const CLUSTER_FAILED: u8 = 4;
/// Sokohive contradicts itself: a bug.
pub const INTERNAL: u8 = 70;
/// The results could not be written.
pub const OUTPUT_FAILED: u8 = 74;

/// How one board, or the whole command, ended.
///
/// Variants are in order of badness: of several boards the worst decides the exit code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Exit {
    /// [`SUCCESS`].
    #[default]
    Success,
    /// [`UNSOLVABLE`].
    Unsolvable,
    /// [`LIMIT`].
    Limit,
    /// [`BAD_INPUT`].
    BadInput,
    /// [`CLUSTER_FAILED`].
    ClusterFailed,
    /// [`OUTPUT_FAILED`].
    OutputFailed,
    /// [`INTERNAL`].
    Internal,
}

impl Exit {
    /// The number the process hands to its parent.
    pub const fn code(self) -> u8 {
        match self {
            Self::Success => SUCCESS,
            Self::Unsolvable => UNSOLVABLE,
            Self::Limit => LIMIT,
            Self::BadInput => BAD_INPUT,
            Self::ClusterFailed => CLUSTER_FAILED,
            Self::OutputFailed => OUTPUT_FAILED,
            Self::Internal => INTERNAL,
        }
    }

    /// The worse of the two.
    pub fn worst(self, other: Self) -> Self {
        self.max(other)
    }
}

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The results cannot be written.
    #[error("the results could not be written: {0}")]
    Output(#[from] io::Error),
    /// The only board there is cannot be read.
    #[error("{0}")]
    Refused(Refusal),
    /// The user asked for something that cannot be.
    #[error("{0}")]
    Usage(String),
    /// The network did not do what was needed, or the coordinator did not.
    #[error("{0}")]
    Network(String),
    /// The program contradicts itself.
    #[error("internal error: {0}")]
    Internal(String),
}

impl Failure {
    /// Whether the reader of the results left, which nobody needs to be told.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// How the process ends for it.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Output(_) if self.is_broken_pipe() => Exit::Success,
            Self::Output(_) => Exit::OutputFailed,
            Self::Refused(_) | Self::Usage(_) => Exit::BadInput,
            Self::Network(_) => Exit::ClusterFailed,
            Self::Internal(_) => Exit::Internal,
        }
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Address(_)
            | ClientError::Refused(
                Refused::UnknownJob(_)
                | Refused::BadField(_)
                | Refused::BadBoard(_)
                | Refused::Unauthenticated(_),
            ) => Self::Usage(error.to_string()),
            ClientError::Refused(Refused::TooMuch { quantity, .. }) if !quantity.may_fall() => {
                Self::Usage(error.to_string())
            }
            _ => Self::Network(error.to_string()),
        }
    }
}

impl From<TokenArgsError> for Failure {
    fn from(error: TokenArgsError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<TlsError> for Failure {
    fn from(error: TlsError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<&Ending> for Exit {
    fn from(ending: &Ending) -> Self {
        Self::from(Outcome::from(ending))
    }
}

impl From<Outcome> for Exit {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Optimal => Self::Success,
            Outcome::Unsolvable => Self::Unsolvable,
            Outcome::Unsupported | Outcome::BadInput => Self::BadInput,
            Outcome::Timeout
            | Outcome::Memory
            | Outcome::Disk
            | Outcome::Limit
            | Outcome::Interrupted => Self::Limit,
            Outcome::Failed => Self::ClusterFailed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contradiction_is_no_bad_input() {
        assert_eq!(Failure::Internal("two answers".to_owned()).exit().code(), INTERNAL);
        assert_eq!(Failure::Usage("two questions".to_owned()).exit().code(), BAD_INPUT);
    }

    #[test]
    fn the_worst_ending_wins() {
        let order = [
            Exit::Success,
            Exit::Unsolvable,
            Exit::Limit,
            Exit::BadInput,
            Exit::ClusterFailed,
            Exit::OutputFailed,
            Exit::Internal,
        ];
        for (i, &better) in order.iter().enumerate() {
            for &worse in &order[i..] {
                assert_eq!(better.worst(worse), worse);
                assert_eq!(worse.worst(better), worse);
            }
        }
    }
}
