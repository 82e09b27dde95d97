//! What whoever drives a search on many machines needs of a board: the choice of levels, the owner of a box set, and the
//! way back along a solution.

use ethnum::U256;

use crate::board::Square;
use crate::node::{to_box_set, to_finish};
use crate::plan::Plan;
use crate::rank::Ranking;
use crate::reconstruct::{ReconstructError, RowSource, reconstruct};
use crate::search::exchange::BatchFormat;
use crate::search::levels::{Levels, Reached};
use crate::table::Entry;
use crate::verify::verify;
use crate::{
    BoxSet, Course, FoundFinish, Level, Moves, Next, NodeError, Objective, RowEntry, SearchChoice,
    Side,
};

/// The driver's view of one board. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Navigator {
    level: Level,
    plan: Plan,
    format: BatchFormat,
}

/// Why a solution could not be walked back to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WalkBackError<E> {
    /// The rows could not be had.
    #[error(transparent)]
    Rows(E),
    /// A row asked for was not among those that came back, or a finish or row names no state of the board.
    #[error("{0}")]
    Malformed(&'static str),
    /// The rows do not explain the cost: they are not those of this search.
    #[error("no state explains the cost of {0}")]
    Unexplained(u32),
    /// The moves do not solve the board at the cost that was reported.
    #[error("the moves do not replay: {0}")]
    Replay(String),
}

impl Navigator {
    /// Surveys a board.
    pub fn new(level: &Level, course: Course) -> Result<Self, NodeError> {
        let plan = course.plan(level)?;
        // Ranks are read as the widest kind here, whatever the nodes keep them in.
        plan.check_width().map_err(NodeError::Unsupported)?;
        Ok(Self { level: level.clone(), format: plan.batch_format(), plan })
    }

    /// The end the search starts from: never [`SearchChoice::Auto`].
    pub fn search(&self) -> SearchChoice {
        self.plan.search
    }

    /// The virtual shard of a box set, below [`VIRTUAL_SHARDS`](crate::VIRTUAL_SHARDS).
    pub fn virtual_shard(&self, set: &BoxSet) -> usize {
        self.format.virtual_shard(U256::from_le_bytes(*set))
    }

    /// The choice of levels for a search that has not begun.
    pub fn levels(&self) -> LevelChoice {
        LevelChoice(self.plan.levels())
    }

    /// The choice of levels for a search that has come so far.
    pub fn levels_from(&self, reached: Reached) -> LevelChoice {
        LevelChoice(self.plan.levels_from(reached))
    }

    /// Walks back from a finish and replays what it finds.
    ///
    /// `rows` is asked for the states of some box sets, at most four at a time, and answers in that order.
    pub fn walk_back<E>(
        &self,
        finish: FoundFinish,
        rows: impl FnMut(&[BoxSet]) -> Result<Vec<Vec<RowEntry>>, E>,
    ) -> Result<Moves, WalkBackError<E>> {
        let board = &self.plan.board;
        let malformed = WalkBackError::Malformed;
        let ranking = Ranking::<U256>::new(board.live(), board.boxes().len())
            .ok_or(malformed("the board is too wide"))?;
        let finish = to_finish(finish, ranking.sets(), board.squares()).map_err(malformed)?;
        let mut source = Asked { rows, squares: board.squares() };
        let moves = reconstruct(
            board,
            (self.plan.rule, self.plan.objective),
            &ranking,
            finish,
            &mut source,
        )
        .map_err(|error| match error {
            ReconstructError::Source(error) => error,
            ReconstructError::NoPredecessor { cost } => WalkBackError::Unexplained(cost),
        })?;
        let replay = verify(&self.level, self.plan.rule, &moves)
            .map_err(|error| WalkBackError::Replay(error.to_string()))?;
        let objective = self.plan.objective;
        let cost = match objective {
            Objective::Moves => replay.moves,
            Objective::Pushes => replay.pushes,
        };
        if cost > finish.cost as usize {
            let problem = format!("{cost} {objective}, reported were {}", finish.cost);
            return Err(WalkBackError::Replay(problem));
        }
        Ok(moves)
    }
}

/// Rows that are asked for somewhere else.
struct Asked<F> {
    rows: F,
    squares: usize,
}

impl<E, F: FnMut(&[BoxSet]) -> Result<Vec<Vec<RowEntry>>, E>> RowSource<U256> for Asked<F> {
    type Error = WalkBackError<E>;

    fn rows(&mut self, ranks: &[U256]) -> Result<Vec<Vec<Entry>>, Self::Error> {
        let sets: Vec<BoxSet> = ranks.iter().copied().map(to_box_set).collect();
        let rows = (self.rows)(&sets).map_err(WalkBackError::Rows)?;
        if rows.len() != ranks.len() {
            return Err(WalkBackError::Malformed("not as many rows as were asked for"));
        }
        let entry = |entry: RowEntry| {
            let known = (entry.keeper as usize) < self.squares;
            let keeper = known.then(|| Square::from_index(entry.keeper as usize))?;
            Some(Entry { keeper, cost: entry.cost, closed: true, side: entry.side })
        };
        let row = |row: Vec<RowEntry>| row.into_iter().map(entry).collect::<Option<Vec<_>>>();
        let rows = rows.into_iter().map(row).collect::<Option<Vec<_>>>();
        rows.ok_or(WalkBackError::Malformed("a row names no square of the board"))
    }
}

/// Which level comes next, and when the proof is complete.
#[derive(Clone, Debug)]
pub struct LevelChoice(Levels);

impl LevelChoice {
    /// The level to open next, given what waits on each side on all nodes together (the smallest f, and the rows that
    /// wait at it), and the cost of the best solution known. `None` when that solution is proven best, or the board is
    /// proven unsolvable if there is none.
    pub fn advance(
        &mut self,
        next: [Option<Next>; 2],
        incumbent: Option<u32>,
    ) -> Option<(Side, u32)> {
        let level = self.0.advance(next, incumbent.unwrap_or(u32::MAX))?;
        Some((level.side, level.f))
    }

    /// Takes note that the level opened last is over on all nodes, and says how far the search has come with it, given
    /// what [`LevelChoice::advance`] is.
    pub fn level_is_over(&mut self, next: [Option<Next>; 2], incumbent: Option<u32>) -> Reached {
        self.0.edge(next, incumbent.unwrap_or(u32::MAX))
    }

    /// Proven: every solution costs at least this much.
    pub fn lower_bound(&self) -> u32 {
        self.0.lower_bound()
    }
}
