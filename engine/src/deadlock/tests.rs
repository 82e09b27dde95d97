//! Each rule refuses only what brute force finds lost, and does refuse something.

use std::collections::HashSet;

use super::corral::{Corrals, Needed};
use super::freeze::Freeze;
use super::subsets::DeadSubsets;
use crate::board::tests::{board, level};
use crate::board::{Board, Square};
use crate::budget::Budget;
use crate::estimate::{Estimate, Estimator};
use crate::search::side::Side;
use crate::squares::{LargeSet, Mask, SquareSet};
use crate::truth::Truth;
use crate::walk::{Ground, MaskGround, QueueGround};
use crate::{Direction, Objective, Position, Rule};

/// Rooms with nooks, narrow ways, more goals than boxes or as many; the boxes are placed by the tests.
const ROOMS: [&str; 6] = [
    "#######\n#@   .#\n#  #  #\n# $$  #\n#. $ .#\n#######",
    "########\n#@  #  #\n# $  $.#\n#  $#..#\n########",
    "#######\n#. $@.#\n## $ ##\n## $ ##\n#.   .#\n#######",
    "#######\n##.  ##\n#.$$  #\n# @ $ #\n##.  ##\n#######",
    "########\n#.  @ ##\n##$ #$ #\n#.  $ .#\n########",
    "######\n#.   #\n#.$$ #\n#.$# #\n#  @ #\n######",
];

/// Rooms whose goals lie behind boxes.
const CORRALS: [&str; 4] = [
    "########\n#@ $.###\n#  $...#\n#  $ ###\n#   ####\n########",
    "#######\n#. $  #\n#. $@ #\n#. $  #\n#  #  #\n#######",
    "########\n#..#   #\n#.$ $@ #\n#  #$  #\n####   #\n########",
    "#######\n#.  . #\n# $$# #\n#.$ @ #\n###   #\n#######",
];

const RULES: [Rule; 2] = [Rule::Classic, Rule::KeeperOnGoal];

fn all_live(board: &Board, boxes: &[Square]) -> bool {
    boxes.iter().all(|&square| board.is_live(square))
}

/// The pushes that a state may come right after: number of the pushed box, and direction.
fn pushes_before(
    board: &Board,
    boxes: &[Square],
    keeper: Square,
) -> impl Iterator<Item = (usize, Direction)> {
    Direction::ALL.into_iter().filter_map(move |direction| {
        let pushed = board.neighbour(keeper, direction)?;
        Some((boxes.iter().position(|&square| square == pushed)?, direction))
    })
}

#[test]
fn a_box_on_a_dead_square_is_lost() {
    let mut lost = 0;
    for room in ROOMS {
        let board = board(room);
        for rule in RULES {
            for boxes in 1..=3 {
                for (boxes, keeper, cost) in Truth::new(&board, boxes, rule).states() {
                    if !all_live(&board, &boxes) {
                        assert_eq!(cost, None, "{boxes:?} {keeper:?}\n{room}");
                        lost += 1;
                    }
                }
            }
        }
    }
    assert!(lost > 1_000, "{lost}");
}

#[test]
fn a_lone_box_on_a_live_square_can_be_brought_home_from_somewhere() {
    // So no square is called live for nothing; in rooms without narrow ways this is exact.
    for room in [ROOMS[0], ROOMS[3]] {
        let board = board(room);
        let truth = Truth::new(&board, 1, Rule::Classic);
        for square in board.all().filter(|&square| board.is_live(square)) {
            let mut keepers = board.all().filter(|&keeper| keeper != square);
            assert!(
                keepers.any(|keeper| truth.cost(&[square], keeper).is_some()),
                "{square:?}\n{room}"
            );
        }
    }
}

#[test]
fn what_freezes_off_goal_is_lost() {
    let mut lost = 0;
    for room in ROOMS {
        let board = board(room);
        let mut freeze = Freeze::<Mask<1>>::new(&board);
        for boxes in 2..=4 {
            // The classic rule has all solutions of the other.
            for (boxes, keeper, cost) in Truth::new(&board, boxes, Rule::Classic).states() {
                if !all_live(&board, &boxes) {
                    continue;
                }
                let set = Mask::from_squares(board.squares(), boxes.iter().copied());
                for &pushed in &boxes {
                    if freeze.lost(&board, &set, pushed) {
                        assert_eq!(cost, None, "{boxes:?}, {pushed:?} pushed, {keeper:?}\n{room}");
                        lost += 1;
                    }
                }
            }
        }
    }
    assert!(lost > 1_000, "{lost}");
}

