//! The states of one process: table, open list, and the threads that work on them.

use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

use super::agenda::{Agenda, CHUNK_ROWS, Chunk, End};
use super::expand::{Expander, Successor};
use super::incumbent::Incumbent;
use super::problem::Problem;
use super::side::Side;
use crate::budget::Budget;
use crate::control::Done;
use crate::outcome::Limit;
use crate::rank::Rank;
use crate::table::{Relaxation, Row, Table};
use crate::walk::Ground;
use crate::{Control, Statistics, Stop};

/// One shard of the search; a search in one process has just one.
pub(crate) struct Shard<'a, R, G: Ground> {
    pub(crate) problem: &'a Problem<R, G::Set>,
    /// Threads hold it shared while they look things up; growing takes it alone.
    pub(crate) table: RwLock<Table<R>>,
    pub(crate) agenda: Agenda<R>,
    pub(crate) incumbent: Incumbent<R>,
    pub(crate) budget: &'a Budget,
    control: &'a Control,
    most_expansions: u64,
    expanded: CachePadded<AtomicU64>,
    /// The table could not grow the last time; from then on it is filled to the brim.
    growth_refused: AtomicBool,
    ground: std::marker::PhantomData<fn() -> G>,
}

/// Relaxations put off until their lines have come near.
const PENDING: usize = 64;
/// How many rows ahead of the one being expanded are brought near.
const ROWS_AHEAD: usize = 8;

impl<'a, R: Rank, G: Ground> Shard<'a, R, G> {
    pub(crate) fn new(
        problem: &'a Problem<R, G::Set>,
        table: Table<R>,
        threads: usize,
        budget: &'a Budget,
        control: &'a Control,
        most_expansions: u64,
    ) -> Self {
        Self {
            problem,
            table: RwLock::new(table),
            agenda: Agenda::new(threads),
            incumbent: Incumbent::new(),
            budget,
            control,
            most_expansions,
            expanded: CachePadded::new(AtomicU64::new(0)),
            growth_refused: AtomicBool::new(false),
            ground: std::marker::PhantomData,
        }
    }

    /// Works on levels until sent home; returns what was counted. Call once on each of the threads.
    pub(crate) fn work(&self) -> Statistics {
        let mut thread = Thread::new(self);
        loop {
            let chunk = match self.agenda.take() {
                Some(chunk) => chunk,
                None => {
                    thread.hand_in();
                    match self.agenda.wait() {
                        Some(chunk) => chunk,
                        None => return thread.statistics,
                    }
                }
            };
            thread.expand(chunk);
            self.check_limits(&mut thread);
        }
    }

    /// Stores states to start from.
    pub(crate) fn seed(&self, side: Side, states: impl IntoIterator<Item = Successor<R>>) {
        let mut thread = Thread::new(self);
        thread.side = side;
        for state in states {
            let mixed = self.table.read().expect("no holder panics").mix(state.rank);
            thread.pending.push((mixed, state));
            if thread.pending.len() >= PENDING {
                thread.hand_in();
            }
        }
        thread.hand_in();
    }

    /// Shows what the thread has done, and ends the search where a limit is reached.
    fn check_limits(&self, thread: &mut Thread<'_, R, G>) {
        let Statistics { expanded, states, .. } = thread.statistics;
        let done = Done {
            expanded: expanded - thread.shown.expanded,
            states: states - thread.shown.states,
        };
        thread.shown = Done { expanded, states };
        let expanded = self.expanded.fetch_add(done.expanded, Ordering::Relaxed) + done.expanded;
        self.control.publish(&done, self.incumbent.cost(), self.agenda.rows(), self.budget.used());
        if let Some(stop) = self.control.stopped() {
            self.agenda.end(End::Limit(match stop {
                Stop::Time => Limit::Time,
                Stop::Interrupt => Limit::Interrupted,
            }));
        } else if expanded >= self.most_expansions {
            self.agenda.end(End::Limit(Limit::Expansions));
        }
    }

    fn hand_over(&self, chunk: Chunk<R>) {
        if self.budget.take(row_bytes(&chunk.rows)) {
            self.agenda.add(chunk);
        } else {
            // The rows are lost, but so is the search: it ends with a limit, not with an answer.
            self.agenda.end(End::Limit(Limit::Memory));
        }
    }

