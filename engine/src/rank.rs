//! Ranking of box sets by the combinatorial number system.
//!
//! A set of n squares s₀ < s₁ < … < sₙ₋₁ below L has the rank Σ C(sᵢ, i + 1), a number below C(L, n), and every such
//! number is the rank of one set (D. H. Lehmer, *The machine tools of combinatorics*, 1964). A rank is the shortest key
//! a box set can have: 32 live squares and 8 boxes take 24 bits, 60 and 10 take 37.

use std::fmt::Debug;
use std::hash::Hash;

use ethnum::U256;

use crate::board::Square;

/// A word wide enough for the ranks of a board.
pub(crate) trait Rank: Copy + Ord + Hash + Debug + Send + Sync + 'static {
    /// Bits of the word.
    const BITS: u32;
    /// Words of 64 bits in a table entry for such ranks.
    const WORDS: usize;
    const ZERO: Self;
    const ONE: Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    /// The product, modulo two to the width of the word.
    fn mul(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// Shifted right; 0 when `by` is the width or more.
    fn shr(self, by: u32) -> Self;
    /// Shifted left; 0 when `by` is the width or more.
    fn shl(self, by: u32) -> Self;
    /// The sum, unless it does not fit.
    fn checked_add(self, other: Self) -> Option<Self>;
    /// Number of bits up to the highest one.
    fn bit_length(self) -> u32;
    /// The 64 bits from bit `64 * index` on; 0 beyond the word.
    fn word(self, index: u32) -> u64;
    /// A number of 64 bits in the place of `word(index)`.
    fn from_word(word: u64, index: u32) -> Self;

    /// The lowest `bits` bits.
    fn low(self, bits: u32) -> Self {
        if bits >= Self::BITS { self } else { self.shl(Self::BITS - bits).shr(Self::BITS - bits) }
    }
}

macro_rules! native_rank {
    ($word:ty) => {
        impl Rank for $word {
            const BITS: u32 = <$word>::BITS;
            const WORDS: usize = size_of::<$word>() / 8;
            const ZERO: Self = 0;
            const ONE: Self = 1;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn shr(self, by: u32) -> Self {
                self.checked_shr(by).unwrap_or(0)
            }
            #[inline(always)]
            fn shl(self, by: u32) -> Self {
                self.checked_shl(by).unwrap_or(0)
            }
            fn checked_add(self, other: Self) -> Option<Self> {
                <$word>::checked_add(self, other)
            }
            fn bit_length(self) -> u32 {
                Self::BITS - self.leading_zeros()
            }
            #[inline(always)]
            fn word(self, index: u32) -> u64 {
                self.shr(64 * index) as u64
            }
            #[inline(always)]
            fn from_word(word: u64, index: u32) -> Self {
                (word as Self).shl(64 * index)
            }
        }
    };
}

native_rank!(u64);
native_rank!(u128);

impl Rank for U256 {
    const BITS: u32 = 256;
    const WORDS: usize = 4;
    const ZERO: Self = U256::ZERO;
    const ONE: Self = U256::ONE;
    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    fn sub(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
    fn mul(self, other: Self) -> Self {
        self.wrapping_mul(other)
    }
    fn xor(self, other: Self) -> Self {
        self ^ other
    }
    fn shr(self, by: u32) -> Self {
        self.checked_shr(by).unwrap_or(Self::ZERO)
    }
    fn shl(self, by: u32) -> Self {
        self.checked_shl(by).unwrap_or(Self::ZERO)
    }
    fn checked_add(self, other: Self) -> Option<Self> {
        U256::checked_add(self, other)
    }
    fn bit_length(self) -> u32 {
        256 - self.leading_zeros()
    }
    fn word(self, index: u32) -> u64 {
        Rank::shr(self, 64 * index).as_u64()
    }
    fn from_word(word: u64, index: u32) -> Self {
        Rank::shl(U256::from(word), 64 * index)
    }
}

/// Bits that the ranks of `boxes` boxes on `live` squares take: the length of C(live, boxes) − 1.
///
/// The second value is false where the number of sets was too large to be counted, and the first is a lower bound then,
/// from logarithms; it is hardly ever less than the truth.
pub(crate) fn rank_bits(live: usize, boxes: usize) -> (u32, bool) {
    let fewer = boxes.min(live.saturating_sub(boxes));
    let mut sets = U256::ONE;
    for taken in 1..=fewer {
        // Exact: the product of `taken` consecutive numbers is divisible by `taken` factorial.
        let factor = U256::from((live - fewer + taken) as u64);
        match sets.checked_mul(factor) {
            Some(product) => sets = product / U256::from(taken as u64),
            None => return (rank_bits_by_logarithms(live, fewer), false),
        }
    }
    (Rank::bit_length(sets - U256::ONE), true)
}

fn rank_bits_by_logarithms(live: usize, boxes: usize) -> u32 {
    let ratio = |taken: usize| (live - boxes + taken) as f64 / taken as f64;
    let bits: f64 = (1..=boxes).map(|taken| ratio(taken).log2()).sum();
    // Far more than the error of the sum.
    const SLACK: f64 = 1e-6;
    (bits - SLACK) as u32 + 1
}

/// Binomial coefficients of one board, for ranking and unranking.
#[derive(Clone, Debug)]
pub(crate) struct Ranking<R> {
    boxes: usize,
    live: usize,
    /// C(square, taken) at `taken * (live + 1) + square`.
    choose: Vec<R>,
    sets: R,
    /// Whether boxes are so close that stepping from one down to the next beats bisection.
    dense: bool,
    /// Squares of the sets of `tail` boxes, by rank: what is left of a rank when the other boxes have been read off it.
    tails: Vec<[u8; MOST_TAIL]>,
    /// Boxes of a tail.
    tail: usize,
}

/// Most boxes of a tail.
const MOST_TAIL: usize = 4;
/// Most tails worth a table: it has to stay near.
const MOST_TAILS: usize = 1 << 14;

impl<R: Rank> Ranking<R> {
    /// `None` where C(live, boxes) does not fit the word.
    pub(crate) fn new(live: usize, boxes: usize) -> Option<Self> {
        let stride = live + 1;
        let mut choose = vec![R::ZERO; (boxes + 1) * stride];
        choose[..stride].fill(R::ONE);
        for taken in 1..=boxes {
            for square in 1..stride {
                // Pascal's rule. Coefficients that no rank uses may be too wide; they stick at the widest word.
                let sum = choose[taken * stride + square - 1]
                    .checked_add(choose[(taken - 1) * stride + square - 1]);
                choose[taken * stride + square] = sum.unwrap_or(R::ZERO.sub(R::ONE));
            }
        }
        let sets = choose[boxes * stride + live];
        if sets == R::ZERO.sub(R::ONE) {
            return None;
        }
        let dense = live <= 8 * boxes;
        let mut ranking = Self { boxes, live, choose, sets, dense, tails: Vec::new(), tail: 0 };
        ranking.list_tails();
        Some(ranking)
    }

