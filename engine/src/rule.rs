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
