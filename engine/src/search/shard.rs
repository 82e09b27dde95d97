//! The states of one process: table, open list, and the threads that work on them.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use crossbeam_utils::CachePadded;

use super::agenda::{Agenda, CHUNK_ROWS, Chunk, End, Leaving, Sealed, Wake, Work};
use super::ends::Ends;
use super::exchange::{BATCH_RECORDS, BatchError, BatchFormat, Exchange, SentFilter};
use super::expand::{Expander, Successor};
use super::incumbent::{Finish, Incumbent};
use super::problem::Problem;
use super::put_off::{Extent, PutOff};
use super::roots;
use super::side::{Level, Side};
use super::spill::{Run, Spill, SpillPlace};
use super::want::Want;
use crate::board::Square;
use crate::budget::Budget;
use crate::estimate::Estimator;
use crate::journal::{Journal, JournalPlace, Reading, Segment, SegmentError};
use crate::optima::{Optima, Searched, optima};
use crate::outcome::Limit;
use crate::rank::Rank;
use crate::reconstruct::{RowSource, reconstruct};
use crate::scout::{News, Scouts};
use crate::table::{Broken, Entry, Relaxation, Row, Table, TableSize};
use crate::walk::Ground;
use crate::{Control, Moves, SearchChoice, Statistics, Stop};

/// One shard of the search; a search in one process has just one.
pub(crate) struct Shard<R, G: Ground> {
    pub(crate) problem: Problem<R, G::Set>,
    /// Threads hold it shared while they look things up; growing takes it alone.
    table: RwLock<Table<R>>,
    pub(crate) agenda: Agenda<R>,
    pub(crate) incumbent: Incumbent<R>,
    /// Where solutions as cheap as the incumbent were found.
    ends: Ends<R>,
    pub(crate) budget: Budget,
    /// Who owns the other box sets, if not all are ours.
    exchange: Option<Exchange>,
    format: BatchFormat,
    journal: Option<Arc<Journal>>,
    /// Of what is searched; segments of another search are refused.
    digest: u64,
    restoring: Restoring,
    /// Where rows may wait, if not all in memory.
    spill: Option<Spill<R>>,
    /// Where successors wait that are put off, and whether they are: from the moment on when the table is as large as it
    /// gets.
    put_off: Option<PutOff>,
    is_putting_off: AtomicBool,
    /// By side, one more than the largest f that is not put off.
    open_below: [AtomicU32; 2],
    /// Bytes of rows that wait in memory.
    queued: AtomicU64,
    /// Held by the thread that is spilling: one is enough.
    spilling: Mutex<()>,
    control: Control,
    most_expansions: u64,
    expanded: CachePadded<AtomicU64>,
    /// What each thread has counted.
    statistics: Vec<CachePadded<Mutex<Statistics>>>,
    /// Growing was given up half way: nothing may be read from the table any more.
    table_is_broken: AtomicBool,
    /// Whether, and where, a solution is looked for before the proof.
    scouting: Option<Scouting<Problem<R, G::Set>>>,
    /// Proven: every solution costs at least this much.
    lower_bound: AtomicU32,
    /// Moves of a solution found here, and its cost.
    best_moves: Mutex<Option<(u32, Moves)>>,
    /// The table could not grow the last time; from then on it is filled to the brim.
    growth_refused: AtomicBool,
    ground: std::marker::PhantomData<fn() -> G>,
}

/// Relaxations put off until their lines have come near.
const PENDING: usize = 64;
/// Successors put off that a thread holds back before it writes them.
const PUT_OFF: usize = 1 << 14;
/// States to start from that are stored between two looks at the limits.
const LOOK_UP: usize = 4096;
/// Tables of more bytes only double.
const GROW_BY_FOUR: u64 = 16 << 20;
/// How many rows ahead of the one being expanded are brought near.
const ROWS_AHEAD: usize = 8;

/// How a shard is to work.
pub(crate) struct Terms {
    pub(crate) threads: usize,
    pub(crate) control: Control,
    pub(crate) most_expansions: u64,
    pub(crate) exchange: Option<Exchange>,
    pub(crate) wake: Option<Wake>,
    pub(crate) journal: Option<JournalPlace>,
    /// Whether [`Shard::restore`] follows, in place of the states to start from.
    pub(crate) restores: bool,
    pub(crate) spill: Option<SpillPlace>,
    /// Whether a solution is looked for before the proof.
    pub(crate) scouts: bool,
}

/// Of what problems a solution is looked for before the proof.
pub(crate) struct Scouting<P> {
    /// First, where steps count: the same board for few pushes, of which a solution is found sooner.
    pub(crate) few_pushes: Option<P>,
    /// Then: the same board with an estimate that the search has not, or the problem that is searched.
    pub(crate) own: Option<P>,
}

/// A file that a shard needs and cannot make.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoFile {
    /// For the journal.
    #[error("cannot begin a journal in {}: {error}", folder.display())]
    Journal { folder: PathBuf, error: io::Error },
    /// For what waits.
    #[error("{}: {error}", folder.display())]
    OpenList { folder: PathBuf, error: io::Error },
}

