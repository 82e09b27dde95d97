//! What whoever drives a search on many machines needs of a board: the choice of levels, the owner of a box set, the way
//! back along a solution, and what is best among all solutions.

use ethnum::U256;

use crate::board::Square;
use crate::budget::Budget;
use crate::node::{to_box_set, to_finish, to_rank};
use crate::optima::{Searched, Unknown, optima};
use crate::plan::Plan;
use crate::rank::Ranking;
use crate::reconstruct::{ReconstructError, RowSource, reconstruct};
use crate::search::exchange::BatchFormat;
use crate::search::levels::{Levels, Reached};
use crate::table::Entry;
use crate::verify::verify;
use crate::{
    BoxSet, Control, Course, FoundFinish, Level, Moves, Next, NodeError, RowEntry, SearchChoice,
    Side, Solution,
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

/// What is known of all best solutions of a search that was after them and is over.
#[derive(Clone, Copy, Debug)]
pub struct AllFound<'a> {
    /// What they cost.
    pub cost: u32,
    /// What [`LevelChoice::forward_closed_below`] says in the end.
    pub forward_closed_below: u32,
    /// The box sets in which they were found, on all nodes together ([`Node::ends`](crate::Node::ends)); in any order.
    pub ends: &'a [BoxSet],
}

/// Why the best solutions could not be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError<E> {
    /// The rows could not be had, or are those of another search.
    #[error(transparent)]
    Rows(#[from] WalkBackError<E>),
    /// It does not fit the memory.
    #[error("comparing the best solutions takes more than {0} bytes")]
    Memory(u64),
    /// Somebody asked to stop.
    #[error("stopped")]
    Stopped,
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
        Ok(self.replayed(moves, finish.cost)?.moves)
    }

    /// The best of all best solutions in what counts second, and how many there are, of a search that was after all of
    /// them ([`Course::wants_all`]) and is over.
    ///
    /// `rows` is asked as in [`Navigator::walk_back`]. What it takes is at most `memory` bytes, beside the rows that are
    /// asked for.
    pub fn compare<E>(
        &self,
        found: AllFound<'_>,
        memory: u64,
        control: &Control,
        rows: impl FnMut(&[BoxSet]) -> Result<Vec<Vec<RowEntry>>, E>,
    ) -> Result<Solution, CompareError<E>> {
        let AllFound { cost, forward_closed_below, ends } = found;
        let Plan { board, rule, objective, .. } = &self.plan;
        let (rule, objective) = (*rule, *objective);
        let malformed = WalkBackError::Malformed;
        let ranking = Ranking::<U256>::new(board.live(), board.boxes().len())
            .ok_or(malformed("the board is too wide"))?;
        let rank = |set| to_rank::<U256>(set).filter(|&rank| rank < ranking.sets());
        let ranks: Option<Vec<U256>> = ends.iter().map(rank).collect();
        let mut ranks = ranks.ok_or(malformed("an end names no box set"))?;
        // Every node that a solution was found by names its row.
        ranks.sort_unstable();
        ranks.dedup();
        let searched = Searched {
            board,
            rule,
            objective,
            ranking: &ranking,
            cost,
            forward_closed_below,
            ends: &ranks,
        };
        let mut source = Asked { rows, squares: board.squares() };
        let optima =
            optima(&searched, &mut source, &Budget::new(memory), control).map_err(|error| {
                match error {
                    Unknown::Source(error) => CompareError::Rows(error),
                    Unknown::Memory => CompareError::Memory(memory),
                    Unknown::Stopped => CompareError::Stopped,
                    Unknown::Unexplained => WalkBackError::Unexplained(cost).into(),
                }
            })?;
        let solution = self.replayed(optima.moves, cost)?;
        Ok(Solution { count: Some(optima.count), tie: objective.tie(), ..solution })
    }

    /// A solution of at most so much, replayed.
    fn replayed<E>(&self, moves: Moves, most: u32) -> Result<Solution, WalkBackError<E>> {
        verify(&self.level, self.plan.rule, &moves)
            .map_err(|error| WalkBackError::Replay(error.to_string()))?;
        let objective = self.plan.objective;
        let solution = Solution::new(moves);
        let cost = solution.cost(objective);
        if cost > most as usize {
            let problem = format!("{cost} {objective}, reported were {most}");
            return Err(WalkBackError::Replay(problem));
        }
        Ok(solution)
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
            // Of what waits nothing is left out: it costs what it says, so a way through it that costs no more than the
            // best solution is part of one, and states of these that are looked for are closed.
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

    /// All forward states that cost less than this are closed, as far as they cost no more than the incumbent.
    pub fn forward_closed_below(&self) -> u32 {
        self.0.forward_closed_below()
    }

    /// Proven: every solution costs at least this much.
    pub fn lower_bound(&self) -> u32 {
        self.0.lower_bound()
    }
}
