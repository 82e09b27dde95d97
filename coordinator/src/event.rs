//! What happens while boards are solved. Text, JSON and the progress line are readers of these events.

use std::path::PathBuf;
use std::time::Duration;

use sokohive_engine::{
    EntryWidth, EstimateChoice, Limit, Objective, Rule, SearchChoice, Solution, SpillPlace,
    Statistics,
};
pub(crate) use sokohive_proto::AllOptimal;
use sokohive_proto::{ClusterFailure, Traffic};

use crate::board::{Board, Refusal, Remark};
use crate::summary::Summary;
use crate::units::ratio;
use crate::watch::Glance;

/// One thing that happened, in the order it happened.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event<'a> {
    /// A board's search begins.
    Started(&'a Board, &'a Settings),
    /// The board of this id is being searched.
    Progress(&'a str, Glance),
    /// A board's search ended.
    Finished(&'a Report),
    /// Something in a file was read in a way that may surprise.
    Remarked(&'a Remark),
    /// A board could not be read; nothing was searched.
    Refused(&'a Refusal),
    /// Something happened to the search of the board of this id that its reader may want to know.
    Noted(&'a str, &'a str),
    /// Somebody interrupted; so many boards are not even begun.
    Skipped(usize),
    /// All boards are done, or somebody interrupted.
    Summed(&'a Summary),
}

/// What a board is solved with; for the reader, the engine has its own.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// When the board counts as solved.
    pub(crate) rule: Rule,
    /// What the solution has fewest of.
    pub(crate) objective: Objective,
    /// The ends it is searched from, as asked for.
    pub(crate) search: SearchChoice,
    /// The lower bound that leads the search, as asked for.
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
    /// Whether pushes into deadlocks are refused.
    pub(crate) deadlocks: bool,
    /// Host and port of every worker of a cluster; none for a search in this process.
    pub(crate) workers: Vec<String>,
    /// The least width of table entries, if it is not left to the board.
    pub(crate) entry_width: Option<EntryWidth>,
    /// Where rows of the open list may wait, if not all in memory.
    pub(crate) spill: Option<SpillPlace>,
    /// Whether a solution is looked for before the proof.
    pub(crate) scout: bool,
    /// What is asked of all optimal solutions.
    pub(crate) all: AllOptimal,
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
    /// What was asked of all optimal solutions.
    pub(crate) all: AllOptimal,
    /// The search that ran, or would have: never [`SearchChoice::Auto`].
    pub(crate) search: SearchChoice,
    /// What was proven, or what stopped the proof. Every solution in it has been replayed.
    pub(crate) ending: Ending,
    /// With [`Limit::Disk`], which folder is to blame and what is wrong there.
    pub(crate) disk_fault: Option<String>,
    /// What the search counted.
    pub(crate) statistics: Statistics,
    /// Wall time of the search, from reading the board to the replayed answer.
    pub(crate) elapsed: Duration,
    /// Searching threads, of all workers together.
    pub(crate) threads: usize,
    /// What a cluster adds to it.
    pub(crate) cluster: Option<Cluster>,
}

/// What a search on a cluster counts beside the search itself.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    /// What the workers exchanged.
    pub(crate) traffic: Traffic,
    /// States stored on every worker.
    pub(crate) states: Vec<u64>,
}

impl Cluster {
    /// States on the fullest worker, in terms of the mean.
    pub(crate) fn imbalance(&self) -> f64 {
        let most = self.states.iter().copied().max().unwrap_or(0);
        ratio(most * self.states.len() as u64, self.states.iter().sum())
    }
}

/// What was proven, or what stopped the proof.
#[derive(Clone, Debug)]
pub(crate) enum Ending {
    /// No solution costs less than this one.
    Optimal(Solution),
    /// There is no solution, and why.
    Unsolvable(String),
    /// The board is beyond the engine, and why.
    Unsupported(String),
    /// A limit came first.
    Limit {
        /// Which limit.
        limit: Limit,
        /// Proven: every solution costs at least this much.
        lower_bound: u32,
        /// The best solution so far.
        best: Option<Solution>,
    },
    /// The cluster failed.
    Failed(ClusterFailure),
}

impl From<sokohive_engine::Ending> for Ending {
    fn from(ending: sokohive_engine::Ending) -> Self {
        use sokohive_engine::Ending as Engine;
        match ending {
            Engine::Optimal(solution) => Self::Optimal(solution),
            Engine::Unsolvable(why) => Self::Unsolvable(why.to_string()),
            Engine::Unsupported(why) => Self::Unsupported(why.to_string()),
            Engine::Limit { limit, lower_bound, best } => Self::Limit { limit, lower_bound, best },
        }
    }
}
