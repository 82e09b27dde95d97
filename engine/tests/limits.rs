//! A limit never looks like a proof, whatever it is and whenever it comes.

mod case_boards;
mod options;

use std::time::{Duration, Instant};

use case_boards::{CASES, Expected};
use options::{Options, SEARCHES, check};
use sokohive_engine::{
    Control, Ending, EntryWidth, EstimateChoice, Level, Limit, Objective, Outcome, Rule,
    SearchChoice, Solver, Stop, builtin, verify_strict,
};

/// Fails unless the outcome is the optimum or says that the limit came first, with bounds that hold. Returns whether
/// it was the optimum.
fn solved_or_limited(outcome: &Outcome, level: &Level, moves: u32, limit: Limit) -> bool {
    let rule = level.rule();
    match &outcome.ending {
        Ending::Limit { limit: found, lower_bound, best } => {
            assert_eq!(*found, limit);
            assert!(*lower_bound <= moves, "{lower_bound} is no bound of {moves}");
            if let Some(solution) = best {
                let replay = verify_strict(level, rule, &solution.moves).expect("replays");
                assert!(replay.moves >= moves as usize, "{} moves", replay.moves);
            }
            false
        }
        _ => {
            check(outcome, level, rule, Some(moves)).unwrap_or_else(|fault| panic!("{fault}"));
            true
        }
    }
}

fn case(name: &str) -> (Level, u32) {
    let case = CASES.iter().find(|case| case.name.starts_with(name)).expect("a case");
    let Expected::Optimum { moves, .. } = case.expected else { panic!("{name} has no solution") };
    (Level::parse(case.board).expect("legal"), moves)
}

#[test]
fn c64_from_1_mib_up_small_boards_are_solved() {
    for name in ["c04", "c16"] {
        let (level, moves) = case(name);
        for (search, estimate) in SEARCHES {
            for threads in [1, 8] {
                for mebibytes in [1, 2, 4, 8, 64] {
                    let options = Options { search, estimate, threads, ..Options::default() };
                    let outcome =
                        options.solver(&level, Rule::Classic).memory(mebibytes << 20).solve();
                    let solved = solved_or_limited(&outcome, &level, moves, Limit::Memory);
                    assert!(solved, "{name}, {mebibytes} MiB, {options}");
                    assert!(outcome.statistics.peak_bytes <= mebibytes << 20);
                }
            }
        }
    }
}

/// From no bytes at all to enough, in small steps: every place where memory may run out is hit.
#[test]
fn memory_may_run_out_anywhere() {
    let boards = [case("c04"), case("c16 a box must leave its goal, twice")];
    let builtins = ["p9", "p11", "p12", "p13"].map(|id| builtin::find(id).expect("built in"));
    let builtins = builtins.map(|board| (board.level.clone(), board.moves));
    let (mut solved, mut limited) = (0, 0);
    for (level, moves) in boards.into_iter().chain(builtins) {
        for (index, (search, estimate)) in SEARCHES.into_iter().enumerate() {
            let mut bytes = 0;
            while bytes < 2 << 20 {
                let options = Options {
                    search,
                    estimate,
                    threads: 1 + (bytes as usize + index) % 3,
                    deadlocks: bytes % 2 == 0,
                    width: Some(EntryWidth::Bytes8).filter(|_| bytes % 3 != 0),
                    table: Some(1),
                    scout: bytes % 5 < 3,
                    ..Options::default()
                };
                let outcome = options.solver(&level, level.rule()).memory(bytes).solve();
                if solved_or_limited(&outcome, &level, moves, Limit::Memory) {
                    solved += 1;
                } else {
                    limited += 1;
                }
                assert!(outcome.statistics.peak_bytes <= bytes, "{bytes} bytes");
                if let Ending::Limit { lower_bound, .. } = outcome.ending {
                    // What the boxes alone need is proven before there is a table.
                    assert!(lower_bound > 0, "{bytes} bytes");
                }
                bytes += 1 + bytes / 5;
            }
        }
    }
    println!("{solved} solved, {limited} limited");
    assert!(solved > 100 && limited > 500);
}

/// Level 1 of the original game is stopped by one limit or another until there is enough.
#[cfg(not(debug_assertions))]
#[test]
fn level1_ends_for_want_of_memory_or_at_its_optimum() {
    use sokohive_engine::SearchChoice;

    let board = builtin::find("level1").expect("built in");
    let (mut solved, mut bounds) = (Vec::new(), Vec::new());
    for mebibytes in [1, 2, 4, 8, 16, 64] {
        for (search, threads) in [(SearchChoice::TwoSided, 2), (SearchChoice::Forward, 1)] {
            let options = Options { search, threads, ..Options::default() };
            let solver = options.solver(&board.level, board.level.rule());
            let outcome = solver.memory(mebibytes << 20).solve();
            solved.push(solved_or_limited(&outcome, &board.level, board.moves, Limit::Memory));
            assert!(outcome.statistics.peak_bytes <= mebibytes << 20);
            if let Ending::Limit { lower_bound, .. } = outcome.ending {
                bounds.push(lower_bound);
            }
        }
    }
    println!("{solved:?} {bounds:?}");
    assert!(!solved[0] && !solved[1], "1 MiB cannot do");
    assert!(solved[10] && solved[11], "64 MiB can");
    assert!(bounds.iter().all(|&bound| bound > 0));
}

