//! One process, one board.

use ethnum::U256;

use crate::board::Board;
use crate::budget::Budget;
use crate::estimate::Estimate;
use crate::rank::{Rank, rank_bits};
use crate::reconstruct::{RowSource, reconstruct};
use crate::search::agenda::End;
use crate::search::incumbent::Finish;
use crate::search::levels::Levels;
use crate::search::problem::Problem;
use crate::search::roots;
use crate::search::shard::Shard;
use crate::search::side::Side;
use crate::table::{Entry, Layout, SLOTS, Table};
use crate::verify::verify;

use crate::walk::{Ground, MaskGround, QueueGround};
use crate::{
    Control, Ending, Level, Limit, Objective, Outcome, Rule, Solution, Statistics, UnknownName,
    Unsolvable, Unsupported,
};

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

/// The end a search starts from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SearchChoice {
    /// Whichever promises to be faster on the board.
    #[default]
    Auto,
    /// A* from the start.
    Forward,
    /// Uniform-cost search from all finished boards.
    Backward,
    /// Uniform-cost search from both ends, until they meet.
    TwoSided,
}

impl std::fmt::Display for SearchChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Auto => "auto",
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::TwoSided => "two-sided",
        })
    }
}

impl std::str::FromStr for SearchChoice {
    type Err = UnknownName;

    fn from_str(word: &str) -> Result<Self, UnknownName> {
        match word {
            "auto" => Ok(Self::Auto),
            "forward" => Ok(Self::Forward),
            "backward" => Ok(Self::Backward),
            "two-sided" => Ok(Self::TwoSided),
            _ => Err(UnknownName::new("search", word, "auto, forward, backward or two-sided")),
        }
    }
}

/// Bits a table entry is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntryWidth {
    /// One word of 64 bits.
    Bytes8,
    /// Two words.
    Bytes16,
    /// Four words.
    Bytes32,
}

/// Sets up and runs a search in this process.
///
/// ```
/// use sokohive_engine::{Ending, Solver, builtin};
///
/// let board = builtin::find("p1").expect("one of the built-in boards");
/// let outcome = Solver::new(&board.level).threads(2).solve();
/// let Ending::Optimal(solution) = outcome.ending else { panic!("p1 has a solution") };
/// assert_eq!(solution.moves.len(), 6);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Solver<'a> {
    level: &'a Level,
    rule: Rule,
    objective: Objective,
    options: Options,
    threads: usize,
    memory: u64,
    expansions: u64,
    control: Control,
}

/// How to search; none of it changes the answer.
#[derive(Clone, Debug)]
struct Options {
    search: SearchChoice,
    estimate: EstimateChoice,
    dominance: bool,
    deadlocks: bool,
    entry_width: Option<EntryWidth>,
    first_table_bytes: u64,
}

