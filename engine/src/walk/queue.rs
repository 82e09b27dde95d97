//! The floor of a board of any size.

use super::Ground;
use crate::Direction;
use crate::board::{Board, Square};
use crate::squares::{LargeSet, SquareSet};

/// Fronts are lists; a square that is claimed or wanted carries the number of the flood it is so in, so that starting
/// anew costs no more than reading the sets.
#[derive(Clone, Debug)]
pub(crate) struct QueueGround {
    /// The neighbours of each square; the square itself where a wall is, which it finds claimed.
    around: Vec<[Square; 4]>,
    claimed: Vec<u64>,
    wanted: Vec<u64>,
    flood: u64,
    /// Wanted squares not claimed yet.
    missing: usize,
    /// Buffer for the next front.
    spare: Vec<Square>,
}

impl QueueGround {
    #[inline(always)]
    fn claim(&mut self, square: Square) -> bool {
        let claimed = &mut self.claimed[square.index()];
        if *claimed == self.flood {
            return false;
        }
        *claimed = self.flood;
        self.missing -= usize::from(self.wanted[square.index()] == self.flood);
        true
    }
}

impl Ground for QueueGround {
    type Set = LargeSet;
    type Front = Vec<Square>;

    fn new(board: &Board) -> Self {
        let around =
            |square| Direction::ALL.map(|to| board.neighbour(square, to).unwrap_or(square));
        Self {
            around: board.all().map(around).collect(),
            claimed: vec![0; board.squares()],
            wanted: vec![0; board.squares()],
            flood: 0,
            missing: 0,
            spare: Vec::new(),
        }
    }

    fn begin(&mut self, boxes: &LargeSet, wanted: &LargeSet) {
        self.flood += 1;
        self.missing = 0;
        boxes.for_each(|square| self.claimed[square.index()] = self.flood);
        wanted.for_each(|square| {
            self.wanted[square.index()] = self.flood;
            self.missing += usize::from(self.claimed[square.index()] != self.flood);
        });
    }

    fn place(&mut self, front: &mut Vec<Square>, square: Square) {
        if self.claim(square) {
            front.push(square);
        }
    }

    fn spread(&mut self, front: &mut Vec<Square>) {
        let mut next = std::mem::take(&mut self.spare);
        next.clear();
        for &square in &*front {
            for to in self.around[square.index()] {
                if self.claim(to) {
                    next.push(to);
                }
            }
        }
        self.spare = std::mem::replace(front, next);
    }

    fn is_claimed(&self, square: Square) -> bool {
        self.claimed[square.index()] == self.flood
    }

    fn is_empty(front: &Vec<Square>) -> bool {
        front.is_empty()
    }

    fn visit(&self, front: &Vec<Square>, mut visit: impl FnMut(Square)) {
        for &square in front {
            if self.wanted[square.index()] == self.flood {
                visit(square);
            }
        }
    }

    fn wants_more(&self) -> bool {
        self.missing > 0
    }

    fn region(&mut self, boxes: &LargeSet, keeper: Square) -> LargeSet {
        let mut region = LargeSet::empty(self.claimed.len());
        self.begin(boxes, &region);
        let mut front = Vec::new();
        self.place(&mut front, keeper);
        while !front.is_empty() {
            front.iter().for_each(|&square| region.insert(square));
            self.spread(&mut front);
        }
        region
    }
}