/// What is being read back.
#[derive(Debug, Default)]
struct Restoring {
    /// By side, one more than the largest f of a closed level: states below are stored as closed. Stays: no later
    /// level has states below.
    closed_below: [AtomicU32; 2],
    /// Nothing is counted but states, and nothing journalled, as the segments being read stand for it.
    under_way: AtomicBool,
    /// Why a segment cannot be read.
    damage: Mutex<Option<SegmentError>>,
}

impl<R: Rank, G: Ground> Shard<R, G> {
    pub(crate) fn new(
        problem: Problem<R, G::Set>,
        table: Table<R>,
        budget: Budget,
        format: BatchFormat,
        digest: u64,
        want: Want,
        terms: Terms,
    ) -> Result<Self, NoFile> {
        let begin = |place: JournalPlace| {
            let folder = place.directory.clone();
            Journal::create(place, digest, !terms.restores)
                .map_err(|error| NoFile::Journal { folder, error })
        };
        let journal = terms.journal.map(begin).transpose()?.map(Arc::new);
        let no_open_list = |error| NoFile::OpenList {
            folder: terms.spill.as_ref().map(|place| place.directory.clone()).unwrap_or_default(),
            error,
        };
        let spill = terms.spill.as_ref().map(Spill::new).transpose().map_err(no_open_list)?;
        // Other shards would have to know of it to choose their levels. And a search that is taken up again would have to
        // keep what it has met in memory, and its journal what is not in the table.
        let alone = terms.exchange.is_none() && journal.is_none();
        let place = terms.spill.as_ref().filter(|_| alone);
        let put_off = place.map(PutOff::new).transpose().map_err(no_open_list)?;
        let at_once = place.is_some_and(|place| place.share == 0);
        let shards = terms.exchange.as_ref().map_or(0, Exchange::workers);
        Ok(Self {
            problem,
            table: RwLock::new(table),
            agenda: Agenda::new(terms.threads, shards, terms.wake),
            incumbent: Incumbent::new(want),
            ends: Ends::new(want),
            budget,
            exchange: terms.exchange,
            format,
            journal,
            digest,
            restoring: Restoring::default(),
            spill,
            put_off,
            is_putting_off: AtomicBool::new(at_once),
            open_below: Default::default(),
            queued: AtomicU64::new(0),
            spilling: Mutex::new(()),
            control: terms.control,
            most_expansions: terms.most_expansions,
            expanded: CachePadded::new(AtomicU64::new(0)),
            // One for each thread, and one for what is counted before they begin.
            statistics: std::iter::repeat_with(Default::default).take(terms.threads + 1).collect(),
            table_is_broken: AtomicBool::new(false),
            scouting: None,
            lower_bound: AtomicU32::new(0),
            best_moves: Mutex::new(None),
            growth_refused: AtomicBool::new(false),
            ground: std::marker::PhantomData,
        })
    }

    /// The same, with a solution looked for before the proof if there is this.
    pub(crate) fn scouting(self, scouting: Option<Scouting<Problem<R, G::Set>>>) -> Self {
        Self { scouting, ..self }
    }

    /// Works on levels until sent home. Call once on each of the threads, with its number from 0.
    pub(crate) fn work(&self, number: usize) {
        let panic = PanicEndsAll(&self.agenda);
        let mut thread = Thread::new(self, number);
        let scouting = self.scouting.as_ref().filter(|_| number == 0);
        let mut scouts = scouting.map(|Scouting { few_pushes, own }| {
            Scouts::<R, G>::new(
                few_pushes.as_ref(),
                own.as_ref().unwrap_or(&self.problem),
                &self.budget,
            )
        });
        loop {
            if let Some(scouts) = &mut scouts {
                self.scout(scouts, thread.statistics.expanded);
            }
            let work = match self.agenda.take() {
                Some(work) => work,
                None => {
                    thread.hand_in();
                    self.show(&mut thread);
                    match self.agenda.wait() {
                        Some(work) => work,
                        None => break,
                    }
                }
            };
            match work {
                Work::Rows(chunk) => thread.expand(chunk),
                Work::Batch(batch) => thread.apply(&batch),
                Work::Segments(reading) => thread.restore(&reading),
                Work::Spilled { side, f, block } => self.read_back(side, f, block),
                Work::PutOff(extent) => thread.take_up(extent),
            }
            self.show(&mut thread);
        }
        std::mem::forget(panic);
    }

    /// Lets the scouts do their part.
    fn scout(&self, scouts: &mut Scouts<'_, R, G>, expanded: u64) {
        let lower_bound = self.lower_bound.load(Ordering::Relaxed);
        let news = News { lower_bound, incumbent: self.incumbent.cost(), expanded };
        let may_meet = scouts.may_meet() && self.problem.search == SearchChoice::TwoSided;
        let table = may_meet.then(|| self.table());
        if self.table_is_broken.load(Ordering::Relaxed) {
            return;
        }
        let Some((cost, moves)) = scouts.keep_up(news, table.as_deref()) else { return };
        drop(table);
        let mut known = self.best_moves.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref().is_none_or(|&(best, _)| cost < best) {
            *known = Some((cost, moves));
        }
        drop(known);
        // After the moves are there to be had.
        self.incumbent.lower(cost);
    }