impl<'a> Solver<'a> {
    /// A search on `level` under its own rule, on one thread, without limits.
    pub fn new(level: &'a Level) -> Self {
        let options = Options {
            search: SearchChoice::Auto,
            estimate: EstimateChoice::Auto,
            dominance: true,
            deadlocks: true,
            entry_width: None,
            first_table_bytes: 64 << 10,
        };
        Self {
            level,
            rule: level.rule(),
            objective: Objective::default(),
            options,
            threads: 1,
            memory: u64::MAX,
            expansions: u64::MAX,
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

    /// Which end to search from.
    pub fn search(mut self, search: SearchChoice) -> Self {
        self.options.search = search;
        self
    }

    /// The lower bound to be led by. A search that uses none in its own right (from both ends, or backward) ignores it;
    /// with [`SearchChoice::Auto`] naming one chooses [`SearchChoice::Forward`].
    pub fn estimate(mut self, estimate: EstimateChoice) -> Self {
        self.options.estimate = estimate;
        self
    }

    /// Number of searching threads, at least 1.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads: threads.max(1), ..self }
    }

    /// Most bytes the search may allocate.
    pub fn memory(self, bytes: u64) -> Self {
        Self { memory: bytes, ..self }
    }

    /// Rows to expand before giving up; a few more may be under way.
    pub fn expansions(self, rows: u64) -> Self {
        Self { expansions: rows, ..self }
    }

    /// Whether dominated states are dropped.
    pub fn dominance(mut self, on: bool) -> Self {
        self.options.dominance = on;
        self
    }

    /// Whether pushes into deadlocks (frozen boxes, dead pairs and triples) are refused.
    pub fn deadlocks(mut self, on: bool) -> Self {
        self.options.deadlocks = on;
        self
    }

    /// The width of table entries; without it the least that the board fits.
    ///
    /// A board that needs wider ones gets them.
    pub fn entry_width(mut self, width: EntryWidth) -> Self {
        self.options.entry_width = Some(width);
        self
    }

    /// Bytes of the table at the start; it doubles as it fills.
    pub fn first_table_bytes(mut self, bytes: u64) -> Self {
        self.options.first_table_bytes = bytes;
        self
    }

    /// The handle to stop it by and to watch it.
    pub fn control(self, control: Control) -> Self {
        Self { control, ..self }
    }

    /// Searches until an ending is reached.
    ///
    /// # When the answer is optimal
    ///
    /// [`Ending::Optimal`] and [`Ending::Unsolvable`] are proofs by exhaustion, whatever the number of threads and the
    /// options: the estimates are consistent, so a state is closed at its least cost whichever thread takes it; a level
    /// ends only when no thread holds work of it; and every refused push is one no solution contains.
    pub fn solve(self) -> Outcome {
        match self.objective {
            Objective::Moves => self.fewest_moves(),
        }
    }

    fn fewest_moves(&self) -> Outcome {
        let board = Board::new(self.level);
        if let Some(reason) =
            board.verdict().cloned().or_else(|| no_goal_for_keeper(&board, self.rule))
        {
            return Outcome {
                ending: Ending::Unsolvable(reason),
                statistics: Statistics::default(),
            };
        }
        match board.squares() {
            0..=64 => self.on_ground::<MaskGround<1>>(&board),
            65..=128 => self.on_ground::<MaskGround<2>>(&board),
            129..=256 => self.on_ground::<MaskGround<4>>(&board),
            _ => self.on_ground::<QueueGround>(&board),
        }
    }

    fn on_ground<G: Ground>(&self, board: &Board) -> Outcome {
        let widths = [EntryWidth::Bytes8, EntryWidth::Bytes16, EntryWidth::Bytes32];
        for width in widths {
            if self.options.entry_width.is_some_and(|least| width < least) {
                continue;
            }
            let outcome = match width {
                EntryWidth::Bytes8 => self.with_ranks::<u64, G>(board),
                EntryWidth::Bytes16 => self.with_ranks::<u128, G>(board),
                EntryWidth::Bytes32 => self.with_ranks::<U256, G>(board),
            };
            if let Some(outcome) = outcome {
                return outcome;
            }
        }
        let (bits, _) = rank_bits(board.live(), board.boxes().len());
        let ending = Ending::Unsupported(Unsupported::RankTooWide { bits, limit: MOST_RANK_BITS });
        Outcome { ending, statistics: Statistics::default() }
    }

    fn choose_search(&self, board: &Board) -> SearchChoice {
        let finished = roots::finished_sets(board.boxes().len(), board.goals().len());
        match self.options.search {
            SearchChoice::Auto if self.options.estimate != EstimateChoice::Auto => {
                SearchChoice::Forward
            }
            SearchChoice::Auto if finished > roots::MOST_FINISHED_SETS => SearchChoice::Forward,
            SearchChoice::Auto => SearchChoice::TwoSided,
            chosen => chosen,
        }
    }

    /// `None` where ranks or costs need wider entries.
    fn with_ranks<R: Rank, G: Ground>(&self, board: &Board) -> Option<Outcome> {
        let budget = Budget::new(self.memory);
        let layout = plan_layout::<R>(board, self.memory)?;
        let search = self.choose_search(board);
        let estimate = match (search, self.options.estimate) {
            (SearchChoice::TwoSided | SearchChoice::Backward, _) => Estimate::None,
            (_, EstimateChoice::Nearest) => Estimate::nearest(board),
            _ => Estimate::matching(board),
        };
        let problem = Problem::<R, G::Set>::new::<G>(
            board.clone(),
            self.rule,
            estimate,
            self.options.dominance,
            self.options.deadlocks,
            &budget,
        )?;
        let memory_ending = |peak| Outcome {
            ending: Ending::Limit { limit: Limit::Memory, lower_bound: 0, best: None },
            statistics: Statistics { peak_bytes: peak, ..Statistics::default() },
        };
        let line_bytes = (SLOTS * layout.slot_bytes()) as u64;
        let index_bits = (self.options.first_table_bytes / line_bytes).max(1).ilog2();
        let Ok(table) = Table::<R>::new(layout, index_bits, self.memory) else {
            return Some(memory_ending(budget.peak()));
        };
        if !budget.take(table.bytes() + problem.ranking.bytes()) {
            return Some(memory_ending(budget.peak()));
        }
        let shard = Shard::<R, G>::new(
            &problem,
            table,
            self.threads,
            &budget,
            &self.control,
            self.expansions,
        );
        match self.drive(search, &problem, &shard) {
            Ok(outcome) => Some(outcome),
            Err(CostTooLarge) if R::WORDS < WIDEST => None,
            Err(CostTooLarge) => {
                let limit = layout.largest_cost();
                let ending = Ending::Unsupported(Unsupported::CostTooLarge { limit });
                Some(Outcome { ending, statistics: Statistics::default() })
            }
        }
    }

    /// Opens level after level until the proof is complete or a limit is reached.
    fn drive<R: Rank, G: Ground>(
        &self,
        search: SearchChoice,
        problem: &Problem<R, G::Set>,
        shard: &Shard<'_, R, G>,
    ) -> Result<Outcome, CostTooLarge> {
        let mut statistics = Statistics::default();
        let mut progress = Levels::new(search);
        let (start, finish) = roots::start::<R, G>(problem);
        finish.into_iter().for_each(|finish| shard.incumbent.offer(finish));
        shard.seed(Side::Forward, start);
        if search != SearchChoice::Forward {
            shard.seed(Side::Backward, roots::finished(problem));
        }
        let end = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads).map(|_| scope.spawn(|| shard.work())).collect();
            let end = loop {
                match shard.agenda.wait_until_quiet() {
                    Ok(next) => match progress.advance(next, shard.incumbent.cost()) {
                        Some(level) => {
                            statistics.levels += 1;
                            self.control.publish_level(progress.lower_bound());
                            shard.agenda.open(level);
                        }
                        None => break End::Finished,
                    },
                    Err(end) => break end,
                }
            };
            shard.agenda.end(end);
            for thread in threads {
                statistics += thread.join().expect("a search thread panicked");
            }
            end
        });
        if end == End::CostTooLarge {
            return Err(CostTooLarge);
        }
        statistics.peak_bytes = shard.budget.peak();
        let best = shard.incumbent.best().map(|finish| self.solution(problem, shard, finish));
        let ending = match (end, best) {
            (End::Limit(limit), best) => {
                Ending::Limit { limit, lower_bound: progress.lower_bound(), best }
            }
            (_, Some(solution)) => Ending::Optimal(solution),
            (_, None) => Ending::Unsolvable(Unsolvable::Exhausted),
        };
        Ok(Outcome { ending, statistics })
    }

    /// The solution behind a finish, replayed.
    fn solution<R: Rank, G: Ground>(
        &self,
        problem: &Problem<R, G::Set>,
        shard: &Shard<'_, R, G>,
        finish: Finish<R>,
    ) -> Solution {
        let moves =
            reconstruct(&problem.board, self.rule, &problem.ranking, finish, &mut TableRows(shard))
                .expect("every accepted state has a predecessor that explains its cost");
        let replay = verify(self.level, self.rule, &moves).expect("the search pushes by the rules");
        assert!(replay.moves <= finish.cost as usize, "the replay costs what the search says");

        Solution { moves }
    }
}

