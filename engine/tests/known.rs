//! The built-in boards come out at their proven optima, however they are searched.

mod options;

use options::{BASELINE, Options, SEARCHES, WIDTHS};
use sokohive_engine::{EntryWidth, EstimateChoice, Inspection, SearchChoice, builtin};

/// Checks a built-in board under its own rule.
fn holds(id: &str, options: Options) {
    let board = builtin::find(id).expect("a built-in board");
    if let Err(fault) = options.check(&board.level, board.level.rule(), Some(board.moves)) {
        panic!("{id}: {fault}");
    }
}

/// Boards that take milliseconds.
fn cheap() -> impl Iterator<Item = &'static str> {
    let dear = |id: &str| ["p13", "p15", "level1"].contains(&id);
    builtin::all().iter().map(|board| board.id).filter(move |id| !dear(id))
}

const USUAL: Options = Options {
    search: SearchChoice::Auto,
    estimate: EstimateChoice::Auto,
    dominance: true,
    deadlocks: true,
    width: None,
    threads: 1,
    table: None,
    scout: false,
};

/// All combinations for boards that take milliseconds.
fn every_way(threads: usize) {
    for id in cheap() {
        for (search, estimate) in SEARCHES {
            for width in WIDTHS {
                for flags in 0..8 {
                    let (dominance, deadlocks) = (flags & 1 == 0, flags & 2 == 0);
                    let table = (flags & 4 == 0).then_some(1);
                    holds(
                        id,
                        Options {
                            search,
                            estimate,
                            dominance,
                            deadlocks,
                            width,
                            threads,
                            table,
                            scout: dominance == deadlocks,
                        },
                    );
                }
            }
        }
    }
}

#[test]
fn the_cheap_boards_hold_every_way_with_one_thread() {
    assert_eq!(cheap().count(), 13);
    every_way(1);
}

#[test]
fn the_cheap_boards_hold_every_way_with_two_threads() {
    every_way(2);
}

#[test]
fn the_cheap_boards_hold_every_way_with_eight_threads() {
    every_way(8);
}

/// Ways that between them have every value of every option with every search.
fn ways_of_each_search(search: SearchChoice, estimate: EstimateChoice) -> Vec<Options> {
    let usual = Options { search, estimate, ..USUAL };
    vec![
        usual,
        Options { threads: 2, ..usual },
        Options { threads: 8, ..usual },
        Options { dominance: false, threads: 2, ..usual },
        Options { deadlocks: false, threads: 2, ..usual },
        Options { dominance: false, deadlocks: false, ..usual },
        Options { width: Some(EntryWidth::Bytes16), threads: 8, ..usual },
        Options { width: Some(EntryWidth::Bytes32), threads: 2, ..usual },
        Options { table: Some(1), ..usual },
        Options { table: Some(1), threads: 8, ..usual },
        Options { table: Some(1), threads: 8, width: Some(EntryWidth::Bytes16), ..usual },
        Options { table: Some(1), threads: 3, width: Some(EntryWidth::Bytes32), ..usual },
    ]
}

#[test]
fn the_cheap_boards_hold_by_cost_alone() {
    let (search, estimate) = BASELINE;
    for id in cheap() {
        holds(id, Options { search, estimate, ..USUAL });
        holds(id, Options { search, estimate, dominance: false, threads: 2, ..USUAL });
    }
}

#[test]
fn p13_holds_with_every_option_of_every_search() {
    for (search, estimate) in SEARCHES {
        ways_of_each_search(search, estimate).into_iter().for_each(|way| holds("p13", way));
    }
}

/// Without optimisation level 1 of the original game takes minutes.
#[cfg(not(debug_assertions))]
mod dear {
    use super::*;

    const TWO_SIDED: Options = Options { search: SearchChoice::TwoSided, ..USUAL };
    const NEAREST: Options =
        Options { search: SearchChoice::Forward, estimate: EstimateChoice::Nearest, ..USUAL };
    const MATCHING: Options =
        Options { search: SearchChoice::Forward, estimate: EstimateChoice::Matching, ..USUAL };

    #[test]
    fn level1_holds_with_every_option_from_both_ends() {
        for way in [
            TWO_SIDED,
            Options { threads: 8, table: Some(1), ..TWO_SIDED },
            Options { threads: 2, dominance: false, ..TWO_SIDED },
            Options { threads: 2, deadlocks: false, ..TWO_SIDED },
            Options { threads: 2, width: Some(EntryWidth::Bytes16), ..TWO_SIDED },
            Options { threads: 8, width: Some(EntryWidth::Bytes32), table: Some(1), ..TWO_SIDED },
        ] {
            holds("level1", way);
        }
    }

    #[test]
    fn level1_holds_with_each_estimate_and_with_options_of_the_forward_search() {
        for way in [
            Options { threads: 2, ..NEAREST },
            Options { threads: 8, table: Some(1), ..MATCHING },
            Options { deadlocks: false, ..MATCHING },
        ] {
            holds("level1", way);
        }
    }

    #[test]
    fn level1_holds_without_dominance_in_the_forward_search() {
        holds("level1", Options { threads: 2, dominance: false, ..MATCHING });
    }

    #[test]
    fn level1_holds_backward() {
        let search = SearchChoice::Backward;
        holds("level1", Options { search, threads: 2, table: Some(1), ..USUAL });
    }

    #[test]
    fn p15_holds_from_both_ends() {
        holds("p15", Options { threads: 2, ..TWO_SIDED });
    }

    #[test]
    fn p15_holds_in_the_forward_search() {
        holds("p15", Options { threads: 2, table: Some(1), ..MATCHING });
    }
}

#[test]
fn no_estimate_of_the_start_exceeds_the_optimum() {
    for board in builtin::all() {
        let inspection = Inspection::new(&board.level, 1 << 30);
        let (nearest, matching) = (inspection.nearest, inspection.matching);
        let nearest = nearest.expect("has a solution");
        let matching = matching.expect("has a solution");
        assert!(0 < nearest && nearest <= matching && matching <= board.moves, "{}", board.id);
    }
}
