//! Floods against what they are by definition, square by square.

use std::collections::BTreeMap;

use super::*;
use crate::Direction;
use crate::board::tests::board;
use crate::squares::SquareSet;

/// Numbers without pattern (S. Vigna, SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ z >> 31) % bound as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// A board with walls here and there, so many squares a side.
fn random_board(random: &mut Random, side: usize) -> Board {
    let walls = random.below(35);
    let rim = "#".repeat(side + 2);
    let mut text = format!("{rim}\n");
    for row in 0..side {
        text.push('#');
        for column in 0..side {
            text.push(match (row, column) {
                (0, 0) => '@',
                _ if random.chance(walls) => '#',
                _ => ' ',
            });
        }
        text.push_str("#\n");
    }
    board(&format!("{text}{rim}"))
}

/// Boxes on a board, and a row of states of that box set.
struct Case {
    boxes: Vec<Square>,
    wanted: Vec<Square>,
    row: Row,
}

fn random_case(random: &mut Random, board: &Board) -> Case {
    let share = random.below(40);
    let boxes: Vec<Square> = board.all().filter(|_| random.chance(share)).collect();
    let free: Vec<Square> = board.all().filter(|square| !boxes.contains(square)).collect();
    let share = 10 + random.below(60);
    // Boxes among the wanted squares do no harm.
    let wanted = board.all().filter(|_| random.chance(share)).collect();
    let mut row = Row { cost: 10 + random.below(10) as u32, ..Row::default() };
    let (many, costs) = (2 + random.below(40), 1 + random.below(10));
    for &square in &free {
        // A state has one cost, so a square is in one list at most.
        match random.below(many) {
            0 => row.opened.push(square),
            1 => row.cheaper.push((row.cost - 1 - random.below(costs) as u32, square)),
            // A closed state may cost more where the estimate depends on the keeper.
            2 if random.chance(50) => row.late.push((row.cost + random.below(4) as u32, square)),
            _ => {}
        }
    }
    if row.opened.is_empty() && !free.is_empty() {
        let square = free[random.below(free.len())];
        row.cheaper.retain(|&(_, other)| other != square);
        row.late.retain(|&(_, other)| other != square);
        row.opened.push(square);
    }
    Case { boxes, wanted, row }
}

/// Steps from a square to all others, one square at a time.
fn steps_from(board: &Board, boxes: &[Square], from: Square) -> BTreeMap<Square, u32> {
    let mut steps = BTreeMap::from([(from, 0)]);
    let mut layer = vec![from];
    while !layer.is_empty() {
        let mut next = Vec::new();
        for square in layer {
            for direction in Direction::ALL {
                if let Some(to) = board.neighbour(square, direction)
                    && !boxes.contains(&to)
                    && !steps.contains_key(&to)
                {
                    steps.insert(to, steps[&square] + 1);
                    next.push(to);
                }
            }
        }
        layer = next;
    }
    steps
}

/// The wanted squares that belong to a state being opened, with the steps from there.
fn owned_by_opened(board: &Board, case: &Case) -> BTreeMap<Square, u32> {
    let Row { cost, cheaper, opened, late, .. } = &case.row;
    // Total cost, then who goes first among equals.
    let mut owner: BTreeMap<Square, (u32, u8)> = BTreeMap::new();
    let mut claim = |from: Square, at: u32, class: u8| {
        for (square, steps) in steps_from(board, &case.boxes, from) {
            let total = (at + steps, class);
            let known = owner.entry(square).or_insert(total);
            *known = total.min(*known);
        }
    };
    cheaper.iter().for_each(|&(at, from)| claim(from, at, 0));
    opened.iter().for_each(|&from| claim(from, *cost, 1));
    late.iter().for_each(|&(at, from)| claim(from, at, 2));
    let owner = owner.into_iter().filter(|(square, _)| case.wanted.contains(square));
    owner.filter(|(_, (_, class))| *class == 1).map(|(s, (total, _))| (s, total - cost)).collect()
}

/// What a flood visits.
fn visited<G: Ground>(board: &Board, case: &Case) -> (Flood, BTreeMap<Square, u32>) {
    let mut ground = G::new(board);
    let set = |squares: &[Square]| G::Set::from_squares(board.squares(), squares.iter().copied());
    let mut found = BTreeMap::new();
    let mut row = case.row.clone();
    let (boxes, wanted) = (set(&case.boxes), set(&case.wanted));
    let outcome = flood(&mut ground, &boxes, &wanted, &mut row, |square, steps| {
        assert_eq!(found.insert(square, steps), None, "visited twice");
    });
    (outcome, found)
}

fn floods_are_what_they_should_be<G: Ground>(seed: u64, side: usize, boards: usize) {
    let mut random = Random(seed);
    let (mut dominated, mut visits, mut lost_ties) = (0, 0, 0);
    for _ in 0..boards {
        let board = random_board(&mut random, side);
        for _ in 0..5 {
            let mut case = random_case(&mut random, &board);
            if case.row.opened.is_empty() {
                continue;
            }
            let (outcome, found) = visited::<G>(&board, &case);
            assert_eq!(found, owned_by_opened(&board, &case), "{:?} {:?}", case.boxes, case.row);
            visits += found.len();
            if outcome == Flood::Dominated {
                assert!(found.is_empty());
                dominated += 1;
            }
            // Ties matter in many of these cases.
            case.row.cheaper.clear();
            lost_ties += usize::from(owned_by_opened(&board, &case) != found);
        }
    }
    assert!(dominated * 20 > boards, "{dominated}");
    assert!(visits > 10 * boards && lost_ties > boards, "{visits} {lost_ties}");
}

