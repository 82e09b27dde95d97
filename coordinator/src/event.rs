//! What happens while boards are solved. Text, JSON and the progress line are readers of these events.

use std::path::PathBuf;
use std::time::Duration;

use sokohive_engine::{Ending, EstimateChoice, Objective, Rule, Statistics};

use crate::board::{Board, Refusal, Remark};
use crate::watch::Glance;

/// One thing that happened, in the order it happened.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event<'a> {
    /// A board's search begins.
    Started(&'a Board, &'a Settings),
    /// A board is being searched.
    Progress(&'a Board, Glance),
    /// A board's search ended.
    Finished(&'a Report),
    /// Something in a file was read in a way that may surprise.
    Remarked(&'a Remark),
    /// A board could not be read; nothing was searched.
    Refused(&'a Refusal),
    /// Somebody interrupted; so many boards are not even begun.
    Skipped(usize),
}

/// What a board is solved with; for the reader, the engine has its own.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// When the board counts as solved.
    pub(crate) rule: Rule,
    /// What the solution has fewest of.
    pub(crate) objective: Objective,
    /// The lower bound that leads the search.
    pub(crate) estimate: EstimateChoice,
    /// Searching threads.
    pub(crate) threads: usize,
    /// Most bytes the search may hold; `u64::MAX` for no limit.
    pub(crate) memory: u64,
    /// Time given to a board.
    pub(crate) timeout: Option<Duration>,
    /// Most rows to expand; `u64::MAX` for no limit.
    pub(crate) expansions: u64,
    /// Whether dominated states are dropped.
    pub(crate) dominance: bool,
    /// Whether pushes into deadlocked pairs and triples are refused.
    pub(crate) deadlocks: bool,
}

/// The end of one board's search, with everything a result line says.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    /// The word that names the board in every line about it; without blanks.
    pub(crate) id: String,
    /// The title that the source gives the board.
    pub(crate) title: Option<String>,
    /// Where it was read from, if it was a file.
    pub(crate) file: Option<PathBuf>,
    /// When the board counts as solved.
    pub(crate) rule: Rule,
    /// What the solution has fewest of.
    pub(crate) objective: Objective,
    /// What was proven, or what stopped the proof. Every solution in it has been replayed.
    pub(crate) ending: Ending,
    /// What the search counted.
    pub(crate) statistics: Statistics,
    /// Wall time of the search, from reading the board to the replayed answer.
    pub(crate) elapsed: Duration,
    /// Searching threads.
    pub(crate) threads: usize,
}