/// The greatest set of boxes that hold each other, straight from its definition: begin with all, and take out any that
/// can move, until none can. A box can move along an axis if neither square beside it there is wall or held, and a box
/// would be live on one of them.
fn greatest_fixed_point(board: &Board, boxes: &[Square]) -> Vec<Square> {
    let mut held = boxes.to_vec();
    loop {
        let open = |square: Option<Square>| square.filter(|square| !held.contains(square));
        let can_move = |square: Square, one, other| {
            let sides =
                open(board.neighbour(square, one)).zip(open(board.neighbour(square, other)));
            sides.is_some_and(|(one, other)| board.is_live(one) || board.is_live(other))
        };
        let free = held.iter().position(|&square| {
            can_move(square, Direction::Up, Direction::Down)
                || can_move(square, Direction::Left, Direction::Right)
        });
        match free {
            Some(index) => held.remove(index),
            None => return held,
        };
    }
}

fn sorted(mut squares: Vec<Square>) -> Vec<Square> {
    squares.sort_unstable();
    squares
}

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
}

#[test]
fn frozen_boxes_are_the_greatest_fixed_point_on_random_layouts() {
    let mut random = Random(1);
    let (mut frozen, mut moving, mut lost) = (0, 0, 0);
    for _ in 0..2_000 {
        let (rows, columns) = (3 + random.below(5), 3 + random.below(5));
        let walls = random.below(30);
        let mut inside = vec![vec![' '; columns]; rows];
        for square in inside.iter_mut().flatten() {
            *square =
                if random.below(100) < walls { '#' } else { ['.', ' ', ' '][random.below(3)] };
        }
        inside[0][0] = '@';
        let rim = "#".repeat(columns + 2);
        let rows = inside.iter().map(|row| format!("#{}#", row.iter().collect::<String>()));
        let text: Vec<String> = [rim.clone()].into_iter().chain(rows).chain([rim]).collect();
        let text = text.join("\n");
        let board = Board::new(&level(&text));
        let share = 1 + random.below(80);
        let boxes: Vec<Square> = board.all().filter(|_| random.below(100) < share).collect();
        let fixed = greatest_fixed_point(&board, &boxes);
        let mut freeze = Freeze::<LargeSet>::new(&board);
        assert_eq!(
            sorted(freeze.frozen(&board, &boxes)),
            sorted(fixed.clone()),
            "{boxes:?}\n{text}"
        );
        frozen += fixed.len();
        moving += boxes.len() - fixed.len();

        // The test of one push sees the boxes that hang together with the pushed one; that is enough.
        let set = LargeSet::from_squares(board.squares(), boxes.iter().copied());
        for &pushed in &boxes {
            let found = freeze.lost(&board, &set, pushed);
            let off_goal = fixed.iter().any(|&square| !board.is_goal(square));
            assert!(!found || fixed.contains(&pushed) && off_goal, "{pushed:?} {boxes:?}\n{text}");
            assert!(
                found || !fixed.contains(&pushed) || board.is_goal(pushed),
                "{pushed:?} {boxes:?}\n{text}"
            );
            lost += usize::from(found);
        }
    }
    assert!(frozen > 2_000 && moving > 2_000 && lost > 1_000, "{frozen} {moving} {lost}");
}

#[test]
fn c05_ten_of_thirteen_boxes_are_frozen() {
    // Every square is a goal, so that all are live.
    let board = board("#######\n#*+..*#\n#.***.#\n##*.**#\n#*****#\n#######");
    assert_eq!(board.boxes().len(), 13);
    let frozen = Freeze::<Mask<1>>::new(&board).frozen(&board, board.boxes());
    assert_eq!(frozen.len(), 10);
    let asked = board.square_at(Position { row: 2, column: 4 }).expect("floor");
    assert!(board.boxes().contains(&asked) && !frozen.contains(&asked));
}

fn tables<G: Ground>(board: &Board, side: Side) -> DeadSubsets<G::Set> {
    DeadSubsets::new(board, &mut G::new(board), side, &Budget::new(u64::MAX))
        .expect("two boxes or more")
}

/// Whether the tables call a state lost, right after a push, or backward, right before one.
fn called_lost<S: SquareSet>(
    tables: &DeadSubsets<S>,
    board: &Board,
    boxes: &[Square],
    pushed: usize,
    direction: Direction,
) -> bool {
    let others = boxes.iter().copied().filter(|&square| square != boxes[pushed]);
    let set = S::from_squares(board.squares(), others.clone());
    tables.lost(boxes[pushed], direction, &set, others)
}

/// The room with only so many of its boxes.
fn with_boxes(room: &str, boxes: usize) -> Board {
    let mut left = boxes;
    let keep = |tile: char| match tile {
        '$' if left == 0 => ' ',
        '$' => {
            left -= 1;
            '$'
        }
        other => other,
    };
    board(&room.chars().map(keep).collect::<String>())
}

