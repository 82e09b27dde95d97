//! The floor of a board of any size.

use super::Ground;
use crate::Direction;
use crate::board::{Board, Square};
use crate::squares::{LargeSet, SquareSet};

/// Fronts are lists; a claimed square carries the number of the flood that claimed it, so that starting anew costs
/// nothing.
#[derive(Clone, Debug)]
pub(crate) struct QueueGround {
    around: Vec<Vec<Square>>,
    claimed: Vec<u64>,
    flood: u64,
    boxes: LargeSet,
    wanted: LargeSet,
    /// Wanted squares not claimed yet.
    missing: usize,
}

impl QueueGround {
    fn claim(&mut self, square: Square) -> bool {
        if self.is_claimed(square) {
            return false;
        }
        self.claimed[square.index()] = self.flood;
        self.missing -= usize::from(self.wanted.contains(square));
        true
    }
}

impl Ground for QueueGround {
    type Set = LargeSet;
    type Front = Vec<Square>;

    fn new(board: &Board) -> Self {
        let around = |square| {
            Direction::ALL.into_iter().filter_map(|to| board.neighbour(square, to)).collect()
        };
        Self {
            around: board.all().map(around).collect(),
            claimed: vec![0; board.squares()],
            flood: 0,
            boxes: LargeSet::empty(board.squares()),
            wanted: LargeSet::empty(board.squares()),
            missing: 0,
        }
    }

    fn begin(&mut self, boxes: &LargeSet, wanted: &LargeSet) {
        self.flood += 1;
        self.boxes.clone_from(boxes);
        self.wanted.clone_from(wanted);
        self.missing = wanted.len();
    }

    fn place(&mut self, front: &mut Vec<Square>, square: Square) {
        if self.claim(square) {
            front.push(square);
        }
    }

    fn spread(&mut self, front: &mut Vec<Square>) {
        let mut next = Vec::new();
        for square in std::mem::take(front) {
            for index in 0..self.around[square.index()].len() {
                let to = self.around[square.index()][index];
                if self.claim(to) {
                    next.push(to);
                }
            }
        }
        *front = next;
    }

    fn is_claimed(&self, square: Square) -> bool {
        self.claimed[square.index()] == self.flood || self.boxes.contains(square)
    }

    fn is_empty(front: &Vec<Square>) -> bool {
        front.is_empty()
    }

    fn visit(&self, front: &Vec<Square>, visit: impl FnMut(Square)) {
        front.iter().copied().filter(|&square| self.wanted.contains(square)).for_each(visit);
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
