//! A shard that searches a [`Graph`] one step at a time.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use sokohive_engine::{Side, Statistics};
use sokohive_proto::{
    Ends, Entry, Fence, Finish, Level, OpenList, Owners, Rank, Row, SHARDS, Segment, SegmentName,
    Trail,
};
use sokohive_worker::{OfferError, Restoration, Sealed, Shard, ShardStatus};

use crate::disk::Disk;
use crate::graph::Graph;
use crate::history::{History, Journey, SuccessorId};
use crate::journal::Journal;

/// Bounds of the queues, in batches; small, so that they are met.
const INBOX: usize = 3;
const OUTBOX: usize = 2;

/// Successors in a full batch.
const BATCH: usize = 4;

/// Bytes of a record: vertex, cost, and the number by which the history knows it.
const RECORD: usize = 16;

/// The worker that owns a vertex.
pub(crate) fn owner(owners: &Owners, vertex: u32) -> usize {
    owners.as_slice()[virtual_shard(vertex)].into()
}

/// The virtual shard of a vertex. Any spread will do.
pub(crate) fn virtual_shard(vertex: u32) -> usize {
    let hash = u64::from(vertex).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    hash as usize % SHARDS
}

/// What outlives a shard.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    pub(crate) disk: Option<Arc<Mutex<Disk>>>,
    pub(crate) journal: bool,
    pub(crate) restores: bool,
}

#[derive(Debug)]
pub(crate) struct GraphShard {
    pub(crate) fence: Fence,
    me: usize,
    owners: Owners,
    graph: Arc<Graph>,
    history: Arc<Mutex<History>>,
    /// Where segments are read from.
    disk: Option<Arc<Mutex<Disk>>>,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    journal: Option<Journal>,
    /// Whether a checkpoint is being read: the level that is open stands for those that are over.
    restoring: bool,
    to_read: VecDeque<(u32, u32)>,
    /// Vertices with at most this f are closed, whenever they are read.
    closed_f: Option<u32>,
    fault: Option<String>,
    cost: HashMap<u32, u32>,
    closed: BTreeSet<u32>,
    open: BTreeMap<u32, BTreeSet<u32>>,
    level: Option<Level>,
    incumbent: Option<u32>,
    best: Option<Finish>,
    inbox: VecDeque<Vec<u8>>,
    /// Successors for every peer that are not sealed yet.
    unsealed: Vec<Vec<(u32, u32)>>,
    outbox: Vec<VecDeque<Sealed>>,
    sealed: u64,
    applied: u64,
    statistics: Statistics,
    stopped: bool,
}

impl GraphShard {
    pub(crate) fn new(
        fence: Fence,
        me: usize,
        owners: Owners,
        graph: Arc<Graph>,
        history: Arc<Mutex<History>>,
        kept: Kept,
    ) -> Self {
        let Kept { disk, journal, restores } = kept;
        let workers = 1 + owners.as_slice().iter().copied().max().map_or(0, usize::from);
        let inner = Inner {
            unsealed: vec![Vec::new(); workers],
            outbox: vec![VecDeque::new(); workers],
            journal: disk.as_ref().filter(|_| journal).map(|disk| {
                let prefix = SegmentName::prefix(fence, me as u16);
                Journal::new(Arc::clone(disk), prefix, !restores)
            }),
            ..Inner::default()
        };
        let shard = Self { fence, me, owners, graph, history, disk, inner: Mutex::new(inner) };
        if !restores && owner(&shard.owners, 0) == me {
            shard.relax(&mut shard.inner.lock().unwrap(), 0, 0);
        }
        shard
    }

    fn relax(&self, inner: &mut Inner, vertex: u32, cost: u32) {
        inner.statistics.attempts += 1;
        if inner.cost.get(&vertex).is_some_and(|&known| known <= cost) {
            return;
        }
        if inner.closed.contains(&vertex) && !inner.restoring {
            self.history.lock().unwrap().reopened += 1;
        }
        let Some(estimate) = self.graph.estimate[vertex as usize] else {
            return;
        };
        // What was found before a checkpoint is in its manifest.
        let finish = self.graph.finish[vertex as usize].filter(|_| !inner.restoring);
        if let Some(finish) = finish {
            let found = Finish {
                cost: cost + finish,
                rank: Rank::from(u64::from(vertex)),
                trail: Trail::Finished { keeper: 0, push_cost: cost },
            };
            inner.best = Some(inner.best.map_or(found, |best| best.min(found)));
            inner.incumbent =
                Some(inner.incumbent.map_or(found.cost, |known| known.min(found.cost)));
        }
        if let Some(old) = inner.cost.insert(vertex, cost) {
            inner.open.get_mut(&(old + estimate)).map(|bucket| bucket.remove(&vertex));
        }
        if inner.restoring && inner.closed_f.is_some_and(|closed| cost + estimate <= closed) {
            inner.closed.insert(vertex);
        } else {
            inner.open.entry(cost + estimate).or_default().insert(vertex);
        }
        if let Some(journal) = inner.journal.as_mut().filter(|_| !inner.restoring) {
            journal.append(vertex, cost);
        }
    }