/// On a board with just two boxes the dead pairs are all that is lost, and with three boxes pairs and triples.
#[test]
fn dead_pairs_and_triples_are_exact_where_there_are_no_other_boxes() {
    let mut only_triples = 0;
    for room in ROOMS {
        for boxes in 2..=3 {
            let board = with_boxes(room, boxes);
            let exact = tables::<MaskGround<1>>(&board, Side::Forward);
            let large = tables::<QueueGround>(&board, Side::Forward);
            let pairs = tables::<MaskGround<1>>(&with_boxes(room, 2), Side::Forward);
            let (mut lost, mut alive) = (0, 0);
            for (boxes, keeper, cost) in Truth::new(&board, boxes, Rule::Classic).states() {
                if !all_live(&board, &boxes) {
                    continue;
                }
                for (pushed, direction) in pushes_before(&board, &boxes, keeper) {
                    let found = called_lost(&exact, &board, &boxes, pushed, direction);
                    assert_eq!(found, cost.is_none(), "{boxes:?} {keeper:?} {direction:?}\n{room}");
                    assert_eq!(found, called_lost(&large, &board, &boxes, pushed, direction));
                    let by_pairs = called_lost(&pairs, &board, &boxes, pushed, direction);
                    only_triples += u32::from(found && !by_pairs);
                    lost += u32::from(found);
                    alive += u32::from(!found);
                }
            }
            assert!(lost >= 10 && alive > 50, "{lost} {alive}\n{room}");
        }
    }
    assert!(only_triples > 100, "{only_triples}");
}

#[test]
fn dead_pairs_and_triples_among_more_boxes_are_lost_under_both_rules() {
    let (mut lost, mut missed) = (0, 0);
    for room in ROOMS {
        let board = board(room);
        let tables = tables::<MaskGround<1>>(&board, Side::Forward);
        for rule in RULES {
            for (boxes, keeper, cost) in Truth::new(&board, 4, rule).states() {
                if !all_live(&board, &boxes) {
                    continue;
                }
                for (pushed, direction) in pushes_before(&board, &boxes, keeper) {
                    if called_lost(&tables, &board, &boxes, pushed, direction) {
                        assert_eq!(cost, None, "{boxes:?} {keeper:?} {direction:?}\n{room}");
                        lost += 1;
                    } else {
                        missed += u32::from(cost.is_none());
                    }
                }
            }
        }
    }
    assert!(lost > 50_000 && lost > missed, "{lost} {missed}");
}

/// All that steps lead to from the start: boxes in the order of their squares, and the keeper.
fn reached(board: &Board) -> HashSet<(Vec<Square>, Square)> {
    let start = (board.boxes().to_vec(), board.keeper());
    let mut reached = HashSet::from([start.clone()]);
    let mut todo = vec![start];
    while let Some((boxes, keeper)) = todo.pop() {
        for direction in Direction::ALL {
            let Some(next) = board.neighbour(keeper, direction) else { continue };
            let mut boxes = boxes.clone();
            if let Some(box_) = boxes.iter_mut().find(|square| **square == next) {
                let Some(target) = board.neighbour(next, direction) else { continue };
                *box_ = target;
                boxes.sort_unstable();
                if boxes.windows(2).any(|two| two[0] == two[1]) {
                    continue;
                }
            }
            if reached.insert((boxes.clone(), next)) {
                todo.push((boxes, next));
            }
        }
    }
    reached
}

/// The same for the other side: on a board with just two or three boxes what is lost is what the start does not lead to
/// without a box ever on a dead square; among four boxes what is lost is among that.
#[test]
fn what_is_lost_backward_is_where_the_start_does_not_lead() {
    let (mut lost, mut alive, mut only_triples, mut missed) = (0, 0, 0, 0);
    let four = "########\n#@$ $. #\n#.$ $.##\n#  #.  #\n########";
    for room in ROOMS.into_iter().chain(CORRALS).chain([four]) {
        for boxes in 2..=board(room).boxes().len() {
            let board = with_boxes(room, boxes);
            let reached = reached(&board);
            let exact = tables::<MaskGround<1>>(&board, Side::Backward);
            let large = tables::<QueueGround>(&board, Side::Backward);
            let pairs = exact.clone().without_triples();
            for (boxes, keeper, _) in Truth::new(&board, boxes, Rule::Classic).states() {
                if !all_live(&board, &boxes) {
                    continue;
                }
                for (pushed, direction) in pushes_before(&board, &boxes, keeper) {
                    let found = called_lost(&exact, &board, &boxes, pushed, direction);
                    let is_reached = reached.contains(&(sorted(boxes.clone()), keeper));
                    if boxes.len() <= 3 {
                        assert_eq!(found, !is_reached, "{boxes:?} {keeper:?}\n{room}");
                    } else {
                        assert!(!found || !is_reached, "{boxes:?} {keeper:?}\n{room}");
                        missed += u32::from(!found && !is_reached);
                    }
                    assert_eq!(found, called_lost(&large, &board, &boxes, pushed, direction));
                    let by_pairs = called_lost(&pairs, &board, &boxes, pushed, direction);
                    only_triples += u32::from(found && !by_pairs);
                    lost += u32::from(found);
                    alive += u32::from(!found);
                }
            }
        }
    }
    println!("{lost} lost, {only_triples} by triples alone, {alive} alive, {missed} missed");
    assert!(lost > 10_000 && alive > 10_000 && only_triples > 1_000 && missed > 50);
}

