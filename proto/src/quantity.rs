//! What there can be too much of.

use std::fmt;

use crate::wire;

/// What a request, or a client, can have too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// Bytes of a board's text.
    BoardBytes,
    /// Squares of a board.
    BoardSquares,
    /// Squares of a board times its goals: what distances take.
    SquaresTimesGoals,
    /// Bytes of a job's name.
    NameBytes,
    /// Jobs that wait at a coordinator.
    WaitingJobs,
    /// Jobs of one client that wait at a coordinator.
    WaitingJobsOfClient,
    /// Bytes of boards that wait at a coordinator.
    WaitingBytes,
    /// Workers that are registered with a coordinator.
    Workers,
}

impl Quantity {
    /// Whether there may be less of it later without the caller's doing.
    pub fn may_fall(self) -> bool {
        match self {
            Self::BoardBytes | Self::BoardSquares | Self::SquaresTimesGoals | Self::NameBytes => {
                false
            }
            Self::WaitingJobs | Self::WaitingJobsOfClient | Self::WaitingBytes | Self::Workers => {
                true
            }
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BoardBytes => "bytes of a board",
            Self::BoardSquares => "squares of a board",
            Self::SquaresTimesGoals => "squares times goals of a board",
            Self::NameBytes => "bytes of a name",
            Self::WaitingJobs => "jobs that wait",
            Self::WaitingJobsOfClient => "jobs of this client that wait",
            Self::WaitingBytes => "bytes of boards that wait",
            Self::Workers => "workers",
        })
    }
}

impl From<Quantity> for wire::Quantity {
    fn from(quantity: Quantity) -> Self {
        match quantity {
            Quantity::BoardBytes => Self::BoardBytes,
            Quantity::BoardSquares => Self::BoardSquares,
            Quantity::SquaresTimesGoals => Self::SquaresTimesGoals,
            Quantity::NameBytes => Self::NameBytes,
            Quantity::WaitingJobs => Self::WaitingJobs,
            Quantity::WaitingJobsOfClient => Self::WaitingJobsOfClient,
            Quantity::WaitingBytes => Self::WaitingBytes,
            Quantity::Workers => Self::Workers,
        }
    }
}

impl Quantity {
    /// Reads the field of a refusal.
    pub(crate) fn from_field(quantity: i32) -> Option<Self> {
        Some(match wire::Quantity::try_from(quantity).ok()? {
            wire::Quantity::Unspecified => return None,
            wire::Quantity::BoardBytes => Self::BoardBytes,
            wire::Quantity::BoardSquares => Self::BoardSquares,
            wire::Quantity::SquaresTimesGoals => Self::SquaresTimesGoals,
            wire::Quantity::NameBytes => Self::NameBytes,
            wire::Quantity::WaitingJobs => Self::WaitingJobs,
            wire::Quantity::WaitingJobsOfClient => Self::WaitingJobsOfClient,
            wire::Quantity::WaitingBytes => Self::WaitingBytes,
            wire::Quantity::Workers => Self::Workers,
        })
    }
}