    /// Doubles the table, unless another thread has since it had so many slots. False if it cannot be done.
    fn grow(&self, slots: usize) -> bool {
        let mut table = self.table.write().expect("no holder panics");
        if table.slots() > slots {
            return true;
        }
        // It will be twice as large.
        let grown = table.can_grow() && self.budget.take(table.bytes()) && table.grow().is_ok();
        self.growth_refused.store(!grown, Ordering::Relaxed);
        grown
    }
}

/// What one thread holds.
struct Thread<'s, R, G: Ground> {
    shard: &'s Shard<'s, R, G>,
    expander: Expander<'s, R, G>,
    statistics: Statistics,
    /// The side of the level being worked on.
    side: Side,
    /// Successors to be looked up, with their mixed ranks.
    pending: Vec<(R, Successor<R>)>,
    held: Held<R>,
    row: Row,
    mixed: Vec<R>,
    /// New entries not yet added to the table's count.
    stored: u64,
    /// What watchers have been shown.
    shown: Done,
}

impl<'s, R: Rank, G: Ground> Thread<'s, R, G> {
    fn new(shard: &'s Shard<'s, R, G>) -> Self {
        Self {
            shard,
            expander: Expander::new(shard.problem),
            statistics: Statistics::default(),
            side: Side::Forward,
            pending: Vec::with_capacity(2 * PENDING),
            held: Held::new(),
            row: Row::default(),
            mixed: Vec::new(),
            stored: 0,
            shown: Done::default(),
        }
    }

    fn expand(&mut self, chunk: Chunk<R>) {
        let shard = self.shard;
        self.shard.budget.give_back(row_bytes(&chunk.rows));
        self.side = chunk.side;
        let mut from = 0;
        while from < chunk.rows.len() {
            let table = shard.table.read().expect("no holder panics");
            self.mixed.clear();
            self.mixed.extend(chunk.rows.iter().map(|&rank| table.mix(rank)));
            for &mixed in self.mixed[from..].iter().take(ROWS_AHEAD) {
                table.prefetch(mixed);
            }
            let mut room = Room::Enough;
            while room == Room::Enough && from < chunk.rows.len() {
                if let Some(&ahead) = self.mixed.get(from + ROWS_AHEAD) {
                    table.prefetch(ahead);
                }
                self.row.cost = chunk.cost;
                table.open_row(self.mixed[from], chunk.side, &mut self.row);
                let pending = &mut self.pending;
                let incumbent = &shard.incumbent;
                self.expander.expand(
                    chunk.side,
                    chunk.rows[from],
                    &mut self.row,
                    &mut self.statistics,
                    |successor| {
                        if successor.cost + successor.estimate < incumbent.cost() {
                            let mixed = table.mix(successor.rank);
                            table.prefetch(mixed);
                            pending.push((mixed, successor));
                        }
                    },
                    |finish| incumbent.offer(finish),
                );
                from += 1;
                if self.pending.len() >= PENDING {
                    room = self.relax(&table);
                }
            }
            if room != Room::Enough {
                let slots = table.slots();
                drop(table);
                self.grow_and_relax(slots);
            }
        }
        self.held.recycle(chunk.rows);
    }

    /// Looks up the successors put off; where that needs a larger table, the rest stays pending.
    fn relax(&mut self, table: &Table<R>) -> Room {
        let mut room = Room::Enough;
        let mut done = 0;
        let largest_cost = table.largest_cost();
        // In the order they were put off: the line of the first has had the longest time to come near.
        for &(mixed, successor) in &self.pending {
            if successor.cost > largest_cost {
                self.shard.agenda.end(End::CostTooLarge);
                done += 1;
                continue;
            }
            let keeper = successor.keeper.index();
            let relaxed = table.relax(mixed, keeper, successor.cost, self.side);
            if relaxed == Relaxation::Full {
                room = Room::None;
                break;
            }
            self.statistics.attempts += 1;
            if let Relaxation::Accepted { new, reopened, covered } = relaxed {
                self.stored += u64::from(new);
                self.statistics.states += u64::from(new);
                self.statistics.reopened += u64::from(reopened);
                self.statistics.generated += 1;
                if !covered {
                    let f = successor.cost + successor.estimate;
                    if let Some(chunk) = self.held.add(self.side, f, successor.cost, successor.rank)
                    {
                        self.shard.hand_over(chunk);
                    }
                }
            }
            done += 1;
        }
        self.pending.drain(..done);
        let loaded = table.count(std::mem::take(&mut self.stored));
        if room == Room::Enough && loaded && !self.shard.growth_refused.load(Ordering::Relaxed) {
            room = Room::Little;
        }
        room
    }

