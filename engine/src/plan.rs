//! How a board is going to be searched: everything that is decided before the search begins.

use ethnum::U256;
use xxhash_rust::xxh3::xxh3_64;

use crate::board::{Board, Square};
use crate::budget::Budget;
use crate::estimate::{Estimate, Estimator};
use crate::rank::{Rank, rank_bits};
use crate::search::exchange::BatchFormat;
use crate::search::layers::Parity;
use crate::search::lead::Lead;
use crate::search::levels::{Levels, Reached};
use crate::search::problem::{Problem, Pruning};
use crate::search::roots;
use crate::search::shard::{NoFile, Scouting, Shard, Terms};
use crate::search::want::Want;
use crate::table::{Layout, SLOTS, Table};
use crate::walk::{Ground, MaskGround, QueueGround};
use crate::{
    EntryWidth, EstimateChoice, Level, Objective, Position, Rule, SearchChoice, Unsolvable,
    Unsupported,
};

/// How to search; none of it changes what the best solution costs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) search: SearchChoice,
    pub(crate) estimate: EstimateChoice,
    pub(crate) dominance: bool,
    pub(crate) deadlocks: bool,
    pub(crate) entry_width: Option<EntryWidth>,
    /// Of a table that grows at the start, of one that does not for good; `None` for the usual size.
    pub(crate) first_table_bytes: Option<u64>,
    pub(crate) want: Want,
    /// Whether one process does all and keeps nothing: whoever opens the levels sees both open lists at any time then.
    pub(crate) alone: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            search: SearchChoice::Auto,
            estimate: EstimateChoice::Auto,
            dominance: true,
            deadlocks: true,
            entry_width: None,
            first_table_bytes: None,
            want: Want::Any,
            alone: false,
        }
    }
}

impl Options {
    /// The search of a board. Left to us it is from both ends, unless there are too many finished boards to begin with.
    /// Where steps count it is forward if an estimate to be led by is asked for. Where pushes count there is an estimate on
    /// either side, which goes with all solutions only in layers.
    pub(crate) fn search_of(&self, board: &Board, objective: Objective) -> SearchChoice {
        if self.search != SearchChoice::Auto {
            return self.search;
        }
        let finished = roots::finished_sets(board.boxes().len(), board.goals().len());
        let suits = match objective {
            Objective::Moves => self.estimate == EstimateChoice::Auto,
            Objective::Pushes => {
                let leads = self.want == Want::Any || self.alone;
                leads && self.estimate != EstimateChoice::None
            }
        };
        let from_both = suits && finished <= roots::MOST_FINISHED_SETS;
        if from_both { SearchChoice::TwoSided } else { SearchChoice::Forward }
    }

    /// Whether an estimate was asked for that can lead from both ends.
    fn leads_both_ends(&self) -> bool {
        ![EstimateChoice::Auto, EstimateChoice::None].contains(&self.estimate)
    }

    /// Whether a search for any best solution may do what would lose others: leave out pushes by corrals, or lead both
    /// ends by an estimate without layers.
    pub(crate) fn any_is_cheaper(&self, objective: Objective) -> bool {
        objective == Objective::Pushes
            || self.search == SearchChoice::TwoSided && self.leads_both_ends() && !self.alone
    }
}

/// A board, a rule, an objective, and how to search it.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) board: Board,
    pub(crate) rule: Rule,
    pub(crate) objective: Objective,
    /// Decided: never [`SearchChoice::Auto`].
    pub(crate) search: SearchChoice,
    options: Options,
    /// Of the level, the rule, the objective and the kind of search: what a journal belongs to.
    digest: u64,
}

/// Something to be done in terms of the types that fit a board.
pub(crate) trait OnBoard {
    type Output;
    /// Does it with these types. Gives itself back where ranks or costs turn out to need wider entries.
    fn with<R: Rank, G: Ground>(self, plan: &Plan) -> Result<Self::Output, Self>
    where
        Self: Sized;
}

/// Why a shard cannot be set up.
#[derive(Debug)]
pub(crate) enum SetupError {
    /// Ranks need wider entries.
    TooNarrow,
    /// Not even the smallest table fits the memory.
    Memory,
    /// The journal cannot be begun, or the file for the open list not be made.
    File(NoFile),
}

/// The most bits of a rank that the widest entries hold on any board.
const MOST_RANK_BITS: u32 = 240;