    /// Takes note of what is proven.
    pub(crate) fn is_proven(&self, lower_bound: u32) {
        self.lower_bound.store(lower_bound, Ordering::Relaxed);
    }

    /// Stores states to start from, as far as they are ours, and the solution that the start may be.
    pub(crate) fn seed(&self, search: SearchChoice) {
        let mut thread = Thread::new(self, self.statistics.len() - 1);
        let (start, finish) = roots::start::<R, G>(&self.problem);
        finish.into_iter().for_each(|finish| self.offer(finish));
        thread.store(Side::Forward, start.into_iter());
        if search.goes(Side::Backward) {
            // There may be more finished boards than there is time or memory for.
            let goes_on = |&(index, _): &(usize, _)| index % LOOK_UP != 0 || !self.is_over();
            let finished = roots::finished::<R, G>(&self.problem).enumerate().take_while(goes_on);
            thread.store(Side::Backward, finished.map(|(_, state)| state));
        }
        thread.hand_in();
        self.show(&mut thread);
    }

    /// Begins to read segments back, in place of the states to start from. When the agenda is quiet, on all shards, every
    /// state of theirs is stored, those of each side up to the f in `closed` as closed, and the rows of the others wait.
    pub(crate) fn restore(
        &self,
        directory: &Path,
        segments: Vec<Segment>,
        closed: [Option<u32>; 2],
    ) {
        for (below, closed) in self.restoring.closed_below.iter().zip(closed) {
            below.store(closed.map_or(0, |f| f + 1), Ordering::Relaxed);
        }
        self.restoring.under_way.store(true, Ordering::Relaxed);
        // The lock of the agenda hands what was stored above to the threads.
        self.agenda.restore(Reading::new(directory.to_owned(), self.digest, segments));
    }

    /// Takes note that all that was to be read back has been, on all shards.
    pub(crate) fn is_restored(&self) {
        self.restoring.under_way.store(false, Ordering::Relaxed);
    }

    /// Opens a level.
    pub(crate) fn open_level(&self, level: Level) {
        self.is_restored();
        for side in [Side::Forward, Side::Backward] {
            let below = if side == level.side { level.f + 1 } else { 0 };
            self.open_below[side as usize].store(below, Ordering::Relaxed);
        }
        // The lock of the agenda hands what was stored above to the threads.
        self.agenda.open(level);
    }

    /// Why the segments could not be read back.
    pub(crate) fn damage(&self) -> MutexGuard<'_, Option<SegmentError>> {
        self.restoring.damage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn journal(&self) -> Option<&Arc<Journal>> {
        self.journal.as_ref()
    }

    /// Begins the journal anew and dumps the table into it, while the search goes on; but not where successors are put
    /// off. Those that are put off from now on go into the new segment.
    pub(crate) fn compact(&self) {
        /// Lines read at once, between which the table may grow.
        const LINES: usize = 1 << 12;
        if self.is_putting_off() {
            return;
        }
        let Some(journal) = self.journal().filter(|journal| journal.begin_compaction()) else {
            return;
        };
        // What was put off is in the journal and not in the table. Whatever of it came before the new segment shows here,
        // as it went through the lock of the journal.
        if self.is_putting_off() {
            return journal.give_compaction_up();
        }
        let mut estimators = self.problem.estimates.each_ref().map(Estimator::new);
        let mut boxes = vec![Square::from_index(0); self.problem.boxes()];
        let mut states: [Vec<Successor<R>>; 2] = Default::default();
        let mut lines = 0;
        let mut from = 0;
        loop {
            if self.agenda.has_ended() {
                return journal.give_compaction_up();
            }
            let table = self.table();
            if table.lines() != lines {
                // It has grown, and what had not been read may have moved to where it has.
                (lines, from) = (table.lines(), 0);
            }
            if from >= lines {
                break;
            }
            table.for_each(from..from + LINES, |rank, entry| {
                let Entry { keeper, cost, side, .. } = entry;
                states[side as usize].push(Successor { rank, keeper, cost, estimate: 0 });
            });
            from += LINES;
            drop(table);
            for (side, states) in [Side::Forward, Side::Backward].into_iter().zip(&mut states) {
                if !self.problem.estimates[side as usize].is_none() {
                    for state in states.iter_mut() {
                        self.problem.ranking.unrank(state.rank, &mut boxes);
                        // A row that cannot be finished is never stored.
                        let estimator = &mut estimators[side as usize];
                        state.estimate = estimator
                            .of_row(&boxes)
                            .map_or(0, |_| estimator.with_keeper(state.keeper));
                    }
                }
                if !states.is_empty() {
                    journal.append(&self.format.write(side, states), states.len() as u64);
                }
                states.clear();
            }
        }
        journal.compacted();
        self.agenda.look();
    }

