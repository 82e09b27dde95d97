//! Breadth-first search over pushes, as a textbook would write it down.
//!
//! A state is a set of boxes, on any floor, and the keeper's exact square right after a push. States are taken first in
//! first out. Of each, the squares the keeper can reach are visited breadth first, in the order up, left, right,
//! down, and from each of them the pushes are made, in the same order. The search is over when the first solved state is taken.
//!
//! It shares nothing with the engine but the reading of the board, and is a measure for it: so many states it takes
//! without any idea.

use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

use sokohive_engine::{Level, Position, Tile};

/// What the search came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count {
    /// States put into the queue, the start not counted, until the first solved state was taken.
    pub(crate) inserted: u64,
    /// Pushes to the first solved state; `None` if there is none.
    pub(crate) pushes: Option<u32>,
}

/// Searches a board of at most 64 squares and 9 boxes under the classic rule.
///
/// With `two_by_two`, a push that takes a box off goal into a block of two by two walls and boxes is refused.
///
/// # Panics
///
/// On larger boards.
pub(crate) fn breadth_first(level: &Level, two_by_two: bool) -> Count {
    let floor = Floor::new(level);
    let boxes = floor.boxes.clone();
    assert!(floor.around.len() <= 64 && boxes.len() <= 9, "a state is packed into 64 bits");
    let mut seen: HashSet<u64, BuildHasherDefault<Mix>> = HashSet::default();
    let mut queue = VecDeque::new();
    let start = pack(boxes, floor.keeper);
    seen.insert(start);
    queue.push_back((start, 0));
    let mut inserted = 0;
    while let Some((state, pushes)) = queue.pop_front() {
        let (boxes, keeper) = unpack(state, floor.boxes.len());
        if boxes.iter().all(|&square| floor.goals[square]) {
            return Count { inserted, pushes: Some(pushes) };
        }
        for side in floor.reach(&boxes, keeper) {
            for direction in 0..4 {
                let Some(from) = floor.around[side][direction] else { continue };
                let Some(place) = boxes.iter().position(|&square| square == from) else { continue };
                let Some(to) = floor.around[from][direction] else { continue };
                if boxes.contains(&to) {
                    continue;
                }
                let mut after = boxes.clone();
                after[place] = to;
                if two_by_two && !floor.goals[to] && floor.is_blocked(&after, to) {
                    continue;
                }
                let next = pack(after, from);
                if seen.insert(next) {
                    inserted += 1;
                    queue.push_back((next, pushes + 1));
                }
            }
        }
    }
    Count { inserted, pushes: None }
}

/// The squares that the keeper could reach if no box stood in its way, numbered row by row.
struct Floor {
    squares: Vec<Position>,
    /// What is up, left, right and down of each.
    around: Vec<[Option<usize>; 4]>,
    goals: Vec<bool>,
    boxes: Vec<usize>,
    keeper: usize,
}

impl Floor {
    fn new(level: &Level) -> Self {
        let mut squares = vec![level.keeper()];
        let mut next = 0;
        while let Some(&at) = squares.get(next) {
            next += 1;
            for beside in STEPS.into_iter().filter_map(|step| moved(at, step)) {
                let is_floor = beside.row < level.rows()
                    && beside.column < level.columns()
                    && level.tile(beside) != Tile::Wall;
                if is_floor && !squares.contains(&beside) {
                    squares.push(beside);
                }
            }
        }
        squares.sort_unstable();
        let number = |at: Position| squares.iter().position(|&square| square == at);
        let around = |&at: &Position| STEPS.map(|step| number(moved(at, step)?));
        let boxes = (0..squares.len()).filter(|&square| level.tile(squares[square]).has_box());
        Self {
            around: squares.iter().map(around).collect(),
            goals: squares.iter().map(|&at| level.tile(at).has_goal()).collect(),
            boxes: boxes.collect(),
            keeper: number(level.keeper()).expect("the keeper's own square"),
            squares,
        }
    }

    /// The squares the keeper can reach, breadth first.
    fn reach(&self, boxes: &[usize], keeper: usize) -> Vec<usize> {
        let mut reach = vec![keeper];
        let mut next = 0;
        while let Some(&square) = reach.get(next) {
            next += 1;
            for beside in self.around[square].into_iter().flatten() {
                if !boxes.contains(&beside) && !reach.contains(&beside) {
                    reach.push(beside);
                }
            }
        }
        reach
    }

    /// Whether walls and boxes fill a block of two by two in which one of the boxes is.
    fn is_blocked(&self, boxes: &[usize], square: usize) -> bool {
        let full = |step: (isize, isize)| {
            let at = moved(self.squares[square], step);
            let place = at.and_then(|at| self.squares.binary_search(&at).ok());
            place.is_none_or(|square| boxes.contains(&square))
        };
        [-1, 1].into_iter().any(|row| {
            [-1, 1]
                .into_iter()
                .any(|column| full((row, 0)) && full((0, column)) && full((row, column)))
        })
    }
}

/// Rows and columns to go: up, left, right, down.
const STEPS: [(isize, isize); 4] = [(-1, 0), (0, -1), (0, 1), (1, 0)];

fn moved(at: Position, (rows, columns): (isize, isize)) -> Option<Position> {
    let (row, column) = (at.row.checked_add_signed(rows)?, at.column.checked_add_signed(columns)?);
    Some(Position { row, column })
}

/// Six bits a square: the boxes in ascending order, and the keeper.
fn pack(mut boxes: Vec<usize>, keeper: usize) -> u64 {
    boxes.sort_unstable();
    boxes.into_iter().fold(keeper as u64, |packed, square| packed << 6 | square as u64)
}

fn unpack(state: u64, boxes: usize) -> (Vec<usize>, usize) {
    let field = |place: usize| (state >> (6 * place) & 63) as usize;
    ((0..boxes).rev().map(field).collect(), field(boxes))
}

/// Spreads the bits of a packed state.
#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("states are words");
    }

    fn write_u64(&mut self, state: u64) {
        let mixed = (state ^ state >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ mixed >> 29;
    }
}
