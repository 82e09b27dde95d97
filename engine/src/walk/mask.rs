//! The floor of a board whose squares fit in a few registers.

use super::Ground;
use crate::Direction;
use crate::board::{Board, Square};
use crate::squares::{Mask, SquareSet};

/// Fronts are bit masks; a step is one look-up a square.
#[derive(Clone, Debug)]
pub(crate) struct MaskGround<const W: usize> {
    /// Neighbours of the square of each word and bit number.
    around: Box<[[Mask<W>; 64]; W]>,
    claimed: Mask<W>,
    wanted: Mask<W>,
}

impl<const W: usize> Default for Mask<W> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<const W: usize> Ground for MaskGround<W> {
    type Set = Mask<W>;
    type Front = Mask<W>;

    fn new(board: &Board) -> Self {
        let around = |square| {
            let next = Direction::ALL.into_iter().filter_map(|to| board.neighbour(square, to));
            Mask::from_squares(board.squares(), next)
        };
        let mut neighbours = Box::new([[Mask::EMPTY; 64]; W]);
        for square in board.all() {
            neighbours[square.index() / 64][square.index() % 64] = around(square);
        }
        let around = neighbours;
        Self { around, claimed: Mask::EMPTY, wanted: Mask::EMPTY }
    }

    #[inline(always)]
    fn begin(&mut self, boxes: &Mask<W>, wanted: &Mask<W>) {
        self.claimed = *boxes;
        self.wanted = *wanted;
    }

    #[inline(always)]
    fn place(&mut self, front: &mut Mask<W>, square: Square) {
        if !self.claimed.contains(square) {
            self.claimed.insert(square);
            front.insert(square);
        }
    }

    #[inline(always)]
    fn spread(&mut self, front: &mut Mask<W>) {
        let mut next = Mask::EMPTY;
        front.for_each_bit(|word, bit| next = next.or(self.around[word][bit % 64]));
        *front = next.without(self.claimed);
        self.claimed = self.claimed.or(*front);
    }

    #[inline(always)]
    fn is_claimed(&self, square: Square) -> bool {
        self.claimed.contains(square)
    }

    #[inline(always)]
    fn is_empty(front: &Mask<W>) -> bool {
        front.is_empty()
    }

    #[inline(always)]
    fn visit(&self, front: &Mask<W>, visit: impl FnMut(Square)) {
        front.and(self.wanted).for_each(visit);
    }

    #[inline(always)]
    fn wants_more(&self) -> bool {
        !self.wanted.without(self.claimed).is_empty()
    }
    fn region(&mut self, boxes: &Mask<W>, keeper: Square) -> Mask<W> {
        self.begin(boxes, &Mask::EMPTY);
        let mut front = Mask::EMPTY;
        self.place(&mut front, keeper);
        while !front.is_empty() {
            self.spread(&mut front);
        }
        self.claimed.without(*boxes)
    }
}
