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
use std::sync::{Condvar, Mutex, MutexGuard};

use crate::outcome::Limit;

/// Rows handed over at once: enough that the lock is rarely taken, few enough that the end of a level is shared out.
pub(crate) const CHUNK_ROWS: usize = 256;

/// Rows to be taken at one (f, g).
pub(crate) struct Chunk<R> {
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
}

/// See the module.
pub(crate) struct Agenda<R> {
    state: Mutex<State<R>>,
    /// Threads wait here for work.
    work: Condvar,
    /// The driver waits here for the end of the level.
    quiet: Condvar,
    threads: usize,
}

type Bucket<R> = BTreeMap<Reverse<u32>, Vec<Vec<R>>>;

struct State<R> {
    buckets: BTreeMap<u32, Bucket<R>>,
    /// Rows in all buckets.
    rows: u64,
    /// The level being worked on; rows of greater f wait.
    level: Option<u32>,
    idle: usize,
    end: Option<End>,
}

impl<R: Copy> State<R> {
    fn take(&mut self) -> Option<Chunk<R>> {
        let mut entry = self.buckets.first_entry().filter(|entry| Some(*entry.key()) <= self.level)?;
        let f = *entry.key();
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
        self.rows -= rows.len() as u64;
        Some(Chunk { f, cost, rows })
    }
}

impl<R: Copy> Agenda<R> {
    pub(crate) fn new(threads: usize) -> Self {
        let state =
            State { buckets: BTreeMap::new(), rows: 0, level: None, idle: 0, end: None };
        Self { state: Mutex::new(state), work: Condvar::new(), quiet: Condvar::new(), threads }
    }

    fn lock(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().expect("another search thread panicked")
    }

    /// Puts rows into their bucket. Chunks shorter than [`CHUNK_ROWS`] are joined to what is there.
    pub(crate) fn add(&self, chunk: Chunk<R>) {
        let mut state = self.lock();
        state.rows += chunk.rows.len() as u64;
        let bucket = state.buckets.entry(chunk.f).or_default();
        let list = bucket.entry(Reverse(chunk.cost)).or_default();
        match list.last_mut() {
            Some(last) if last.len() + chunk.rows.len() <= CHUNK_ROWS => last.extend(chunk.rows),
            _ => list.push(chunk.rows),
        }
        if state.idle > 0 && Some(chunk.f) <= state.level {
            self.work.notify_one();
        }
    }

    /// Rows of the current level, if there are any just now.
    pub(crate) fn take(&self) -> Option<Chunk<R>> {
        let mut state = self.lock();
        if state.end.is_some() { None } else { state.take() }
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
            if let Some(chunk) = state.take() {
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

    /// Why everybody was sent home, if that is so.
    pub(crate) fn ended(&self) -> Option<End> {
        self.lock().end
    }

    /// Opens a level: rows of at most this f are handed out.
    pub(crate) fn open(&self, level: u32) {
        let mut state = self.lock();
        state.level = Some(level);
        self.work.notify_all();
    }

    /// Waits until the open level is worked off, or an end has come; returns the smallest f with rows waiting.
    pub(crate) fn wait_until_quiet(&self) -> Result<Option<u32>, End> {
        let mut state = self.lock();
        loop {
            if let Some(end) = state.end {
                return Err(end);
            }
            let smallest = state.buckets.first_key_value().map(|(&f, _)| f);
            let level_is_over = smallest.is_none() || smallest > state.level;
            if state.idle == self.threads && level_is_over {
                return Ok(smallest);
            }
            state = self.quiet.wait(state).expect("a search thread panicked");
        }
    }

    /// Rows waiting in all buckets.
    pub(crate) fn rows(&self) -> u64 {
        self.lock().rows
    }
}
