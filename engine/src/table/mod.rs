//! The best-g table: the least cost known of every state, clustered by box set.
//!
//! # Layout
//!
//! The rank of a box set is mixed by a bijection; the low bits of the result number its *home line* of sixteen slots. A
//! slot holds one state: what the line number does not tell of the mixed rank (the *remainder*, so that the key is
//! exact and never a fingerprint), the keeper's square, the cost, a closed bit, and the side of the search. All states
//! of a box set, its *row*, therefore lie together: most rows are in one line, which is two cache lines side by side. A
//! slot is 8 bytes while the fields fit, else 16, else 32 ([`Layout`]); only its first word ever changes once it is
//! written.
//!
//! A row whose home line is full goes on at home + 1, home + 3, home + 6 … (triangular numbers); the slot keeps the
//! number of the probe, so that its home can be told from where it stands. Linear probing would be simpler, but rows of
//! many slots make long clusters of it well below the load of 0.85 that we want.
//!
//! # What never happens
//!
//! No slot is ever emptied, and no entry moves while the search runs. So a row ends at the first empty slot of its
//! probe sequence, and two threads that store the same state meet in the same slot. Every update is one compare-and-swap
//! of the first word. In a wide slot the first word is `BUSY` while the key words behind it are written.
//!
//! # Growth
//!
//! With all threads at rest, the table doubles in place, or while it is small, becomes four times as large ([`grow`]): an
//! entry stays, or moves up by a multiple of the old size. Address space for the largest table is reserved at the start
//! and committed by use.
//!
//! # Alternatives refused
//!
//! An array indexed by rank needs no probing but takes room for every (box set, box side) there might be: 673 MB for
//! the built-in board `p15`, whose rows take less than half of that.

mod grow;
mod layout;
mod memory;

use std::io;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

pub(crate) use self::grow::Broken;
use self::layout::{CLOSED, Mixer};
pub(crate) use self::layout::{Layout, SLOTS};
use self::memory::{Reservation, prefetch};
use crate::board::Square;
use crate::rank::Rank;
use crate::search::side::Side;

/// First word of a slot nobody has used.
const EMPTY: u64 = 0;
/// First word of a wide slot whose key is being written. No entry looks like this: its cost field would be 0.
const BUSY: u64 = 1;

/// What became of a relaxation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relaxation {
    /// The state is stored at this cost. `covered`: the row is already going to be taken at this cost, because another
    /// state of it waits at the same.
    Accepted { new: bool, reopened: bool, covered: bool },
    /// The state is known at this cost or less.
    Known,
    /// No slot is free within reach; the table must grow.
    Full,
    /// The state is not stored, and was not to be.
    Absent,
}

/// A state of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) keeper: Square,
    pub(crate) cost: u32,
    /// Whether the state has been opened; its cost is the least then.
    pub(crate) closed: bool,
    pub(crate) side: Side,
}

/// A row at the moment it is opened at some cost: its states that matter then.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Row {
    /// The cost it is opened at.
    pub(crate) cost: u32,
    /// States closed before at lower costs: cost and keeper.
    pub(crate) cheaper: Vec<(u32, Square)>,
    /// Keepers of the states opened now.
    pub(crate) opened: Vec<Square>,
    /// States closed before at the same cost, or at larger ones, as there are where the estimate depends on the keeper:
    /// cost and keeper.
    pub(crate) late: Vec<(u32, Square)>,
    /// States of the other side, open or closed: cost and keeper.
    pub(crate) other: Vec<(u32, Square)>,
}

/// The size of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableSize {
    /// In bytes.
    pub bytes: u64,
    /// In states that would fill it.
    pub slots: u64,
}

/// The best-g table. See the module for what it is made of.
pub(crate) struct Table<R> {
    layout: Layout,
    mixer: Mixer,
    memory: Reservation,
    /// Bits of a line number.
    index_bits: u32,
    /// Parity of settled entries; flips with every growth.
    parity: bool,
    largest_index_bits: u32,
    /// Slots in use. Threads add what they stored in portions ([`Table::count`]).
    entries: CachePadded<AtomicU64>,
    rank: PhantomData<R>,
}