    /// Lists the tails, of as many boxes as there is room for.
    fn list_tails(&mut self) {
        let sets = |taken: usize| self.choose(self.live, taken);
        let is_short = |taken: &usize| sets(*taken) <= R::from_word(MOST_TAILS as u64, 0);
        let is_narrow = self.live <= usize::from(u8::MAX);
        let Some(tail) = (1..=self.boxes.min(MOST_TAIL)).rev().find(is_short).filter(|_| is_narrow)
        else {
            return;
        };
        let mut boxes = vec![Square::from_index(0); self.boxes];
        let mut rank = R::ZERO;
        let mut tails = Vec::new();
        while rank < sets(tail) {
            self.read_off(tail, self.live, rank, &mut boxes);
            let mut squares = [0; MOST_TAIL];
            for (narrow, square) in squares.iter_mut().zip(&boxes[..tail]) {
                *narrow = square.index() as u8;
            }
            tails.push(squares);
            rank = rank.add(R::ONE);
        }
        (self.tails, self.tail) = (tails, tail);
    }

    /// Number of box sets, C(live, boxes).
    pub(crate) fn sets(&self) -> R {
        self.sets
    }

    /// Number of boxes in a set.
    pub(crate) fn boxes(&self) -> usize {
        self.boxes
    }

    /// Bytes of the tables.
    pub(crate) fn bytes(&self) -> u64 {
        (size_of_val(&self.choose[..]) + size_of_val(&self.tails[..])) as u64
    }

    #[inline(always)]
    fn choose(&self, square: usize, taken: usize) -> R {
        self.choose[taken * (self.live + 1) + square]
    }

    /// The rank of a set given in ascending order.
    pub(crate) fn rank(&self, boxes: &[Square]) -> R {
        debug_assert!(boxes.is_sorted() && boxes.len() == self.boxes);
        let terms = boxes.iter().enumerate().map(|(i, square)| self.choose(square.index(), i + 1));
        terms.fold(R::ZERO, R::add)
    }

    /// Writes the set of a rank to `boxes`, ascending.
    #[inline]
    pub(crate) fn unrank(&self, rank: R, boxes: &mut [Square]) {
        debug_assert!(rank < self.sets && boxes.len() == self.boxes);
        let rest = self.read_off(self.boxes, self.live, rank, boxes);
        if self.tail > 0 {
            let tail = self.tails[rest.word(0) as usize];
            for (square, narrow) in boxes[..self.tail].iter_mut().zip(tail) {
                *square = Square::from_index(usize::from(narrow));
            }
        }
    }

    /// Reads the squares of the first `taken` boxes but those of the tail off a rank; returns the rank of the tail.
    ///
    /// They stand below `bound`.
    #[inline(always)]
    fn read_off(&self, taken: usize, mut bound: usize, rank: R, boxes: &mut [Square]) -> R {
        let mut rest = rank;
        for taken in (self.tail + 1..=taken).rev() {
            // The largest square below the one before whose coefficient still fits.
            let column = &self.choose[taken * (self.live + 1)..][..bound];
            let square = if self.dense {
                let mut square = bound - 1;
                // C(0, taken) is 0.
                while column[square] > rest {
                    square -= 1;
                }
                square
            } else {
                column.partition_point(|&coefficient| coefficient <= rest) - 1
            };
            rest = rest.sub(column[square]);
            boxes[taken - 1] = Square::from_index(square);
            bound = square;
        }
        rest
    }

