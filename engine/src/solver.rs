//! One process, one board.

use crate::{Control, Level, Objective, Outcome, Rule, UnknownName};

/// The lower bound a search is led by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EstimateChoice {
    /// Whichever promises to be faster on the board.
    #[default]
    Auto,
    /// Sum of push distances to the nearest goals.
    Nearest,
    /// Minimum-cost matching of boxes to goals on push distance.
    Matching,
}

impl std::fmt::Display for EstimateChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Auto => "auto",
            Self::Nearest => "nearest",
            Self::Matching => "matching",
        })
    }
}

impl std::str::FromStr for EstimateChoice {
    type Err = UnknownName;

    fn from_str(word: &str) -> Result<Self, UnknownName> {
        match word {
            "auto" => Ok(Self::Auto),
            "nearest" => Ok(Self::Nearest),
            "matching" => Ok(Self::Matching),
            _ => Err(UnknownName::new("estimate", word, "auto, nearest or matching")),
        }
    }
}

/// Sets up and runs a search in this process.
#[derive(Clone, Debug)]
#[must_use]
pub struct Solver<'a> {
    level: &'a Level,
    rule: Rule,
    objective: Objective,
    estimate: EstimateChoice,
    threads: usize,
    memory: u64,
    expansions: u64,
    dominance: bool,
    deadlock_tables: bool,
    control: Control,
}

impl<'a> Solver<'a> {
    /// A search on `level` under its own rule, on one thread, without limits.
    pub fn new(level: &'a Level) -> Self {
        Self {
            level,
            rule: level.rule(),
            objective: Objective::default(),
            estimate: EstimateChoice::Auto,
            threads: 1,
            memory: u64::MAX,
            expansions: u64::MAX,
            dominance: true,
            deadlock_tables: true,
            control: Control::new(),
        }
    }
    /// The rule to finish by.
    pub fn rule(self, rule: Rule) -> Self {
        Self { rule, ..self }
    }
    /// What to have fewest of.
    pub fn objective(self, objective: Objective) -> Self {
        Self { objective, ..self }
    }
    /// The lower bound to be led by.
    pub fn estimate(self, estimate: EstimateChoice) -> Self {
        Self { estimate, ..self }
    }
    /// Number of searching threads, at least 1.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads: threads.max(1), ..self }
    }
    /// Most bytes the search may allocate.
    pub fn memory(self, bytes: u64) -> Self {
        Self { memory: bytes, ..self }
    }
    /// Most rows to expand.
    pub fn expansions(self, rows: u64) -> Self {
        Self { expansions: rows, ..self }
    }
    /// Whether dominated states are dropped.
    pub fn dominance(self, on: bool) -> Self {
        Self { dominance: on, ..self }
    }
    /// Whether pushes into deadlocked pairs and triples are refused.
    pub fn deadlock_tables(self, on: bool) -> Self {
        Self { deadlock_tables: on, ..self }
    }
    /// The handle to stop it by and to watch it.
    pub fn control(self, control: Control) -> Self {
        Self { control, ..self }
    }
    /// Searches until an ending is reached.
    pub fn solve(self) -> Outcome {
        todo!()
    }
}
