use std::collections::{HashMap, VecDeque};

use super::super::{Estimate, Estimator};
use super::*;
use crate::board::tests::board;
use crate::truth::Truth;
use crate::{Rule, builtin};

/// A state: boxes in ascending order, and the keeper.
type State = (Vec<Square>, Square);

/// Number of the box, where from, and where to.
type Push = (usize, Square, Square);

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) as usize % bound
    }
}

/// A board of at most 20 squares with one to three boxes and as many goals or more.
fn random_board(random: &mut Random) -> Board {
    loop {
        let (rows, columns) = (2 + random.below(4), 3 + random.below(6));
        let walls = random.below(45);
        let mut tiles: Vec<u8> = Vec::new();
        for _ in 0..rows * columns {
            tiles.push(if random.below(100) < walls { b'#' } else { b' ' });
        }
        let boxes = 1 + random.below(3);
        let goals = boxes + random.below(3);
        let things = std::iter::once(b'@').chain(vec![b'$'; boxes]).chain(vec![b'.'; goals]);
        for thing in things {
            let at = random.below(tiles.len());
            tiles[at] = thing;
        }
        let wall = "#".repeat(columns + 2);
        let row = |row: &[u8]| format!("#{}#\n", String::from_utf8_lossy(row));
        let inside: String = tiles.chunks(columns).map(row).collect();
        let Ok(level) = crate::Level::parse(&format!("{wall}\n{inside}{wall}")) else { continue };
        let board = Board::new(&level);
        if board.verdict().is_none() && !board.boxes().is_empty() && board.squares() <= 20 {
            return board;
        }
    }
}

/// The state after a step, with the push if it is one.
fn step(
    board: &Board,
    (boxes, keeper): &State,
    direction: Direction,
) -> Option<(State, Option<Push>)> {
    let to = board.neighbour(*keeper, direction)?;
    let Some(number) = boxes.iter().position(|&square| square == to) else {
        return Some(((boxes.clone(), to), None));
    };
    let behind = board.neighbour(to, direction).filter(|square| !boxes.contains(square))?;
    let mut after = boxes.clone();
    after[number] = behind;
    after.sort_unstable();
    Some(((after, to), Some((number, to, behind))))
}

/// Least moves from the start to each state that can be reached.
fn moves_from_start(board: &Board) -> HashMap<State, u32> {
    let start = (board.boxes().to_vec(), board.keeper());
    let mut moves = HashMap::from([(start.clone(), 0)]);
    let mut todo = VecDeque::from([start]);
    while let Some(state) = todo.pop_front() {
        for direction in Direction::ALL {
            if let Some((next, _)) = step(board, &state, direction)
                && !moves.contains_key(&next)
            {
                moves.insert(next.clone(), moves[&state] + 1);
                todo.push_back(next);
            }
        }
    }
    moves
}

fn bound(estimator: &mut Estimator<'_>, (boxes, keeper): &State) -> Option<u32> {
    estimator.of_row(boxes).map(|_| estimator.with_keeper(*keeper))
}

/// What has been seen.
#[derive(Debug, Default)]
struct Seen {
    states: u64,
    /// With a bound of more than the pushes that a matching takes.
    beyond_matching: u64,
    /// With a bound that is the truth.
    tight: u64,
}

/// Fails where the bound exceeds the moves to the finish, falls by more than one in a step, or comes out otherwise after
/// a push than from scratch.
fn holds_forward(board: &Board, walking: &Walking, truths: &[Truth], seen: &mut Seen) {
    let estimate = Estimate::Walking(walking.clone());
    let matching = Estimate::matching(board);
    let (mut here, mut there) = (Estimator::new(&estimate), Estimator::new(&estimate));
    let mut matching = Estimator::new(&matching);
    for (boxes, keeper, _) in truths[0].states() {
        if boxes.iter().any(|&square| !board.is_live(square)) {
            continue;
        }
        let state = (boxes, keeper);
        let cost = truths.iter().filter_map(|truth| truth.cost(&state.0, keeper)).min();
        let Some(now) = bound(&mut here, &state) else {
            assert_eq!(cost, None, "{state:?}");
            continue;
        };
        seen.states += 1;
        assert!(cost.is_none_or(|cost| now <= cost), "{now} > {cost:?} {state:?} {board:?}");
        assert!(here.of_row(&state.0).is_some_and(|least| least <= now));
        seen.tight += u64::from(cost == Some(now));
        seen.beyond_matching += u64::from(matching.of_row(&state.0).is_some_and(|m| m < now));
        for direction in Direction::ALL {
            let Some((next, push)) = step(board, &state, direction) else { continue };
            if next.0.iter().any(|&square| !board.is_live(square)) {
                continue;
            }
            let then = bound(&mut there, &next);
            assert!(then.is_none_or(|then| now <= then + 1), "{state:?} {next:?} {board:?}");
            if let Some((number, from, to)) = push {
                assert_eq!(here.after_push(number, (from, to), next.1), then, "{state:?}");
            }
        }
    }
}

