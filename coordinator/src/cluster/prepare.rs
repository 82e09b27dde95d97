//! Reading a task: what the engine makes of its board.

use std::sync::Arc;

use sokohive_engine::{
    Course, Ending, FoundFinish, LevelChoice, Moves, Navigator, Next, NodeError, Reached, RowEntry,
    SearchChoice, Side,
};
use sokohive_proto::{Finish, OpenList, Rank, Row, Task, Trail};

use super::job::Levels;
use super::plan::{Plan, ReadRows};

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

/// How a task is to be searched. Workers read it in the same way.
fn course(task: &Task) -> Course {
    let mut course = Course::new(task.rule);
    course.objective = task.objective;
    course.search = task.search;
    course.estimate = task.estimate;
    course.dominance = task.dominance;
    course.deadlocks = task.deadlock_tables;
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
        let read = |sets: &[[u8; 32]]| {
            let ranks: Vec<Rank> = sets.iter().copied().map(Rank::from_le_bytes).collect();
            Ok::<_, RowsError>(rows(&ranks).map_err(RowsError)?.into_iter().map(entries).collect())
        };
        self.0.walk_back(found, read).map_err(|error| error.to_string())
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

    fn lower_bound(&self) -> u32 {
        self.0.lower_bound()
    }
}