    /// What a sync that begins now makes durable.
    pub(crate) fn begin_sync(&self) -> Vec<(SegmentName, usize)> {
        let inner = &mut *self.inner.lock().unwrap();
        inner.journal.as_mut().map(Journal::begin_sync).unwrap_or_default()
    }

    /// A sync is over.
    pub(crate) fn end_sync(&self, lengths: &[(SegmentName, usize)]) -> Result<(), String> {
        let inner = &mut *self.inner.lock().unwrap();
        inner.journal.as_mut().map_or(Ok(()), |journal| journal.end_sync(lengths))
    }

    /// Writes a part of the table into the newest segment.
    fn dump(inner: &mut Inner) {
        let Some(journal) = &mut inner.journal else {
            return;
        };
        let Some(vertices) = &mut journal.dump else {
            return;
        };
        let part = vertices.split_off(vertices.len().saturating_sub(16));
        let over = part.is_empty();
        for vertex in part {
            journal.append(vertex, inner.cost[&vertex]);
        }
        if over {
            journal.compacted();
        }
    }

    /// Does one piece of work, if there is any.
    pub(crate) fn step(&self) {
        let inner = &mut *self.inner.lock().unwrap();
        if inner.stopped {
            return;
        }
        Self::dump(inner);
        // The inbox comes first: when the outbox is full it is the only work that may be done.
        if let Some(batch) = inner.inbox.pop_front() {
            for record in batch.chunks(RECORD) {
                let word = |at: usize| u32::from_le_bytes(record[at..at + 4].try_into().unwrap());
                let id = u64::from_le_bytes(record[8..16].try_into().unwrap());
                self.relax(inner, word(0), word(4));
                let mut history = self.history.lock().unwrap();
                // Unknown only where every shard has a history of its own.
                if let Some(journey) = history.journeys.get_mut(&SuccessorId(id)) {
                    journey.applied.push((self.me, self.fence));
                }
            }
            inner.applied += 1;
            return;
        }
        if inner.outbox.iter().any(|queue| queue.len() >= OUTBOX) {
            return;
        }
        for _ in 0..BATCH {
            let Some((vertex, cost)) = inner.to_read.pop_front() else {
                break;
            };
            self.hand_on(inner, vertex, cost);
        }
        if !inner.to_read.is_empty() {
            return;
        }
        match inner.take() {
            Some(vertex) => self.expand(inner, vertex),
            None => (0..inner.outbox.len()).for_each(|peer| self.seal(inner, peer)),
        }
    }

    fn expand(&self, inner: &mut Inner, vertex: u32) {
        inner.closed.insert(vertex);
        inner.statistics.expanded += 1;
        let cost = inner.cost[&vertex];
        for &(to, step) in &self.graph.edges[vertex as usize] {
            self.hand_on(inner, to, cost + step);
        }
    }

    /// Relaxes a vertex, or sends it to its owner.
    fn hand_on(&self, inner: &mut Inner, vertex: u32, cost: u32) {
        match owner(&self.owners, vertex) {
            me if me == self.me => self.relax(inner, vertex, cost),
            peer => {
                inner.unsealed[peer].push((vertex, cost));
                if inner.unsealed[peer].len() >= BATCH {
                    self.seal(inner, peer);
                }
            }
        }
    }

    fn seal(&self, inner: &mut Inner, peer: usize) {
        let (Some(level), false) = (inner.level, inner.unsealed[peer].is_empty()) else {
            return;
        };
        let mut history = self.history.lock().unwrap();
        let mut bytes = Vec::new();
        let records = inner.unsealed[peer].len() as u64;
        for (vertex, cost) in inner.unsealed[peer].drain(..) {
            let id = history.journeys.len() as u64;
            let journey = Journey { sent_in: self.fence, owner: peer, applied: Vec::new() };
            history.journeys.insert(SuccessorId(id), journey);
            bytes.extend_from_slice(&vertex.to_le_bytes());
            bytes.extend_from_slice(&cost.to_le_bytes());
            bytes.extend_from_slice(&id.to_le_bytes());
        }
        inner.sealed += 1;
        inner.outbox[peer].push_back(Sealed { level, bytes, records });
    }

    /// Whether a step would do anything.
    pub(crate) fn has_work(&self) -> bool {
        let inner = self.inner.lock().unwrap();
        let dumps = inner.journal.as_ref().is_some_and(|journal| journal.dump.is_some());
        !inner.stopped && (dumps || !inner.is_idle())
    }

    /// Whether work of the level is left.
    pub(crate) fn is_busy(&self) -> bool {
        let inner = self.inner.lock().unwrap();
        !inner.stopped && !inner.is_idle()
    }
}