#[test]
fn an_infeasible_matching_is_lost() {
    let mut lost = 0;
    // Goals that only some boxes reach; the last has the board of a case that fails greedy pairs.
    let boards = [
        "######\n#.$  #\n#$   #\n#@.  #\n######",
        "#####\n#+$.#\n#$ ##\n#  ##\n#####",
        "########\n#.   $ #\n#.# ## #\n#  $@$ #\n#  .   #\n########",
    ];
    for text in boards.into_iter().chain(ROOMS) {
        let board = board(text);
        let estimate = Estimate::matching(&board);
        let mut estimator = Estimator::new(&estimate);
        for rule in RULES {
            for boxes in 2..=3 {
                for (boxes, keeper, cost) in Truth::new(&board, boxes, rule).states() {
                    if !all_live(&board, &boxes) {
                        continue;
                    }
                    match (estimator.of_row(&boxes), cost) {
                        (None, cost) => {
                            assert_eq!(cost, None, "{boxes:?} {keeper:?}\n{text}");
                            lost += 1;
                        }
                        (Some(bound), Some(cost)) => {
                            assert!(bound <= cost, "{boxes:?} {keeper:?}\n{text}");
                        }
                        (Some(_), None) => (),
                    }
                }
            }
        }
    }
    assert!(lost > 500, "{lost}");
}

/// The push of the box on `from` in a direction, if the keeper in `region` can make it: the boxes and the keeper after it.
fn pushed<S: SquareSet>(
    board: &Board,
    boxes: &[Square],
    region: &S,
    (from, direction): (Square, Direction),
) -> Option<(Vec<Square>, Square)> {
    let side = board.neighbour(from, direction.opposite())?;
    let to = board.neighbour(from, direction)?;
    if !region.contains(side) || boxes.contains(&to) {
        return None;
    }
    let after = boxes.iter().map(|&square| if square == from { to } else { square });
    Some((after.collect(), from))
}

#[test]
fn what_corrals_leave_begins_a_shortest_solution_in_pushes() {
    let (mut only, mut none) = (0, 0);
    for room in ROOMS.into_iter().chain(CORRALS) {
        let board = board(room);
        let mut ground = MaskGround::<1>::new(&board);
        let mut corrals = Corrals::<Mask<1>>::new(&board);
        for rule in RULES {
            let truth = Truth::of(&board, board.boxes().len(), rule, Objective::Pushes);
            for (boxes, keeper, cost) in truth.states().filter(|state| state.2 != Some(0)) {
                if !all_live(&board, &boxes) {
                    continue;
                }
                let set = Mask::from_squares(board.squares(), boxes.iter().copied());
                let region = ground.region(&set, keeper);
                match corrals.needed(&board, &boxes, &set, &region) {
                    Needed::All => {}
                    Needed::None => {
                        assert_eq!(cost, None, "{boxes:?} {keeper:?}\n{room}");
                        none += 1;
                    }
                    Needed::Only(group) => {
                        only += 1;
                        let Some(cost) = cost else { continue };
                        let found =
                            boxes.iter().filter(|&&from| group.contains(from)).any(|&from| {
                                Direction::ALL.into_iter().any(|to| {
                                    pushed(&board, &boxes, &region, (from, to)).is_some_and(
                                        |(after, keeper)| {
                                            truth.cost(&after, keeper) == Some(cost - 1)
                                        },
                                    )
                                })
                            });
                        assert!(found, "{boxes:?} {keeper:?} {cost}\n{room}");
                    }
                }
            }
        }
    }
    println!("{only} states with needed pushes, {none} lost");
    assert!(only > 10_000 && none > 1_000, "{only} {none}");
}