    /// Whether a batch is whole and all of it is ours.
    pub(crate) fn check_batch(&self, batch: &[u8]) -> Result<(), BatchError> {
        let Some(exchange) = &self.exchange else { return Err(BatchError::Owner(0)) };
        let batch = exchange.format().open(batch, self.problem.ranking.sets())?;
        let foreign = |state: Successor<R>| exchange.owner(state.rank) != exchange.me();
        match batch.successors().position(foreign) {
            Some(index) => Err(BatchError::Owner(index as u32)),
            None => Ok(()),
        }
    }

    /// The rows of box sets, as they are.
    pub(crate) fn rows(&self, ranks: impl Iterator<Item = R>) -> Vec<Vec<Entry>> {
        let table = self.table();
        ranks.map(|rank| table.row(table.mix(rank))).collect()
    }

    /// What has been counted so far.
    pub(crate) fn statistics(&self) -> Statistics {
        let mut sum = Statistics::default();
        for thread in &self.statistics {
            sum += *thread.lock().unwrap_or_else(PoisonError::into_inner);
        }
        sum.peak_bytes = self.budget.peak();
        sum.spilled_bytes = self.spill.as_ref().map_or(0, Spill::written)
            + self.put_off.as_ref().map_or(0, PutOff::written);
        sum
    }

    /// The size of the table; `None` while it grows, which is not waited for.
    pub(crate) fn table_size(&self) -> Option<TableSize> {
        let table = self.table.try_read().ok()?;
        Some(TableSize { bytes: table.bytes(), slots: table.slots() as u64 })
    }

    fn table(&self) -> RwLockReadGuard<'_, Table<R>> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows what the thread has done, and ends the search where a limit is reached.
    fn show(&self, thread: &mut Thread<'_, R, G>) {
        let mut shown =
            self.statistics[thread.number].lock().unwrap_or_else(PoisonError::into_inner);
        let new = thread.statistics.expanded - shown.expanded;
        let states = thread.statistics.states - shown.states;
        *shown = thread.statistics;
        drop(shown);
        let expanded = self.expanded.fetch_add(new, Ordering::Relaxed) + new;
        let best = self.incumbent.cost();
        self.control.publish(new, states, best, self.agenda.rows(), self.budget.used());
        if !self.heed_stop() && expanded >= self.most_expansions {
            self.agenda.end(End::Limit(Limit::Expansions));
        }
    }

    /// Ends the search if somebody outside has asked for it.
    fn heed_stop(&self) -> bool {
        let Some(stop) = self.control.stopped() else { return false };
        self.agenda.end(End::Limit(match stop {
            Stop::Time => Limit::Time,
            Stop::Interrupt => Limit::Interrupted,
        }));
        true
    }

    fn is_over(&self) -> bool {
        self.heed_stop() || self.agenda.has_ended()
    }

    fn hand_over(&self, chunk: Chunk<R>) {
        let bytes = row_bytes(&chunk.rows);
        if !self.budget.take(bytes) {
            self.spill_down_to(0);
            if !self.budget.take(bytes) {
                // The rows are lost, but so is the search: it ends with a limit, not with an answer.
                return self.end_without_memory();
            }
        }
        let queued = self.queued.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.agenda.add(chunk);
        if let Some(spill) = &self.spill
            && queued > spill.share()
        {
            // By some more than one chunk, so that it does not have to be done for every one.
            self.spill_down_to(spill.share() / 8 * 7);
        }
    }

    /// Keeps a finish if it is cheaper than all before, and its row if it is as cheap.
    #[inline]
    pub(crate) fn offer(&self, finish: Finish<R>) {
        self.incumbent.offer(finish);
        if finish.cost <= self.incumbent.cost() {
            self.ends.note(finish, &self.budget);
        }
    }

    /// Whether successors are put off.
    pub(crate) fn is_putting_off(&self) -> bool {
        self.is_putting_off.load(Ordering::Relaxed)
    }

    fn no_longer_queued(&self, bytes: u64) {
        self.queued.fetch_sub(bytes, Ordering::Relaxed);
        self.budget.give_back(bytes);
    }

    /// What has gone wrong with what waits on disk, for people.
    pub(crate) fn disk_fault(&self) -> Option<&str> {
        let spill = self.spill.as_ref().and_then(Spill::fault);
        spill.or_else(|| self.put_off.as_ref().and_then(PutOff::fault))
    }

    fn end_without_memory(&self) {
        let disk = self.disk_fault().is_some();
        self.agenda.end(End::Limit(if disk { Limit::Disk } else { Limit::Memory }));
    }

    /// Writes rows to disk until so many bytes of them are left in memory, or none that can be spared.
    fn spill_down_to(&self, bytes: u64) {
        let Some(spill) = &self.spill else { return };
        let Ok(_one) = self.spilling.try_lock() else { return };
        let block_rows = Spill::<R>::rows_of_a_block();
        while self.queued.load(Ordering::Relaxed) > bytes && spill.fault().is_none() {
            let Some(Leaving { side, f, mut runs }) = self.agenda.leave(block_rows) else { return };
            let count = |runs: &[Run<R>]| runs.iter().map(|(_, rows)| rows.len()).sum::<usize>();
            let mut left = count(&runs);
            while left >= block_rows
                && let Ok(block) = spill.write(&mut runs)
            {
                let now = count(&runs);
                let written = (left - now) as u64;
                self.agenda.left(side, f, block, written);
                self.no_longer_queued(written * size_of::<R>() as u64);
                left = now;
            }
            // What does not fill a block stays, and so does what could not be written.
            for (cost, rows) in runs {
                for rows in rows.chunks(CHUNK_ROWS) {
                    self.agenda.add(Chunk { side, f, cost, rows: rows.to_vec() });
                }
            }
        }
    }

