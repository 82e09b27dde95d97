//! The fewest pushes and, among these, the fewest moves: Dijkstra's algorithm over single steps, which cost the pair.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use sokohive_engine::{Level, Rule, Tile};

use super::{Board, State, Verdict};

/// The fewest pushes that solve a board of at most 64 squares that are no walls, the fewest moves among solutions of so
/// many pushes, and how many of these there are. [`Verdict::TooBig`] where the board has more squares, or that takes more
/// than `limit` states.
pub(crate) fn fewest_pushes(level: &Level, rule: Rule, limit: usize) -> Verdict {
    let board = Board::new(level);
    if board.squares.len() > 64 {
        return Verdict::TooBig(limit);
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
    // Pushes and moves of every state seen, and the number of ways of so many.
    let mut seen = HashMap::from([(start, ((0, 0), 1_u64))]);
    let mut waiting = BTreeMap::from([((0, 0), vec![start])]);
    while let Some((cost, mut states)) = waiting.pop_first() {
        // Those that cost less by now have been taken.
        states.retain(|state| seen[state].0 == cost);
        let (pushes, moves) = cost;
        if states.iter().any(finished) {
            let ways = states.iter().filter(|state| finished(state)).map(|state| seen[state].1);
            let solutions = ways.fold(0, u64::saturating_add);
            return Verdict::Optimum { moves, pushes, solutions };
        }
        for state in states {
            let (_, ways) = seen[&state];
            for (after, push) in (0..4).filter_map(|direction| board.step(state, direction)) {
                let cost: (u32, u32) = (pushes + u32::from(push), moves + 1);
                match seen.entry(after) {
                    Entry::Occupied(mut known) if known.get().0 == cost => {
                        let (_, sum) = known.get_mut();
                        *sum = sum.saturating_add(ways);
                        continue;
                    }
                    Entry::Occupied(known) if known.get().0 < cost => continue,
                    Entry::Occupied(mut known) => {
                        known.insert((cost, ways));
                    }
                    Entry::Vacant(vacant) => {
                        vacant.insert((cost, ways));
                    }
                }
                waiting.entry(cost).or_default().push(after);
            }
        }
        if seen.len() > limit {
            return Verdict::TooBig(limit);
        }
    }
    Verdict::Unsolvable
}