    /// Grows the table for the pending successors and looks them up; if there is no growing and no room, the search
    /// ends for want of memory.
    fn grow_and_relax(&mut self, mut slots: usize) {
        loop {
            let grown = self.shard.grow(slots);
            let table = self.shard.table.read().expect("no holder panics");
            if self.relax(&table) != Room::None {
                return;
            }
            slots = table.slots();
            if !grown {
                self.shard.agenda.end(End::Limit(Limit::Memory));
                self.pending.clear();
                return;
            }
        }
    }

    /// Looks up and hands over all that is held back.
    fn hand_in(&mut self) {
        let table = self.shard.table.read().expect("no holder panics");
        if self.relax(&table) != Room::Enough {
            let slots = table.slots();
            drop(table);
            self.grow_and_relax(slots);
        }
        for chunk in self.held.drain() {
            self.shard.hand_over(chunk);
        }
    }
}

/// What a portion of relaxations found of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    Enough,
    /// All found their slot, but it is time to grow.
    Little,
    /// Some found none.
    None,
}

fn row_bytes<R>(rows: &[R]) -> u64 {
    size_of_val(rows) as u64
}

/// Rows not yet handed over, in lists of one (f, cost) each.
///
/// A direct-mapped cache of lists: where two compete for a slot the older one is handed over short, so that what a
/// thread holds back is bounded.
struct Held<R> {
    lists: Vec<Chunk<R>>,
    /// Buffers of chunks that were worked off.
    spare: Vec<Vec<R>>,
}

impl<R: Copy> Held<R> {
    const SLOTS: usize = 1024;
    const SPARE: usize = 64;

    fn new() -> Self {
        let empty = || Chunk { side: Side::Forward, f: 0, cost: 0, rows: Vec::new() };
        let lists = std::iter::repeat_with(empty).take(Self::SLOTS).collect();
        Self { lists, spare: Vec::new() }
    }

    /// Keeps the buffer of a chunk for a list to come.
    fn recycle(&mut self, mut rows: Vec<R>) {
        if self.spare.len() < Self::SPARE && rows.capacity() == CHUNK_ROWS {
            rows.clear();
            self.spare.push(rows);
        }
    }

    /// Adds a row; returns a list that is full or in the way.
    #[inline(always)]
    fn add(&mut self, side: Side, f: u32, cost: u32, rank: R) -> Option<Chunk<R>> {
        // Neighbouring levels and bounds get slots of their own.
        let slot = (f.wrapping_mul(64).wrapping_add(f - cost)) as usize % Self::SLOTS;
        let list = &mut self.lists[slot];
        let mut leaving = None;
        if (list.side, list.f, list.cost) != (side, f, cost) {
            let older = std::mem::replace(list, Chunk { side, f, cost, rows: Vec::new() });
            leaving = Some(older).filter(|older| !older.rows.is_empty());
        }
        if list.rows.len() == list.rows.capacity() {
            Self::enlarge(&mut list.rows, &mut self.spare);
        }
        list.rows.push(rank);
        if list.rows.len() == CHUNK_ROWS {
            // A list just begun is not full, so there is no older one to forget.
            leaving = Some(Chunk { side, f, cost, rows: std::mem::take(&mut list.rows) });
        }
        leaving
    }

    /// Lists begin small, as most of a small search stay so, and go on in a whole chunk.
    #[cold]
    fn enlarge(rows: &mut Vec<R>, spare: &mut Vec<Vec<R>>) {
        const SMALL: usize = 16;
        if rows.is_empty() {
            rows.reserve_exact(SMALL);
            return;
        }
        let mut whole = spare.pop().unwrap_or_else(|| Vec::with_capacity(CHUNK_ROWS));
        whole.append(rows);
        *rows = whole;
    }

    fn drain(&mut self) -> impl Iterator<Item = Chunk<R>> {
        self.lists.iter_mut().filter(|list| !list.rows.is_empty()).map(|list| Chunk {
            side: list.side,
            f: list.f,
            cost: list.cost,
            rows: std::mem::take(&mut list.rows),
        })
    }
}
