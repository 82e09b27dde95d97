//! The boards on which faulty solvers go wrong, and what must hold at the edges: many threads, large boards, wide
//! entries.

mod case_boards;
mod options;

use std::time::{Duration, Instant};

use case_boards::{CASES, Expected};
use options::{Options, SEARCHES, check};
use sokohive_engine::{
    Ending, EntryWidth, EstimateChoice, Inspection, Level, Rule, SearchChoice, Solver, Unsolvable,
    Unsupported,
};

fn level(text: &str) -> Level {
    Level::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Fails unless a classic board takes so many moves.
fn takes(board: &str, moves: u32, options: Options) {
    if let Err(fault) = options.check(&level(board), Rule::Classic, Some(moves)) {
        panic!("{fault}\n{board}");
    }
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
    let started = Instant::now();
    for search in [SearchChoice::Auto, SearchChoice::Forward, SearchChoice::Backward] {
        let one = Instant::now();
        let options = Options { search, threads: 2, ..Options::default() };
        let outcome = options.solver(&board, Rule::Classic).solve();
        let right = check(&outcome, &board, Rule::Classic, Some(70_001));
        right.unwrap_or_else(|fault| panic!("{search}: {}", &fault[..fault.len().min(200)]));
        println!("{search} {:?} {:?}", one.elapsed(), outcome.statistics);
    }
    println!("{:?}", started.elapsed());
}
