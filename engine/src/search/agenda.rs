//! The open list, and who works on it: what is to be done next, and when nothing is left.
//!
//! # Open list
//!
//! Buckets by f (R. B. Dial, *Algorithm 360: shortest-path forest with topological ordering*, 1969), within a bucket by
//! g, larger first. A bucket holds rows, in chunks; a row taken at (f, g) opens its states of cost g. Some rows of a bucket
//! may be in blocks on disk ([`Spill`](super::spill::Spill)); they come last. Where a level is of states below some cost,
//! the others of its buckets stay, but blocks are read.
//!
//! # Termination
//!
//! A thread that finds no chunk hands in everything it holds back and then counts itself idle, under the lock of the
//! agenda. When all threads are idle and the inbox is empty nothing of the level is left in this shard: whatever could
//! make more work is held by a thread that is not idle. Handing in and being woken happen under the same lock, so no
//! wake-up is lost. A thread that panics ends the search for all, under [`End::Panicked`].
//!
//! # Post
//!
//! Batches from other shards come in through the inbox; batches for them go out through one outbox each. Both are
//! bounded in bytes. A full inbox refuses; a thread that finds an outbox full works off the inbox until there is room,
//! so that two shards with full outboxes never wait for each other.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::layers::Waiting;
use super::put_off::Extent;
use super::side::{Level, Side};
use crate::journal::Reading;
use crate::outcome::Limit;

/// Rows handed over at once: enough that the lock is rarely taken, few enough that the end of a level is shared out.
pub(crate) const CHUNK_ROWS: usize = 256;

/// Of the last rows of a level a thread takes half, if that is so many, and leaves the rest to the others.
const LEAST_SHARED: usize = 32;

/// Rows to be taken at one (f, g) of one side.
pub(crate) struct Chunk<R> {
    pub(crate) side: Side,
    pub(crate) f: u32,
    pub(crate) cost: u32,
    pub(crate) rows: Vec<R>,
}

/// Why the threads went home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The driver wants no more levels.
    Finished,
    /// A limit came first.
    Limit(Limit),
    /// A cost does not fit the table's entries.
    CostTooLarge,
    /// A thread has panicked.
    Panicked,
    /// A segment to be restored from cannot be read.
    Damaged,
}

/// What a thread does next.
pub(crate) enum Work<R> {
    /// Take rows.
    Rows(Chunk<R>),
    /// Relax a batch that came from another shard, then call [`Agenda::applied`].
    Batch(Vec<u8>),
    /// Read a block of the segments being restored, or call [`Agenda::restored`] if there is none.
    Segments(Arc<Mutex<Reading>>),
    /// Read rows of the open level back from this block, and [`Agenda::add`] them.
    Spilled {
        /// Their side.
        side: Side,
        /// Their f.
        f: u32,
        /// The block.
        block: u64,
    },
    /// Look the successors in this extent up, which were put off until their level opened.
    PutOff(Extent),
}

/// Rows that leave memory for the disk.
pub(crate) struct Leaving<R> {
    pub(crate) side: Side,
    pub(crate) f: u32,
    /// By cost; the rows of each are of that cost.
    pub(crate) runs: Vec<(u32, Vec<R>)>,
}

/// A batch ready to go to another shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// The records. At most 1 MiB.
    pub bytes: Vec<u8>,
    /// How many they are.
    pub records: u32,
}

/// Called when the state of a shard may be worth a look: all threads idle, a batch sealed, the search over.
pub(crate) type Wake = Box<dyn Fn() + Send + Sync>;

/// See the module.
pub(crate) struct Agenda<R> {
    state: Mutex<State<R>>,
    /// Threads wait here for work.
    work: Condvar,
    /// The driver waits here for the end of the level.
    quiet: Condvar,
    /// Threads wait here for room in an outbox, or for a batch.
    room: Condvar,
    threads: usize,
    /// Rows in all buckets; for watchers.
    rows: AtomicU64,
    wake: Option<Wake>,
}