impl Plan {
    /// A reason why the board has no solution if none needs to be searched for.
    pub(crate) fn new(
        level: &Level,
        rule: Rule,
        objective: Objective,
        options: Options,
    ) -> Result<Self, Unsolvable> {
        let board = Board::new(level);
        if let Some(reason) = board.verdict() {
            return Err(reason.clone());
        }
        let (boxes, goals) = (board.boxes().len(), board.goals().len());
        if rule == Rule::KeeperOnGoal && boxes == goals {
            // The rule wants a goal for the keeper beside those for the boxes.
            return Err(Unsolvable::NoGoalForKeeper { boxes, goals });
        }
        let search = options.search_of(&board, objective);
        let estimate =
            if search == SearchChoice::Backward { EstimateChoice::Auto } else { options.estimate };
        let plan = Self { board, rule, objective, search, options, digest: 0 };
        let lead = plan.lead();
        let text = format!("{level}\n{rule}\n{objective}\n{search}\n{estimate}\n{lead:?}\n");
        Ok(Self { digest: xxh3_64(text.as_bytes()), ..plan })
    }

    /// Calls `task` with the narrowest types that it gets by with.
    pub(crate) fn run<T: OnBoard>(&self, task: T) -> Result<T::Output, Unsupported> {
        match self.board.squares() {
            0..=64 => self.on_ground::<MaskGround<1>, T>(task),
            65..=128 => self.on_ground::<MaskGround<2>, T>(task),
            129..=256 => self.on_ground::<MaskGround<4>, T>(task),
            _ => self.on_ground::<QueueGround, T>(task),
        }
    }

    fn on_ground<G: Ground, T: OnBoard>(&self, mut task: T) -> Result<T::Output, Unsupported> {
        for width in [EntryWidth::Bytes8, EntryWidth::Bytes16, EntryWidth::Bytes32] {
            if self.options.entry_width.is_some_and(|least| width < least) {
                continue;
            }
            let done = match width {
                EntryWidth::Bytes8 => task.with::<u64, G>(self),
                EntryWidth::Bytes16 => task.with::<u128, G>(self),
                EntryWidth::Bytes32 => task.with::<U256, G>(self),
            };
            match done {
                Ok(output) => return Ok(output),
                Err(again) => task = again,
            }
        }
        self.check_width()?;
        let limit = self.layout::<U256>(u64::MAX).map_or(0, |layout| layout.largest_cost());
        Err(Unsupported::CostTooLarge { limit })
    }

    /// Whether ranks of type `R` and likely costs fit its entries.
    pub(crate) fn fits<R: Rank>(&self, memory: u64) -> bool {
        self.layout::<R>(memory).is_some()
    }

    /// Whether ranks of type `R` fit the board.
    pub(crate) fn has_ranks<R: Rank>(&self) -> bool {
        let (bits, exact) = self.rank_bits();
        exact && bits <= R::BITS.min(MOST_RANK_BITS)
    }

    /// Whether the widest ranks fit the board.
    pub(crate) fn check_width(&self) -> Result<(), Unsupported> {
        let (bits, exact) = self.rank_bits();
        let fits = exact && bits <= MOST_RANK_BITS && self.fits::<U256>(u64::MAX);
        fits.then_some(()).ok_or(Unsupported::RankTooWide { bits, limit: MOST_RANK_BITS })
    }

    /// Bits of the board's ranks, and whether that is exact.
    pub(crate) fn rank_bits(&self) -> (u32, bool) {
        rank_bits(self.board.live(), self.board.boxes().len())
    }

    fn layout<R: Rank>(&self, memory: u64) -> Option<Layout> {
        layout::<R>(&self.board, memory)
    }

    /// Whether the search is after all best solutions.
    pub(crate) fn wants_all(&self) -> bool {
        self.options.want == Want::All
    }

    /// Whether successors carry an estimate.
    pub(crate) fn estimates(&self) -> bool {
        match self.search {
            SearchChoice::Forward | SearchChoice::Ida => true,
            SearchChoice::TwoSided => {
                let Options { search, estimate, alone, .. } = self.options;
                // Where steps count, what it saves is less than what it takes.
                let is_ours = search == SearchChoice::Auto
                    && estimate == EstimateChoice::Auto
                    && self.objective == Objective::Pushes;
                // Where all solutions are wanted, levels that are not layers go by cost alone.
                (is_ours || self.options.leads_both_ends()) && (alone || !self.wants_all())
            }
            _ => false,
        }
    }

