//! The floor of a board whose squares fit in a few registers.

use super::Ground;
use crate::Direction;
use crate::board::{Board, Square};
use crate::squares::{Mask, SquareSet};

/// Fronts are bit masks; a step is one look-up for every eight squares of a word, in the front or not: so hardly a branch
/// depends on the front.
#[derive(Clone, Debug)]
pub(crate) struct MaskGround<const W: usize> {
    /// Of each word and byte of a mask, the neighbours of all squares of each value of the byte.
    around: Box<[[Around<W>; 8]; W]>,
    claimed: Mask<W>,
    wanted: Mask<W>,
}

/// The neighbours of all squares of each value of a byte.
type Around<const W: usize> = [Mask<W>; 256];

impl<const W: usize> Default for Mask<W> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<const W: usize> Ground for MaskGround<W> {
    type Set = Mask<W>;
    type Front = Mask<W>;

    fn new(board: &Board) -> Self {
        let mut around = Box::new([[[Mask::EMPTY; 256]; 8]; W]);
        for square in board.all() {
            let next = Direction::ALL.into_iter().filter_map(|to| board.neighbour(square, to));
            let next = Mask::from_squares(board.squares(), next);
            let (byte, bit) = (square.index() / 8, square.index() % 8);
            let values = around[byte / 8][byte % 8].iter_mut().enumerate();
            for (_, squares) in values.filter(|(value, _)| value >> bit & 1 != 0) {
                *squares = squares.or(next);
            }
        }
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
        for (word, around) in front.words().into_iter().zip(&*self.around) {
            if W > 1 && word == 0 {
                continue;
            }
            for (byte, around) in word.to_le_bytes().into_iter().zip(around) {
                next = next.or(around[usize::from(byte)]);
            }
        }
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