#[test]
fn a_search_stopped_before_it_begins_proves_nothing() {
    let board = builtin::find("p13").expect("built in");
    for (stop, limit) in [(Stop::Time, Limit::Time), (Stop::Interrupt, Limit::Interrupted)] {
        for (search, estimate) in SEARCHES {
            for threads in [1, 8] {
                let control = Control::new();
                control.stop(stop);
                let options = Options { search, estimate, threads, ..Options::default() };
                let solver = options.solver(&board.level, board.level.rule());
                let outcome = solver.control(control).solve();
                assert!(!solved_or_limited(&outcome, &board.level, board.moves, limit));
            }
        }
    }
}

#[test]
fn a_search_may_be_stopped_at_any_time() {
    let board = builtin::find("p13").expect("built in");
    let mut limited = 0;
    for (search, estimate) in SEARCHES {
        for threads in [1, 2, 8] {
            for delay in [0, 100, 300, 1_000, 2_000, 4_000, 8_000] {
                let control = Control::new();
                let options = Options { search, estimate, threads, ..Options::default() };
                let solver = options.solver(&board.level, board.level.rule());
                let outcome = std::thread::scope(|scope| {
                    let stopped = control.clone();
                    scope.spawn(move || {
                        std::thread::sleep(Duration::from_micros(delay));
                        stopped.stop(Stop::Interrupt);
                    });
                    solver.control(control).solve()
                });
                let solved =
                    solved_or_limited(&outcome, &board.level, board.moves, Limit::Interrupted);
                limited += u32::from(!solved);
            }
        }
    }
    println!("{limited} of 105 limited");
    assert!(limited > 15);
}

/// A hard board ends soon after it was told to, with a bound that rose meanwhile.
#[test]
fn c65_a_hard_board_ends_within_a_second_of_being_stopped() {
    let board = builtin::find("p15").expect("built in");
    for (search, estimate) in SEARCHES {
        let control = Control::new();
        let options = Options { search, estimate, threads: 2, ..Options::default() };
        let solver = options.solver(&board.level, board.level.rule());
        let (outcome, late) = std::thread::scope(|scope| {
            let stopped = control.clone();
            let stopper = scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(400));
                stopped.stop(Stop::Time);
                Instant::now()
            });
            let outcome = solver.control(control.clone()).solve();
            let stop = stopper.join().expect("no panic");
            (outcome, stop.elapsed())
        });
        assert!(!solved_or_limited(&outcome, &board.level, board.moves, Limit::Time));
        let Ending::Limit { lower_bound, .. } = outcome.ending else { unreachable!("limited") };
        println!("{options}: bound {lower_bound}, {late:?} late");
        assert!(lower_bound > 20, "{lower_bound}");
        assert_eq!(control.progress().lower_bound, lower_bound);
        assert!(late < Duration::from_secs(1), "{late:?}");
    }
}

#[test]
fn expansions_may_run_out_at_any_row() {
    let boards = ["p9", "p11", "p13"].map(|id| builtin::find(id).expect("built in"));
    let mut limited = 0;
    for board in boards {
        for (search, estimate) in SEARCHES {
            let mut rows = 0;
            while rows < 20_000 {
                let threads = 1 + rows as usize % 2;
                let options = Options { search, estimate, threads, ..Options::default() };
                let solver = options.solver(&board.level, board.level.rule());
                let outcome = solver.expansions(rows).solve();
                let limit = Limit::Expansions;
                let solved = solved_or_limited(&outcome, &board.level, board.moves, limit);
                limited += u32::from(!solved);
                // A chunk of rows on each thread may be under way.
                assert!(outcome.statistics.expanded <= rows + 256 * (threads as u64 + 1));
                rows += 1 + rows / 2;
            }
        }
    }
    println!("{limited} limited");
    assert!(limited > 100);
}

#[test]
fn a_first_table_beyond_the_memory_does_no_harm() {
    let board = builtin::find("p9").expect("built in");
    for bytes in [0, 1, 1 << 16, 1 << 30, u64::MAX] {
        for memory in [64 << 10, 1 << 20, 1 << 40] {
            let options = Options { table: Some(bytes), ..Options::default() };
            let solver = options.solver(&board.level, board.level.rule());
            let outcome = solver.memory(memory).solve();
            let solved = solved_or_limited(&outcome, &board.level, board.moves, Limit::Memory);
            assert!(solved, "{bytes} bytes of {memory}");
        }
    }
}

/// Whatever leads the proof, what is left of a limit is looked for with an estimate; and where steps count, first with
/// few pushes.
#[test]
fn a_solution_is_found_before_the_limit_with_every_estimate() {
    let board = builtin::find("p15").expect("built in");
    for estimate in [
        EstimateChoice::None,
        EstimateChoice::Nearest,
        EstimateChoice::Matching,
        EstimateChoice::Walk,
    ] {
        for search in [SearchChoice::Auto, SearchChoice::TwoSided, SearchChoice::Backward] {
            let objectives =
                [(Objective::Pushes, 100_000, 100), (Objective::Moves, 1_000_000, 500)];
            for (objective, expansions, most) in objectives {
                let outcome = Solver::new(&board.level)
                    .rule(board.level.rule())
                    .objective(objective)
                    .search(search)
                    .estimate(estimate)
                    .threads(1)
                    .scout(true)
                    .expansions(expansions)
                    .solve();
                let found = match outcome.ending {
                    Ending::Optimal(solution) => Some(solution),
                    Ending::Limit { best, .. } => best,
                    other => panic!("{estimate} {search}: {other:?}"),
                };
                let cost = found.map(|solution| match objective {
                    Objective::Moves => solution.moves.len(),
                    Objective::Pushes => solution.moves.pushes(),
                });
                assert!(cost.is_some_and(|cost| cost < most), "{estimate} {search}: {cost:?}");
            }
        }
    }
}
