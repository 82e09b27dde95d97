//! Where the fields of a table entry lie, for one board.
//!
//! The first word of an entry, from the lowest bit: closed (1), side (1), parity (1), probe number, keeper square,
//! cost plus one, and in the bits that are left the high part of the remainder. Wider entries hold the low part of the
//! remainder in the words that follow.

use crate::rank::Rank;
use crate::search::side::Side;

/// Slots of one line. With eight-byte entries a line is two cache lines side by side: rows are long enough that single
/// ones overflow early, and what they overflow into is further away.
pub(crate) const SLOTS: usize = 16;

/// Bit of the first word: the state has its optimal cost.
pub(crate) const CLOSED: u64 = 1;
const SIDE_SHIFT: u32 = 1;
const PARITY_SHIFT: u32 = 2;
const PROBE_SHIFT: u32 = 3;

/// The shape of the entries of one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Words of 64 bits in an entry: 1, 2 or 4.
    pub(crate) words: usize,
    /// Bits of the mixed rank.
    pub(crate) mixed_bits: u32,
    /// Low bits of the mixed rank that an entry leaves out, because its line tells them.
    pub(crate) base_bits: u32,
    pub(crate) probe_bits: u32,
    pub(crate) keeper_bits: u32,
    pub(crate) cost_bits: u32,
    /// Where the fields lie, worked out once.
    keeper_shift: u32,
    cost_shift: u32,
    keeper_mask: u64,
    cost_mask: u64,
}

/// Mixing over fewer bits than this would leave the lines of a table unevenly used.
const LEAST_MIXED_BITS: u32 = 16;

/// Bits of the probe number that a board does not need, where there is room for them.
const MOST_MORE_PROBE_BITS: u32 = 2;

impl Layout {
    /// The layout of entries of `words` words, or `None` where one does not hold what a board needs.
    ///
    /// `rank_bits`, `keepers` and `boxes` come from the board; `least_cost` is a cost that must fit, and `base_bits`
    /// the most line number bits the first table may have.
    pub(crate) fn new(
        words: usize,
        rank_bits: u32,
        keepers: usize,
        boxes: usize,
        least_cost: u64,
        base_bits: u32,
    ) -> Option<Self> {
        let bits_of = |largest: u64| 64 - largest.leading_zeros();
        let mixed_bits = rank_bits.max(LEAST_MIXED_BITS);
        let keeper_bits = bits_of(keepers as u64 - 1).max(1);
        // A row holds an entry for each neighbour of each box and side at most; twice that must be within reach.
        let probe_bits = bits_of((2 * 8 * boxes / SLOTS) as u64).max(6);
        let fixed = PROBE_SHIFT + probe_bits + keeper_bits;
        let needed_cost = bits_of(least_cost + 1);
        let remainder_elsewhere = 64 * (words as u32 - 1);
        for base_bits in LEAST_BASE_BITS..=base_bits.max(LEAST_BASE_BITS) {
            let remainder = mixed_bits.saturating_sub(base_bits);
            let remainder_here = remainder.saturating_sub(remainder_elsewhere);
            let taken = fixed + remainder_here;
            if taken + needed_cost <= 64 {
                // With more lines within reach, more of a table that can grow no more is filled.
                let more_probes = (64 - taken - needed_cost).min(MOST_MORE_PROBE_BITS);
                let probe_bits = probe_bits + more_probes;
                let cost_bits = (64 - taken - more_probes).min(32);
                let keeper_shift = PROBE_SHIFT + probe_bits;
                let cost_shift = keeper_shift + keeper_bits;
                let mask = |bits: u32, shift: u32| ((1_u64 << bits) - 1) << shift;
                return Some(Self {
                    words,
                    mixed_bits,
                    base_bits,
                    probe_bits,
                    keeper_bits,
                    cost_bits,
                    keeper_shift,
                    cost_shift,
                    keeper_mask: mask(keeper_bits, keeper_shift),
                    cost_mask: mask(cost_bits, cost_shift),
                });
            }
        }
        None
    }

    /// The largest cost an entry holds.
    pub(crate) fn largest_cost(&self) -> u32 {
        ((1_u64 << self.cost_bits) - 2).min(u64::from(u32::MAX - 1)) as u32
    }

