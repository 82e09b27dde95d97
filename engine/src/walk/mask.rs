//! The floor of a board whose squares fit in a few registers.

use super::Ground;
use crate::Direction;
use crate::board::{Board, Square};
use crate::squares::{Mask, SquareSet};

/// Fronts are bit masks; a step is one look-up a square.
#[derive(Clone, Debug)]
pub(crate) struct MaskGround<const W: usize> {
    around: Vec<Mask<W>>,
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
        let around = board.all().map(around).collect();
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
        for square in front.iter() {
            next = next.or(self.around[square.index()]);
        }
        *front = next.without(self.claimed);
        self.claimed = self.claimed.or(*front);
    }

    #[inline(always)]
    fn is_empty(front: &Mask<W>) -> bool {
        front.is_empty()
    }

    #[inline(always)]
    fn visit(&self, front: &Mask<W>, visit: impl FnMut(Square)) {
        front.and(self.wanted).iter().for_each(visit);
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
