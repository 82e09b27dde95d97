//! One shard of a search that runs on many machines.
//!
//! A [`Node`] is the same shard that a search in one process has, with an inbox and outboxes: it owns the box sets that
//! a table of owners gives to it, sends successors of others away in batches, and takes in theirs. Who carries the
//! batches, opens the levels and sees that they are over is not its business; a [`Navigator`](crate::Navigator) says
//! which level comes next.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use ethnum::U256;

use crate::board::Square;
use crate::journal::{JournalPlace, JournalStatus, Segment};
use crate::plan::{OnBoard, Options, Plan, SetupError};
use crate::rank::Rank;
use crate::search::agenda::{End, Sealed, Wake};
use crate::search::exchange::{BatchError, Exchange};
use crate::search::incumbent::{Finish, Trail};
use crate::search::shard::{Shard, Terms};
use crate::search::side::{Level as SearchLevel, Side};
use crate::search::spill::SpillPlace;
use crate::search::want::Want;
use crate::table::TableSize;
use crate::walk::Ground;
use crate::{
    Control, EstimateChoice, Level, Limit, Next, Objective, Rule, SearchChoice, Statistics, Stop,
    Unsolvable, Unsupported,
};

/// The rank of a box set as 32 bytes, the least significant first.
pub type BoxSet = [u8; 32];

/// What all nodes of a search must have in common, and what the search is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Course {
    /// The rule to finish by.
    pub rule: Rule,
    /// What a solution is to have fewest of.
    pub objective: Objective,
    /// The end to start from.
    pub search: SearchChoice,
    /// The lower bound to be led by.
    pub estimate: EstimateChoice,
    /// Whether dominated states are dropped.
    pub dominance: bool,
    /// Whether pushes into deadlocks are refused.
    pub deadlocks: bool,
    /// Whether the search is after the states of all best solutions, so that these can be compared and counted
    /// ([`Navigator::compare`](crate::Navigator::compare)).
    pub wants_all: bool,
}

impl Course {
    /// The usual course under a rule, to the fewest moves.
    pub fn new(rule: Rule) -> Self {
        Self {
            rule,
            objective: Objective::Moves,
            search: SearchChoice::Auto,
            estimate: EstimateChoice::Auto,
            dominance: true,
            deadlocks: true,
            wants_all: false,
        }
    }

    /// Whether a search for any best solution may do what would lose others. Where all are wanted, such a search should go
    /// first then, and one for all of them follow that knows the cost.
    pub fn any_is_cheaper(&self) -> bool {
        self.options().any_is_cheaper(self.objective)
    }

    fn options(&self) -> Options {
        Options {
            search: self.search,
            estimate: self.estimate,
            dominance: self.dominance,
            deadlocks: self.deadlocks,
            want: if self.wants_all { Want::All } else { Want::Any },
            ..Options::default()
        }
    }

    /// The plan of a board.
    pub(crate) fn plan(&self, level: &Level) -> Result<Plan, NodeError> {
        if self.search == SearchChoice::Ida {
            return Err(NodeError::Search);
        }
        Plan::new(level, self.rule, self.objective, self.options()).map_err(NodeError::Unsolvable)
    }
}

/// The part of one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The node that owns each of the [`VIRTUAL_SHARDS`](crate::VIRTUAL_SHARDS).
    pub owners: Vec<u16>,
    /// This node.
    pub me: u16,
    /// How many there are.
    pub nodes: usize,
    /// Most bytes it may allocate.
    pub memory: u64,
    /// Threads it searches on, at least 1.
    pub threads: usize,
    /// Where it keeps a journal, if it does.
    pub journal: Option<JournalPlace>,
    /// Whether it is going to be restored ([`Node::restore`]) instead of beginning at the start.
    pub restores: bool,
    /// Where rows of the open list may wait, if not all in memory.
    pub spill: Option<SpillPlace>,
}

/// Why a node cannot take its part in a search.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NodeError {
    /// The board has no solution; nothing is to be searched.
    #[error("the board has no solution: {0}")]
    Unsolvable(Unsolvable),
    /// The board is too wide.
    #[error("{0}")]
    Unsupported(Unsupported),
    /// [`SearchChoice::Ida`] runs in one process only.
    #[error("a search by ida runs in one process; expected another search")]
    Search,
    /// Not even the first table fits the memory.
    #[error("{0} bytes of memory do not hold the first table")]
    Memory(u64),
    /// The table of owners does not fit the number of nodes.
    #[error("{0}")]
    Share(&'static str),
    /// The system gives no threads.
    #[error("no threads: {0}")]
    Threads(String),
    /// A file for the journal or the open list cannot be made.
    #[error("the disk gives no file: {0}")]
    Disk(String),
}