    /// The rank after box number `index` of a set has moved to `to`, from the rank before.
    #[inline]
    pub(crate) fn moved(&self, rank: R, boxes: &[Square], index: usize, to: Square) -> R {
        let from = boxes[index].index();
        let to = to.index();
        let mut rank = rank.sub(self.choose(from, index + 1));
        let mut place = index;
        // Boxes between the two squares move one place down or up.
        while place + 1 < boxes.len() && boxes[place + 1].index() < to {
            let passed = boxes[place + 1].index();
            rank = rank.sub(self.choose(passed, place + 2)).add(self.choose(passed, place + 1));
            place += 1;
        }
        while place > 0 && boxes[place - 1].index() > to {
            let passed = boxes[place - 1].index();
            rank = rank.sub(self.choose(passed, place)).add(self.choose(passed, place + 1));
            place -= 1;
        }
        rank.add(self.choose(to, place + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(numbers: &[usize]) -> Vec<Square> {
        numbers.iter().copied().map(Square::from_index).collect()
    }

    fn every_set_has_its_own_rank<R: Rank>(live: usize, boxes: usize) {
        let ranking = Ranking::<R>::new(live, boxes).expect("a small board fits");
        let mut rank = R::ZERO;
        let mut set = vec![Square::from_index(0); boxes];
        let mut count = 0;
        while rank < ranking.sets() {
            ranking.unrank(rank, &mut set);
            assert!(set.windows(2).all(|pair| pair[0] < pair[1]));
            assert_eq!(ranking.rank(&set), rank);
            for index in 0..boxes {
                for to in (0..live).map(Square::from_index).filter(|to| !set.contains(to)) {
                    let mut after = set.clone();
                    after[index] = to;
                    after.sort();
                    assert_eq!(ranking.moved(rank, &set, index, to), ranking.rank(&after));
                }
            }
            rank = rank.add(R::ONE);
            count += 1;
        }
        assert_eq!(count, (0..boxes).fold(1, |sets, i| sets * (live - i) / (i + 1)));
    }

    #[test]
    fn ranks_are_a_bijection_and_follow_moves() {
        for (live, boxes) in [(1, 0), (1, 1), (5, 5), (7, 3), (9, 4), (12, 2), (17, 2), (20, 1)] {
            every_set_has_its_own_rank::<u64>(live, boxes);
            every_set_has_its_own_rank::<u128>(live, boxes);
            every_set_has_its_own_rank::<U256>(live, boxes);
        }
    }

    #[test]
    fn bits_are_those_of_the_number_of_sets() {
        assert_eq!(rank_bits(32, 8), (24, true));
        assert_eq!(rank_bits(60, 10), (37, true));
        assert_eq!(rank_bits(128, 20), (77, true));
        assert_eq!(rank_bits(41, 41), (0, true));
        // By an independent computation with integers of any length.
        assert_eq!(rank_bits(1000, 400), (966, false));
        assert_eq!(rank_bits(625, 50), (248, true));
        assert_eq!(rank_bits(625, 52), (255, false));
        for boxes in 1..53 {
            let (bits, _) = rank_bits(625, boxes);
            assert_eq!(bits, rank_bits_by_logarithms(625, boxes), "{boxes}");
        }
    }

    fn come_back<R: Rank>(live: usize, boxes: usize, tail: usize) {
        let ranking = Ranking::<R>::new(live, boxes).expect("fits");
        assert_eq!(ranking.tail, tail, "{live} squares");
        let mut set = squares(&vec![0; boxes]);
        let step = ranking.sets().shr(13);
        let mut rank = R::ZERO;
        while rank < ranking.sets() {
            ranking.unrank(rank, &mut set);
            assert_eq!(ranking.rank(&set), rank);
            rank = rank.add(step);
        }
    }

    #[test]
    fn ranks_come_back_whatever_the_length_of_their_tails() {
        // Tails of four boxes down to none.
        for (live, boxes, tail) in [(26, 8, 4), (47, 9, 3), (48, 9, 2), (181, 6, 2), (182, 6, 1)] {
            come_back::<u64>(live, boxes, tail);
            come_back::<u128>(live, boxes, tail);
            come_back::<U256>(live, boxes, tail);
        }
        // Squares of tails are numbers of one byte.
        for (live, tail) in [(255, 1), (256, 0), (257, 0)] {
            come_back::<u64>(live, 5, tail);
        }
    }

    #[test]
    fn wide_ranks_survive_the_round_trip() {
        let ranking = Ranking::<U256>::new(500, 45).expect("fits 256 bits");
        let set = squares(&(0..45).map(|i| 7 + i * 11).collect::<Vec<_>>());
        let mut back = squares(&[0; 45]);
        ranking.unrank(ranking.rank(&set), &mut back);
        assert_eq!(set, back);
        assert!(Ranking::<u64>::new(500, 45).is_none());
    }
}
