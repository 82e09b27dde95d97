//! One process, one board.

use crate::board::Board;
use crate::durable::{Checkpoint, Durable, DurableError, Edge, Keeping};
use crate::ida::{Deepening, Dug};
use crate::journal::{JournalPlace, Segment};
use crate::node::{found, to_finish};
use crate::plan::{OnBoard, Options, Plan, SetupError};
use crate::rank::Rank;
use crate::search::agenda::End;
use crate::search::layers::Parity;
use crate::search::lead::Lead;
use crate::search::levels::{Levels, Reached};
use crate::search::shard::{NoFile, Shard, Terms};
use crate::search::side::Side;
use crate::search::spill::SpillPlace;
use crate::search::want::Want;
use crate::verify::verify;
use crate::walk::Ground;
use crate::{
    Control, Ending, Level, Limit, Moves, Objective, Outcome, Rule, Solution, Statistics,
    UnknownName, Unsolvable,
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
    /// The matching and the keeper's ways back for the next box, for fewest moves. For fewest pushes it is the matching,
    /// as walks cost nothing then.
    Walk,
    /// None: uniform-cost search (E. W. Dijkstra, *A note on two problems in connexion with graphs*, 1959). The textbook
    /// baseline, and no proof that needs an estimate.
    None,
}

impl std::fmt::Display for EstimateChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Auto => "auto",
            Self::Nearest => "nearest",
            Self::Matching => "matching",
            Self::Walk => "walk",
            Self::None => "none",
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
            "walk" => Ok(Self::Walk),
            "none" => Ok(Self::None),
            _ => Err(UnknownName::new("estimate", word, "auto, nearest, matching, walk or none")),
        }
    }
}

/// The end a search starts from, and how it goes on.
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
    /// From both ends, until they meet: by cost alone, or led by an estimate on either side.
    TwoSided,
    /// Iterative deepening A* from the start, in memory that does not grow; in one process only. Without a limit of memory
    /// it takes [`IDA_MEMORY`](crate::IDA_MEMORY).
    Ida,
}

impl SearchChoice {
    /// Whether states of this side are searched.
    pub(crate) fn goes(self, side: Side) -> bool {
        match side {
            Side::Forward => self != Self::Backward,
            Side::Backward => matches!(self, Self::Backward | Self::TwoSided),
        }
    }
}

impl std::fmt::Display for SearchChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Auto => "auto",
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::TwoSided => "two-sided",
            Self::Ida => "ida",
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
            "ida" => Ok(Self::Ida),
            _ => {
                let known = "auto, forward, backward, two-sided or ida";
                Err(UnknownName::new("search", word, known))
            }
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

impl EntryWidth {
    /// Its size in bytes.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Bytes8 => 8,
            Self::Bytes16 => 16,
            Self::Bytes32 => 32,
        }
    }
}

impl std::fmt::Display for EntryWidth {
    /// Its size in bytes, as a number.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.bytes().fmt(f)
    }
}

impl std::str::FromStr for EntryWidth {
    type Err = UnknownName;

    fn from_str(word: &str) -> Result<Self, UnknownName> {
        match word {
            "8" => Ok(Self::Bytes8),
            "16" => Ok(Self::Bytes16),
            "32" => Ok(Self::Bytes32),
            _ => Err(UnknownName::new("entry width", word, "8, 16 or 32")),
        }
    }
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
    spill: Option<SpillPlace>,
    expansions: u64,
    counts: bool,
    breaks_ties: bool,
    scouts: bool,
    control: Control,
}

