//! The open list, and who works on it: what is to be done next, and when nothing is left.
//!
//! # Open list
//!
//! Buckets by f (R. B. Dial, *Algorithm 360: shortest-path forest with topological ordering*, 1969), within a bucket by
//! g, larger first. A bucket holds rows, in chunks; a row taken at (f, g) opens its states of cost g.
//!
//! # Termination
//!
//! A thread that finds no chunk hands in everything it holds back and then counts itself idle, under the lock of the
//! agenda. When all threads are idle nothing of the level is left anywhere: whatever could make more work is held by a
//! thread that is not idle. Handing in and being woken happen under the same lock, so no wake-up is lost. A thread that
//! panics poisons the lock, which the others meet as a panic of their own: nobody waits for it.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

use super::side::{Level, Side};
use crate::outcome::Limit;

/// Rows handed over at once: enough that the lock is rarely taken, few enough that the end of a level is shared out.
pub(crate) const CHUNK_ROWS: usize = 256;

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
}

/// See the module.
pub(crate) struct Agenda<R> {
    state: Mutex<State<R>>,
    /// Threads wait here for work.
    work: Condvar,
    /// The driver waits here for the end of the level.
    quiet: Condvar,
    threads: usize,
    /// Rows in all buckets; for watchers.
    rows: AtomicU64,
}

type Bucket<R> = BTreeMap<Reverse<u32>, Vec<Vec<R>>>;

struct State<R> {
    /// By side and f.
    buckets: [BTreeMap<u32, Bucket<R>>; 2],
    /// The level being worked on: rows of greater f, and of the other side, wait.
    level: Option<Level>,
    idle: usize,
    end: Option<End>,
}

impl<R: Copy> State<R> {
    fn take(&mut self) -> Option<Chunk<R>> {
        let Level { side, f: most } = self.level?;
        let mut entry = self.buckets[side as usize].first_entry()?;
        let f = *entry.key();
        if f > most {
            return None;
        }
        let bucket = entry.get_mut();
        let mut by_cost = bucket.first_entry().expect("empty buckets are removed");
        let cost = by_cost.key().0;
        let rows = by_cost.get_mut().pop().expect("empty lists are removed");
        if by_cost.get().is_empty() {
            by_cost.remove();
            if bucket.is_empty() {
                entry.remove();
            }
        }
        Some(Chunk { side, f, cost, rows })
    }
}

/// The next level of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Next {
    /// The smallest f of rows waiting.
    pub(crate) f: u32,
    /// How many rows wait at it.
    pub(crate) rows: u64,
}

impl<R: Copy> State<R> {
    /// Whether rows of the open level wait.
    fn has_work(&self) -> bool {
        self.level.is_some_and(|Level { side, f }| {
            self.buckets[side as usize].first_key_value().is_some_and(|(&least, _)| least <= f)
        })
    }

    fn next(&self, side: Side) -> Option<Next> {
        let (&f, bucket) = self.buckets[side as usize].first_key_value()?;
        let rows = bucket.values().flatten().map(|rows| rows.len() as u64).sum();
        Some(Next { f, rows })
    }
}

impl<R: Copy> Agenda<R> {
    pub(crate) fn new(threads: usize) -> Self {
        let state = State { buckets: Default::default(), level: None, idle: 0, end: None };
        Self {
            state: Mutex::new(state),
            work: Condvar::new(),
            quiet: Condvar::new(),
            threads,
            rows: AtomicU64::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().expect("another search thread panicked")
    }

    /// Puts rows into their bucket. Chunks shorter than [`CHUNK_ROWS`] are joined to what is there.
    pub(crate) fn add(&self, chunk: Chunk<R>) {
        let mut state = self.lock();
        self.rows.fetch_add(chunk.rows.len() as u64, Ordering::Relaxed);
        let buckets = &mut state.buckets[chunk.side as usize];
        let bucket = buckets.entry(chunk.f).or_default();
        let list = bucket.entry(Reverse(chunk.cost)).or_default();
        match list.last_mut() {
            Some(last) if last.len() + chunk.rows.len() <= CHUNK_ROWS => last.extend(chunk.rows),
            _ => list.push(chunk.rows),
        }
        let level = state.level;
        if state.idle > 0 && level.is_some_and(|l| l.side == chunk.side && chunk.f <= l.f) {
            self.work.notify_one();
        }
    }

    fn take_from(&self, state: &mut State<R>) -> Option<Chunk<R>> {
        let chunk = state.take()?;
        self.rows.fetch_sub(chunk.rows.len() as u64, Ordering::Relaxed);
        Some(chunk)
    }

    /// Rows of the current level, if there are any just now.
    pub(crate) fn take(&self) -> Option<Chunk<R>> {
        let mut state = self.lock();
        if state.end.is_some() { None } else { self.take_from(&mut state) }
    }

    /// Rows of the current level, or of one opened later; `None` when the search is over.
    ///
    /// The thread must have handed in all it held back.
    pub(crate) fn wait(&self) -> Option<Chunk<R>> {
        let mut state = self.lock();
        state.idle += 1;
        loop {
            if state.end.is_some() {
                // Stays counted as idle: it does no more work.
                self.quiet.notify_all();
                return None;
            }
            if let Some(chunk) = self.take_from(&mut state) {
                state.idle -= 1;
                return Some(chunk);
            }
            if state.idle == self.threads {
                self.quiet.notify_all();
            }
            state = self.work.wait(state).expect("another search thread panicked");
        }
    }

    /// Sends everybody home. The first reason counts.
    pub(crate) fn end(&self, reason: End) {
        let mut state = self.lock();
        state.end.get_or_insert(reason);
        self.work.notify_all();
        self.quiet.notify_all();
    }

    /// Opens a level: rows of its side and of at most its f are handed out.
    pub(crate) fn open(&self, level: Level) {
        let mut state = self.lock();
        state.level = Some(level);
        self.work.notify_all();
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
            state = self.quiet.wait(state).expect("a search thread panicked");
        }
    }

    /// Rows waiting in all buckets.
    pub(crate) fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }
}
