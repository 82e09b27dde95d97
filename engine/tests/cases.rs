//! The boards on which faulty solvers go wrong, and what must hold at the edges: many threads, large boards, wide
//! entries.

mod case_boards;
mod options;

use case_boards::{CASES, Expected};
use options::{Options, SEARCHES, check};
use sokohive_engine::{
    Ending, EntryWidth, EstimateChoice, Inspection, Level, Rule, SearchChoice, Solver, Unsolvable,
    Unsupported,
};

fn level(text: &str) -> Level {
    Level::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn every_case_comes_out_right_however_it_is_searched() {
    for case in CASES {
        let Ok(level) = Level::parse(case.board) else {
            assert!(matches!(case.expected, Expected::Refused(_)), "{}", case.name);
            continue;
        };
        let moves = match case.expected {
            Expected::Optimum { moves, .. } => Some(moves),
            _ => None,
        };
        for (search, estimate) in SEARCHES {
            for flags in 0..4 {
                let (dominance, deadlocks) = (flags & 1 == 0, flags & 2 == 0);
                let options =
                    Options { search, estimate, dominance, deadlocks, ..Options::default() };
                if let Err(fault) = options.check(&level, Rule::Classic, moves) {
                    panic!("{}: {fault}", case.name);
                }
            }
        }
    }
}

#[test]
fn reasons_that_need_no_search_are_given() {
    for case in CASES {
        let Ok(level) = Level::parse(case.board) else { continue };
        let outcome = Solver::new(&level).rule(Rule::Classic).solve();
        let Ending::Unsolvable(reason) = outcome.ending else { continue };
        let states = outcome.statistics.states;
        match (case.expected, reason) {
            (Expected::TooFewGoals { boxes, goals }, reason) => {
                assert_eq!(reason, Unsolvable::TooFewGoals { boxes, goals }, "{}", case.name);
                assert_eq!(states, 0, "{}", case.name);
            }
            (Expected::BoxOutOfReach, Unsolvable::BoxOutOfReach(_)) => assert_eq!(states, 0),
            (Expected::Unsolvable, Unsolvable::Exhausted) => (),
            (_, reason) => panic!("{}: {reason:?}", case.name),
        }
    }
}

/// Boards with fewer states than threads, or with hardly more.
#[test]
fn threads_without_work_do_no_harm() {
    let tiny = ["c20", "c14", "c46", "c49", "c53", "c55", "c59", "c61"];
    for case in CASES.iter().filter(|case| tiny.iter().any(|name| case.name.starts_with(name))) {
        let moves = match case.expected {
            Expected::Optimum { moves, .. } => Some(moves),
            _ => None,
        };
        for threads in [1, 2, 8, 64] {
            for (search, estimate) in SEARCHES {
                let options = Options { search, estimate, threads, ..Options::default() };
                for run in 0..3 {
                    if let Err(fault) = options.check(&level(case.board), Rule::Classic, moves) {
                        panic!("{}, run {run}: {fault}", case.name);
                    }
                }
            }
        }
    }
}

#[test]
fn costs_beyond_65535_do_not_wrap() {
    let board = level("70005#|#@$70000-.#|70005#");
    for search in [SearchChoice::Auto, SearchChoice::Forward, SearchChoice::Backward] {
        let options = Options { search, threads: 2, table: Some(1), ..Options::default() };
        let outcome = options.solver(&board, Rule::Classic).solve();
        check(&outcome, &board, Rule::Classic, Some(70_001))
            .unwrap_or_else(|fault| panic!("{search}: {fault}"));
    }
    let walk = level("70005#|#@70000-$.#|70005#");
    check(&Solver::new(&walk).solve(), &walk, Rule::Classic, Some(70_001)).expect("one push");
}

/// A hall with so many squares a side and so many boxes, all but one on goals; five moves finish it. The boxes can be
/// pushed about everywhere, so there are very many box sets.
fn hall(size: usize, boxes: usize) -> Level {
    // Every second square of every second row: the keeper gets round each box.
    let inner = (3..size - 1).step_by(2);
    let places = inner.flat_map(|row| (1..size - 1).step_by(2).map(move |column| (row, column)));
    let others: Vec<(usize, usize)> = places.take(boxes - 1).collect();
    assert_eq!(others.len(), boxes - 1, "room for {boxes} boxes");
    let mut squares = vec![vec!['-'; size]; size];
    others.iter().for_each(|&(row, column)| squares[row][column] = '*');
    squares[0][0] = '@';
    squares[1][1] = '.';
    squares[1][2] = '$';
    let wall = "#".repeat(size + 2);
    let inside = squares.iter().map(|row| format!("#{}#", row.iter().collect::<String>()));
    let rows: Vec<String> =
        [wall.clone()].into_iter().chain(inside).chain([wall.clone()]).collect();
    level(&rows.join("|"))
}

const HALL_MOVES: Option<u32> = Some(5);

#[test]
fn wide_ranks_take_wide_entries() {
    use EntryWidth::{Bytes8, Bytes16, Bytes32};
    // Squares a side, boxes, bits of a box set, and the entries they take.
    let halls = [
        (8, 3, 13, Bytes8),
        (15, 10, 52, Bytes8),
        (15, 12, 60, Bytes16),
        (15, 20, 86, Bytes16),
        (15, 42, 133, Bytes32),
        (27, 40, 211, Bytes32),
        (27, 47, 237, Bytes32),
    ];
    for (size, boxes, bits, width) in halls {
        let board = hall(size, boxes);
        let inspection = Inspection::new(&board, u64::MAX);
        assert_eq!(
            (inspection.rank_bits, inspection.entry_width),
            (bits, Some(width)),
            "{size} {boxes}"
        );
        for (search, estimate) in SEARCHES {
            if boxes > 20 && [EstimateChoice::Matching, EstimateChoice::Walk].contains(&estimate) {
                continue;
            }
            // The tables of dead pairs take a second on the largest.
            let deadlocks = boxes <= 20 || search == SearchChoice::Auto;
            let table = Some(1);
            let options =
                Options { search, estimate, deadlocks, threads: 2, table, ..Options::default() };
            if let Err(fault) = options.check(&board, Rule::Classic, HALL_MOVES) {
                panic!("{boxes} boxes in {size} times {size}: {fault}");
            }
        }
    }
}

#[test]
fn ranks_beyond_240_bits_are_unsupported_and_the_bits_named() {
    // The last two have too many box sets to count.
    for (boxes, bits) in [(48, 241), (50, 248), (52, 255), (60, 281)] {
        let outcome = Solver::new(&hall(27, boxes)).solve();
        let unsupported = Unsupported::RankTooWide { bits, limit: 240 };
        assert_eq!(outcome.ending, Ending::Unsupported(unsupported.clone()), "{boxes} boxes");
        assert!(unsupported.to_string().contains(&format!("{bits} bits")), "{unsupported}");
    }
}

/// The costs that the widest entries hold shrink as ranks grow; what does not fit is no answer.
#[test]
fn costs_beyond_the_widest_entries_are_unsupported() {
    let hall = hall(27, 47);
    let rows: Vec<String> = hall.to_string().lines().map(str::to_owned).collect();
    let longer = |steps: usize| {
        let margin = |index: usize| match index {
            // The keeper starts at the far end of a corridor to the first square of the hall.
            1 => format!("#@{}", "-".repeat(steps - 1)),
            _ => "#".repeat(steps),
        };
        let row = |(index, row): (usize, &String)| {
            let row = row.replace('@', "-");
            format!("{}{}", margin(index), if index == 1 { &row[1..] } else { &row })
        };
        level(&rows.iter().enumerate().map(row).collect::<Vec<_>>().join("|"))
    };
    let options = Options { deadlocks: false, ..Options::default() };
    let near = longer(7_000);
    check(&options.solver(&near, Rule::Classic).solve(), &near, Rule::Classic, Some(7_005))
        .unwrap_or_else(|fault| panic!("{fault}"));
    let far = longer(9_000);
    let outcome = options.solver(&far, Rule::Classic).solve();
    let unsupported = Unsupported::CostTooLarge { limit: 8_190 };
    assert_eq!(outcome.ending, Ending::Unsupported(unsupported));
}