/// The same of the bound on the way from the start.
fn holds_backward(board: &Board, walking: &Walking, seen: &mut Seen) {
    let estimate = Estimate::Walking(walking.of_the_way_from_start(board));
    let (mut here, mut there) = (Estimator::new(&estimate), Estimator::new(&estimate));
    let moves = moves_from_start(board);
    let is_lost = |state: &State| state.0.iter().any(|&square| !board.is_live(square));
    for (state, &cost) in moves.iter().filter(|(state, _)| !is_lost(state)) {
        let now = bound(&mut here, state);
        seen.states += 1;
        assert!(now.is_some_and(|now| now <= cost), "{now:?} > {cost} {state:?} {board:?}");
        seen.tight += u64::from(now == Some(cost));
        for direction in Direction::ALL {
            let Some((next, push)) = step(board, state, direction) else { continue };
            if is_lost(&next) {
                continue;
            }
            let then = bound(&mut there, &next);
            let slow = then.zip(now).is_some_and(|(then, now)| then <= now + 1);
            assert!(slow, "{state:?} {now:?} {next:?} {then:?} {board:?}");
            if let Some((_, from, to)) = push {
                let number = next.0.iter().position(|&square| square == to).expect("pushed there");
                assert_eq!(there.after_push(number, (to, from), state.1), now, "{state:?}");
            }
        }
    }
}

/// With the levels of a random origin, either way round, and with those that are taken.
#[test]
fn bounds_hold_on_random_boards() {
    let mut random = Random(17);
    let (mut forward, mut backward, mut more_goals) = (Seen::default(), Seen::default(), 0);
    for _ in 0..600 {
        let board = random_board(&mut random);
        let boxes = board.boxes().len();
        more_goals += u32::from(board.goals().len() > boxes);
        let truths: Vec<Truth> = [Rule::Classic, Rule::KeeperOnGoal]
            .into_iter()
            .filter(|rule| *rule == Rule::Classic || board.goals().len() > boxes)
            .map(|rule| Truth::new(&board, boxes, rule))
            .collect();
        let origin = Square::from_index(random.below(board.squares()));
        let outward = levels(&board, origin);
        let most = outward.iter().copied().max().unwrap_or(0);
        let inward = outward.iter().map(|&level| most - level).collect();
        let tried = [outward, inward].map(|level| Walking::of_levels(&board, level));
        for walking in tried.into_iter().chain([Walking::to_goals(&board)]).flatten() {
            holds_forward(&board, &walking, &truths, &mut forward);
            holds_backward(&board, &walking, &mut backward);
        }
    }
    println!("{forward:?} {backward:?} {more_goals}");
    assert!(more_goals > 100, "{more_goals}");
    for (seen, name) in [(&forward, "forward"), (&backward, "backward")] {
        assert!(seen.states > 100_000 && seen.tight > 5_000, "{name} {seen:?}");
    }
    assert!(forward.beyond_matching > 10_000, "{forward:?}");
}

/// Two boxes in a corridor: between them the keeper has to come back.
#[test]
fn ways_back_are_counted() {
    let board = board("############\n#@ $ $  ..##\n#    #######\n############");
    let walking = Walking::to_goals(&board).expect("two boxes");
    let matching = Estimate::matching(&board);
    let pushes = Estimator::new(&matching).of_row(board.boxes());
    let truth = Truth::new(&board, 2, Rule::Classic).cost(board.boxes(), board.keeper());
    let bound = walking.of(board.boxes(), board.keeper());
    assert!(pushes < Some(bound) && Some(bound) <= truth, "{pushes:?} {bound} {truth:?}");
}

#[test]
fn the_start_of_no_built_in_board_is_estimated_too_high_or_lower_than_by_matching() {
    for builtin in builtin::all() {
        let board = Board::new(&builtin.level);
        let matching = Estimator::new(&Estimate::matching(&board)).of_row(board.boxes());
        let estimate = Estimate::walking(&board);
        let start = (board.boxes().to_vec(), board.keeper());
        let walking = bound(&mut Estimator::new(&estimate), &start);
        println!("{}: {matching:?} pushes, {walking:?} moves of {}", builtin.id, builtin.moves);
        assert!(walking >= matching && walking <= Some(builtin.moves), "{}", builtin.id);
    }
}