#[test]
fn squares_belong_to_the_cheapest_state_on_every_ground() {
    floods_are_what_they_should_be::<MaskGround<1>>(1, 7, 300);
    floods_are_what_they_should_be::<MaskGround<2>>(2, 10, 100);
    floods_are_what_they_should_be::<MaskGround<4>>(3, 14, 25);
    floods_are_what_they_should_be::<QueueGround>(4, 9, 100);
    floods_are_what_they_should_be::<QueueGround>(5, 17, 15);
}

/// The least cost at which the keeper gets to each wanted square from any state of a row.
fn least_costs(board: &Board, case: &Case, states: &[(u32, Square)]) -> BTreeMap<Square, u32> {
    let mut least = BTreeMap::new();
    for &(cost, from) in states {
        for (square, steps) in steps_from(board, &case.boxes, from) {
            if case.wanted.contains(&square) {
                let known = least.entry(square).or_insert(cost + steps);
                *known = (*known).min(cost + steps);
            }
        }
    }
    least
}

/// A row is opened again and again as its states come up, some of them by several threads at once that do or do not see
/// each other's. However that falls out, every square is visited at the least cost at which the keeper gets there; and
/// fewer visits do than without dominance.
#[test]
fn dominance_loses_no_square_at_its_least_cost() {
    let mut random = Random(6);
    let (mut visits, mut without) = (0, 0);
    for _ in 0..1_500 {
        let side = 3 + random.below(6);
        let board = random_board(&mut random, side);
        let case = random_case(&mut random, &board);
        let free: Vec<Square> = board.all().filter(|s| !case.boxes.contains(s)).collect();
        let costs = 1 + random.below(8);
        let share = 5 + random.below(40);
        let mut states: Vec<(u32, Square)> = Vec::new();
        for &square in &free {
            if random.chance(share) {
                states.push((5 + random.below(costs) as u32, square));
            }
        }
        states.sort_unstable();
        let mut found: BTreeMap<Square, u32> = BTreeMap::new();
        for level in states.chunk_by(|one, other| one.0 == other.0) {
            let cost = level[0].0;
            let cheaper: Vec<_> = states.iter().copied().filter(|state| state.0 < cost).collect();
            // Each state goes to one of three threads, which go in this order; states that a thread does not open it
            // may see as closed, and must if they were opened before.
            let thread: Vec<usize> = level.iter().map(|_| random.below(3)).collect();
            for me in 0..3 {
                let of = |number: &usize| *number == me;
                let mine = level.iter().zip(&thread).filter(|(_, number)| of(number));
                let opened: Vec<Square> = mine.map(|(&(_, square), _)| square).collect();
                let others = level.iter().zip(&thread).filter(|(_, number)| !of(number));
                let late = others.filter(|&(_, &number)| number < me || random.chance(50));
                let late: Vec<(u32, Square)> = late.map(|(&state, _)| state).collect();
                if opened.is_empty() {
                    continue;
                }
                let row = Row { cost, cheaper: cheaper.clone(), opened, late, ..Row::default() };
                let seen = Case { boxes: case.boxes.clone(), wanted: case.wanted.clone(), row };
                let (_, here) = visited::<MaskGround<2>>(&board, &seen);
                visits += here.len();
                for (square, steps) in here {
                    let known = found.entry(square).or_insert(cost + steps);
                    *known = (*known).min(cost + steps);
                }
            }
        }
        assert_eq!(found, least_costs(&board, &case, &states), "{:?} {states:?}", case.boxes);
        without +=
            states.iter().map(|&state| least_costs(&board, &case, &[state]).len()).sum::<usize>();
    }
    println!("{visits} visits, {without} without dominance");
    assert!(visits * 3 < without, "{visits} {without}");
}

#[test]
fn regions_and_distances_are_those_of_single_steps() {
    fn holds<G: Ground>(seed: u64, side: usize) {
        let mut random = Random(seed);
        for _ in 0..200 {
            let board = random_board(&mut random, side);
            let case = random_case(&mut random, &board);
            let Some(&from) = case.row.opened.first() else { continue };
            let set =
                |squares: &[Square]| G::Set::from_squares(board.squares(), squares.iter().copied());
            let steps = steps_from(&board, &case.boxes, from);
            let mut ground = G::new(&board);
            let mut region = Vec::new();
            ground.region(&set(&case.boxes), from).for_each(|square| region.push(square));
            assert_eq!(region, steps.keys().copied().collect::<Vec<_>>());
            let mut found = BTreeMap::new();
            let (boxes, wanted) = (set(&case.boxes), set(&case.wanted));
            distances(&mut ground, &boxes, &wanted, from, |square, steps| {
                assert!(found.values().all(|&before| before <= steps), "nearest first");
                found.insert(square, steps);
                std::ops::ControlFlow::Continue(())
            });
            let wanted = |square: &Square| case.wanted.contains(square);
            let right = steps.into_iter().filter(|(square, _)| wanted(square));
            assert_eq!(found, right.collect());
        }
    }
    holds::<MaskGround<1>>(1, 7);
    holds::<MaskGround<4>>(2, 12);
    holds::<QueueGround>(3, 10);
}
