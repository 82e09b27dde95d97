//! Reading a task: what the engine makes of its board.

use std::sync::Arc;

use sokohive_engine::{
    AllFound, BoxSet, Control, Course, Ending, FoundFinish, LevelChoice, Moves, Navigator, Next,
    NodeError, Reached, RowEntry, SearchChoice, Side, Solution,
};
use sokohive_host::memory;
use sokohive_proto::{AllOptimal, Finish, OpenList, Rank, Row, Task, Trail};

use super::job::{Levels, Optima};
use super::plan::{Plan, ReadRows};

/// Most bytes for comparing optimal solutions. A coordinator has no limit of its own, so it takes no more than half of
/// what there is either.
const COMPARING: u64 = 1 << 30;

/// Why there is nothing to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Settled {
    /// The answer is known without a search.
    Ending(Ending),
    /// The board cannot be read, or cannot be searched for another reason.
    Refused(String),
}

/// Reads a task.
///
/// # Errors
///
/// If the answer is known without a search, or the board cannot be searched.
pub(super) fn prepare(task: &Task) -> Result<Arc<dyn Plan>, Settled> {
    let level = task.level().map_err(|refusal| Settled::Refused(refusal.to_string()))?;
    match Navigator::new(&level, course(task)) {
        Ok(navigator) => Ok(Arc::new(Board(navigator))),
        Err(NodeError::Unsolvable(why)) => Err(Settled::Ending(Ending::Unsolvable(why))),
        Err(NodeError::Unsupported(why)) => Err(Settled::Ending(Ending::Unsupported(why))),
        Err(other) => Err(Settled::Refused(other.to_string())),
    }
}

/// The task to search for first: for any optimal solution, where that may leave out what others need.
pub(super) fn first(task: &Task) -> Task {
    let all = if course(task).any_is_cheaper() { AllOptimal::default() } else { task.all };
    Task { all, ..task.clone() }
}

/// How a task is to be searched. Workers read it in the same way.
fn course(task: &Task) -> Course {
    let mut course = Course::new(task.rule);
    course.objective = task.objective;
    course.search = task.search;
    course.estimate = task.estimate;
    course.dominance = task.dominance;
    course.deadlocks = task.deadlock_tables;
    course.wants_all = task.all.is_wanted();
    course
}

/// A board as the engine surveys it.
struct Board(Navigator);

impl Plan for Board {
    fn shard(&self, rank: Rank) -> usize {
        self.0.virtual_shard(&rank.to_le_bytes())
    }

    fn search(&self) -> SearchChoice {
        self.0.search()
    }

    fn levels(&self) -> Box<dyn Levels> {
        Box::new(Choice(self.0.levels()))
    }

    fn levels_from(&self, reached: Reached) -> Box<dyn Levels> {
        Box::new(Choice(self.0.levels_from(reached)))
    }

    fn walk_back(&self, finish: Finish, rows: &mut ReadRows<'_>) -> Result<Moves, String> {
        let finished = match finish.trail {
            Trail::Finished { keeper, push_cost } => Some((keeper, push_cost)),
            Trail::Meeting => None,
        };
        let found = FoundFinish { cost: finish.cost, rank: finish.rank.to_le_bytes(), finished };
        self.0.walk_back(found, read(rows)).map_err(|error| error.to_string())
    }

    fn compare(
        &self,
        Optima { cost, forward_closed_below, ends }: &Optima,
        control: &Control,
        rows: &mut ReadRows<'_>,
    ) -> Result<Solution, String> {
        let (cost, forward_closed_below) = (*cost, *forward_closed_below);
        let ends: Vec<BoxSet> = ends.iter().map(|rank| rank.to_le_bytes()).collect();
        let found = AllFound { cost, forward_closed_below, ends: &ends };
        let most = COMPARING.min(memory::default_limit() / 2);
        self.0.compare(found, most, control, read(rows)).map_err(|error| error.to_string())
    }
}

/// Rows in the engine's terms.
fn read(rows: &mut ReadRows<'_>) -> impl FnMut(&[BoxSet]) -> Result<Vec<Vec<RowEntry>>, RowsError> {
    |sets| {
        let ranks: Vec<Rank> = sets.iter().copied().map(Rank::from_le_bytes).collect();
        Ok(rows(&ranks).map_err(RowsError)?.into_iter().map(entries).collect())
    }
}

/// Why rows could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct RowsError(String);

fn entries(row: Row) -> Vec<RowEntry> {
    let entry = |entry: sokohive_proto::Entry| RowEntry {
        keeper: entry.keeper,
        cost: entry.cost,
        side: entry.side,
    };
    row.0.into_iter().map(entry).collect()
}

fn next(open: [Option<OpenList>; 2]) -> [Option<Next>; 2] {
    open.map(|open| open.map(|open| Next { f: open.smallest_f, rows: open.rows }))
}

/// The engine's choice of levels.
#[derive(Debug)]
struct Choice(LevelChoice);

impl Levels for Choice {
    fn advance(
        &mut self,
        open: [Option<OpenList>; 2],
        incumbent: Option<u32>,
    ) -> Option<(Side, u32)> {
        self.0.advance(next(open), incumbent)
    }

    fn level_is_over(&mut self, open: [Option<OpenList>; 2], incumbent: Option<u32>) -> Reached {
        self.0.level_is_over(next(open), incumbent)
    }

    fn forward_closed_below(&self) -> u32 {
        self.0.forward_closed_below()
    }

    fn lower_bound(&self) -> u32 {
        self.0.lower_bound()
    }
}
