//! The fewest pushes: breadth-first over pushes, with all steps between two pushes in one layer.

use std::collections::HashSet;

use sokohive_engine::{Level, Rule, Tile};

use super::{Board, State};

/// The fewest pushes that solve a board of at most 64 squares that are no walls: `Ok(None)` if there is no solution.
/// An error where the board has more squares, or that takes more than `limit` states.
pub(crate) fn fewest_pushes(level: &Level, rule: Rule, limit: usize) -> Result<Option<u32>, usize> {
    let board = Board::new(level);
    if board.squares.len() > 64 {
        return Err(limit);
    }
    let mut start = State { keeper: 0, boxes: [0; 1] };
    let mut goals = State { keeper: 0, boxes: [0; 1] };
    for square in (0..).take(board.squares.len()) {
        let tile: Tile = board.tile(square);
        if tile.has_box() {
            start.flip_box(square);
        }
        if tile.has_goal() {
            goals.flip_box(square);
        }
        if tile.has_keeper() {
            start.keeper = square;
        }
    }
    let finished = |state: &State<1>| {
        state.boxes[0] & !goals.boxes[0] == 0
            && (rule == Rule::Classic || goals.has_box(state.keeper))
    };
    let mut seen = HashSet::from([start]);
    let mut layer = vec![start];
    for pushes in 0.. {
        let mut next = Vec::new();
        while let Some(state) = layer.pop() {
            if finished(&state) {
                return Ok(Some(pushes));
            }
            for (after, push) in (0..4).filter_map(|direction| board.step(state, direction)) {
                if push {
                    // What this layer reaches by walking alone is not to be had for one push more.
                    next.push(after);
                } else if seen.insert(after) {
                    layer.push(after);
                }
            }
        }
        next.retain(|&state| seen.insert(state));
        if next.is_empty() {
            return Ok(None);
        }
        if seen.len() > limit {
            return Err(limit);
        }
        layer = next;
    }
    unreachable!("the loop has no end of its own")
}