impl<R: Rank> Table<R> {
    /// A table of `2^index_bits` lines that may grow to at most `most_bytes`.
    ///
    /// Fails if not even its first lines can be had.
    pub(crate) fn new(layout: Layout, index_bits: u32, most_bytes: u64) -> io::Result<Self> {
        debug_assert_eq!(layout.words, R::WORDS);
        let line_bytes = (SLOTS * layout.slot_bytes()) as u64;
        /// No machine has more lines.
        const MOST_BITS: u32 = 44;
        let index_bits = index_bits.max(layout.base_bits).min(MOST_BITS);
        let mut largest = (most_bytes / line_bytes).max(1).ilog2().clamp(index_bits, MOST_BITS);
        loop {
            match Reservation::new((SLOTS * R::WORDS) << largest) {
                Ok(memory) => {
                    let table = Self {
                        layout,
                        mixer: Mixer::new(layout.mixed_bits),
                        memory,
                        index_bits,
                        parity: false,
                        largest_index_bits: largest,
                        entries: CachePadded::new(AtomicU64::new(0)),
                        rank: PhantomData,
                    };
                    table.advise();
                    return Ok(table);
                }
                // Some systems do not hand out address space that they could not fill.
                Err(_) if largest > index_bits => largest -= 1,
                Err(error) => return Err(error),
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The largest cost an entry holds.
    pub(crate) fn largest_cost(&self) -> u32 {
        self.layout.largest_cost()
    }

    /// Bytes of the table as it stands.
    pub(crate) fn bytes(&self) -> u64 {
        (self.slots() * self.layout.slot_bytes()) as u64
    }

    /// Slots of the table as it stands.
    pub(crate) fn slots(&self) -> usize {
        SLOTS << self.index_bits
    }

    /// Slots in use, without what threads have not counted yet.
    #[cfg(test)]
    pub(crate) fn entries(&self) -> u64 {
        self.entries.load(Ordering::Relaxed)
    }

    /// Adds to the slots in use; says whether the table should grow now.
    pub(crate) fn count(&self, stored: u64) -> bool {
        let entries = self.entries.fetch_add(stored, Ordering::Relaxed) + stored;
        entries * 100 >= self.slots() as u64 * Self::GROW_AT_PERCENT && self.can_grow(1)
    }

    /// Load from which on the table grows when it may.
    const GROW_AT_PERCENT: u64 = 86;

    /// Whether address space is left for `2^bits` times as many lines.
    pub(crate) fn can_grow(&self, bits: u32) -> bool {
        self.index_bits + bits <= self.largest_index_bits
    }

    /// The mixed rank that the other methods take.
    #[inline(always)]
    pub(crate) fn mix(&self, rank: R) -> R {
        self.mixer.mix(rank)
    }

    /// Brings the home line of a row near, and the line it goes on in.
    #[inline(always)]
    pub(crate) fn prefetch(&self, mixed: R) {
        const CACHE_LINE_WORDS: usize = 8;
        for probe in 0..2 {
            let line = self.line(mixed.word(0), probe);
            let cells = &self.memory.cells()[line * SLOTS * R::WORDS..];
            prefetch(&cells[0]);
            prefetch(&cells[CACHE_LINE_WORDS]);
        }
    }

    #[inline(always)]
    fn line(&self, home: u64, probe: u64) -> usize {
        let lines = (1_u64 << self.index_bits) - 1;
        (home.wrapping_add(probe * (probe + 1) / 2) & lines) as usize
    }

    /// The slots of the line of a probe.
    #[inline(always)]
    fn slots_of(&self, home: u64, probe: u64) -> std::slice::ChunksExact<'_, AtomicU64> {
        let start = self.line(home, probe) * SLOTS * R::WORDS;
        self.memory.cells()[start..start + SLOTS * R::WORDS].chunks_exact(R::WORDS)
    }

    /// First word of a slot, waiting while it is `BUSY`.
    #[inline(always)]
    fn first_word(slot: &[AtomicU64]) -> u64 {
        // SeqCst: see `relax`.
        let mut word = slot[0].load(Ordering::SeqCst);
        if R::WORDS > 1 {
            let backoff = crossbeam_utils::Backoff::new();
            while word == BUSY {
                backoff.snooze();
                word = slot[0].load(Ordering::SeqCst);
            }
        }
        word
    }

    #[inline(always)]
    fn further_words_match(&self, slot: &[AtomicU64], mixed: R) -> bool {
        // Relaxed: written before the first word was published, which the caller has read, and never changed.
        (1..R::WORDS).all(|word| {
            slot[word].load(Ordering::Relaxed) == self.layout.further_word(mixed, word - 1)
        })
    }

    /// Lowers the cost of a state, storing the state if it is new.
    ///
    /// # When the row need not be queued
    ///
    /// The state is *covered* if a state in an earlier slot of the row is open at the same cost. Whoever set that one
    /// queues the row, or is covered by a still earlier slot. [`Table::open_row`] closes in slot order; as the earlier
    /// slot is seen open after this state was stored, whoever closes it comes to this slot later and finds the state.
    /// For this, storing here and looking at the earlier slot, and closing the earlier slot and looking here, must have
    /// one order for all threads, so these four are sequentially consistent.
    ///
    /// States of a row that wait at the same cost may wait at different f, where the estimate depends on the keeper; then
    /// the row is taken more than once. `agrees` says of the other state's keeper whether it is known to wait at the same f;
    /// a state is covered only by such a one.
    #[inline]
    pub(crate) fn relax(
        &self,
        mixed: R,
        keeper: usize,
        cost: u32,
        side: Side,
        agrees: impl Fn(Square) -> bool,
    ) -> Relaxation {
        self.relax_to::<true>(mixed, keeper, cost, side, 0, agrees)
    }

    /// The same, but a state that is not stored stays so.
    #[cold]
    #[inline(never)]
    pub(crate) fn relax_if_stored(
        &self,
        mixed: R,
        keeper: usize,
        cost: u32,
        side: Side,
        agrees: impl Fn(Square) -> bool,
    ) -> Relaxation {
        self.relax_to::<false>(mixed, keeper, cost, side, 0, agrees)
    }

    /// The same for a state of which it is known that it has been opened at this cost, or at less: it is stored as closed.
    #[cold]
    #[inline(never)]
    pub(crate) fn relax_closed(
        &self,
        mixed: R,
        keeper: usize,
        cost: u32,
        side: Side,
    ) -> Relaxation {
        // It need not be queued anyway.
        self.relax_to::<true>(mixed, keeper, cost, side, CLOSED, |_| false)
    }

    #[inline(always)]
    fn relax_to<const STORE: bool>(
        &self,
        mixed: R,
        keeper: usize,
        cost: u32,
        side: Side,
        closed: u64,
        agrees: impl Fn(Square) -> bool,
    ) -> Relaxation {
        debug_assert!(cost <= self.layout.largest_cost());
        let layout = &self.layout;
        let (key_mask, row_mask) = (layout.key_mask(), layout.row_mask());
        let parity = self.parity;
        let row = layout.row_word(mixed, side, parity);
        let cost_and_keeper = layout.with_cost(layout.with_keeper(closed, keeper), cost);
        let mut cover: Option<&AtomicU64> = None;
        for probe in 0..layout.probes() {
            let row = layout.with_probe(row, probe);
            let entry = row | cost_and_keeper;
            for slot in self.slots_of(mixed.word(0), probe) {
                let mut word = Self::first_word(slot);
                if word == EMPTY {
                    if !STORE {
                        return Relaxation::Absent;
                    }
                    match self.claim(slot, mixed, entry) {
                        Ok(()) => {
                            let covered = self.still_covered(cover, cost);
                            return Relaxation::Accepted { new: true, reopened: false, covered };
                        }
                        Err(now) => word = now,
                    }
                }
                if (word ^ row) & row_mask != 0 || !self.further_words_match(slot, mixed) {
                    continue;
                }
                if (word ^ entry) & key_mask != 0 {
                    let covers = word & CLOSED == 0 && layout.cost(word) == cost;
                    if covers && cover.is_none() && agrees(Square::from_index(layout.keeper(word)))
                    {
                        cover = Some(&slot[0]);
                    }
                    continue;
                }
                return match self.lower(slot, word, entry, cost) {
                    Some(reopened) => {
                        let covered = self.still_covered(cover, cost);
                        Relaxation::Accepted { new: false, reopened, covered }
                    }
                    None => Relaxation::Known,
                };
            }
        }
        if STORE { Relaxation::Full } else { Relaxation::Absent }
    }

    /// Writes `entry` to an empty slot, or says what another thread wrote there meanwhile.
    #[inline(always)]
    fn claim(&self, slot: &[AtomicU64], mixed: R, entry: u64) -> Result<(), u64> {
        if R::WORDS == 1 {
            return slot[0]
                .compare_exchange(EMPTY, entry, Ordering::SeqCst, Ordering::SeqCst)
                .map(drop);
        }
        match slot[0].compare_exchange(EMPTY, BUSY, Ordering::Acquire, Ordering::SeqCst) {
            Ok(_) => {
                for (index, word) in slot[1..].iter().enumerate() {
                    word.store(self.layout.further_word(mixed, index), Ordering::Relaxed);
                }
                slot[0].store(entry, Ordering::SeqCst);
                Ok(())
            }
            Err(_) => Err(Self::first_word(slot)),
        }
    }

    /// Lowers the cost of a stored state; `None` if it is as low already, else whether it had been closed.
    #[inline(always)]
    fn lower(&self, slot: &[AtomicU64], mut word: u64, entry: u64, cost: u32) -> Option<bool> {
        loop {
            if self.layout.cost(word) <= cost {
                return None;
            }
            match slot[0].compare_exchange(word, entry, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(_) => return Some(word & CLOSED != 0),
                Err(now) => word = now,
            }
        }
    }

    #[inline(always)]
    fn still_covered(&self, cover: Option<&AtomicU64>, cost: u32) -> bool {
        cover.is_some_and(|slot| {
            let word = slot.load(Ordering::SeqCst);
            word & CLOSED == 0 && self.layout.cost(word) == cost
        })
    }

    /// Closes the states of a row that wait at `row.cost`, if `opens` says so of their keeper, and lists them, with those
    /// closed before.
    ///
    /// States of the other side are listed as they are; they do not change while a level of this side is open.
    #[inline]
    pub(crate) fn open_row(
        &self,
        mixed: R,
        side: Side,
        row: &mut Row,
        mut opens: impl FnMut(Square) -> bool,
    ) {
        row.cheaper.clear();
        row.opened.clear();
        row.late.clear();
        row.other.clear();
        self.scan(mixed, |slot, mut word| {
            let keeper = Square::from_index(self.layout.keeper(word));
            if self.layout.side(word) != side {
                row.other.push((self.layout.cost(word), keeper));
                return;
            }
            while word & CLOSED == 0 {
                if self.layout.cost(word) != row.cost || !opens(keeper) {
                    return;
                }
                let closed = word | CLOSED;
                match slot.compare_exchange(word, closed, Ordering::SeqCst, Ordering::SeqCst) {
                    Ok(_) => return row.opened.push(keeper),
                    Err(now) => word = now,
                }
            }
            match self.layout.cost(word) {
                cost if cost < row.cost => row.cheaper.push((cost, keeper)),
                cost => row.late.push((cost, keeper)),
            }
        });
    }

    /// The cost of a state, if it has been opened.
    pub(crate) fn closed(&self, mixed: R, keeper: Square, side: Side) -> Option<u32> {
        let mut cost = None;
        self.scan(mixed, |_, word| {
            let entry = self.entry(word);
            if entry.closed && entry.keeper == keeper && entry.side == side {
                cost = Some(entry.cost);
            }
        });
        cost
    }

    /// Lists all states of a row as they are.
    pub(crate) fn row(&self, mixed: R) -> Vec<Entry> {
        let mut row = Vec::new();
        self.scan(mixed, |_, word| row.push(self.entry(word)));
        row
    }

    /// Calls `visit` with every state in some of the lines, and its box set. Other threads may lower costs and store
    /// states meanwhile; what they do may be seen or not.
    pub(crate) fn for_each(&self, lines: Range<usize>, mut visit: impl FnMut(R, Entry)) {
        let layout = &self.layout;
        let all = self.slots() / SLOTS;
        let cells = self.memory.cells();
        for line in lines.start..lines.end.min(all) {
            for slot in cells[line * SLOTS * R::WORDS..][..SLOTS * R::WORDS].chunks_exact(R::WORDS)
            {
                let word = Self::first_word(slot);
                if word == EMPTY {
                    continue;
                }
                let mut further = [0; 3];
                for (copy, cell) in further.iter_mut().zip(&slot[1..]) {
                    *copy = cell.load(Ordering::Relaxed);
                }
                let probe = layout.probe(word);
                let home = (line as u64).wrapping_sub(probe * (probe + 1) / 2) & (all as u64 - 1);
                let mixed = layout.mixed(word, &further[..R::WORDS - 1], home);
                visit(self.mixer.unmix(mixed), self.entry(word));
            }
        }
    }

    /// Lines of the table as it stands.
    pub(crate) fn lines(&self) -> usize {
        self.slots() / SLOTS
    }

    fn entry(&self, word: u64) -> Entry {
        Entry {
            keeper: Square::from_index(self.layout.keeper(word)),
            cost: self.layout.cost(word),
            closed: word & CLOSED != 0,
            side: self.layout.side(word),
        }
    }

    #[inline(always)]
    fn scan(&self, mixed: R, mut visit: impl FnMut(&AtomicU64, u64)) {
        let layout = &self.layout;
        let row_mask = layout.row_mask_of_both_sides();
        let row = layout.row_word(mixed, Side::Forward, self.parity);
        for probe in 0..layout.probes() {
            let row = layout.with_probe(row, probe);
            for slot in self.slots_of(mixed.word(0), probe) {
                let word = Self::first_word(slot);
                if word == EMPTY {
                    return;
                }
                if (word ^ row) & row_mask == 0 && self.further_words_match(slot, mixed) {
                    visit(&slot[0], word);
                }
            }
        }
    }

    fn advise(&self) {
        let cells = self.slots() * R::WORDS;
        /// Below this, whole huge pages would cost more memory than they save time.
        const HUGE_FROM: usize = 8 << 20;
        if cells * 8 >= HUGE_FROM {
            self.memory.prefer_huge_pages(cells);
        }
    }
}

#[cfg(test)]
mod tests;