/// Rows of one side and f.
struct Bucket<R> {
    by_cost: BTreeMap<Reverse<u32>, Vec<Vec<R>>>,
    /// Rows in memory.
    rows: u64,
    /// Blocks on disk, and the rows in them.
    blocks: Vec<u64>,
    spilled: u64,
    /// Successors on disk that were put off.
    extents: Vec<Extent>,
}

impl<R> Default for Bucket<R> {
    fn default() -> Self {
        let (blocks, extents) = (Vec::new(), Vec::new());
        Self { by_cost: BTreeMap::new(), rows: 0, blocks, spilled: 0, extents }
    }
}

impl<R: Copy> Bucket<R> {
    fn is_empty(&self) -> bool {
        self.rows == 0 && self.blocks.is_empty() && self.extents.is_empty()
    }

    /// Whether something is on disk, whose costs are not known.
    fn is_partly_on_disk(&self) -> bool {
        !self.blocks.is_empty() || !self.extents.is_empty()
    }

    /// Whether something waits that may cost less than `below`.
    fn has_below(&self, below: u32) -> bool {
        let least = self.by_cost.last_key_value();
        least.is_some_and(|(cost, _)| cost.0 < below) || self.is_partly_on_disk()
    }

    fn add(&mut self, cost: u32, rows: Vec<R>) {
        self.rows += rows.len() as u64;
        let list = self.by_cost.entry(Reverse(cost)).or_default();
        match list.last_mut() {
            Some(last) if last.len() + rows.len() <= CHUNK_ROWS => last.extend(rows),
            _ => list.push(rows),
        }
    }

    /// A chunk of the largest cost in memory that is less than `below`.
    fn take(&mut self, below: u32) -> Option<(u32, Vec<R>)> {
        let largest = Reverse(below.checked_sub(1)?);
        let (&key, lists) = self.by_cost.range_mut(largest..).next()?;
        let rows = lists.pop().expect("empty lists are removed");
        if lists.is_empty() {
            self.by_cost.remove(&key);
        }
        self.rows -= rows.len() as u64;
        Some((key.0, rows))
    }

    /// Rows of one cost.
    fn rows_of(&self, cost: u32) -> u64 {
        let lists = self.by_cost.get(&Reverse(cost)).into_iter().flatten();
        lists.map(|rows| rows.len() as u64).sum()
    }
}

struct State<R> {
    /// By side and f. None is empty.
    buckets: [BTreeMap<u32, Bucket<R>>; 2],
    /// The level being worked on: rows of greater f, and of the other side, wait.
    level: Option<Level>,
    /// Segments being read back; no level is open meanwhile.
    reading: Option<Arc<Mutex<Reading>>>,
    idle: usize,
    end: Option<End>,
    post: Post,
}

/// Bytes of batches that may wait in the inbox of a node, and as many in all its outboxes together; one batch more
/// where none waits.
pub const MOST_POST_BYTES: usize = 16 << 20;

#[derive(Default)]
struct Post {
    inbox: VecDeque<Vec<u8>>,
    inbox_bytes: usize,
    outboxes: Vec<VecDeque<Sealed>>,
    outbox_bytes: usize,
    /// Batches ever put into an outbox, and ever applied. Only grow.
    sealed: u64,
    applied: u64,
}

/// How a shard stands; all of one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    /// No work of the open level is left here: no rows, no batch unapplied, nothing unsealed, all threads idle.
    pub(crate) idle: bool,
    pub(crate) sealed: u64,
    pub(crate) applied: u64,
    /// What waits, forward and backward.
    pub(crate) next: [Option<Next>; 2],
    pub(crate) end: Option<End>,
}

/// The next level of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next {
    /// The smallest f of rows waiting.
    pub f: u32,
    /// How many rows wait at it.
    pub rows: u64,
}

/// What waits on one side with an f that is not too large and the least cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layer {
    /// The cost; 0 where rows on disk may have any.
    pub(crate) cost: u32,
    /// Rows in memory.
    pub(crate) rows: u64,
}