    /// Whether pushes are left out that corrals make needless: not where steps count, nor where all solutions are wanted.
    fn uses_corrals(&self) -> bool {
        self.options.deadlocks && self.objective == Objective::Pushes && !self.wants_all()
    }

    /// By side.
    fn estimate(&self) -> [Estimate; 2] {
        let walks = match self.options.estimate {
            // Depth first a state costs more than its estimate does.
            EstimateChoice::Auto => self.search == SearchChoice::Ida,
            estimate => estimate == EstimateChoice::Walk,
        };
        let forward = match self.options.estimate {
            _ if !self.estimates() => Estimate::None,
            EstimateChoice::None => Estimate::None,
            EstimateChoice::Nearest => Estimate::nearest(&self.board),
            _ if walks && self.objective == Objective::Moves => Estimate::walking(&self.board),
            _ => Estimate::matching(&self.board),
        };
        let backward = match self.search {
            SearchChoice::TwoSided => forward.of_the_way_back(&self.board),
            _ => Estimate::None,
        };
        [forward, backward]
    }

    /// Whether the search has the estimate that leads to a solution soonest.
    fn leads_well(&self) -> bool {
        let is_matching =
            [EstimateChoice::Auto, EstimateChoice::Matching].contains(&self.options.estimate);
        self.estimates() && is_matching
    }

    /// Of a search for any solution, with the estimate that leads there soonest: from the start where steps count.
    pub(crate) fn scouting(&self, objective: Objective) -> Self {
        let (want, estimate) = (Want::Any, EstimateChoice::Auto);
        let options =
            Options { want, estimate, search: SearchChoice::Auto, alone: true, ..self.options };
        let search = match objective {
            Objective::Moves => SearchChoice::Forward,
            Objective::Pushes => options.search_of(&self.board, objective),
        };
        Self { search, objective, options, ..self.clone() }
    }

    /// Of what a solution is looked for beside the search of this problem, as far as there is room.
    fn scouted<R: Rank, G: Ground>(
        &self,
        problem: &Problem<R, G::Set>,
        budget: &Budget,
    ) -> Option<Scouting<Problem<R, G::Set>>> {
        /// Of the memory that is left, the part that each of these problems may take.
        const SHARE: u64 = 16;
        let other = |objective, beside: &[&Problem<R, G::Set>]| {
            let share = Budget::new(budget.left() / SHARE);
            let plan = self.scouting(objective);
            let problem = plan.problem_beside::<R, G>(beside, &share).ok()?;
            budget.take(share.used()).then_some(problem)
        };
        let own = match self.leads_well() {
            true => None,
            false => Some(other(self.objective, &[problem])?),
        };
        let beside = [Some(problem), own.as_ref()];
        let beside: Vec<_> = beside.into_iter().flatten().collect();
        let few_pushes = match self.objective {
            Objective::Moves => other(Objective::Pushes, &beside),
            Objective::Pushes => None,
        };
        Some(Scouting { few_pushes, own })
    }

    /// What every solution is known to cost before a search: nothing costs less than the pushes that a least matching of
    /// boxes and goals takes.
    pub(crate) fn least_bound(&self) -> u32 {
        let matching = Estimate::matching(&self.board);
        Estimator::new(&matching).of_row(self.board.boxes()).unwrap_or(0)
    }

    /// The choice of levels for a search that has not begun.
    pub(crate) fn levels(&self) -> Levels {
        self.levels_from(Reached { lower_bound: self.least_bound(), ..Reached::default() })
    }

    /// The choice of levels for a search that has come so far.
    pub(crate) fn levels_from(&self, reached: Reached) -> Levels {
        Levels::resume(self.search, reached).wanting(self.options.want).led_by(self.lead())
    }

    /// The costs that solutions can have ([`layers`](crate::search::layers)).
    pub(crate) fn parity(&self) -> Parity {
        let (boxes, goals) = (self.board.boxes(), self.board.goals());
        if self.objective == Objective::Moves || boxes.len() != goals.len() {
            return Parity::Any;
        }
        let is_black = |&&square: &&Square| {
            let Position { row, column } = self.board.position(square);
            (row + column) % 2 == 1
        };
        let black = |squares: &[Square]| squares.iter().filter(is_black).count();
        match (black(boxes) + black(goals)) % 2 {
            0 => Parity::Even,
            _ => Parity::Odd,
        }
    }

