//! Sets of squares, as bits.

use crate::board::Square;

/// A set of squares of one board.
pub(crate) trait SquareSet: Clone + Send + Sync {
    /// The set without members on a board of so many squares.
    fn empty(squares: usize) -> Self;
    fn contains(&self, square: Square) -> bool;
    fn insert(&mut self, square: Square);
    fn remove(&mut self, square: Square);
    /// Inserts a square on a condition of which nobody could say beforehand what it comes to.
    fn insert_if(&mut self, condition: bool, square: Square);
    /// Removes all members.
    fn clear(&mut self);
    /// Whether the two sets share a member.
    fn intersects(&self, other: &Self) -> bool;
    /// Whether every member of this set is one of `other`.
    fn is_subset(&self, other: &Self) -> bool;
    /// The smallest member.
    fn first(&self) -> Option<Square>;
    /// Visits the members in ascending order.
    fn for_each(&self, visit: impl FnMut(Square));
    /// Bytes of a set on a board of so many squares.
    fn bytes(squares: usize) -> u64;

    fn from_squares(squares: usize, members: impl IntoIterator<Item = Square>) -> Self {
        let mut set = Self::empty(squares);
        members.into_iter().for_each(|square| set.insert(square));
        set
    }
}

/// A set of squares with numbers below `64 * W`, held in registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mask<const W: usize>([u64; W]);

impl<const W: usize> Mask<W> {
    pub(crate) const EMPTY: Self = Self([0; W]);

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    #[inline(always)]
    pub(crate) fn or(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    #[inline(always)]
    pub(crate) fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    #[inline(always)]
    pub(crate) fn without(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// Words of 64 bits.
    #[inline(always)]
    pub(crate) fn words(&self) -> [u64; W] {
        self.0
    }

    /// Visits the members in ascending order, as word number and bit number.
    #[inline(always)]
    pub(crate) fn for_each_bit(&self, mut visit: impl FnMut(usize, usize)) {
        for (word, mut bits) in self.0.into_iter().enumerate() {
            while bits != 0 {
                visit(word, bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
        }
    }
}

impl<const W: usize> SquareSet for Mask<W> {
    fn empty(squares: usize) -> Self {
        assert!(squares <= 64 * W, "the caller picks a width that holds the board");
        Self::EMPTY
    }

    // The word number is below W as the width holds the board; `% W` tells the compiler so.
    #[inline(always)]
    fn contains(&self, square: Square) -> bool {
        self.0[square.index() / 64 % W] >> (square.index() % 64) & 1 != 0
    }

    #[inline(always)]
    fn insert(&mut self, square: Square) {
        self.0[square.index() / 64 % W] |= 1 << (square.index() % 64);
    }

    #[inline(always)]
    fn remove(&mut self, square: Square) {
        self.0[square.index() / 64 % W] &= !(1 << (square.index() % 64));
    }

    #[inline(always)]
    fn insert_if(&mut self, condition: bool, square: Square) {
        self.0[square.index() / 64 % W] |= u64::from(condition) << (square.index() % 64);
    }

    #[inline(always)]
    fn clear(&mut self) {
        *self = Self::EMPTY;
    }

    #[inline(always)]
    fn intersects(&self, other: &Self) -> bool {
        !self.and(*other).is_empty()
    }

    #[inline(always)]
    fn is_subset(&self, other: &Self) -> bool {
        self.without(*other).is_empty()
    }

    #[inline(always)]
    fn first(&self) -> Option<Square> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(Square::from_index(word * 64 + self.0[word].trailing_zeros() as usize))
    }

    #[inline(always)]
    fn for_each(&self, mut visit: impl FnMut(Square)) {
        self.for_each_bit(|word, bit| visit(Square::from_index(word * 64 + bit)));
    }

    fn bytes(_squares: usize) -> u64 {
        size_of::<Self>() as u64
    }
}

/// A set of squares of a board of any size.
#[derive(Clone, Debug)]
pub(crate) struct LargeSet(Vec<u64>);

impl SquareSet for LargeSet {
    fn empty(squares: usize) -> Self {
        Self(vec![0; squares.div_ceil(64)])
    }

    fn contains(&self, square: Square) -> bool {
        self.0[square.index() / 64] >> (square.index() % 64) & 1 != 0
    }

    fn insert(&mut self, square: Square) {
        self.0[square.index() / 64] |= 1 << (square.index() % 64);
    }

    fn remove(&mut self, square: Square) {
        self.0[square.index() / 64] &= !(1 << (square.index() % 64));
    }

    fn insert_if(&mut self, condition: bool, square: Square) {
        if condition {
            self.insert(square);
        }
    }

    fn clear(&mut self) {
        self.0.fill(0);
    }

    fn intersects(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    fn first(&self) -> Option<Square> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(Square::from_index(word * 64 + self.0[word].trailing_zeros() as usize))
    }

    fn for_each(&self, mut visit: impl FnMut(Square)) {
        for (i, &word) in self.0.iter().enumerate() {
            Mask([word]).for_each_bit(|_, bit| visit(Square::from_index(i * 64 + bit)));
        }
    }

    fn bytes(squares: usize) -> u64 {
        (size_of::<Self>() + squares.div_ceil(64) * 8) as u64
    }
}