/// Why a batch was not taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OfferError {
    /// There is no room in the inbox now; later there will be.
    #[error("the inbox is full")]
    Full,
    /// It can never be used.
    #[error(transparent)]
    Bad(#[from] BatchError),
}

/// A solution that was found, with its box set in the form in which it travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundFinish {
    /// Cost of the whole solution.
    pub cost: u32,
    /// The box set to begin walking back from.
    pub rank: BoxSet,
    /// By a push that finished the board: number of the keeper's square and cost up to then. `None`: by a meeting of
    /// both sides in the row.
    pub finished: Option<(u32, u32)>,
}

/// A state of a row, as it travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowEntry {
    /// Number of the keeper's square.
    pub keeper: u32,
    /// Least cost known.
    pub cost: u32,
    /// The side that reached it.
    pub side: Side,
}

/// How a node stands.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NodeStatus {
    /// No work of the open level is left here: nothing waits, is unapplied or unsealed, and all threads are idle.
    pub idle: bool,
    /// Batches ever sealed. With `idle` and `applied` of one moment.
    pub sealed: u64,
    /// Batches ever applied.
    pub applied: u64,
    /// What waits, forward and backward.
    pub next: [Option<Next>; 2],
    /// The best solution found here.
    pub best: Option<FoundFinish>,
    /// Whether the memory limit has been reached; then the search is over.
    pub memory_exhausted: bool,
    /// What has gone wrong inside, such as a panic of a thread, or a segment that could not be read; then the search is
    /// over.
    pub fault: Option<String>,
    /// Where the journal stands, if there is one. While the node is idle its segments hold all that it was told.
    pub journal: Option<JournalStatus>,
    /// What has been counted.
    pub statistics: Statistics,
    /// Bytes held, those of inbox and outboxes included.
    pub memory: u64,
    /// Bytes of batches that wait to be applied.
    pub inbox: u64,
    /// Bytes of batches that wait to be taken.
    pub outbox: u64,
    /// The size of the table; `None` while it grows.
    pub table: Option<TableSize>,
}

/// One shard of a search that runs on many machines.
pub struct Node {
    shard: Arc<dyn AnyShard>,
    /// Whether part of the search was done by others, who are not there any more.
    restores: bool,
    control: Control,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Node {
    /// Sets up a shard and starts its threads. Takes up to a second on large boards.
    ///
    /// `wake` is called, from any thread and under a lock, when the status may be worth a look; it must not wait, nor
    /// call the node.
    pub fn start(
        level: &Level,
        course: Course,
        share: Share,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Result<Self, NodeError> {
        if share.owners.len() != crate::VIRTUAL_SHARDS {
            return Err(NodeError::Share("the table of owners has the wrong length"));
        }
        let known = |owner: &u16| usize::from(*owner) < share.nodes;
        if !share.owners.iter().all(known) || !known(&share.me) {
            return Err(NodeError::Share("an owner, or this node, is none of the nodes"));
        }
        let plan = course.plan(level)?;
        let control = Control::new();
        let wake: Wake = Box::new(wake);
        let (threads, restores) = (share.threads.max(1), share.restores);
        let set_up = SetUp { share, control: control.clone(), wake };
        let shard = plan.run(set_up).map_err(NodeError::Unsupported)??;
        let node = Self { shard, restores, control, threads: Mutex::new(Vec::new()) };
        for number in 0..threads {
            let shard = Arc::clone(&node.shard);
            let thread = std::thread::Builder::new()
                .name(format!("search-{number}"))
                .spawn(move || shard.work(number))
                .map_err(|error| NodeError::Threads(error.to_string()))?;
            node.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        }
        Ok(node)
    }

    /// Opens a level: work on it begins. The level before must be over on all nodes.
    pub fn open_level(&self, side: Side, f: u32, incumbent: Option<u32>) {
        incumbent.into_iter().for_each(|cost| self.lower_incumbent(cost));
        self.shard.open_level(SearchLevel::of_f(side, f));
    }

    /// Tells that a solution of this cost is known; ignored unless less than what is known.
    pub fn lower_incumbent(&self, cost: u32) {
        self.shard.lower_incumbent(cost);
    }

    /// Takes in a batch of another node's.
    pub fn offer(&self, batch: Vec<u8>) -> Result<(), OfferError> {
        self.shard.offer(batch)
    }

    /// The next batch for a node, if one is sealed.
    pub fn take(&self, node: u16) -> Option<Sealed> {
        self.shard.take(node)
    }

    /// How things stand.
    pub fn status(&self) -> NodeStatus {
        self.shard.status()
    }

    /// The states of each of the box sets, in that order; none for a number that names no box set.
    pub fn rows(&self, ranks: &[BoxSet]) -> Vec<Vec<RowEntry>> {
        self.shard.rows(ranks)
    }

    /// The box sets in which solutions of this cost, the least known anywhere, were found here, in order: the first `most`
    /// of those that come after one. Where all best solutions are wanted and the search is over, those of all nodes
    /// together are what [`Navigator::compare`](crate::Navigator::compare) asks for.
    ///
    /// `None` if they are not known: nobody wants all solutions, they did not fit the memory, or the node was restored.
    pub fn ends(&self, cost: u32, after: Option<&BoxSet>, most: usize) -> Option<Vec<BoxSet>> {
        if self.restores { None } else { self.shard.ends(cost, after, most) }
    }

    /// Reads segments of earlier journals of the same search back, in place of the start: states that this node owns are
    /// stored, the others sent to their owners. The node is idle when that is done, on all nodes, and no level may be
    /// opened before. `closed` is the [`Reached::closed`](crate::Reached::closed) of the moment that the segments are of.
    ///
    /// A segment that cannot be read ends the search with a fault.
    pub fn restore(&self, directory: &Path, segments: Vec<Segment>, closed: [Option<u32>; 2]) {
        self.shard.restore(directory, segments, closed);
    }

    /// Makes durable what the journal holds, and waits for the disk. A failure shows in the status from then on.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn sync(&self) -> io::Result<()> {
        self.shard.sync()
    }

    /// Begins the journal anew, in the background: see [`JournalStatus`].
    pub fn compact(&self) {
        let shard = Arc::clone(&self.shard);
        let dump = std::thread::Builder::new().name("compact".to_owned());
        if let Ok(thread) = dump.spawn(move || shard.compact()) {
            self.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        }
    }

    /// Ends all work and waits for the threads: some milliseconds, or as long as a large table takes to grow.
    pub fn stop(&self) {
        self.control.stop(Stop::Interrupt);
        self.shard.end();
        let threads =
            std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            // A panic has been reported as a fault.
            let _ = thread.join();
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.stop();
    }
}

struct SetUp {
    share: Share,
    control: Control,
    wake: Wake,
}

impl OnBoard for SetUp {
    type Output = Result<Arc<dyn AnyShard>, NodeError>;

