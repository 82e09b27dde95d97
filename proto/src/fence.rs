//! Which job, which attempt, which process.

use std::fmt;

use crate::bad_field::{nonzero, required};
use crate::{BadField, random, wire};

/// A job, told apart from all others by a random number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobKey(u64);

impl JobKey {
    /// A key that nobody has drawn before.
    pub fn random() -> Self {
        Self(random::nonzero())
    }

    /// A key of the caller's choice; 0 is taken for 1.
    pub fn new(key: u64) -> Self {
        Self(key.max(1))
    }

    /// The number on the wire.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for JobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Counts the attempts at running anything on a set of workers, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Epoch(u64);

impl Epoch {
    /// The largest number there is. No cluster gets there by running jobs, and a number beyond is refused
    /// wherever it comes from.
    pub const LAST: u64 = (1 << 48) - 1;

    /// How far an epoch may be beyond the largest that a worker has seen. A call with a larger one is
    /// refused, so that no single call can use the numbers up.
    pub const MOST_AHEAD: u64 = 1 << 20;

    /// The epoch of this number; `None` for 0 and for what is beyond [`Epoch::LAST`].
    pub fn new(number: u64) -> Option<Self> {
        (1..=Self::LAST).contains(&number).then_some(Self(number))
    }

    /// The epoch after `last`, where 0 stands for none. After [`Epoch::LAST`] there is none: it is itself
    /// then; whoever may have come so far asks [`Epoch::new`].
    pub fn after(last: u64) -> Self {
        Self(last.min(Self::LAST - 1) + 1)
    }

    /// Reads a field of a message.
    pub(crate) fn from_field(field: &'static str, number: u64) -> Result<Self, BadField> {
        Self::new(nonzero(field, number)?)
            .ok_or_else(|| BadField::new(field, format_args!("{number} is beyond {}", Self::LAST)))
    }

    /// The number on the wire.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What every message of a job carries: nothing of another job or of an earlier epoch is taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fence {
    /// The job.
    pub job: JobKey,
    /// The attempt.
    pub epoch: Epoch,
}

impl From<Fence> for wire::Fence {
    fn from(fence: Fence) -> Self {
        Self { job: fence.job.0, epoch: fence.epoch.0 }
    }
}

impl TryFrom<wire::Fence> for Fence {
    type Error = BadField;

    fn try_from(fence: wire::Fence) -> Result<Self, BadField> {
        Ok(Self {
            job: JobKey(nonzero("fence.job", fence.job)?),
            epoch: Epoch::from_field("fence.epoch", fence.epoch)?,
        })
    }
}

impl Fence {
    /// Reads the field `fence` of a message.
    pub(crate) fn from_field(fence: Option<wire::Fence>) -> Result<Self, BadField> {
        required("fence", fence)?.try_into()
    }
}

/// One process: another number after every start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Incarnation(u64);

impl Incarnation {
    /// A number that no process has drawn before.
    pub fn random() -> Self {
        Self(random::nonzero())
    }

    /// A number of the caller's choice; 0 is taken for 1.
    pub fn new(number: u64) -> Self {
        Self(number.max(1))
    }

    /// The number on the wire.
    pub fn get(self) -> u64 {
        self.0
    }

    /// Reads a field of a message.
    pub(crate) fn from_field(field: &'static str, number: u64) -> Result<Self, BadField> {
        nonzero(field, number).map(Self)
    }
}

impl fmt::Display for Incarnation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epochs_end_and_do_not_begin_again() {
        let fence = |epoch| Fence::try_from(wire::Fence { job: 1, epoch });
        assert!(fence(Epoch::LAST).is_ok());
        for epoch in [Epoch::LAST + 1, u64::MAX] {
            let error = fence(epoch).unwrap_err();
            assert_eq!(error.field(), "fence.epoch");
            assert!(error.to_string().contains("is beyond 281474976710655"), "{error}");
        }
        assert_eq!(Epoch::after(u64::MAX).get(), Epoch::LAST);
        assert_eq!(Epoch::new(Epoch::LAST + 1), None);
        assert_eq!(Epoch::new(0), None);
    }
}
