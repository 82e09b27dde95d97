//! Every rule that refuses or drops something, held against an exhaustive look at small boards.
//!
//! The exhaustive look knows single keeper steps only and shares nothing with the search but the board.

use std::collections::{HashMap, VecDeque};

use crate::board::tests::board;
use crate::board::{Board, Square};
use crate::budget::Budget;
use crate::deadlock::freeze::Freeze;
use crate::deadlock::subsets::DeadSubsets;
use crate::estimate::{Estimate, Estimator};
use crate::squares::{LargeSet, Mask, SquareSet};
use crate::table::Row;
use crate::walk::{Flood, Ground, MaskGround, QueueGround, flood};
use crate::{Direction, search::side::Side};

/// Boxes in ascending order, and the keeper.
type State = (Vec<Square>, Square);

/// Steps that the keeper still needs at least, for every state that can be finished (classic rule).
fn steps_left(board: &Board, boxes: usize) -> HashMap<State, u32> {
    let mut before: HashMap<State, Vec<State>> = HashMap::new();
    let mut left = HashMap::new();
    let mut todo = VecDeque::new();
    for set in subsets(board.squares(), boxes) {
        for keeper in board.all().filter(|square| !set.contains(square)) {
            let state = (set.clone(), keeper);
            for next in steps(board, &state) {
                before.entry(next).or_default().push(state.clone());
            }
            if set.iter().all(|&square| board.is_goal(square)) {
                left.insert(state.clone(), 0);
                todo.push_back(state);
            }
        }
    }
    while let Some(state) = todo.pop_front() {
        let further = left[&state] + 1;
        for earlier in before.get(&state).into_iter().flatten() {
            if !left.contains_key(earlier) {
                left.insert(earlier.clone(), further);
                todo.push_back(earlier.clone());
            }
        }
    }
    left
}

fn subsets(of: usize, size: usize) -> Vec<Vec<Square>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for set in subsets(of, size - 1) {
        let from = set.last().map_or(0, |last: &Square| last.index() + 1);
        for square in from..of {
            let mut larger = set.clone();
            larger.push(Square::from_index(square));
            all.push(larger);
        }
    }
    all
}

/// The states one keeper step on.
fn steps(board: &Board, (boxes, keeper): &State) -> Vec<State> {
    let step = |direction| {
        let to = board.neighbour(*keeper, direction)?;
        if !boxes.contains(&to) {
            return Some((boxes.clone(), to));
        }
        let beyond = board.neighbour(to, direction)?;
        (!boxes.contains(&beyond)).then(|| (moved(boxes, to, beyond), to))
    };
    Direction::ALL.into_iter().filter_map(step).collect()
}

fn moved(boxes: &[Square], from: Square, to: Square) -> Vec<Square> {
    let mut boxes: Vec<Square> =
        boxes.iter().map(|&square| if square == from { to } else { square }).collect();
    boxes.sort_unstable();
    boxes
}

/// A push onto a live square, with the boxes after it.
struct Push {
    boxes: Vec<Square>,
    /// Where the box came from, and where the keeper is.
    from: Square,
    to: Square,
    direction: Direction,
}

/// Every push from every set of so many boxes on live squares.
fn pushes(board: &Board, boxes: usize) -> Vec<Push> {
    let mut all = Vec::new();
    for set in subsets(board.live(), boxes) {
        for &from in &set {
            for direction in Direction::ALL {
                if let Some(side) = board.neighbour(from, direction.opposite())
                    && let Some(to) = board.neighbour(from, direction)
                    && !set.contains(&side)
                    && !set.contains(&to)
                    && board.is_live(to)
                {
                    all.push(Push { boxes: moved(&set, from, to), from, to, direction });
                }
            }
        }
    }
    all
}

/// Small boards with corners, doors, corridors and goals in different places.
fn boards() -> Vec<Board> {
    [
        "######\n#@   #\n# $$ #\n# .. #\n#    #\n######",
        "#######\n#@ #  #\n# $   #\n##  $.#\n ## .##\n  ####",
        "#######\n#  .  #\n# #$# #\n#@ $ .#\n#######",
        "########\n#.  #  #\n# $    #\n## $ #.#\n #@  ###\n ####",
        "#####\n#.  ##\n# $$ #\n#. @ #\n##   #\n #####",
    ]
    .map(board)
    .into()
}

fn set(board: &Board, squares: &[Square]) -> Mask<1> {
    Mask::from_squares(board.squares(), squares.iter().copied())
}

