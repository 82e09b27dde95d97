use super::*;
use crate::board::tests::board;

/// Least sum over all ways to give boxes goals of their own, by trying them all.
fn by_trial(boxes: &[Square], taken: &mut Vec<usize>, distances: &PushDistances) -> u32 {
    let Some((first, rest)) = boxes.split_first() else { return 0 };
    let mut least = UNREACHABLE;
    for goal in 0..distances.goals() {
        if !taken.contains(&goal) && distances.of(*first, goal) < UNREACHABLE {
            taken.push(goal);
            least = least.min(distances.of(*first, goal) + by_trial(rest, taken, distances));
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
        let distances = PushDistances::new(&board);
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
                for to in (0..board.live()).map(Square::from_index) {
                    let mut after = set.to_vec();
                    let from = std::mem::replace(&mut after[index], to);
                    let least = by_trial(&after, &mut Vec::new(), &distances);
                    let found = estimator.after_push(index, from, to);
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