    /// Reads rows of the open level back from disk.
    fn read_back(&self, side: Side, f: u32, block: u64) {
        let Some(spill) = &self.spill else { return };
        let Ok(runs) = spill.read(block) else {
            return self.agenda.end(End::Limit(Limit::Disk));
        };
        self.agenda.read_back(runs.iter().map(|(_, rows)| rows.len() as u64).sum());
        for (cost, rows) in runs {
            for rows in rows.chunks(CHUNK_ROWS) {
                self.hand_over(Chunk { side, f, cost, rows: rows.to_vec() });
            }
        }
    }

    /// The moves of the best solution found here. `None` if there is none, or the table that would tell is not all there.
    pub(crate) fn best_moves(&self) -> Option<Moves> {
        let mut known = self.best_moves.lock().unwrap_or_else(PoisonError::into_inner);
        let finish = self.incumbent.best();
        if let Some((cost, moves)) = &*known
            && finish.is_none_or(|finish| *cost <= finish.cost)
        {
            return Some(moves.clone());
        }
        let finish = finish?;
        let is_partial = self.restoring.under_way.load(Ordering::Relaxed);
        if is_partial || self.table_is_broken.load(Ordering::Relaxed) {
            return None;
        }
        let problem = &self.problem;
        let rows = &mut TableRows(self);
        let moves = reconstruct(
            &problem.board,
            (problem.rule, problem.objective),
            &problem.ranking,
            finish,
            rows,
        )
        .expect("every accepted state has a neighbour that explains its cost");
        *known = Some((finish.cost, moves.clone()));
        Some(moves)
    }

    /// Rows in which solutions of this cost were found here, the first so many of those after one; `None` if they were
    /// not kept.
    pub(crate) fn ends_after(&self, after: Option<R>, most: usize, cost: u32) -> Option<Vec<R>> {
        self.ends.rows_after(after, most, cost)
    }

    /// All solutions as good as the best one, once a search that is after them is over; `None` if they are not known, or
    /// do not fit the memory.
    pub(crate) fn optima(&self, forward_closed_below: u32) -> Option<Optima> {
        let cost = self.incumbent.cost();
        let ends = self.ends.rows(cost)?;
        if self.table_is_broken.load(Ordering::Relaxed) {
            return None;
        }
        let Problem { board, rule, objective, ranking, .. } = &self.problem;
        let (rule, objective, ends) = (*rule, *objective, &ends[..]);
        let searched =
            Searched { board, rule, objective, ranking, cost, forward_closed_below, ends };
        optima(&searched, &mut TableRows(self), &self.budget, &self.control).ok()
    }

    /// Makes the table larger, unless another thread has since it had so many slots. False if it cannot be done.
    ///
    /// On large tables that takes seconds. Whoever wants the search to stop need not wait for that: the table is given up
    /// half way then, and only the moves of the best solution, which are put together before, are left of it.
    fn grow(&self, slots: usize) -> bool {
        if self.exchange.is_none() && self.table().slots() == slots {
            let _ = self.best_moves();
        }
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        if table.slots() > slots {
            return true;
        }
        // A small table becomes four times as large, so that entries move less often; else twice.
        let bytes = table.bytes();
        let by_four = bytes <= GROW_BY_FOUR && table.can_grow(2) && self.budget.take(3 * bytes);
        let mut grown = by_four || table.can_grow(1) && self.budget.take(bytes);
        if !grown && table.can_grow(1) && self.spill.is_some() {
            self.spill_down_to(0);
            grown = self.budget.take(bytes);
        }
        if grown {
            let abandon = || self.control.stopped().is_some();
            if let Err(broken) = table.grow(1 + u32::from(by_four), abandon) {
                self.table_is_broken.store(true, Ordering::Relaxed);
                let over = self.heed_stop();
                debug_assert!(over || broken == Broken::RowTooLong);
                // Without the table there is no going on.
                self.end_without_memory();
                return false;
            }
        }
        self.growth_refused.store(!grown, Ordering::Relaxed);
        // Whether it can grow once more, when all rows are on disk. If not, what is left of it is for states that the
        // proof needs.
        let room = self.budget.left() + self.queued.load(Ordering::Relaxed);
        let is_largest = !table.can_grow(1) || room < table.bytes();
        if is_largest && self.put_off.is_some() {
            self.is_putting_off.store(true, Ordering::Relaxed);
        }
        grown
    }
}

/// The rows of the one shard.
struct TableRows<'s, R, G: Ground>(&'s Shard<R, G>);