/// Words of the widest entries.
const WIDEST: usize = <U256 as Rank>::WORDS;

/// The table's entries have no room for a cost that came up.
struct CostTooLarge;

/// The most bits of a rank that the widest entries hold on any board.
const MOST_RANK_BITS: u32 = 240;

/// The rule wants a goal for the keeper beside those for the boxes.
fn no_goal_for_keeper(board: &Board, rule: Rule) -> Option<Unsolvable> {
    let (boxes, goals) = (board.boxes().len(), board.goals().len());
    (rule == Rule::KeeperOnGoal && boxes == goals)
        .then_some(Unsolvable::NoGoalForKeeper { boxes, goals })
}

pub(crate) fn plan_layout<R: Rank>(board: &Board, memory: u64) -> Option<Layout> {
    let (bits, exact) = rank_bits(board.live(), board.boxes().len());
    if !exact || bits > R::BITS.min(MOST_RANK_BITS) {
        return None;
    }
    // Costs beyond this are not ruled out, but rare enough to start again with wider entries; the widest leave to the
    // cost what the rank does not take.
    let likely_cost = match R::WORDS {
        WIDEST => 0,
        _ => 16 * board.squares() as u64 * (board.boxes().len() as u64 + 1),
    };
    let line_bytes = (SLOTS * 8 * R::WORDS) as u64;
    // The first table may take a quarter of the memory, and never more than 128 MB.
    let base_bits = (memory.min(512 << 20) / 4 / line_bytes).max(1).ilog2();
    Layout::new(
        R::WORDS,
        bits,
        board.squares(),
        board.boxes().len(),
        likely_cost.max(8_000),
        base_bits,
    )
}

/// The rows of the one shard.
struct TableRows<'s, 'p, R, G: Ground>(&'s Shard<'p, R, G>);

impl<R: Rank, G: Ground> RowSource<R> for TableRows<'_, '_, R, G> {
    type Error = std::convert::Infallible;

    fn rows(&mut self, ranks: &[R]) -> Result<Vec<Vec<Entry>>, Self::Error> {
        let table = self.0.table.read().expect("no holder panics");
        Ok(ranks.iter().map(|&rank| table.row(table.mix(rank))).collect())
    }
}
