//! How a board ended, in one word.

use std::fmt;
use std::str::FromStr;

use sokohive_engine::Limit;

use crate::event::Ending;

/// How a board ended; its words are those of JSON and of files of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The shortest solution is proven.
    Optimal,
    /// There is no solution.
    Unsolvable,
    /// The board is beyond the engine.
    Unsupported,
    /// The time was over.
    Timeout,
    /// The memory was full.
    Memory,
    /// The disk failed when memory was short.
    Disk,
    /// The expansions were done.
    Limit,
    /// Somebody interrupted.
    Interrupted,
    /// The cluster failed.
    Failed,
    /// The board could not be read.
    BadInput,
}

impl Outcome {
    const ALL: [Self; 10] = [
        Self::Optimal,
        Self::Unsolvable,
        Self::Unsupported,
        Self::Timeout,
        Self::Memory,
        Self::Disk,
        Self::Limit,
        Self::Interrupted,
        Self::Failed,
        Self::BadInput,
    ];

    /// The word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Optimal => "optimal",
            Self::Unsolvable => "unsolvable",
            Self::Unsupported => "unsupported",
            Self::Timeout => "timeout",
            Self::Memory => "memory",
            Self::Disk => "disk",
            Self::Limit => "limit",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
            Self::BadInput => "bad-input",
        }
    }
}

impl From<&Ending> for Outcome {
    fn from(ending: &Ending) -> Self {
        match ending {
            Ending::Optimal(_) => Self::Optimal,
            Ending::Unsolvable(_) => Self::Unsolvable,
            Ending::Unsupported(_) => Self::Unsupported,
            Ending::Failed(_) => Self::Failed,
            Ending::Limit { limit, .. } => match limit {
                Limit::Time => Self::Timeout,
                Limit::Memory => Self::Memory,
                Limit::Disk => Self::Disk,
                Limit::Expansions => Self::Limit,
                Limit::Interrupted => Self::Interrupted,
            },
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A word that is no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown outcome '{found}', expected one of {}", Outcome::ALL.map(Outcome::word).join(", "))]
pub(crate) struct UnknownOutcome {
    found: String,
}

impl FromStr for Outcome {
    type Err = UnknownOutcome;

    fn from_str(word: &str) -> Result<Self, UnknownOutcome> {
        let named = Self::ALL.into_iter().find(|outcome| outcome.word() == word);
        named.ok_or_else(|| UnknownOutcome { found: word.to_owned() })
    }
}