impl<R: Rank, G: Ground> RowSource<R> for TableRows<'_, R, G> {
    type Error = std::convert::Infallible;

    fn rows(&mut self, ranks: &[R]) -> Result<Vec<Vec<Entry>>, Self::Error> {
        Ok(self.0.rows(ranks.iter().copied()))
    }
}

/// Sends everybody home if it is dropped, which a panic does.
struct PanicEndsAll<'a, R: Copy>(&'a Agenda<R>);

impl<R: Copy> Drop for PanicEndsAll<'_, R> {
    fn drop(&mut self) {
        self.0.end(End::Panicked);
    }
}

/// What one thread holds.
struct Thread<'s, R, G: Ground> {
    number: usize,
    shard: &'s Shard<R, G>,
    expander: Expander<'s, R, G>,
    statistics: Statistics,
    /// The side of all that is held back below.
    side: Side,
    /// Successors to be looked up, with their mixed ranks.
    pending: Vec<(R, Successor<R>)>,
    /// Successors accepted and not yet written to the journal.
    accepted: Vec<Successor<R>>,
    /// Successors put off and not yet written to disk.
    put_off: Vec<Successor<R>>,
    held: Held<R>,
    /// Successors for each of the other shards.
    outgoing: Vec<Vec<Successor<R>>>,
    filter: Option<SentFilter<R>>,
    row: Row,
    mixed: Vec<R>,
    /// New entries not yet added to the table's count.
    stored: u64,
}

impl<'s, R: Rank, G: Ground> Thread<'s, R, G> {
    fn new(shard: &'s Shard<R, G>, number: usize) -> Self {
        let exchange = shard.exchange.as_ref();
        let shards = exchange.map_or(0, Exchange::workers);
        Self {
            number,
            shard,
            expander: Expander::new(&shard.problem),
            statistics: Statistics::default(),
            side: Side::Forward,
            pending: Vec::with_capacity(2 * PENDING),
            accepted: Vec::new(),
            put_off: Vec::new(),
            held: Held::new(),
            outgoing: vec![Vec::new(); shards],
            filter: (shards > 1).then(SentFilter::new),
            row: Row::default(),
            mixed: Vec::new(),
            stored: 0,
        }
    }

    fn expand(&mut self, chunk: Chunk<R>) {
        let shard = self.shard;
        shard.no_longer_queued(row_bytes(&chunk.rows));
        if !shard.incumbent.admits(chunk.f) {
            // Queued before the incumbent was found.
            self.statistics.stale += chunk.rows.len() as u64;
            return self.held.recycle(chunk.rows);
        }
        self.turn_to(chunk.side);
        let mut from = 0;
        while from < chunk.rows.len() {
            let table = shard.table();
            self.mixed.clear();
            self.mixed.extend(chunk.rows.iter().map(|&rank| table.mix(rank)));
            for &mixed in self.mixed[from..].iter().take(ROWS_AHEAD) {
                table.prefetch(mixed);
            }
            let mut room = Room::Enough;
            let mut full_batch = false;
            while room == Room::Enough && !full_batch && from < chunk.rows.len() {
                if let Some(&ahead) = self.mixed.get(from + ROWS_AHEAD) {
                    table.prefetch(ahead);
                }
                self.open_row(&table, &chunk, from);
                let Self { expander, row, statistics, pending, outgoing, filter, .. } = self;
                let mut filtered = 0;
                expander.expand(
                    chunk.side,
                    chunk.rows[from],
                    row,
                    statistics,
                    |successor| {
                        if !shard.incumbent.admits(successor.cost + successor.estimate) {
                            return;
                        }
                        let mixed = table.mix(successor.rank);
                        if let Some(exchange) = &shard.exchange {
                            let owner = exchange.owner(successor.rank);
                            if owner != exchange.me() {
                                let filter = filter.as_mut();
                                if filter.is_none_or(|f| f.admits(mixed, chunk.side, &successor)) {
                                    let batch = &mut outgoing[usize::from(owner)];
                                    batch.push(successor);
                                    full_batch |= batch.len() >= BATCH_RECORDS;
                                } else {
                                    filtered += 1;
                                }
                                return;
                            }
                        }
                        table.prefetch(mixed);
                        pending.push((mixed, successor));
                    },
                    |finish| shard.offer(finish),
                );
                self.statistics.filtered += filtered;
                from += 1;
                if self.pending.len() >= PENDING {
                    room = self.relax(&table);
                }
            }
            let slots = table.slots();
            drop(table);
            if room != Room::Enough {
                self.grow_and_relax(slots);
            }
            if full_batch {
                self.send(BATCH_RECORDS);
            }
        }
        self.held.recycle(chunk.rows);
    }

    /// Opens the states of a row of a chunk that wait at its cost and f.
    #[inline(always)]
    fn open_row(&mut self, table: &Table<R>, chunk: &Chunk<R>, index: usize) {
        let Self { expander, row, mixed, .. } = self;
        let &Chunk { side, f, cost, .. } = chunk;
        let problem = &self.shard.problem;
        let (mixed, rank) = (mixed[index], chunk.rows[index]);
        row.cost = cost;
        match problem.estimates[side as usize].depends_on_keeper() {
            // All that wait at the same cost wait at the same f.
            false => table.open_row(mixed, side, row, |_| true),
            true => table.open_row(mixed, side, row, |keeper| {
                problem.lead.number(side, cost, expander.estimate(side, rank, keeper)) <= f
            }),
        }
    }

