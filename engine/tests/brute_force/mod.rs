//! An independent search to compare with: plain breadth-first over single steps of the keeper.
//!
//! It shares only `Level`, `Position` and `Rule` with the engine, prunes nothing, and takes every
//! square that is no wall for what it is, reachable or not. A state is (keeper, set of boxes).
#![allow(dead_code, reason = "every test uses its own part of this module")]

mod pushes;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use sokohive_engine::{Level, Position, Rule, Tile};

#[allow(unused_imports, reason = "every test uses its own part of this module")]
pub(crate) use self::pushes::fewest_pushes;

/// What a search by brute force finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// An optimal solution's moves and pushes, the fewest of what counts second among solutions of as few of what counts
    /// first; and how many optimal solutions there are, or the largest number where there are more. Where moves count
    /// first, these are all of fewest moves.
    Optimum { moves: u32, pushes: u32, solutions: u64 },
    /// Every reachable state was seen, and none is finished.
    Unsolvable,
    /// More states than this; nothing is known.
    TooBig(usize),
}

/// Squares that are no wall, at most.
const MAX_SQUARES: usize = 512;

/// Solves a board by brute force, storing at most `limit` states.
///
/// # Panics
///
/// If more than 512 squares are no walls.
pub(crate) fn solve(level: &Level, rule: Rule, limit: usize) -> Verdict {
    let board = Board::new(level);
    match board.squares.len() {
        0..=64 => board.search::<1>(rule, limit),
        65..=128 => board.search::<2>(rule, limit),
        129..=MAX_SQUARES => board.search::<{ MAX_SQUARES / 64 }>(rule, limit),
        more => panic!("{more} squares are too many for brute force"),
    }
}

/// Keeper and boxes; bit `n` of the words together is square `n`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State<const WORDS: usize> {
    keeper: u16,
    boxes: [u64; WORDS],
}

impl<const WORDS: usize> State<WORDS> {
    fn has_box(&self, square: u16) -> bool {
        self.boxes[usize::from(square) / 64] >> (square % 64) & 1 == 1
    }
    fn flip_box(&mut self, square: u16) {
        self.boxes[usize::from(square) / 64] ^= 1 << (square % 64);
    }
}

struct Board<'a> {
    level: &'a Level,
    squares: Vec<Position>,
    /// For each square its neighbours up, down, left and right that are no walls.
    neighbours: Vec<[Option<u16>; 4]>,
}

impl<'a> Board<'a> {
    fn new(level: &'a Level) -> Self {
        let row = |row| (0..level.columns()).map(move |column| Position { row, column });
        let all = (0..level.rows()).flat_map(row);
        let squares: Vec<_> = all.filter(|&at| level.tile(at) != Tile::Wall).collect();
        let find = |row: Option<usize>, column: Option<usize>| {
            let at = Position { row: row?, column: column? };
            let index = squares.iter().position(|&square| square == at)?;
            Some(u16::try_from(index).expect("few squares"))
        };
        let neighbours = squares.iter().map(|&Position { row, column }| {
            [
                find(row.checked_sub(1), Some(column)),
                find(Some(row + 1), Some(column)),
                find(Some(row), column.checked_sub(1)),
                find(Some(row), Some(column + 1)),
            ]
        });
        let neighbours = neighbours.collect();
        Self { level, squares, neighbours }
    }

    fn tile(&self, square: u16) -> Tile {
        self.level.tile(self.squares[usize::from(square)])
    }

    fn search<const WORDS: usize>(&self, rule: Rule, limit: usize) -> Verdict {
        let mut start = State { keeper: 0, boxes: [0; WORDS] };
        for square in (0..).take(self.squares.len()) {
            if self.tile(square).has_box() {
                start.flip_box(square);
            }
            if self.tile(square).has_keeper() {
                start.keeper = square;
            }
        }
        let squares = (0..).take(self.squares.len());
        let goals: Vec<u16> = squares.filter(|&square| self.tile(square).has_goal()).collect();
        let mut goal_mask = State { keeper: 0, boxes: [0; WORDS] };
        goals.iter().for_each(|&goal| goal_mask.flip_box(goal));
        let finished = |state: &State<WORDS>| {
            let off_goal = |(boxes, goals): (u64, u64)| boxes & !goals != 0;
            !state.boxes.into_iter().zip(goal_mask.boxes).any(off_goal)
                && (rule == Rule::Classic || goal_mask.has_box(state.keeper))
        };
        // Depth, fewest pushes and number of ways of every state seen.
        let mut seen = HashMap::from([(start, (0, 0, 1_u64))]);
        let mut layer = vec![start];
        for depth in 1.. {
            let found = || layer.iter().filter(|state| finished(state)).map(|state| seen[state]);
            if let Some(pushes) = found().map(|(_, pushes, _)| pushes).min() {
                let solutions = found().fold(0_u64, |sum, (.., ways)| sum.saturating_add(ways));
                return Verdict::Optimum { moves: depth - 1, pushes, solutions };
            }
            let mut next = Vec::new();
            for state in layer {
                let (_, pushes, ways) = seen[&state];
                for direction in 0..4 {
                    let Some((successor, push)) = self.step(state, direction) else { continue };
                    let pushes: u32 = pushes + u32::from(push);
                    match seen.entry(successor) {
                        Entry::Vacant(vacant) => {
                            vacant.insert((depth, pushes, ways));
                            next.push(successor);
                        }
                        Entry::Occupied(mut known) if known.get().0 == depth => {
                            let (_, least, sum) = known.get_mut();
                            *least = pushes.min(*least);
                            *sum = sum.saturating_add(ways);
                        }
                        Entry::Occupied(_) => (),
                    }
                }
            }
            if next.is_empty() {
                return Verdict::Unsolvable;
            }
            if seen.len() > limit {
                return Verdict::TooBig(limit);
            }
            layer = next;
        }
        unreachable!("the loop has no end of its own")
    }

    /// The state after a step, and whether a box was pushed.
    fn step<const WORDS: usize>(
        &self,
        mut state: State<WORDS>,
        direction: usize,
    ) -> Option<(State<WORDS>, bool)> {
        let to = self.neighbours[usize::from(state.keeper)][direction]?;
        state.keeper = to;
        if !state.has_box(to) {
            return Some((state, false));
        }
        let behind = self.neighbours[usize::from(to)][direction]?;
        if state.has_box(behind) {
            return None;
        }
        state.flip_box(to);
        state.flip_box(behind);
        Some((state, true))
    }
}