    fn with<R: Rank, G: Ground>(self, plan: &Plan) -> Result<Self::Output, Self> {
        if !plan.fits::<R>(self.share.memory) {
            return Err(self);
        }
        let Self { share, control, wake } = self;
        let format = plan.batch_format();
        let exchange = Exchange::new(format, share.owners, share.me, share.nodes);
        let terms = Terms {
            threads: share.threads.max(1),
            control,
            most_expansions: u64::MAX,
            exchange: Some(exchange),
            wake: Some(wake),
            journal: share.journal,
            restores: share.restores,
            spill: share.spill,
            scouts: false,
        };
        Ok(match plan.shard::<R, G>(share.memory, terms) {
            Ok(shard) => Ok(Arc::new(shard)),
            Err(SetupError::TooNarrow | SetupError::Memory) => Err(NodeError::Memory(share.memory)),
            Err(SetupError::File(missing)) => Err(NodeError::Disk(missing.to_string())),
        })
    }
}

/// A shard of whatever types fit its board.
trait AnyShard: Send + Sync {
    fn work(&self, number: usize);
    fn open_level(&self, level: SearchLevel);
    fn lower_incumbent(&self, cost: u32);
    fn offer(&self, batch: Vec<u8>) -> Result<(), OfferError>;
    fn take(&self, node: u16) -> Option<Sealed>;
    fn status(&self) -> NodeStatus;
    fn rows(&self, ranks: &[BoxSet]) -> Vec<Vec<RowEntry>>;
    fn ends(&self, cost: u32, after: Option<&BoxSet>, most: usize) -> Option<Vec<BoxSet>>;
    fn restore(&self, directory: &Path, segments: Vec<Segment>, closed: [Option<u32>; 2]);
    fn sync(&self) -> io::Result<()>;
    fn compact(&self);
    fn end(&self);
}

impl<R: Rank, G: Ground> AnyShard for Shard<R, G> {
    fn work(&self, number: usize) {
        Self::work(self, number);
    }

    fn open_level(&self, level: SearchLevel) {
        Self::open_level(self, level);
    }

    fn lower_incumbent(&self, cost: u32) {
        self.incumbent.lower(cost);
    }

    fn offer(&self, batch: Vec<u8>) -> Result<(), OfferError> {
        self.check_batch(&batch)?;
        self.agenda.deliver(batch).map_err(|_| OfferError::Full)
    }