#[test]
fn no_state_with_a_box_on_a_dead_square_can_be_finished() {
    let mut caught = 0;
    for board in boards() {
        for (boxes, _) in steps_left(&board, 2).into_keys() {
            assert!(boxes.iter().all(|&square| board.is_live(square)), "{boxes:?}");
        }
        caught += board.squares() - board.live();
        // Nor is a square called dead from which a lone box gets home.
        let alone = steps_left(&board, 1);
        for square in board.all().take(board.live()) {
            assert!(alone.keys().any(|(boxes, _)| boxes == &[square]), "{square:?}");
        }
    }
    assert!(caught > 0);
}

#[test]
fn frozen_boards_cannot_be_finished() {
    let mut caught = 0;
    for board in boards() {
        for count in [1, 2, 3] {
            let left = steps_left(&board, count);
            let mut freeze = Freeze::<Mask<1>>::new(&board);
            for push in pushes(&board, count) {
                if freeze.lost(&board, &set(&board, &push.boxes), push.to) {
                    assert!(
                        !left.contains_key(&(push.boxes.clone(), push.from)),
                        "{:?}",
                        push.boxes
                    );
                    caught += 1;
                }
            }
        }
    }
    assert!(caught > 50, "{caught}");
}

/// With just two or three boxes on the board, the tables know all there is to know.
#[test]
fn dead_pairs_and_triples_are_exactly_those_that_cannot_be_finished() {
    let mut caught = [0; 4];
    let boards = [
        "######\n#@ . #\n# $$ #\n#.$ .#\n#    #\n######",
        "#######\n#@ #. #\n# $ $ #\n## .$.#\n #   ##\n  ####",
        "######\n#.. ##\n# $$ #\n#.$@ #\n##   #\n #####",
    ];
    for board in boards.map(board) {
        let mut ground = MaskGround::<1>::new(&board);
        let tables = DeadSubsets::new(&board, &mut ground, &Budget::new(u64::MAX));
        let tables = tables.expect("small boards get tables");
        for count in [2, 3] {
            let left = steps_left(&board, count);
            for push in pushes(&board, count) {
                let others = push.boxes.iter().copied().filter(|&square| square != push.to);
                let boxes = set(&board, &others.clone().collect::<Vec<_>>());
                let lost = tables.lost(push.to, push.direction, &boxes, others);
                let dead = !left.contains_key(&(push.boxes.clone(), push.from));
                assert_eq!(lost, dead, "{:?}, keeper at {:?}", push.boxes, push.from);
                caught[count] += usize::from(dead);
            }
        }
    }
    assert!(caught[2] > 50 && caught[3] > 50, "{caught:?}");
}

/// Among more boxes the tables see some of the dead states, and never a live one.
#[test]
fn dead_pairs_and_triples_are_dead_among_more_boxes() {
    let board = board("######\n#@.  #\n# $$ #\n#.$$.#\n#  . #\n######");
    let left = steps_left(&board, 4);
    let mut ground = MaskGround::<1>::new(&board);
    let tables = DeadSubsets::new(&board, &mut ground, &Budget::new(u64::MAX)).expect("small");
    let mut caught = 0;
    for push in pushes(&board, 4) {
        let others = push.boxes.iter().copied().filter(|&square| square != push.to);
        let boxes = set(&board, &others.clone().collect::<Vec<_>>());
        if tables.lost(push.to, push.direction, &boxes, others) {
            assert!(!left.contains_key(&(push.boxes.clone(), push.from)), "{:?}", push.boxes);
            caught += 1;
        }
    }
    assert!(caught > 50, "{caught}");
}

#[test]
fn estimates_are_admissible_and_consistent_and_infeasible_sets_are_dead() {
    let mut infeasible = 0;
    let mut all = boards();
    // Two boxes that share the only goal within their reach.
    all.push(board("#######\n#.$ $ #\n#  #  #\n#@ #.##\n####-##\n   ###"));
    for board in all {
        let count = 2;
        let left = steps_left(&board, count);
        for estimate in [Estimate::nearest(&board), Estimate::matching(&board)] {
            let mut estimator = Estimator::new(&estimate);
            for boxes in subsets(board.live(), count) {
                let Some(bound) = estimator.of_row(&boxes) else {
                    infeasible += 1;
                    assert!(left.keys().all(|(others, _)| *others != boxes), "{boxes:?}");
                    continue;
                };
                let least = left.iter().filter(|((others, _), _)| *others == boxes);
                if let Some(least) = least.map(|(_, &steps)| steps).min() {
                    assert!(bound <= least, "{boxes:?}: {bound} > {least}");
                }
                for (index, &from) in boxes.iter().enumerate() {
                    for direction in Direction::ALL {
                        if let Some(to) = board.neighbour(from, direction)
                            && board.neighbour(from, direction.opposite()).is_some()
                            && board.is_live(to)
                            && !boxes.contains(&to)
                        {
                            // A push, if the keeper can get there; it costs at least one move.
                            let after = estimator.after_push(index, from, to);
                            assert!(after.is_none_or(|after| bound <= after + 1), "{boxes:?}");
                        }
                    }
                }
            }
        }
    }
    assert!(infeasible > 0);
}