    /// Lines a row may be spread over.
    pub(crate) fn probes(&self) -> u64 {
        1 << self.probe_bits
    }

    /// Bytes of an entry.
    pub(crate) fn slot_bytes(&self) -> usize {
        8 * self.words
    }

    fn remainder_shift(&self) -> u32 {
        self.cost_shift + self.cost_bits
    }

    /// The bits of the first word that tell one row, side and probe number from another.
    pub(crate) fn row_mask(&self) -> u64 {
        self.key_mask() & !self.keeper_mask
    }

    /// The bits of the first word that tell one row and probe number from another.
    pub(crate) fn row_mask_of_both_sides(&self) -> u64 {
        self.row_mask() & !(1 << SIDE_SHIFT)
    }

    /// The bits of the first word that tell one state, side and probe number from another.
    pub(crate) fn key_mask(&self) -> u64 {
        !(CLOSED | self.cost_mask)
    }

    /// The first word of a row's entries without keeper, probe number, cost and closed bit.
    pub(crate) fn row_word<R: Rank>(&self, mixed: R, side: Side, parity: bool) -> u64 {
        let high = self.remainder(mixed).shr(64 * (self.words as u32 - 1)).word(0);
        let high = high.checked_shl(self.remainder_shift()).unwrap_or(0);
        high | u64::from(side.is_backward()) << SIDE_SHIFT | u64::from(parity) << PARITY_SHIFT
    }

    /// The further word number `index`, from 0, of a row's entries.
    pub(crate) fn further_word<R: Rank>(&self, mixed: R, index: usize) -> u64 {
        self.remainder(mixed).word(index as u32)
    }

    fn remainder<R: Rank>(&self, mixed: R) -> R {
        mixed.shr(self.base_bits)
    }

    /// The mixed rank of an entry whose home is a line with these low bits.
    pub(crate) fn mixed<R: Rank>(&self, first: u64, further: &[u64], home: u64) -> R {
        let high = first.checked_shr(self.remainder_shift()).unwrap_or(0);
        let mut remainder = R::from_word(high, further.len() as u32);
        for (index, &word) in further.iter().enumerate() {
            remainder = remainder.add(R::from_word(word, index as u32));
        }
        remainder.shl(self.base_bits).add(R::from_word(home, 0).low(self.base_bits))
    }

    pub(crate) fn with_probe(&self, word: u64, probe: u64) -> u64 {
        word | probe << PROBE_SHIFT
    }

    pub(crate) fn with_keeper(&self, word: u64, keeper: usize) -> u64 {
        word | (keeper as u64) << self.keeper_shift
    }

    pub(crate) fn with_cost(&self, word: u64, cost: u32) -> u64 {
        word | (u64::from(cost) + 1) << self.cost_shift
    }

    pub(crate) fn probe(&self, word: u64) -> u64 {
        word >> PROBE_SHIFT & ((1 << self.probe_bits) - 1)
    }

    pub(crate) fn keeper(&self, word: u64) -> usize {
        ((word & self.keeper_mask) >> self.keeper_shift) as usize
    }

    pub(crate) fn cost(&self, word: u64) -> u32 {
        ((word & self.cost_mask) >> self.cost_shift).wrapping_sub(1) as u32
    }

    pub(crate) fn parity(&self, word: u64) -> bool {
        word >> PARITY_SHIFT & 1 != 0
    }

    pub(crate) fn side(&self, word: u64) -> Side {
        if word >> SIDE_SHIFT & 1 == 0 { Side::Forward } else { Side::Backward }
    }

    /// The word with another probe number and parity.
    pub(crate) fn resettled(&self, word: u64, probe: u64, parity: bool) -> u64 {
        let old = ((1 << self.probe_bits) - 1) << PROBE_SHIFT | 1 << PARITY_SHIFT;
        word & !old | probe << PROBE_SHIFT | u64::from(parity) << PARITY_SHIFT
    }
}

/// Line number bits of the smallest table.
pub(crate) const LEAST_BASE_BITS: u32 = 3;

/// A bijection on the numbers of some bits that spreads them: two rounds of xor-shift and multiplication, each
/// invertible (the finalizer of Austin Appleby's MurmurHash3, 2011, cut to the width).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mixer {
    bits: u32,
}

/// Odd, and with digits without pattern.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

