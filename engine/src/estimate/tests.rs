use super::*;
use crate::board::tests::board;
use crate::truth::Truth;
use crate::{Direction, Rule};

/// Least sum over all ways to give boxes goals of their own, by trying them all.
fn by_trial(boxes: &[Square], taken: &mut Vec<usize>, distances: &PushDistances) -> u32 {
    let Some((first, rest)) = boxes.split_first() else { return 0 };
    let mut least = UNREACHABLE;
    for goal in 0..distances.ends() {
        if !taken.contains(&goal) && (distances.row(*first)[goal] as u32) < UNREACHABLE {
            taken.push(goal);
            least =
                least.min(distances.row(*first)[goal] as u32 + by_trial(rest, taken, distances));
            taken.pop();
        }
    }
    least
}

fn boards() -> [Board; 4] {
    [
        board("########\n#  .   #\n# $ #. #\n#   $ .#\n# @  $ #\n########"),
        board("#######\n#. .  #\n# #$# #\n# @$ .#\n#   . #\n#######"),
        board("######\n#--#.#\n#.-$$#\n##-.@#\n######"),
        board("#########\n# . # . #\n#  $@$  #\n#   #   #\n#########"),
    ]
}

/// Calls `visit` with every set of `left` squares below `live`, ascending.
fn every_set(live: usize, left: usize, set: &mut Vec<Square>, visit: &mut impl FnMut(&[Square])) {
    if left == 0 {
        return visit(set);
    }
    let from = set.last().map_or(0, |square| square.index() + 1);
    for square in from..live {
        set.push(Square::from_index(square));
        every_set(live, left - 1, set, visit);
        set.pop();
    }
}

#[test]
fn matching_is_the_least_of_all_and_repairs_to_it() {
    for board in boards() {
        let distances = PushDistances::to(&board, board.goals());
        let estimate = Estimate::matching(&board);
        let mut estimator = Estimator::new(&estimate);
        every_set(board.live(), board.boxes().len(), &mut Vec::new(), &mut |set| {
            let least = by_trial(set, &mut Vec::new(), &distances);
            let found = estimator.of_row(set);
            assert_eq!(found, (least < UNREACHABLE).then_some(least), "{set:?}");
            if found.is_none() {
                return;
            }
            for index in 0..set.len() {
                let from = set[index];
                let beside = Direction::ALL.into_iter().filter_map(|to| board.neighbour(from, to));
                for to in beside.filter(|&to| board.is_live(to)) {
                    let mut after = set.to_vec();
                    after[index] = to;
                    let least = by_trial(&after, &mut Vec::new(), &distances);
                    let found = estimator.after_push(index, (from, to), from);
                    assert_eq!(found, (least < UNREACHABLE).then_some(least), "{after:?}");
                }
            }
        });
    }
}

#[test]
fn nearest_never_exceeds_matching() {
    for board in boards() {
        let (nearest, matching) = (Estimate::nearest(&board), Estimate::matching(&board));
        let (mut nearest, mut matching) = (Estimator::new(&nearest), Estimator::new(&matching));
        every_set(board.live(), board.boxes().len(), &mut Vec::new(), &mut |set| {
            let floor = nearest.of_row(set).expect("live squares reach a goal");
            assert!(matching.of_row(set).is_none_or(|bound| bound >= floor), "{set:?}");
        });
    }
}

/// Every push there is on a board with a box on each of some squares: number of the box, the keeper before, where from,
/// and where to.
fn pushes<'a>(
    board: &'a Board,
    boxes: &'a [Square],
) -> impl Iterator<Item = (usize, Square, Square, Square)> + 'a {
    boxes.iter().enumerate().flat_map(move |(number, &from)| {
        Direction::ALL.into_iter().filter_map(move |direction| {
            let keeper = board.neighbour(from, direction.opposite())?;
            let to = board.neighbour(from, direction)?;
            let free = !boxes.contains(&keeper) && !boxes.contains(&to) && board.is_live(to);
            free.then_some((number, keeper, from, to))
        })
    })
}

/// Fails where a push lowers the bound by more than its cost, or where the bound after it is not that of the row it
/// leads to. Returns whether some push lowers the bound at all.
fn falls_slowly(estimate: &Estimate, board: &Board, boxes: &[Square]) -> bool {
    let (mut here, mut there) = (Estimator::new(estimate), Estimator::new(estimate));
    let bound = here.of_row(boxes);
    let mut falls = false;
    for (number, keeper, from, to) in pushes(board, boxes) {
        let mut after = boxes.to_vec();
        after[number] = to;
        after.sort_unstable();
        let next = there.of_row(&after).map(|_| there.with_keeper(from));
        match (bound, next) {
            (Some(_), Some(next)) => {
                let bound = here.with_keeper(keeper);
                assert!(bound <= next + 1, "{bound} {next} {boxes:?} {after:?}");
                assert_eq!(here.after_push(number, (from, to), from), Some(next));
                falls |= next < bound;
            }
            (Some(_), None) => assert_eq!(here.after_push(number, (from, to), from), None),
            (None, next) => assert_eq!(next, None, "hopeless boards stay so"),
        }
    }
    falls
}

fn every_estimate(board: &Board) -> [Estimate; 4] {
    let walking = Estimate::walking(board);
    [Estimate::None, Estimate::nearest(board), Estimate::matching(board), walking]
}

#[test]
fn no_push_lowers_a_bound_by_more_than_its_cost() {
    for board in boards() {
        for estimate in every_estimate(&board) {
            let mut falls = false;
            every_set(board.live(), board.boxes().len(), &mut Vec::new(), &mut |set| {
                falls |= falls_slowly(&estimate, &board, set);
            });
            assert_eq!(falls, !matches!(estimate, Estimate::None));
        }
    }
}

#[test]
fn bounds_fall_slowly_along_long_random_walks_on_the_built_in_boards() {
    for builtin in crate::builtin::all() {
        let board = Board::new(&builtin.level);
        for estimate in every_estimate(&board) {
            let mut boxes = board.boxes().to_vec();
            let bound = Estimator::new(&estimate).of_row(&boxes);
            assert!(bound.is_some_and(|bound| bound <= builtin.moves), "{}", builtin.id);
            let mut random: u64 = 1;
            for _ in 0..2_000 {
                falls_slowly(&estimate, &board, &boxes);
                let all: Vec<_> = pushes(&board, &boxes).collect();
                // Whoever is stuck begins anew.
                let Some(&(number, _, _, to)) = all.get((random >> 33) as usize % all.len().max(1))
                else {
                    boxes = board.boxes().to_vec();
                    continue;
                };
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                boxes[number] = to;
                boxes.sort_unstable();
            }
        }
    }
}

/// Bounds never exceed the moves still to come, under either rule, from any state.
#[test]
fn bounds_are_admissible_everywhere() {
    let mut tight = 0;
    for board in boards() {
        for rule in [Rule::Classic, Rule::KeeperOnGoal] {
            let truth = Truth::new(&board, board.boxes().len().min(3), rule);
            for estimate in every_estimate(&board) {
                let mut estimator = Estimator::new(&estimate);
                for (boxes, keeper, cost) in truth.states() {
                    if boxes.iter().any(|&square| !board.is_live(square)) {
                        continue;
                    }
                    let bound = estimator.of_row(&boxes).map(|_| estimator.with_keeper(keeper));
                    if let Some(cost) = cost {
                        assert!(bound.is_some_and(|bound| bound <= cost), "{boxes:?} {keeper:?}");
                        tight += u32::from(bound == Some(cost));
                    }
                }
            }
        }
    }
    assert!(tight > 100, "{tight}");
}
