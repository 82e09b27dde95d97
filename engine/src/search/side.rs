//! The two ends a search may start from.

/// Where the states of a level come from.
///
/// A *forward* state is a box set with the keeper's square right after a push, and its cost is that of getting there
/// from the start. A *backward* state is a box set with the keeper's square right before a push, and its cost is that of
/// finishing from there. Both kinds lie in the same rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// Pushes, from the start.
    Forward,
    /// Pulls, from all finished boards.
    Backward,
}

impl Side {
    /// The other end.
    pub const fn other(self) -> Self {
        match self {
            Self::Forward => Self::Backward,
            Self::Backward => Self::Forward,
        }
    }

    pub(crate) const fn is_backward(self) -> bool {
        matches!(self, Self::Backward)
    }
}

/// A portion of the search that is worked off before the next is opened: all states of one side that wait with at most
/// so large an f, and cost less than so much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Level {
    /// Whose states.
    pub(crate) side: Side,
    /// The number they wait by: their cost plus the estimate of the cost to come, or what it says in
    /// [`Lead`](super::lead::Lead).
    pub(crate) f: u32,
    /// They cost less than this.
    pub(crate) below: u32,
}

impl Level {
    /// States of one side and f, whatever they cost.
    pub(crate) const fn of_f(side: Side, f: u32) -> Self {
        Self { side, f, below: u32::MAX }
    }
}