impl<R: Copy> State<R> {
    fn take(&mut self) -> Option<Work<R>> {
        if let Some(batch) = self.post.inbox.pop_front() {
            self.post.inbox_bytes -= batch.len();
            return Some(Work::Batch(batch));
        }
        if let Some(reading) = &self.reading {
            return Some(Work::Segments(Arc::clone(reading)));
        }
        let Level { side, f: most, below } = self.level?;
        let buckets = &mut self.buckets[side as usize];
        let (&f, bucket) = buckets.range_mut(..=most).find(|(_, b)| b.has_below(below))?;
        let work = match bucket.take(below) {
            Some((cost, rows)) => Work::Rows(Chunk { side, f, cost, rows }),
            None => match bucket.blocks.pop() {
                Some(block) => {
                    if bucket.blocks.is_empty() {
                        bucket.spilled = 0;
                    }
                    Work::Spilled { side, f, block }
                }
                None => Work::PutOff(bucket.extents.pop().expect("empty buckets are removed")),
            },
        };
        if bucket.is_empty() {
            buckets.remove(&f);
        }
        Some(work)
    }

    /// Whether work of the open level waits.
    fn has_work(&self) -> bool {
        let has_rows = self.level.is_some_and(|Level { side, f, below }| {
            let mut due = self.buckets[side as usize].range(..=f);
            due.any(|(_, bucket)| bucket.has_below(below))
        });
        has_rows || !self.post.inbox.is_empty() || self.reading.is_some()
    }

    fn next(&self, side: Side) -> Option<Next> {
        let (&f, bucket) = self.buckets[side as usize].first_key_value()?;
        // What was put off is rows at most.
        let put_off: u64 = bucket.extents.iter().map(|extent| u64::from(extent.count)).sum();
        Some(Next { f, rows: bucket.rows + bucket.spilled + put_off })
    }

    fn layer(&self, side: Side, f: u32) -> Option<Layer> {
        let due = || self.buckets[side as usize].range(..=f).map(|(_, bucket)| bucket);
        let least = |bucket: &Bucket<R>| match bucket.is_partly_on_disk() {
            true => Some(0),
            false => bucket.by_cost.last_key_value().map(|(cost, _)| cost.0),
        };
        let cost = due().filter_map(least).min()?;
        Some(Layer { cost, rows: due().map(|bucket| bucket.rows_of(cost)).sum() })
    }
}

