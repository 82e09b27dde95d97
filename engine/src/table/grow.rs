//! Doubling the table in place, by one thread while no other looks.
//!
//! Entries carry the parity of the growth that settled them. When the parity flips and the line number gets one more
//! bit, every entry is *unsettled*. Each is lifted out of its slot and carried to the first slot of its new probe
//! sequence that is empty or holds an unsettled entry; in the second case the two change places and the other is carried
//! on. Settled entries never move again, so every line an entry has passed stays full, and the rule that a row ends at
//! the first empty slot holds again when all are settled.

use std::sync::atomic::Ordering;

use super::{EMPTY, SLOTS, Table};
use crate::rank::Rank;

/// An entry on its way.
#[derive(Clone, Copy)]
struct Carried<R> {
    first: u64,
    mixed: R,
}

/// Why the table is of no use any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// A row has more states than its probes reach.
    RowTooLong,
    /// Nobody wanted to wait for the end.
    Abandoned,
}

impl<R: Rank> Table<R> {
    /// Gives every entry a place in `2^bits` times as many lines. The caller has seen to [`Table::can_grow`].
    ///
    /// `abandon` is asked from time to time whether to leave it at that. After an error the table holds nobody knows what.
    pub(crate) fn grow(&mut self, bits: u32, abandon: impl Fn() -> bool) -> Result<(), Broken> {
        /// Lines between two questions: about a millisecond.
        const LINES: usize = 1 << 13;
        debug_assert!(self.can_grow(bits));
        let old_lines = self.slots() / SLOTS;
        self.index_bits += bits;
        self.parity = !self.parity;
        self.advise();
        for line in 0..old_lines {
            if line % LINES == 0 && abandon() {
                return Err(Broken::Abandoned);
            }
            for slot in 0..SLOTS {
                let mut carried = self.lift(line, slot, old_lines);
                // Each turn settles one entry, so this ends.
                while let Some(entry) = carried {
                    carried = self.put(entry, old_lines)?;
                }
            }
        }
        Ok(())
    }

    /// Takes an unsettled entry out of a slot, if one is there.
    fn lift(&self, line: usize, slot: usize, old_lines: usize) -> Option<Carried<R>> {
        let cells = &self.memory.cells()[(line * SLOTS + slot) * R::WORDS..][..R::WORDS];
        // Relaxed here and below: `grow` has the table to itself.
        let first = cells[0].load(Ordering::Relaxed);
        if first == EMPTY || self.layout.parity(first) == self.parity {
            return None;
        }
        let probe = self.layout.probe(first);
        let home = (line as u64).wrapping_sub(probe * (probe + 1) / 2) & (old_lines as u64 - 1);
        let mut further = [0; 3];
        let further = &mut further[..R::WORDS - 1];
        for (copy, cell) in further.iter_mut().zip(&cells[1..]) {
            *copy = cell.load(Ordering::Relaxed);
        }
        cells[0].store(EMPTY, Ordering::Relaxed);
        Some(Carried { first, mixed: self.layout.mixed(first, further, home) })
    }

    /// Settles an entry and returns the one it took the place of.
    fn put(&self, entry: Carried<R>, old_lines: usize) -> Result<Option<Carried<R>>, Broken> {
        let home = entry.mixed.word(0);
        for probe in 0..self.layout.probes() {
            let line = self.line(home, probe);
            for slot in 0..SLOTS {
                let cells = &self.memory.cells()[(line * SLOTS + slot) * R::WORDS..][..R::WORDS];
                let word = cells[0].load(Ordering::Relaxed);
                if word != EMPTY && self.layout.parity(word) == self.parity {
                    continue;
                }
                let other = self.lift(line, slot, old_lines);
                for (index, cell) in cells[1..].iter().enumerate() {
                    cell.store(self.layout.further_word(entry.mixed, index), Ordering::Relaxed);
                }
                let first = self.layout.resettled(entry.first, probe, self.parity);
                cells[0].store(first, Ordering::Relaxed);
                return Ok(other);
            }
        }
        Err(Broken::RowTooLong)
    }
}
