//! What the coordinator needs of the engine for one board.

use sokohive_engine::{Control, Moves, Reached, SearchChoice, Solution};
use sokohive_proto::{Finish, Rank, Row};

use super::job::{Levels, Optima};

/// Reads rows of the table, wherever they are: one for every rank, in that order.
pub type ReadRows<'a> = dyn FnMut(&[Rank]) -> Result<Vec<Row>, String> + 'a;

/// A board as the coordinator knows it: who owns what, and how to walk back along a solution.
pub trait Plan: Send + Sync + 'static {
    /// The virtual shard of a box set.
    fn shard(&self, rank: Rank) -> usize;

    /// The ends that are searched from.
    fn search(&self) -> SearchChoice;

    /// A choice of levels for a new search.
    fn levels(&self) -> Box<dyn Levels>;

    /// The choice of levels for a search that has come so far.
    fn levels_from(&self, reached: Reached) -> Box<dyn Levels>;

    /// Walks back from a finish and replays what it finds. May take long, and may wait for rows.
    ///
    /// # Errors
    ///
    /// If rows cannot be read, do not explain the finish, or the moves do not replay at its cost.
    fn walk_back(&self, finish: Finish, rows: &mut ReadRows<'_>) -> Result<Moves, String>;

    /// The best of all optimal solutions in what counts second, replayed, and how many there are. May take long, and
    /// may wait for rows; stops when `control` is told to.
    ///
    /// # Errors
    ///
    /// If rows cannot be read, or contradict each other, if it takes too much memory, or is stopped.
    fn compare(
        &self,
        optima: &Optima,
        control: &Control,
        rows: &mut ReadRows<'_>,
    ) -> Result<Solution, String>;
}