    /// What the levels go by.
    pub(crate) fn lead(&self) -> Lead {
        match self.search {
            SearchChoice::TwoSided if self.estimates() && self.options.alone => Lead::Layers,
            SearchChoice::TwoSided if self.estimates() => Lead::from_both_ends(self.objective),
            _ => Lead::Total,
        }
    }

    /// The form in which successors travel and are written down.
    pub(crate) fn batch_format(&self) -> BatchFormat {
        BatchFormat::new(self.rank_bits().0, self.board.squares(), self.estimates())
    }

    /// What the threads of a search share of the board. The budget is charged for it.
    pub(crate) fn problem<R: Rank, G: Ground>(
        &self,
        budget: &Budget,
    ) -> Result<Problem<R, G::Set>, SetupError> {
        self.problem_beside::<R, G>(&[], budget)
    }

    /// The same, beside other problems of this board.
    pub(crate) fn problem_beside<R: Rank, G: Ground>(
        &self,
        beside: &[&Problem<R, G::Set>],
        budget: &Budget,
    ) -> Result<Problem<R, G::Set>, SetupError> {
        let estimates = self.estimate();
        let board_bytes = self.board.bytes() + Problem::<R, G::Set>::bytes(&self.board);
        if !budget.take(board_bytes + estimates.iter().map(Estimate::bytes).sum::<u64>()) {
            return Err(SetupError::Memory);
        }
        let Options { dominance, deadlocks, .. } = self.options;
        let pruning = Pruning { dominance, deadlocks, corrals: self.uses_corrals() };
        let problem = Problem::new::<G>(
            self.board.clone(),
            (self.rule, self.objective),
            (self.search, self.lead(), estimates),
            pruning,
            beside,
            budget,
        );
        problem.ok_or(SetupError::TooNarrow)
    }

    /// A shard with its first table, and its starting states unless it is going to be restored.
    pub(crate) fn shard<R: Rank, G: Ground>(
        &self,
        memory: u64,
        terms: Terms,
    ) -> Result<Shard<R, G>, SetupError> {
        let budget = Budget::new(memory);
        let layout = self.layout::<R>(memory).ok_or(SetupError::TooNarrow)?;
        let problem = self.problem::<R, G>(&budget)?;
        let line_bytes = (SLOTS * layout.slot_bytes()) as u64;
        // Where little memory is left, the table begins smaller.
        let usual_bytes = 64 << 10;
        let first_bytes = self.options.first_table_bytes.unwrap_or(usual_bytes);
        let first_bytes = first_bytes.min(budget.left() / 2);
        let index_bits = (first_bytes / line_bytes).max(1).ilog2();
        let table = Table::<R>::new(layout, index_bits, memory).map_err(|_| SetupError::Memory)?;
        if !budget.take(table.bytes() + problem.ranking.bytes()) {
            return Err(SetupError::Memory);
        }
        let restores = terms.restores;
        let (format, want) = (self.batch_format(), self.options.want);
        // Without room for it the search goes without.
        let scouting = if terms.scouts { self.scouted::<R, G>(&problem, &budget) } else { None };
        let shard = Shard::new(problem, table, budget, format, self.digest, want, terms)
            .map_err(SetupError::File)?;
        let shard = shard.scouting(scouting);
        if !restores {
            shard.seed(self.search);
        }
        Ok(shard)
    }
}

/// The layout of entries for ranks of type `R` on a board, where they fit.
pub(crate) fn layout<R: Rank>(board: &Board, memory: u64) -> Option<Layout> {
    let (bits, exact) = rank_bits(board.live(), board.boxes().len());
    if !exact || bits > R::BITS.min(MOST_RANK_BITS) {
        return None;
    }
    // Costs beyond this are not ruled out, but rare enough to start again with wider entries; the widest leave to the
    // cost what the rank does not take.
    let widest = R::WORDS == <U256 as Rank>::WORDS;
    let cost = 16 * board.squares() as u64 * (board.boxes().len() as u64 + 1);
    let likely_cost = if widest { 0 } else { cost };
    let line_bytes = (SLOTS * 8 * R::WORDS) as u64;
    // The first table may take a quarter of the memory, and never more than 256 MB.
    let base_bits = (memory.min(1 << 30) / 4 / line_bytes).max(1).ilog2();
    let boxes = board.boxes().len();
    Layout::new(R::WORDS, bits, board.squares(), boxes, likely_cost.max(8_000), base_bits)
}