impl<'a> Solver<'a> {
    /// A search on `level` under its own rule, on one thread, without limits.
    pub fn new(level: &'a Level) -> Self {
        Self {
            level,
            rule: level.rule(),
            objective: Objective::default(),
            options: Options::default(),
            threads: 1,
            memory: u64::MAX,
            spill: None,
            expansions: u64::MAX,
            counts: false,
            breaks_ties: false,
            scouts: false,
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

    /// The lower bound to be led by. A backward search uses none and ignores it; one from both ends uses one where it is
    /// named, or where pushes count and both choices are left to us. With [`SearchChoice::Auto`] and fewest moves, naming
    /// one chooses [`SearchChoice::Forward`].
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

    /// Lets rows of the open list wait on disk when they take more memory than their share, or when memory runs out.
    ///
    /// A file that cannot be written any more is done without; one that cannot be made, or not be read back, ends the
    /// search with [`Limit::Disk`].
    pub fn spill(self, place: SpillPlace) -> Self {
        Self { spill: Some(place), ..self }
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

    /// Bytes of the table at the start; it doubles as it fills. With [`SearchChoice::Ida`] it stays as it is, and takes what
    /// the memory leaves if nothing is said here.
    pub fn first_table_bytes(mut self, bytes: u64) -> Self {
        self.options.first_table_bytes = Some(bytes);
        self
    }

    /// Whether to count the optimal solutions ([`Solution::count`]): those of fewest moves, or, with
    /// [`Objective::Pushes`], those of fewest pushes and, among these, fewest moves.
    ///
    /// The search goes on for it when the optimum is proven. Where what it takes does not fit the memory, or a limit comes
    /// between, the solution is proven and the number is not known. Nor is it for a search that was taken up again from a
    /// checkpoint, or keeps any and is for pushes or from both ends with an estimate: such a search is one for any optimal
    /// solution, and another for all of them follows. With
    /// [`SearchChoice::Ida`] it never is.
    pub fn count(self, on: bool) -> Self {
        Self { counts: on, ..self }
    }

    /// Whether to look for the best of the optimal solutions: fewest pushes among those of fewest moves, or, with
    /// [`Objective::Pushes`], fewest moves among those of fewest pushes.
    ///
    /// Whether that was proven, the solution says ([`Solution::tie`]); what stands in the way of counting them, stands in
    /// the way of this.
    pub fn break_ties(self, on: bool) -> Self {
        Self { breaks_ties: on, ..self }
    }

    /// Whether to look for a solution before the proof, by beam search, on the first of the threads: a part of its time goes
    /// there. What is found spares the proof work, and is what there is when a limit comes first. It changes nothing about
    /// what is proven. What that expands is not counted.
    ///
    /// A search that keeps checkpoints, or goes depth first ([`SearchChoice::Ida`]), does without.
    pub fn scout(self, on: bool) -> Self {
        Self { scouts: on, ..self }
    }

    /// The handle to stop it by and to watch it.
    pub fn control(self, control: Control) -> Self {
        Self { control, ..self }
    }

    /// The search that [`Solver::solve`] will run: the one asked for, or what [`SearchChoice::Auto`] stands for on this
    /// level.
    pub fn chosen_search(&self) -> SearchChoice {
        self.options.search_of(&Board::new(self.level), self.objective)
    }

    /// Searches until an ending is reached.
    ///
    /// # When the answer is optimal
    ///
    /// [`Ending::Optimal`] and [`Ending::Unsolvable`] are proofs by exhaustion, whatever the number of threads and the
    /// options: the estimates are consistent, so a state is closed at its least cost whichever thread takes it; a level
    /// ends only when no thread holds work of it; and every refused push is one no solution contains.
    pub fn solve(self) -> Outcome {
        match self.run(None) {
            Ok(outcome) => outcome,
            Err(error) => {
                unreachable!("nothing is wrong with a journal where there is none: {error}")
            }
        }
    }

    /// Keeps a journal, so that the search can be taken up again if it is cut off.
    ///
    /// `at_edge` is called between any two levels, from the thread that searches; until it returns the search waits.
    pub fn durable(
        self,
        journal: JournalPlace,
        at_edge: impl FnMut(&Edge<'_>) + 'a,
    ) -> Durable<'a> {
        Durable::new(self, journal, Box::new(at_edge))
    }

    pub(crate) fn run(&self, keeping: Option<&mut Keeping<'_>>) -> Result<Outcome, DurableError> {
        // What was found before a search was cut off is not known any more.
        let resumes = keeping.as_ref().is_some_and(|keeping| keeping.resume.is_some());
        let is_ida = self.options.search == SearchChoice::Ida;
        let asked = (self.counts || self.breaks_ties) && !resumes && !is_ida;
        let options = Options { alone: keeping.is_none(), ..self.options };
        match (options.any_is_cheaper(self.objective), keeping) {
            (true, None) if asked => self.prove_then_compare(),
            (false, keeping) if asked => self.search_for(Want::All, None, keeping),
            (_, keeping) => self.search_for(Want::Any, None, keeping),
        }
    }

    /// Proves the optimum with all that is right for one solution only, and then searches once more for all of that cost.
    /// What comes between leaves the proof.
    fn prove_then_compare(&self) -> Result<Outcome, DurableError> {
        let mut outcome = self.search_for(Want::Any, None, None)?;
        let Ending::Optimal(solution) = &outcome.ending else { return Ok(outcome) };
        let (cost, statistics) = (solution.cost(self.objective) as u32, outcome.statistics);
        let proven = Proven { cost, statistics };
        let second = self.search_for(Want::All, Some(&proven), None)?;
        if let Ending::Optimal(best) = second.ending {
            outcome.ending = Ending::Optimal(best);
        }
        outcome.statistics = second.statistics;
        outcome.statistics.peak_bytes = statistics.peak_bytes.max(second.statistics.peak_bytes);
        Ok(outcome)
    }

    /// One search, for so many of the best solutions.
    fn search_for(
        &self,
        want: Want,
        proven: Option<&Proven>,
        keeping: Option<&mut Keeping<'_>>,
    ) -> Result<Outcome, DurableError> {
        let statistics = Statistics::default();
        let without_search = |ending| Outcome { ending, statistics, disk_fault: None };
        let is_ida = self.options.search == SearchChoice::Ida;
        let options = Options { want, alone: keeping.is_none(), ..self.options };
        match Plan::new(self.level, self.rule, self.objective, options) {
            Err(reason) => Ok(without_search(Ending::Unsolvable(reason))),
            Ok(_) if is_ida && keeping.is_some() => Err(DurableError::Search),
            Ok(plan) if is_ida => match plan.run(self.deepening()) {
                Ok(dug) => Ok(self.outcome(dug)),
                Err(reason) => Ok(without_search(Ending::Unsupported(reason))),
            },
            Ok(plan) => match plan.run(InProcess { solver: self, proven, keeping }) {
                Ok(outcome) => outcome,
                Err(reason) => Ok(without_search(Ending::Unsupported(reason))),
            },
        }
    }

    /// The best solution of a shard, replayed.
    fn solution<R: Rank, G: Ground>(&self, shard: &Shard<R, G>) -> Option<Solution> {
        let moves = shard.best_moves()?;
        Some(self.replayed(shard.incumbent.cost(), moves))
    }

    /// The depth-first search that was asked for.
    fn deepening(&self) -> Deepening {
        Deepening {
            threads: self.threads,
            memory: self.memory,
            table_bytes: self.options.first_table_bytes,
            most_expansions: self.expansions,
            control: self.control.clone(),
        }
    }

    /// What came of the depth-first search, its solution replayed.
    fn outcome(&self, dug: Dug) -> Outcome {
        let Dug { limit, lower_bound, best, statistics } = dug;
        let best = best.map(|(cost, moves)| self.replayed(cost, moves));
        let ending = match (limit, best) {
            (Some(limit), best) => Ending::Limit { limit, lower_bound, best },
            (None, Some(solution)) => Ending::Optimal(solution),
            (None, None) => Ending::Unsolvable(Unsolvable::Exhausted),
        };
        Outcome { ending, statistics, disk_fault: None }
    }

    fn replayed(&self, cost: u32, moves: Moves) -> Solution {
        verify(self.level, self.rule, &moves).expect("the search pushes by the rules");
        let solution = Solution::new(moves);
        assert!(solution.cost(self.objective) <= cost as usize, "the search says what it costs");
        solution
    }
}

impl Solver<'_> {
    /// Makes the best solution what it is to be among those as good, as far as they are known.
    fn among_all<R: Rank, G: Ground>(
        &self,
        shard: &Shard<R, G>,
        forward_closed_below: u32,
        best: &mut Solution,
    ) {
        let Some(optima) = shard.optima(forward_closed_below) else { return };
        if self.breaks_ties {
            *best = self.replayed(shard.incumbent.cost(), optima.moves);
            best.tie = self.objective.tie();
        }
        best.count = self.counts.then_some(optima.count);
    }
}

/// What a search before this one has proven.
#[derive(Clone, Copy, Debug)]
struct Proven {
    /// What the best solutions cost.
    cost: u32,
    /// What that took.
    statistics: Statistics,
}

/// The search of one process: a single shard, and the levels opened by this thread.
struct InProcess<'s, 'a, 'k, 'e> {
    solver: &'s Solver<'a>,
    proven: Option<&'s Proven>,
    keeping: Option<&'k mut Keeping<'e>>,
}

impl OnBoard for InProcess<'_, '_, '_, '_> {
    type Output = Result<Outcome, DurableError>;

    fn with<R: Rank, G: Ground>(mut self, plan: &Plan) -> Result<Self::Output, Self> {
        let solver = self.solver;
        let resume = self.keeping.as_ref().and_then(|keeping| keeping.resume.clone());
        let before = match (&resume, self.proven) {
            // What is stored is counted again as it is read back.
            (Some(Checkpoint { statistics, .. }), _) => {
                Statistics { states: 0, peak_bytes: 0, ..*statistics }
            }
            (None, Some(proven)) => Statistics { peak_bytes: 0, ..proven.statistics },
            (None, None) => Statistics::default(),
        };
        let terms = Terms {
            threads: solver.threads,
            control: solver.control.clone(),
            // Those before count.
            most_expansions: solver.expansions.saturating_sub(before.expanded),
            exchange: None,
            wake: None,
            journal: self.keeping.as_ref().map(|keeping| keeping.place.clone()),
            restores: resume.is_some(),
            spill: solver.spill.clone(),
            // What is found without a trace in the table could not be found again from a checkpoint.
            scouts: solver.scouts && self.keeping.is_none() && self.proven.is_none(),
        };
        let mut levels = match (&resume, self.proven) {
            (Some(checkpoint), _) => plan.levels_from(checkpoint.reached),
            (None, Some(&Proven { cost, statistics: Statistics { levels, .. } })) => {
                let lower_bound = cost;
                plan.levels_from(Reached { lower_bound, levels, ..Reached::default() })
            }
            (None, None) => plan.levels(),
        };
        let limited = |limit, disk_fault| {
            let ending = Ending::Limit { limit, lower_bound: levels.lower_bound(), best: None };
            Ok(Ok(Outcome { ending, statistics: before, disk_fault }))
        };
        let shard = match plan.shard::<R, G>(solver.memory, terms) {
            Ok(shard) => shard,
            Err(SetupError::TooNarrow) => return Err(self),
            Err(SetupError::Memory) => return limited(Limit::Memory, None),
            Err(SetupError::File(NoFile::Journal { folder, error })) => {
                return Ok(Err(DurableError::Journal { folder, error }));
            }
            Err(SetupError::File(missing @ NoFile::OpenList { .. })) => {
                return limited(Limit::Disk, Some(missing.to_string()));
            }
        };
        if let Some(Checkpoint { best, .. }) = &resume {
            let sets = shard.problem.ranking.sets();
            let best = best.map(|best| to_finish(best, sets, shard.problem.board.squares()));
            match best.transpose() {
                Ok(best) => best.into_iter().for_each(|best| shard.incumbent.offer(best)),
                Err(problem) => return Ok(Err(DurableError::Checkpoint(problem))),
            }
        }
        if let Some(&Proven { cost, .. }) = self.proven {
            shard.incumbent.lower(cost);
        }
        solver.control.begin(before.expanded, shard.incumbent.cost(), levels.lower_bound());
        let drive = Drive { shard: &shard, levels: &mut levels, parity: plan.parity(), before };
        let end = drive.run(solver, resume, self.keeping.as_deref_mut());
        match end {
            End::CostTooLarge => return Err(self),
            End::Damaged => {
                let error = shard.damage().take().expect("said before the end");
                return Ok(Err(error.into()));
            }
            End::Finished | End::Limit(_) | End::Panicked => {}
        }
        let mut best = solver.solution(&shard);
        if end == End::Finished
            && let Some(solution) = &mut best
        {
            solver.among_all(&shard, levels.forward_closed_below(), solution);
        }
        // The search may have gone on for the others, or a limit has come between the proof and its end.
        let proven = levels.lower_bound() == shard.incumbent.cost();
        let ending = match (end, best) {
            (End::Limit(_), Some(solution)) if proven => Ending::Optimal(solution),
            (End::Limit(limit), best) => {
                Ending::Limit { limit, lower_bound: levels.lower_bound(), best }
            }
            (_, Some(solution)) => Ending::Optimal(solution),
            (_, None) => Ending::Unsolvable(Unsolvable::Exhausted),
        };
        let mut statistics = shard.statistics();
        statistics += before;
        statistics.levels = levels.opened();
        let is_disk = end == End::Limit(Limit::Disk);
        let disk_fault = shard.disk_fault().filter(|_| is_disk).map(str::to_owned);
        Ok(Ok(Outcome { ending, statistics, disk_fault }))
    }
}

/// Opens the levels of the one shard.
struct Drive<'d, R, G: Ground> {
    shard: &'d Shard<R, G>,
    levels: &'d mut Levels,
    /// The costs that solutions can have.
    parity: Parity,
    /// Counted before this search, which goes on from there.
    before: Statistics,
}

impl<R: Rank, G: Ground> Drive<'_, R, G> {
    /// Opens level after level until the proof is complete or a limit is reached.
    fn run(
        self,
        solver: &Solver<'_>,
        resume: Option<Checkpoint>,
        mut keeping: Option<&mut Keeping<'_>>,
    ) -> End {
        let (shard, threads) = (self.shard, solver.threads);
        std::thread::scope(|scope| {
            for number in 0..threads {
                let thread = std::thread::Builder::new().name(format!("search-{number}"));
                match thread.spawn_scoped(scope, move || shard.work(number)) {
                    Ok(_) => {}
                    // The system gives no more of them: those there are do the work.
                    Err(_) if number > 0 => {
                        shard.agenda.do_without(threads - number);
                        break;
                    }
                    Err(error) => panic!("the system gives not even one thread: {error}"),
                }
            }
            let mut read = Vec::new();
            if let (Some(checkpoint), Some(keeping)) = (resume, &keeping) {
                read = checkpoint.segments;
                let closed = checkpoint.reached.closed;
                shard.restore(keeping.directory(), read.clone(), closed);
            }
            let end = loop {
                match shard.agenda.wait_until_quiet() {
                    Ok(next) => {
                        shard.is_restored();
                        if shard.is_putting_off() {
                            self.levels.successors_are_put_off();
                        }
                        let incumbent = shard.incumbent.cost();
                        if let Some(keeping) = &mut keeping {
                            let reached = self.levels.edge(next, incumbent);
                            if self.show_edge(keeping, reached, &mut read) {
                                scope.spawn(|| shard.compact());
                            }
                        }
                        let level = match shard.problem.lead {
                            Lead::Layers => {
                                self.levels.advance_by_layers(&shard.agenda, incumbent, self.parity)
                            }
                            _ => self.levels.advance(next, incumbent),
                        };
                        match level {
                            Some(level) => {
                                solver.control.publish_level(self.levels.lower_bound());
                                shard.is_proven(self.levels.lower_bound());
                                shard.open_level(level);
                            }
                            None => break End::Finished,
                        }
                    }
                    Err(end) => break end,
                }
            };
            shard.agenda.end(end);
            end
            // The scope waits for the threads, and panics if one of them did.
        })
    }

    /// Shows the edge to the owner; says whether the journal is to be begun anew.
    ///
    /// `read` are the segments that were read back, as long as they are needed.
    fn show_edge(
        &self,
        keeping: &mut Keeping<'_>,
        reached: Reached,
        read: &mut Vec<Segment>,
    ) -> bool {
        /// Records that a journal may have beyond twice the states before it is worth beginning anew.
        const SLACK: u64 = 1 << 20;
        let Some(journal) = self.shard.journal() else { return false };
        let status = journal.status();
        if status.whole {
            read.clear();
        }
        let segments: Vec<Segment> = read.iter().cloned().chain(status.segments).collect();
        let records: u64 = segments.iter().map(|segment| segment.records).sum();
        let mut statistics = self.shard.statistics();
        statistics += self.before;
        statistics.levels = reached.levels;
        let long = records > 2 * statistics.states + SLACK;
        let best = self.shard.incumbent.best().map(found);
        let checkpoint = Checkpoint { reached, best, statistics, segments };
        let edge = Edge::new(journal, checkpoint, status.fault);
        (keeping.at_edge)(&edge);
        !status.compacting && (long || edge.wants_compaction())
    }
}
