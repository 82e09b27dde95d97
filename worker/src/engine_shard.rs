//! The engine's shard behind the protocol's trait.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use sokohive_engine::{
    Course, FoundFinish, JournalPlace, Next, Node, NodeError, NodeStatus, RowEntry,
    Segment as JournalSegment, Share, Side, SpillPlace,
};
use sokohive_proto::{
    Ends, Entry, Epoch, Finish, JobKey, Level, MAX_ENDS, OpenList, Rank, Refusal, Row, Segment,
    SegmentName, Task, Trail,
};
use tracing::warn;

use crate::foundry::{Foundry, Wake};
use crate::protocol::Layout;
use crate::segments;
use crate::shard::{OfferError, Restoration, Sealed, Shard, ShardStatus};

/// Lays out the engine's shards.
#[derive(Clone, Debug, Default)]
pub struct EngineFoundry {
    /// Where journals are kept.
    journals: Option<PathBuf>,
    /// Where open lists may wait, and how many bytes of them.
    spill: Option<(PathBuf, u64)>,
}

/// Where a worker's shards keep files.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The folder for what must outlive the worker; without it there are no journals.
    pub data: Option<PathBuf>,
    /// The folder for rows of open lists; without it they stay in memory.
    pub spill: Option<PathBuf>,
    /// Most bytes of open lists on disk.
    pub most_spilled: u64,
}

impl EngineFoundry {
    /// Shards that keep their files in these places.
    pub fn new(places: Places) -> Self {
        Self {
            journals: places.data.as_deref().map(journals),
            spill: places.spill.map(|folder| (folder, places.most_spilled)),
        }
    }
}

/// The folder of journals in that for what must outlive the worker.
pub(crate) fn journals(data: &Path) -> PathBuf {
    data.join("journal")
}

/// One of the engine's shards.
pub struct EngineShard {
    node: Node,
    /// The level that is open. Held while a batch is taken, so that a batch gets the level that it
    /// was generated in: between levels there are none.
    level: Mutex<Option<Level>>,
    /// Where segments are read from.
    journals: PathBuf,
    /// Whether it has been told that the journal has failed.
    has_told: AtomicBool,
}

impl Foundry for EngineFoundry {
    type Shard = EngineShard;

    fn lay_out(&self, layout: &Layout, wake: Wake) -> Result<EngineShard, Refusal> {
        let journal = match (&self.journals, layout.journal) {
            (_, false) => None,
            (Some(folder), true) => Some(JournalPlace {
                directory: folder.clone(),
                prefix: SegmentName::prefix(layout.fence, layout.index),
            }),
            (None, true) => return Err(Refusal::NoJournal("there is no data folder".to_owned())),
        };
        let board = layout.task.level()?;
        let share = Share {
            owners: layout.owners.as_slice().to_vec(),
            me: layout.index,
            nodes: layout.peers.len(),
            memory: layout.memory,
            threads: usize::try_from(layout.threads).unwrap_or(1),
            journal,
            restores: layout.restores,
            spill: self.spill.as_ref().map(|(directory, most_bytes)| SpillPlace {
                directory: directory.clone(),
                most_bytes: *most_bytes,
                share: layout.memory / 8,
            }),
        };
        let node = Node::start(&board, course(&layout.task), share, move || wake())
            .map_err(|error| refusal(&error))?;
        let journals = self.journals.clone().unwrap_or_default();
        Ok(EngineShard {
            node,
            level: Mutex::new(None),
            journals,
            has_told: AtomicBool::new(false),
        })
    }

    fn keeps_journal(&self) -> bool {
        self.journals.is_some()
    }

    fn present(&self, segments: &[Segment]) -> Vec<bool> {
        match &self.journals {
            Some(folder) => segments::present(folder, segments),
            None => vec![false; segments.len()],
        }
    }

    fn remove(&self, names: &[SegmentName]) {
        if let Some(folder) = &self.journals {
            segments::remove(folder, names);
        }
    }

    fn discard(&self, job: JobKey, before: Option<Epoch>, keep: &[SegmentName]) {
        if let Some(folder) = &self.journals {
            segments::discard(folder, job, before, keep);
        }
    }
}

/// How a task is to be searched. The coordinator reads it in the same way.
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