impl Mixer {
    pub(crate) fn new(bits: u32) -> Self {
        Self { bits }
    }

    fn factor<R: Rank>() -> R {
        (0..R::BITS / 64).fold(R::ZERO, |factor, word| factor.add(R::from_word(FACTOR, word)))
    }

    #[inline(always)]
    pub(crate) fn mix<R: Rank>(&self, rank: R) -> R {
        let half = self.bits.div_ceil(2);
        let once = rank.xor(rank.shr(half)).mul(Self::factor()).low(self.bits);
        let twice = once.xor(once.shr(half)).mul(Self::factor()).low(self.bits);
        twice.xor(twice.shr(half))
    }

    /// The rank that was mixed.
    pub(crate) fn unmix<R: Rank>(&self, mixed: R) -> R {
        let half = self.bits.div_ceil(2);
        let inverse = Self::inverse::<R>();
        let once = mixed.xor(mixed.shr(half)).mul(inverse).low(self.bits);
        let twice = once.xor(once.shr(half)).mul(inverse).low(self.bits);
        twice.xor(twice.shr(half))
    }

    /// Inverse of the factor modulo the word, by Newton's iteration: each step doubles the right digits.
    fn inverse<R: Rank>() -> R {
        let factor = Self::factor::<R>();
        let two = R::ONE.add(R::ONE);
        (0..8).fold(R::ONE, |inverse, _| inverse.mul(two.sub(factor.mul(inverse))))
    }
}

#[cfg(test)]
mod tests {
    use ethnum::U256;

    use super::*;

    fn round_trip<R: Rank>(bits: u32) {
        let mixer = Mixer::new(bits);
        let mut rank = R::ONE;
        for _ in 0..500 {
            rank = rank.mul(Mixer::factor::<R>()).add(R::ONE).low(bits);
            assert_eq!(mixer.unmix(mixer.mix(rank)), rank, "{bits} bits");
            assert!(mixer.mix(rank).bit_length() <= bits);
        }
    }

    #[test]
    fn mixing_is_a_bijection_at_every_width() {
        (16..=64).for_each(round_trip::<u64>);
        (60..=128).for_each(round_trip::<u128>);
        (100..=240).step_by(7).for_each(round_trip::<U256>);
    }

    fn fields<R: Rank>(words: usize, rank_bits: u32) {
        let layout = Layout::new(words, rank_bits, 66, 10, 10_000, 21).expect("fits");
        let mut mixed = R::ONE;
        for step in 0..200_u32 {
            mixed = mixed.mul(Mixer::factor::<R>()).add(R::ONE).low(layout.mixed_bits);
            let home = mixed.word(0) & ((1 << layout.base_bits) - 1);
            let side = if step % 2 == 0 { Side::Backward } else { Side::Forward };
            let word = layout.row_word(mixed, side, step % 3 == 0);
            let word = layout.with_probe(word, u64::from(step % 64));
            let word = layout.with_cost(layout.with_keeper(word, step as usize % 66), step * 9);
            let further: Vec<u64> =
                (0..words - 1).map(|index| layout.further_word(mixed, index)).collect();
            assert_eq!(layout.mixed::<R>(word, &further, home), mixed);
            assert_eq!(layout.probe(word), u64::from(step % 64));
            assert_eq!(layout.keeper(word), step as usize % 66);
            assert_eq!(layout.cost(word), step * 9);
            assert_eq!(layout.parity(word), step % 3 == 0);
            assert_eq!(layout.side(word), side);
            assert_eq!(word & CLOSED, 0);
        }
    }

    #[test]
    fn every_field_comes_back() {
        for bits in [10, 24, 37, 50] {
            fields::<u64>(1, bits);
        }
        for bits in [60, 77, 110] {
            fields::<u128>(2, bits);
        }
        for bits in [128, 200, 240] {
            fields::<U256>(4, bits);
        }
    }

    #[test]
    fn narrow_entries_hold_about_59_bits_and_wide_ones_about_110_and_240() {
        let words = |bits| {
            [1, 2, 4].into_iter().find(|&n| Layout::new(n, bits, 128, 20, 6_000, 21).is_some())
        };
        assert_eq!(words(56), Some(1));
        assert_eq!(words(62), Some(2));
        assert_eq!(words(110), Some(2));
        assert_eq!(words(240), Some(4));
    }
}