    /// Relaxes the successors of a batch. Batches are checked when they come in.
    fn apply(&mut self, batch: &[u8]) {
        let shard = self.shard;
        let exchange = shard.exchange.as_ref().expect("batches come from other shards");
        if let Ok(batch) = exchange.format().open(batch, shard.problem.ranking.sets()) {
            self.store(batch.side, batch.successors());
        }
        shard.agenda.applied();
    }

    /// Reads a block back: relaxes what is ours, and sends the rest to its owners.
    fn restore(&mut self, reading: &Mutex<Reading>) {
        let shard = self.shard;
        let sets = shard.problem.ranking.sets();
        let count = |payload: &[u8]| {
            let batch = shard.format.open::<R>(payload, sets).ok()?;
            Some(batch.count.into())
        };
        let next = reading.lock().unwrap_or_else(PoisonError::into_inner).next_block(count);
        match next {
            Ok(None) => shard.agenda.restored(),
            Ok(Some(payload)) => {
                let Ok(batch) = shard.format.open::<R>(&payload, sets) else { return };
                self.turn_to(batch.side);
                if let Some(exchange) = &shard.exchange {
                    for state in batch.successors::<R>() {
                        let owner = exchange.owner(state.rank);
                        if owner != exchange.me() {
                            self.outgoing[usize::from(owner)].push(state);
                        }
                    }
                    self.send(BATCH_RECORDS);
                }
                self.store(batch.side, batch.successors());
            }
            Err(error) => {
                shard.damage().get_or_insert(error);
                shard.agenda.end(End::Damaged);
            }
        }
    }

    /// Goes over to another side, if it is another: what is held back is of one side.
    fn turn_to(&mut self, side: Side) {
        if self.side != side {
            self.hand_in();
            self.side = side;
        }
    }

    /// Relaxes states of one side, as far as they are ours.
    fn store(&mut self, side: Side, states: impl Iterator<Item = Successor<R>>) {
        self.turn_to(side);
        let shard = self.shard;
        let ours = |state: &Successor<R>| {
            shard.exchange.as_ref().is_none_or(|e| e.owner(state.rank) == e.me())
        };
        let mut states = states.filter(ours).peekable();
        // What is read back may be part of the best solution, whose bound is its cost.
        let restoring = shard.restoring.under_way.load(Ordering::Relaxed);
        while states.peek().is_some() {
            let table = shard.table();
            let mut room = Room::Enough;
            while room == Room::Enough
                && let Some(state) = states.next()
            {
                if restoring || shard.incumbent.admits(state.cost + state.estimate) {
                    let mixed = table.mix(state.rank);
                    table.prefetch(mixed);
                    self.pending.push((mixed, state));
                    if self.pending.len() >= PENDING {
                        room = self.relax(&table);
                    }
                }
            }
            let slots = table.slots();
            drop(table);
            if room != Room::Enough {
                self.grow_and_relax(slots);
            }
        }
        self.hand_in_rows();
    }

    /// Seals and posts the outgoing successors of every shard that has at least so many.
    ///
    /// Where the outboxes are full, batches that have come in are applied meanwhile.
    fn send(&mut self, least: usize) {
        let shard = self.shard;
        let Some(exchange) = &shard.exchange else { return };
        for peer in 0..exchange.workers() {
            let mut rest = std::mem::take(&mut self.outgoing[peer]);
            if rest.is_empty() || rest.len() < least {
                self.outgoing[peer] = rest;
                continue;
            }
            let (bytes, records) = shard.format.seal(self.side, &mut rest);
            rest.clear();
            self.outgoing[peer] = rest;
            self.statistics.transferred += u64::from(records);
            let mut sealed = Sealed { bytes, records };
            while let Err(refused) = shard.agenda.post(peer as u16, sealed) {
                sealed = refused;
                if let Some(batch) = shard.agenda.batch_or_room() {
                    self.apply(&batch);
                }
            }
        }
    }

