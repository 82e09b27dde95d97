//! What the protocol needs of a shard of the search.

use sokohive_engine::{Statistics, TableSize};
use sokohive_proto::{Ends, Finish, Level, OpenList, Rank, Row, Segment};

/// One worker's share of a search: table, open list, and the threads that work on them.
///
/// All methods but [`Shard::stop`] and [`Shard::sync`] return without waiting for the search or the
/// disk.
pub trait Shard: Send + Sync + 'static {
    /// Opens a level: work on it begins.
    fn open_level(&self, level: Level, incumbent: Option<u32>);

    /// Begins to read segments of journals into the table, in place of opening the first level. What
    /// others own is sealed for them. The shard is idle when all has been read and relaxed; what
    /// cannot be read shows as a fault.
    fn restore(&self, restoration: Restoration);

    /// Makes durable what the journal held when this was called. Waits for the disk.
    ///
    /// # Errors
    ///
    /// If that cannot be done; why, for people.
    fn sync(&self) -> Result<(), String>;

    /// Begins to write the journal anew from the table.
    fn compact(&self);

    /// Tells that a solution of this cost is known; ignored unless less than what is known.
    fn lower_incumbent(&self, cost: u32);

    /// Queues a batch of a peer for relaxation.
    fn offer(&self, batch: Vec<u8>) -> Result<(), OfferError>;

    /// The next batch for a peer, if one is sealed.
    fn take(&self, peer: u16) -> Option<Sealed>;

    /// How things go.
    ///
    /// For the end of a level to be detected safely, `idle` must be read before the counts are:
    /// if it was idle then, the counts include all that led there.
    fn status(&self) -> ShardStatus;

    /// Rows of the table, one for every rank, in that order.
    fn rows(&self, ranks: &[Rank]) -> Vec<Row>;

    /// The box sets in which solutions of this cost were found here, in order: the first
    /// [`MAX_ENDS`](sokohive_proto::MAX_ENDS) of those after one. `None` if they are not known.
    fn ends(&self, cost: u32, after: Option<Rank>) -> Ends;

    /// Ends all work, waits for the threads, and gives the memory back. May take a moment; called
    /// where that does no harm. Other methods may still be called, and mean nothing.
    fn stop(&self);
}

/// What a shard is to read, and what is known of what it reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restoration {
    /// Stands for the levels that are over: what is sealed meanwhile belongs to it.
    pub level: Level,
    /// What to read.
    pub segments: Vec<Segment>,
    /// The f of the last level that is over, forward and backward: states with at most that f are
    /// closed.
    pub closed: [Option<u32>; 2],
    /// Cost of the best solution known, in moves.
    pub incumbent: Option<u32>,
}

/// A batch ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// The level it was generated in.
    pub level: Level,
    /// The records, in the engine's format.
    pub bytes: Vec<u8>,
    /// Number of records.
    pub records: u64,
}

/// Why a batch was not queued.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OfferError {
    /// There is no room for it now.
    #[error("the inbox is full")]
    Full,
    /// It can never be used: damaged, or with states that belong to another shard.
    #[error("{0}")]
    Bad(String),
}

/// How things go in a shard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShardStatus {
    /// Whether no work of the open level is left: inbox empty, every batch sealed, threads idle.
    pub idle: bool,
    /// Batches ever sealed for peers. Only grows.
    pub sealed: u64,
    /// Batches of peers ever applied. Only grows.
    pub applied: u64,
    /// What waits, at most one entry a side.
    pub open: Vec<OpenList>,
    /// The best finishing state found here.
    pub best: Option<Finish>,
    /// Whether the memory limit has been reached.
    pub memory_exhausted: bool,
    /// What has gone wrong, such as a panic of a thread.
    pub fault: Option<String>,
    /// What was counted.
    pub statistics: Statistics,
    /// Bytes held now, those of inbox and outboxes included.
    pub memory: u64,
    /// Bytes of batches that wait to be applied.
    pub inbox: u64,
    /// Bytes of batches that wait to be sent.
    pub outbox: u64,
    /// The size of the table; `None` if it is not known at the moment.
    pub table: Option<TableSize>,
    /// The journal, each segment as long as it is now. For the end of a level to be a place to go on
    /// from, this must be read after `idle` is, like the counts.
    pub segments: Vec<Segment>,
    /// What has gone wrong with the journal: it does not hold all of the table.
    pub journal_fault: Option<String>,
    /// Whether the journal is being written anew.
    pub compacting: bool,
    /// Whether the journal alone holds all of the table, without what was restored.
    pub compacted: bool,
}