    fn take(&self, node: u16) -> Option<Sealed> {
        self.agenda.collect(node)
    }

    fn status(&self) -> NodeStatus {
        let standing = self.agenda.standing();
        let fault = match standing.end {
            Some(End::Panicked) => Some("a search thread panicked".to_owned()),
            Some(End::Limit(Limit::Disk)) => {
                let fault = self.disk_fault().unwrap_or("no disk");
                Some(format!("the open list cannot wait on disk: {fault}"))
            }
            Some(End::CostTooLarge) => Some("a cost does not fit the table's entries".to_owned()),
            Some(End::Damaged) => self.damage().as_ref().map(ToString::to_string),
            _ => None,
        };
        let (inbox, outbox) = self.agenda.post_bytes();
        NodeStatus {
            idle: standing.idle,
            sealed: standing.sealed,
            applied: standing.applied,
            next: standing.next,
            best: self.incumbent.best().map(found),
            memory_exhausted: standing.end == Some(End::Limit(Limit::Memory)),
            fault,
            journal: self.journal().map(|journal| journal.status()),
            statistics: self.statistics(),
            memory: self.budget.used() + inbox + outbox,
            inbox,
            outbox,
            table: self.table_size(),
        }
    }

    fn rows(&self, ranks: &[BoxSet]) -> Vec<Vec<RowEntry>> {
        let sets = self.problem.ranking.sets();
        let row = |set: &BoxSet| {
            let Some(rank) = to_rank::<R>(set).filter(|&rank| rank < sets) else {
                return Vec::new();
            };
            let entries = Self::rows(self, std::iter::once(rank)).into_iter().flatten();
            entries
                .map(|entry| RowEntry {
                    keeper: entry.keeper.index() as u32,
                    cost: entry.cost,
                    side: entry.side,
                })
                .collect()
        };
        ranks.iter().map(row).collect()
    }

    fn ends(&self, cost: u32, after: Option<&BoxSet>, most: usize) -> Option<Vec<BoxSet>> {
        let after = match after {
            // What is no rank of this board comes after all that are.
            Some(set) => match to_rank::<R>(set) {
                Some(rank) => Some(rank),
                None => return Some(Vec::new()),
            },
            None => None,
        };
        let ranks = self.ends_after(after, most, cost)?;
        Some(ranks.into_iter().map(to_box_set).collect())
    }

    fn restore(&self, directory: &Path, segments: Vec<Segment>, closed: [Option<u32>; 2]) {
        Self::restore(self, directory, segments, closed);
    }

    fn sync(&self) -> io::Result<()> {
        self.journal().map_or(Ok(()), |journal| journal.sync())
    }

    fn compact(&self) {
        Self::compact(self);
    }

    fn end(&self) {
        self.agenda.end(End::Finished);
    }
}

pub(crate) fn found<R: Rank>(finish: Finish<R>) -> FoundFinish {
    let finished = match finish.trail {
        Trail::Finished { keeper, push_cost } => Some((keeper.index() as u32, push_cost)),
        Trail::Meeting => None,
    };
    FoundFinish { cost: finish.cost, rank: to_box_set(finish.rank), finished }
}

/// The finish that travelled, unless it names no state of the board.
pub(crate) fn to_finish<R: Rank>(
    found: FoundFinish,
    sets: R,
    squares: usize,
) -> Result<Finish<R>, &'static str> {
    let rank = to_rank::<R>(&found.rank).filter(|&rank| rank < sets);
    let rank = rank.ok_or("the finish names no box set")?;
    let trail = match found.finished {
        None => Trail::Meeting,
        Some((keeper, push_cost)) if (keeper as usize) < squares => {
            Trail::Finished { keeper: Square::from_index(keeper as usize), push_cost }
        }
        Some(_) => return Err("the finish names no square"),
    };
    Ok(Finish { cost: found.cost, rank, trail })
}

/// The form in which a rank travels.
pub(crate) fn to_box_set<R: Rank>(rank: R) -> BoxSet {
    let mut set = [0; 32];
    for (index, bytes) in set.chunks_exact_mut(8).enumerate() {
        bytes.copy_from_slice(&rank.word(index as u32).to_le_bytes());
    }
    set
}

/// The rank that travelled, unless it is too wide.
pub(crate) fn to_rank<R: Rank>(set: &BoxSet) -> Option<R> {
    let whole = U256::from_le_bytes(*set);
    (Rank::bit_length(whole) <= R::BITS).then(|| {
        (0..4).fold(R::ZERO, |rank, index| rank.add(R::from_word(whole.word(index), index)))
    })
}