    /// Looks up the successors put off; where that needs a larger table, the rest stays pending.
    fn relax(&mut self, table: &Table<R>) -> Room {
        let mut room = Room::Enough;
        let mut done = 0;
        let largest_cost = table.largest_cost();
        let restoring = self.shard.restoring.under_way.load(Ordering::Relaxed);
        let journals = self.shard.journal.is_some() && !restoring;
        let closed_below =
            self.shard.restoring.closed_below[self.side as usize].load(Ordering::Relaxed);
        let put_off_from = match self.shard.is_putting_off() {
            true => self.shard.open_below[self.side as usize].load(Ordering::Relaxed),
            false => u32::MAX,
        };
        // In the order they came: the line of the first has had the longest time to come near.
        for &(mixed, successor) in &self.pending {
            if successor.cost > largest_cost {
                self.shard.agenda.end(End::CostTooLarge);
                done += 1;
                continue;
            }
            let keeper = successor.keeper.index();
            let Successor { cost, estimate, .. } = successor;
            let f = self.shard.problem.lead.number(self.side, cost, estimate);
            let closed = f < closed_below;
            let estimates = &self.shard.problem.estimates[self.side as usize];
            let agrees = |other| estimates.agrees(successor.keeper, other);
            let relaxed = if closed {
                table.relax_closed(mixed, keeper, successor.cost, self.side)
            } else if f >= put_off_from {
                table.relax_if_stored(mixed, keeper, successor.cost, self.side, agrees)
            } else {
                table.relax(mixed, keeper, successor.cost, self.side, agrees)
            };
            if relaxed == Relaxation::Absent {
                self.put_off.push(successor);
                if journals {
                    self.accepted.push(successor);
                }
            }
            if relaxed == Relaxation::Full {
                room = Room::None;
                break;
            }
            self.statistics.attempts += u64::from(!restoring);
            if let Relaxation::Accepted { new, reopened, covered } = relaxed {
                self.stored += u64::from(new);
                self.statistics.states += u64::from(new);
                self.statistics.reopened += u64::from(reopened && !restoring);
                self.statistics.generated += u64::from(!restoring);
                if journals {
                    self.accepted.push(successor);
                }
                if !covered
                    && !closed
                    && let Some(chunk) = self.held.add(self.side, f, successor.cost, successor.rank)
                {
                    self.shard.hand_over(chunk);
                }
            }
            done += 1;
        }
        self.pending.drain(..done);
        if self.accepted.len() >= BATCH_RECORDS {
            self.write_down();
        }
        if self.put_off.len() >= PUT_OFF {
            self.put_off();
        }
        let loaded = table.count(std::mem::take(&mut self.stored));
        if room == Room::Enough && loaded && !self.shard.growth_refused.load(Ordering::Relaxed) {
            room = Room::Little;
        }
        room
    }

    /// Writes the successors put off to disk, by f.
    fn put_off(&mut self) {
        let shard = self.shard;
        let Some(file) = shard.put_off.as_ref().filter(|_| !self.put_off.is_empty()) else {
            return;
        };
        let lead = shard.problem.lead;
        let f =
            |successor: &Successor<R>| lead.number(self.side, successor.cost, successor.estimate);
        self.put_off.sort_unstable_by_key(|successor| (f(successor), successor.rank));
        let groups = || self.put_off.chunk_by(|one, next| f(one) == f(next));
        let payload =
            |group: &[Successor<R>]| (shard.format.write(self.side, group), group.len() as u32);
        let payloads: Vec<_> = groups().map(payload).collect();
        match file.write(&payloads) {
            Ok(extents) => {
                if !shard.budget.take(size_of_val(extents.as_slice()) as u64) {
                    shard.end_without_memory();
                }
                let levels = groups().map(|group| f(&group[0]));
                shard.agenda.put_off(self.side, levels.zip(extents));
            }
            // They are nowhere now, so there is no going on.
            Err(_) => shard.agenda.end(End::Limit(Limit::Disk)),
        }
        self.put_off.clear();
    }

    /// Looks successors up that were put off.
    fn take_up(&mut self, extent: Extent) {
        let shard = self.shard;
        let Some(file) = &shard.put_off else { return };
        shard.budget.give_back(size_of::<Extent>() as u64);
        let payload = file.read(extent).ok();
        let sets = shard.problem.ranking.sets();
        let batch = payload.as_ref().and_then(|payload| shard.format.open::<R>(payload, sets).ok());
        match batch {
            Some(batch) => self.store(batch.side, batch.successors()),
            None => shard.agenda.end(End::Limit(Limit::Disk)),
        }
    }

    /// Writes the successors accepted to the journal.
    fn write_down(&mut self) {
        if let Some(journal) = &self.shard.journal
            && !self.accepted.is_empty()
        {
            let payload = self.shard.format.write(self.side, &self.accepted);
            journal.append(&payload, self.accepted.len() as u64);
            self.accepted.clear();
        }
    }

    /// Grows the table for the pending successors and looks them up; if there is no growing and no room, the search
    /// ends for want of memory.
    fn grow_and_relax(&mut self, mut slots: usize) {
        loop {
            let grown = self.shard.grow(slots);
            let table = self.shard.table();
            if self.relax(&table) != Room::None {
                return;
            }
            slots = table.slots();
            if !grown {
                self.shard.end_without_memory();
                self.pending.clear();
                return;
            }
        }
    }

    /// Looks up all successors put off.
    fn relax_all(&mut self) {
        let table = self.shard.table();
        let room = self.relax(&table);
        let slots = table.slots();
        drop(table);
        if room != Room::Enough {
            self.grow_and_relax(slots);
        }
    }

    fn hand_in_rows(&mut self) {
        self.relax_all();
        for chunk in self.held.drain() {
            self.shard.hand_over(chunk);
        }
    }

    /// Looks up, hands over, sends and writes down all that is held back.
    fn hand_in(&mut self) {
        self.send(1);
        self.hand_in_rows();
        self.put_off();
        self.write_down();
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