/// Least label of each square over some states, each starting at its own cost.
fn labels(board: &Board, boxes: &[Square], states: &[(u32, Square)]) -> Vec<u32> {
    let mut label = vec![u32::MAX; board.squares()];
    for &(cost, keeper) in states {
        let mut steps = vec![u32::MAX; board.squares()];
        let mut todo = VecDeque::from([(keeper, 0)]);
        while let Some((square, distance)) = todo.pop_front() {
            if steps[square.index()] != u32::MAX || boxes.contains(&square) {
                continue;
            }
            steps[square.index()] = distance;
            label[square.index()] = label[square.index()].min(cost + distance);
            let around = Direction::ALL.into_iter().filter_map(|d| board.neighbour(square, d));
            around.for_each(|next| todo.push_back((next, distance + 1)));
        }
    }
    label
}

/// Squares that the flood visits, with the steps, in order.
fn visited<G: Ground>(board: &Board, boxes: &[Square], row: &Row) -> (Flood, Vec<(Square, u32)>) {
    let all = G::Set::from_squares(board.squares(), board.all().filter(|s| !boxes.contains(s)));
    let occupied = G::Set::from_squares(board.squares(), boxes.iter().copied());
    let mut visited = Vec::new();
    let mut ground = G::new(board);
    let flood = flood(&mut ground, &occupied, &all, &mut row.clone(), |square, steps| {
        visited.push((square, steps));
    });
    visited.sort_unstable();
    (flood, visited)
}

/// A square belongs to the states being opened if they get there cheaper than every state closed at less cost, and at
/// least as cheap as those closed at the same.
#[test]
fn dominance_gives_every_square_to_the_cheapest_and_ties_as_it_says() {
    let mut seed = 7_u64;
    let mut below = |bound: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as usize % bound
    };
    let (mut dominated, mut ties) = (0, 0);
    for board in boards() {
        for _ in 0..400 {
            let mut free: Vec<Square> = board.all().collect();
            let mut draw =
                |below: &mut dyn FnMut(usize) -> usize| free.swap_remove(below(free.len()));
            let mut boxes = vec![draw(&mut below), draw(&mut below)];
            boxes.sort_unstable();
            let cost = 10;
            let mut some = |most: usize| {
                (0..below(most + 1)).map(|_| draw(&mut below)).collect::<Vec<Square>>()
            };
            let (opened, late, cheaper) = (some(2), some(1), some(3));
            if opened.is_empty() {
                continue;
            }
            let cheaper: Vec<(u32, Square)> =
                cheaper.into_iter().map(|keeper| (cost - 1 - below(6) as u32, keeper)).collect();
            let at = |keepers: &[Square]| keepers.iter().map(|&k| (cost, k)).collect::<Vec<_>>();
            let [old, new, same] =
                [cheaper.clone(), at(&opened), at(&late)].map(|s| labels(&board, &boxes, &s));
            let owned = |square: &Square| {
                let index = square.index();
                ties += usize::from(new[index] != u32::MAX && new[index] == old[index]);
                ties += usize::from(new[index] != u32::MAX && new[index] == same[index]);
                new[index] < old[index] && new[index] <= same[index]
            };
            let expected: Vec<(Square, u32)> =
                board.all().filter(owned).map(|s| (s, new[s.index()] - cost)).collect();
            let row = Row { cost, cheaper, opened, late, other: Vec::new() };
            let found = visited::<MaskGround<1>>(&board, &boxes, &row);
            assert_eq!(found.1, expected, "{boxes:?} {row:?}");
            assert_eq!(visited::<MaskGround<2>>(&board, &boxes, &row), found);
            assert_eq!(visited::<QueueGround>(&board, &boxes, &row), found);
            let all_dominated = row.opened.iter().all(|k| old[k.index()] <= cost);
            assert_eq!(found.0 == Flood::Dominated, all_dominated);
            dominated += usize::from(all_dominated);
        }
    }
    assert!(dominated > 20 && ties > 100, "{dominated} dominated, {ties} ties");
}

/// The set of a board of any size and the mask of a small one agree.
#[test]
fn sets_of_both_kinds_agree() {
    let board = &boards()[0];
    for members in subsets(board.squares(), 2) {
        let mask = set(board, &members);
        let large = LargeSet::from_squares(board.squares(), members.iter().copied());
        for square in board.all() {
            assert_eq!(mask.contains(square), large.contains(square));
        }
        let (mut a, mut b) = (Vec::new(), Vec::new());
        mask.for_each(|square| a.push(square));
        large.for_each(|square| b.push(square));
        assert_eq!((&a, &b), (&members, &members));
    }
    assert_eq!(Side::Forward.other(), Side::Backward);
}
