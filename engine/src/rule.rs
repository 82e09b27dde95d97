//! What a finished board is, and what a solution costs.

use std::fmt;
use std::str::FromStr;

/// When a board counts as solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Every box stands on a goal; the keeper may end anywhere.
    Classic,
    /// Every box stands on a goal, and the keeper on a goal that no box stands on.
    KeeperOnGoal,
}

/// What an optimal solution has fewest of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Objective {
    /// Keeper moves: steps, pushes included.
    #[default]
    Moves,
    /// Pushes; walks cost nothing.
    Pushes,
}

impl Objective {
    /// What a walk of so many steps costs.
    #[inline(always)]
    pub(crate) fn walk(self, steps: u32) -> u32 {
        match self {
            Self::Moves => steps,
            Self::Pushes => 0,
        }
    }

    /// The most steps that a walk may have if it costs at most so much.
    pub(crate) fn longest_walk(self, cost: u32) -> u32 {
        match self {
            Self::Moves => cost,
            Self::Pushes => u32::MAX,
        }
    }

    /// What is counted among solutions that cost the same.
    pub const fn tie(self) -> Tie {
        match self {
            Self::Moves => Tie::FewestPushes,
            Self::Pushes => Tie::FewestMoves,
        }
    }
}

/// What is known of a solution beside others that cost as little.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tie {
    /// Nothing: it is any of them.
    #[default]
    Any,
    /// None of them has fewer moves.
    FewestMoves,
    /// None of them has fewer pushes.
    FewestPushes,
}

/// A word that names no variant of the enumeration asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {kind} '{found}', expected {expected}")]
pub struct UnknownName {
    kind: &'static str,
    found: String,
    expected: &'static str,
}

impl UnknownName {
    pub(crate) fn new(kind: &'static str, found: &str, expected: &'static str) -> Self {
        Self { kind, found: found.to_owned(), expected }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Classic => "classic",
            Self::KeeperOnGoal => "keeper-on-goal",
        })
    }
}

impl FromStr for Rule {
    type Err = UnknownName;

    fn from_str(word: &str) -> Result<Self, UnknownName> {
        match word {
            "classic" => Ok(Self::Classic),
            "keeper-on-goal" => Ok(Self::KeeperOnGoal),
            _ => Err(UnknownName::new("rule", word, "classic or keeper-on-goal")),
        }
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Moves => "moves",
            Self::Pushes => "pushes",
        })
    }
}

impl FromStr for Objective {
    type Err = UnknownName;

    fn from_str(word: &str) -> Result<Self, UnknownName> {
        match word {
            "moves" => Ok(Self::Moves),
            "pushes" => Ok(Self::Pushes),
            _ => Err(UnknownName::new("objective", word, "moves or pushes")),
        }
    }
}

impl fmt::Display for Tie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Any => "any",
            Self::FewestMoves => "fewest-moves",
            Self::FewestPushes => "fewest-pushes",
        })
    }
}

impl FromStr for Tie {
    type Err = UnknownName;

    fn from_str(word: &str) -> Result<Self, UnknownName> {
        match word {
            "any" => Ok(Self::Any),
            "fewest-moves" => Ok(Self::FewestMoves),
            "fewest-pushes" => Ok(Self::FewestPushes),
            _ => Err(UnknownName::new("tie", word, "any, fewest-moves or fewest-pushes")),
        }
    }
}