impl<R: Copy> Agenda<R> {
    /// An agenda for so many threads, with outboxes for so many shards.
    pub(crate) fn new(threads: usize, shards: usize, wake: Option<Wake>) -> Self {
        let outboxes = std::iter::repeat_with(VecDeque::new).take(shards).collect();
        let state = State {
            buckets: Default::default(),
            level: None,
            reading: None,
            idle: 0,
            end: None,
            post: Post { outboxes, ..Post::default() },
        };
        Self {
            state: Mutex::new(state),
            work: Condvar::new(),
            quiet: Condvar::new(),
            room: Condvar::new(),
            threads,
            rows: AtomicU64::new(0),
            wake,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<R>> {
        // A panic under the lock leaves nothing half done that matters: the search is over then.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells whoever watches that there is something to see.
    pub(crate) fn look(&self) {
        self.wake();
    }

    fn wake(&self) {
        if let Some(wake) = &self.wake {
            wake();
        }
    }

    /// Puts rows into their bucket. Chunks shorter than [`CHUNK_ROWS`] are joined to what is there.
    pub(crate) fn add(&self, chunk: Chunk<R>) {
        let mut state = self.lock();
        self.rows.fetch_add(chunk.rows.len() as u64, Ordering::Relaxed);
        let buckets = &mut state.buckets[chunk.side as usize];
        let bucket = buckets.entry(chunk.f).or_default();
        let (f, cost) = (chunk.f, chunk.cost);
        bucket.add(cost, chunk.rows);
        let is_due = |l: Level| l.side == chunk.side && f <= l.f && cost < l.below;
        if state.idle > 0 && state.level.is_some_and(is_due) {
            self.work.notify_one();
        }
    }

    /// Takes rows out of memory that will be opened late: at least so many of one bucket outside of the open level, if
    /// there is a bucket that has them. They are for [`Agenda::left`], or to be added again.
    pub(crate) fn leave(&self, least: usize) -> Option<Leaving<R>> {
        let mut state = self.lock();
        let level = state.level;
        // Where levels are layers of one cost, all of that f is going to be opened soon.
        let later = |side: Side, f: u32| {
            level.is_none_or(|l| f > l.f || side != l.side && l.below == u32::MAX)
        };
        let candidates = [Side::Forward, Side::Backward].into_iter().filter_map(|side| {
            let buckets = state.buckets[side as usize].iter().rev();
            let mut large =
                buckets.filter(|(f, bucket)| bucket.rows >= least as u64 && later(side, **f));
            large.next().map(|(&f, bucket)| (bucket.rows, side, f))
        });
        // Of the two last buckets the larger one.
        let (_, side, f) = candidates.max()?;
        let bucket = state.buckets[side as usize].get_mut(&f)?;
        let by_cost = std::mem::take(&mut bucket.by_cost);
        let left = std::mem::take(&mut bucket.rows);
        self.rows.fetch_sub(left, Ordering::Relaxed);
        if bucket.is_empty() {
            state.buckets[side as usize].remove(&f);
        }
        // The larger costs into the last block, which is read first.
        let runs = by_cost.into_iter().rev().map(|(Reverse(cost), lists)| (cost, lists.concat()));
        Some(Leaving { side, f, runs: runs.collect() })
    }

    /// Takes note of a block on disk with rows that have left.
    pub(crate) fn left(&self, side: Side, f: u32, block: u64, rows: u64) {
        let mut state = self.lock();
        let bucket = state.buckets[side as usize].entry(f).or_default();
        bucket.blocks.push(block);
        bucket.spilled += rows;
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }

    /// Takes note of successors that were put off, with their f.
    pub(crate) fn put_off(&self, side: Side, extents: impl Iterator<Item = (u32, Extent)>) {
        let mut state = self.lock();
        for (f, extent) in extents {
            state.buckets[side as usize].entry(f).or_default().extents.push(extent);
        }
    }

    /// Takes note that a block has been read whose rows are now going to be added.
    pub(crate) fn read_back(&self, rows: u64) {
        self.rows.fetch_sub(rows, Ordering::Relaxed);
    }

    fn take_from(&self, state: &mut State<R>) -> Option<Work<R>> {
        let mut work = state.take()?;
        if let Work::Rows(chunk) = &mut work {
            let half = chunk.rows.len() / 2;
            if self.threads > 1 && half >= LEAST_SHARED && !state.has_work() {
                let &mut Chunk { side, f, cost, ref mut rows } = chunk;
                let rest = rows.split_off(half);
                state.buckets[side as usize].entry(f).or_default().add(cost, rest);
                if state.idle > 0 {
                    self.work.notify_one();
                }
            }
            self.rows.fetch_sub(chunk.rows.len() as u64, Ordering::Relaxed);
        }
        Some(work)
    }

    /// Work of the current level, if there is any just now.
    pub(crate) fn take(&self) -> Option<Work<R>> {
        let mut state = self.lock();
        if state.end.is_some() { None } else { self.take_from(&mut state) }
    }

    /// Work of the current level, or of one opened later; `None` when the search is over.
    ///
    /// The thread must have handed in all it held back.
    pub(crate) fn wait(&self) -> Option<Work<R>> {
        let mut state = self.lock();
        state.idle += 1;
        loop {
            if state.end.is_some() {
                // Stays counted as idle: it does no more work.
                self.quiet.notify_all();
                return None;
            }
            if let Some(work) = self.take_from(&mut state) {
                state.idle -= 1;
                return Some(work);
            }
            if state.idle == self.threads {
                self.quiet.notify_all();
                self.wake();
            }
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Counts on fewer threads than were planned: so many never come.
    pub(crate) fn do_without(&self, threads: usize) {
        let mut state = self.lock();
        state.idle += threads;
        self.quiet.notify_all();
    }

    /// Whether everybody has been sent home.
    pub(crate) fn has_ended(&self) -> bool {
        self.lock().end.is_some()
    }

    /// Sends everybody home. The first reason counts.
    pub(crate) fn end(&self, reason: End) {
        let mut state = self.lock();
        state.end.get_or_insert(reason);
        self.work.notify_all();
        self.room.notify_all();
        self.quiet.notify_all();
        self.wake();
    }

    /// Opens a level: rows of its side and of at most its f are handed out.
    pub(crate) fn open(&self, level: Level) {
        let mut state = self.lock();
        state.level = Some(level);
        self.work.notify_all();
        // Nothing may wait at this level here, and nobody would say so.
        self.wake();
    }

    /// Hands out segments to be read back.
    pub(crate) fn restore(&self, reading: Reading) {
        let mut state = self.lock();
        state.reading = Some(Arc::new(Mutex::new(reading)));
        self.work.notify_all();
        self.wake();
    }

    /// All blocks have been handed out; those who have one still work on it.
    pub(crate) fn restored(&self) {
        self.lock().reading = None;
    }

    /// Waits until the open level is worked off, or an end has come; returns the next levels, forward and backward.
    pub(crate) fn wait_until_quiet(&self) -> Result<[Option<Next>; 2], End> {
        let mut state = self.lock();
        loop {
            if let Some(end) = state.end {
                return Err(end);
            }
            if state.idle == self.threads && !state.has_work() {
                return Ok([state.next(Side::Forward), state.next(Side::Backward)]);
            }
            state = self.quiet.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// How the shard stands.
    pub(crate) fn standing(&self) -> Standing {
        let state = self.lock();
        Standing {
            idle: state.idle == self.threads && !state.has_work(),
            sealed: state.post.sealed,
            applied: state.post.applied,
            next: [state.next(Side::Forward), state.next(Side::Backward)],
            end: state.end,
        }
    }

    /// Rows waiting in all buckets.
    pub(crate) fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Takes in a batch from another shard, unless the inbox is full.
    pub(crate) fn deliver(&self, batch: Vec<u8>) -> Result<(), InboxFull> {
        let mut state = self.lock();
        let post = &mut state.post;
        if !post.inbox.is_empty() && post.inbox_bytes + batch.len() > MOST_POST_BYTES {
            return Err(InboxFull);
        }
        post.inbox_bytes += batch.len();
        post.inbox.push_back(batch);
        self.work.notify_one();
        self.room.notify_one();
        Ok(())
    }

    /// Counts a batch as applied: what came of it is in the table, or held by a thread that is not idle.
    pub(crate) fn applied(&self) {
        self.lock().post.applied += 1;
    }

    /// Puts a batch into the outbox of a shard, unless the outboxes are full. Ignored when the search is over.
    pub(crate) fn post(&self, shard: u16, sealed: Sealed) -> Result<(), Sealed> {
        let mut state = self.lock();
        if state.end.is_some() {
            return Ok(());
        }
        let post = &mut state.post;
        if post.outbox_bytes > 0 && post.outbox_bytes + sealed.bytes.len() > MOST_POST_BYTES {
            return Err(sealed);
        }
        post.outbox_bytes += sealed.bytes.len();
        post.sealed += 1;
        post.outboxes[usize::from(shard)].push_back(sealed);
        self.wake();
        Ok(())
    }

    /// Waits for room in the outboxes; a batch that is to be applied meanwhile is returned at once.
    pub(crate) fn batch_or_room(&self) -> Option<Vec<u8>> {
        let mut state = self.lock();
        loop {
            if state.end.is_some() {
                return None;
            }
            if let Some(batch) = state.post.inbox.pop_front() {
                state.post.inbox_bytes -= batch.len();
                return Some(batch);
            }
            if state.post.outbox_bytes < MOST_POST_BYTES / 2 {
                return None;
            }
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The next batch for a shard.
    pub(crate) fn collect(&self, shard: u16) -> Option<Sealed> {
        let mut state = self.lock();
        let sealed = state.post.outboxes.get_mut(usize::from(shard))?.pop_front()?;
        state.post.outbox_bytes -= sealed.bytes.len();
        if state.post.outbox_bytes < MOST_POST_BYTES / 2 {
            self.room.notify_all();
        }
        Some(sealed)
    }

    /// Bytes waiting in the inbox, and in all outboxes.
    pub(crate) fn post_bytes(&self) -> (u64, u64) {
        let state = self.lock();
        (state.post.inbox_bytes as u64, state.post.outbox_bytes as u64)
    }
}

impl<R: Copy> Waiting for Agenda<R> {
    fn next(&self, side: Side) -> Option<Next> {
        self.lock().next(side)
    }

    fn layer(&self, side: Side, f: u32) -> Option<Layer> {
        self.lock().layer(side, f)
    }
}

/// There is no room in the inbox just now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InboxFull;

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn chunk(f: u32, cost: u32, rows: std::ops::Range<usize>) -> Chunk<usize> {
        Chunk { side: Side::Forward, f, cost, rows: rows.collect() }
    }

    /// The lengths of the chunks in which rows of one cost and f are handed out, one taken after the other.
    fn handed_out(threads: usize, rows: usize) -> Vec<usize> {
        let agenda = Agenda::new(threads, 0, None);
        for from in (0..rows).step_by(CHUNK_ROWS) {
            agenda.add(chunk(7, 3, from..rows.min(from + CHUNK_ROWS)));
        }
        agenda.open(Level::of_f(Side::Forward, 7));
        let mut taken = Vec::new();
        let mut lengths = Vec::new();
        while let Some(Work::Rows(chunk)) = agenda.take() {
            assert_eq!((chunk.side, chunk.f, chunk.cost), (Side::Forward, 7, 3));
            lengths.push(chunk.rows.len());
            taken.extend(chunk.rows);
            assert_eq!(agenda.rows(), (rows - taken.len()) as u64);
        }
        taken.sort_unstable();
        assert!(taken.into_iter().eq(0..rows), "each once");
        lengths
    }

    #[test]
    fn the_last_rows_of_a_level_are_shared_out() {
        assert_eq!(handed_out(1, 300), [44, 256]);
        assert_eq!(handed_out(2, 300), [44, 128, 64, 32, 32]);
        assert_eq!(handed_out(2, 512), [256, 128, 64, 32, 32]);
        assert_eq!(handed_out(2, 63), [63]);
        assert_eq!(handed_out(8, 64), [32, 32]);
        assert_eq!(handed_out(2, 0), [0; 0]);
    }

    #[test]
    fn rows_are_the_last_only_if_nothing_else_of_the_level_waits() {
        let taken = |agenda: &Agenda<usize>| match agenda.take() {
            Some(Work::Rows(chunk)) => (chunk.f, chunk.cost, chunk.rows.len()),
            _ => panic!("rows are there"),
        };
        let agenda = Agenda::new(2, 0, None);
        for (f, cost) in [(6, 3), (7, 4), (7, 5), (8, 3)] {
            agenda.add(chunk(f, cost, 0..100));
        }
        // Of f up to 7 and costs below 5: neither those of another f nor those that cost more are due.
        agenda.open(Level { side: Side::Forward, f: 7, below: 5 });
        assert_eq!(taken(&agenda), (6, 3, 100));
        assert_eq!([taken(&agenda), taken(&agenda)], [(7, 4, 50), (7, 4, 50)]);
        assert!(agenda.take().is_none());
    }

    #[test]
    fn a_thread_that_waits_is_woken_for_its_share() {
        let agenda = Agenda::new(2, 0, None);
        agenda.open(Level::of_f(Side::Forward, 7));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| agenda.wait());
            while agenda.lock().idle == 0 {
                std::thread::yield_now();
            }
            // As `add` wakes somebody as well, the rows get in without it.
            agenda.lock().buckets[0].entry(7).or_default().add(3, (0..100).collect());
            let ours = agenda.take();
            let deadline = Instant::now() + Duration::from_secs(10);
            while agenda.lock().idle > 0 && Instant::now() < deadline {
                std::thread::yield_now();
            }
            // A thread that still sleeps comes home without anything.
            agenda.end(End::Finished);
            let theirs = waiting.join().expect("does not panic");
            for work in [ours, theirs] {
                assert!(matches!(work, Some(Work::Rows(chunk)) if chunk.rows.len() == 50));
            }
        });
    }
}