impl Inner {
    /// Closes a vertex of the level: any of them, in any order.
    fn take(&mut self) -> Option<u32> {
        let f = self.workable()?;
        self.open.get_mut(&f)?.pop_first()
    }

    /// The smallest f that the level allows to work on.
    fn workable(&self) -> Option<u32> {
        let level = self.level?;
        let f = self.smallest()?;
        (f <= level.f && self.incumbent.is_none_or(|incumbent| f < incumbent)).then_some(f)
    }

    fn smallest(&self) -> Option<u32> {
        self.open.iter().find(|(_, bucket)| !bucket.is_empty()).map(|(&f, _)| f)
    }

    fn is_idle(&self) -> bool {
        self.inbox.is_empty()
            && self.to_read.is_empty()
            && self.unsealed.iter().all(Vec::is_empty)
            && self.workable().is_none()
    }
}

impl Shard for GraphShard {
    fn restore(&self, restoration: Restoration) {
        let inner = &mut *self.inner.lock().unwrap();
        let Restoration { level, segments, closed, incumbent } = restoration;
        inner.level = Some(level);
        inner.restoring = true;
        inner.closed_f = closed[0];
        if let Some(cost) = incumbent {
            inner.incumbent = Some(inner.incumbent.map_or(cost, |known| known.min(cost)));
        }
        let Some(disk) = &self.disk else {
            return;
        };
        let disk = disk.lock().unwrap();
        for Segment { name, records, .. } in segments {
            match disk.files.get(&name).and_then(|file| file.records.get(..records as usize)) {
                Some(records) => inner.to_read.extend(records),
                None => inner.fault = Some(format!("{name} cannot be read")),
            }
        }
    }

    fn sync(&self) -> Result<(), String> {
        let lengths = self.begin_sync();
        self.end_sync(&lengths)
    }

    fn compact(&self) {
        let inner = &mut *self.inner.lock().unwrap();
        let vertices = inner.cost.keys().copied().collect();
        if let Some(journal) = &mut inner.journal {
            journal.compact(vertices);
        }
    }

    fn open_level(&self, level: Level, _incumbent: Option<u32>) {
        let inner = &mut *self.inner.lock().unwrap();
        inner.level = Some(level);
        inner.restoring = false;
    }

    fn lower_incumbent(&self, cost: u32) {
        let inner = &mut *self.inner.lock().unwrap();
        inner.incumbent = Some(inner.incumbent.map_or(cost, |known| known.min(cost)));
    }

    fn offer(&self, batch: Vec<u8>) -> Result<(), OfferError> {
        let inner = &mut *self.inner.lock().unwrap();
        if batch.is_empty() || !batch.len().is_multiple_of(RECORD) {
            return Err(OfferError::Bad(format!("{} bytes", batch.len())));
        }
        if inner.inbox.len() >= INBOX {
            return Err(OfferError::Full);
        }
        inner.inbox.push_back(batch);
        Ok(())
    }

    fn take(&self, peer: u16) -> Option<Sealed> {
        self.inner.lock().unwrap().outbox[usize::from(peer)].pop_front()
    }

    fn status(&self) -> ShardStatus {
        let inner = self.inner.lock().unwrap();
        let bucket =
            |f| OpenList { side: Side::Forward, smallest_f: f, rows: inner.open[&f].len() as u64 };
        ShardStatus {
            idle: inner.is_idle(),
            sealed: inner.sealed,
            applied: inner.applied,
            open: inner.smallest().map(bucket).into_iter().collect(),
            best: inner.best,
            statistics: Statistics { states: inner.cost.len() as u64, ..inner.statistics },
            fault: inner.fault.clone(),
            segments: inner.journal.as_ref().map(Journal::segments).unwrap_or_default(),
            journal_fault: inner.journal.as_ref().and_then(|journal| journal.fault.clone()),
            compacting: inner.journal.as_ref().is_some_and(|journal| journal.dump.is_some()),
            compacted: inner.journal.as_ref().is_some_and(|journal| journal.whole),
            ..ShardStatus::default()
        }
    }

    fn rows(&self, ranks: &[Rank]) -> Vec<Row> {
        let inner = self.inner.lock().unwrap();
        let row = |rank: &Rank| {
            let vertex = u32::from_le_bytes(rank.to_le_bytes()[..4].try_into().unwrap());
            let entry = |&cost: &u32| Entry { keeper: 0, cost, side: Side::Forward };
            Row(inner.cost.get(&vertex).map(entry).into_iter().collect())
        };
        ranks.iter().map(row).collect()
    }

    fn ends(&self, cost: u32, _: Option<Rank>) -> Ends {
        let inner = self.inner.lock().unwrap();
        let best = inner.best.filter(|best| best.cost == cost);
        Some(best.into_iter().map(|best| best.rank).collect())
    }

    fn stop(&self) {
        self.inner.lock().unwrap().stopped = true;
    }
}