fn refusal(error: &NodeError) -> Refusal {
    match error {
        NodeError::Memory(bytes) => Refusal::TooLittleMemory(*bytes),
        NodeError::Disk(problem) => Refusal::NoJournal(problem.clone()),
        other => Refusal::BadBoard(other.to_string()),
    }
}

impl Shard for EngineShard {
    fn restore(&self, restoration: Restoration) {
        let Restoration { level, segments, closed, incumbent } = restoration;
        // First of all: what is sealed from now on belongs to it.
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
        incumbent.into_iter().for_each(|cost| self.node.lower_incumbent(cost));
        let segment = |Segment { name, bytes, records }: Segment| JournalSegment {
            name: name.to_string(),
            bytes,
            records,
        };
        self.node.restore(&self.journals, segments.into_iter().map(segment).collect(), closed);
    }

    fn sync(&self) -> Result<(), String> {
        self.node.sync().map_err(|error| error.to_string())
    }

    fn compact(&self) {
        self.node.compact();
    }

    fn open_level(&self, level: Level, incumbent: Option<u32>) {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
        self.node.open_level(level.side, level.f, incumbent);
    }

    fn lower_incumbent(&self, cost: u32) {
        self.node.lower_incumbent(cost);
    }

    fn offer(&self, batch: Vec<u8>) -> Result<(), OfferError> {
        self.node.offer(batch).map_err(|error| match error {
            sokohive_engine::OfferError::Full => OfferError::Full,
            sokohive_engine::OfferError::Bad(error) => OfferError::Bad(error.to_string()),
        })
    }

    fn take(&self, peer: u16) -> Option<Sealed> {
        let level = (*self.level.lock().unwrap_or_else(PoisonError::into_inner))?;
        let sealed = self.node.take(peer)?;
        Some(Sealed { level, bytes: sealed.bytes, records: sealed.records.into() })
    }

    fn status(&self) -> ShardStatus {
        let status: NodeStatus = self.node.status();
        let open = |(side, next): (Side, Option<Next>)| {
            let Next { f, rows } = next?;
            Some(OpenList { side, smallest_f: f, rows })
        };
        let journal = status.journal.unwrap_or_default();
        if let Some(fault) = &journal.fault
            && !self.has_told.swap(true, Ordering::Relaxed)
        {
            warn!("no checkpoints while the journal cannot be written: {fault}");
        }
        // The names are those of our own prefix.
        let segment = |JournalSegment { name, bytes, records }: JournalSegment| {
            let name = SegmentName::new(&name).ok()?;
            Some(Segment { name, bytes, records })
        };
        let sides = [Side::Forward, Side::Backward].into_iter().zip(status.next);
        ShardStatus {
            idle: status.idle,
            sealed: status.sealed,
            applied: status.applied,
            open: sides.filter_map(open).collect(),
            best: status.best.map(finish),
            memory_exhausted: status.memory_exhausted,
            fault: status.fault,
            statistics: status.statistics,
            memory: status.memory,
            inbox: status.inbox,
            outbox: status.outbox,
            table: status.table,
            segments: journal.segments.into_iter().filter_map(segment).collect(),
            journal_fault: journal.fault,
            compacting: journal.compacting,
            compacted: journal.whole,
        }
    }

    fn rows(&self, ranks: &[Rank]) -> Vec<Row> {
        let sets: Vec<_> = ranks.iter().map(|rank| rank.to_le_bytes()).collect();
        let entry =
            |entry: RowEntry| Entry { keeper: entry.keeper, cost: entry.cost, side: entry.side };
        let row = |row: Vec<RowEntry>| Row(row.into_iter().map(entry).collect());
        self.node.rows(&sets).into_iter().map(row).collect()
    }

    fn ends(&self, cost: u32, after: Option<Rank>) -> Ends {
        let after = after.map(Rank::to_le_bytes);
        let sets = self.node.ends(cost, after.as_ref(), MAX_ENDS)?;
        Some(sets.into_iter().map(Rank::from_le_bytes).collect())
    }

    fn stop(&self) {
        self.node.stop();
    }
}

fn finish(found: FoundFinish) -> Finish {
    let trail = match found.finished {
        Some((keeper, push_cost)) => Trail::Finished { keeper, push_cost },
        None => Trail::Meeting,
    };
    Finish { cost: found.cost, rank: Rank::from_le_bytes(found.rank), trail }
}
