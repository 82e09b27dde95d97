//! The answers are those of one process, whatever the number of workers.

use sokohive::exit;
use sokohive_engine::builtin;
use sokohive_tests::cluster::{list, workers};
use sokohive_tests::{Run, boards, run, run_with_input};

use super::FAST;

fn solution(run: &Run) -> &str {
    run.line("SOLUTION").rsplit(' ').next().expect("a line has words")
}

fn every_board_with(count: usize) {
    let workers = workers(count, &[]);
    let list = list(&workers);
    for builtin in builtin::all() {
        if builtin.id == "p15" && !FAST {
            continue;
        }
        let answer = run(&["solve", builtin.id, "--solution", "--workers", &list]);
        let answer = answer.expect(exit::SUCCESS);
        let id = builtin.id;
        assert_eq!(answer.value("optimal"), builtin.moves.to_string(), "{id}, {count} workers");
        assert_eq!(answer.value("threads"), count.to_string());
        let replay = run(&["verify", id, solution(&answer)]).expect(exit::SUCCESS);
        assert_eq!(replay.value("moves"), builtin.moves.to_string(), "{id}, {count} workers");
    }
}

#[test]
fn one_worker_proves_every_built_in_board() {
    every_board_with(1);
}

#[test]
fn two_workers_prove_every_built_in_board() {
    every_board_with(2);
}

#[test]
fn three_workers_prove_every_built_in_board() {
    every_board_with(3);
}

#[test]
fn four_workers_prove_every_built_in_board() {
    every_board_with(4);
}

#[test]
fn every_search_gives_the_same_answer() {
    let workers = workers(3, &[]);
    let list = list(&workers);
    let flags: [&[&str]; 6] = [
        &["--search", "forward"],
        &["--search", "forward", "--estimate", "nearest"],
        &["--search", "backward"],
        &["--search", "two-sided"],
        &["--no-dominance"],
        &["--no-deadlock-tables"],
    ];
    for flags in flags {
        let mut args = vec!["solve", "p3", "--workers", &list];
        args.extend(flags);
        let alone = run(&["solve", "p3"]).expect(exit::SUCCESS);
        let answer = run(&args).expect(exit::SUCCESS);
        assert_eq!(answer.value("optimal"), alone.value("optimal"), "{flags:?}");
    }
}

#[test]
fn the_fewest_pushes_are_found_by_three_workers_too() {
    let workers = workers(3, &[]);
    let list = list(&workers);
    for id in ["p3", "p5", "p13"] {
        let alone = run(&["solve", id, "--objective", "pushes"]).expect(exit::SUCCESS);
        for search in ["auto", "forward", "backward"] {
            let args = ["solve", id, "--objective", "pushes", "--solution", "--search", search];
            let answer = run(&[&args[..], &["--workers", &list]].concat()).expect(exit::SUCCESS);
            assert_eq!(answer.value("optimal"), alone.value("optimal"), "{id} {search}");
            assert_eq!(answer.value("pushes"), answer.value("optimal"), "{id} {search}");
            assert_eq!(answer.value("objective"), "pushes");
            let replay = run(&["verify", id, solution(&answer)]).expect(exit::SUCCESS);
            assert_eq!(replay.value("pushes"), answer.value("optimal"), "{id} {search}");
        }
    }
}

#[test]
fn three_workers_break_ties_and_count_like_one_process() {
    let workers = workers(3, &[]);
    let list = list(&workers);
    for objective in ["moves", "pushes"] {
        let asked = ["solve", "p13", "--objective", objective, "--count"];
        let alone = run(&asked).expect(exit::SUCCESS);
        let answer = run(&[&asked[..], &["--workers", &list]].concat()).expect(exit::SUCCESS);
        for word in ["optimal", "moves", "pushes", "tie", "solutions"] {
            assert_eq!(answer.value(word), alone.value(word), "{word}, fewest {objective}");
        }
        let asked = ["solve", "p13", "--objective", objective, "--workers", &list];
        let plain = run(&asked).expect(exit::SUCCESS);
        assert_eq!(plain.value("tie"), alone.value("tie"));
        assert!(!plain.stdout.contains("solutions="), "{plain:?}");
        let any = run(&[&asked[..], &["--any-tie"]].concat()).expect(exit::SUCCESS);
        assert_eq!((any.value("tie"), any.value("optimal")), ("any", alone.value("optimal")));
    }
}

#[test]
fn boards_with_next_to_nothing_to_search_end_well() {
    let workers = workers(4, &[]);
    let list = list(&workers);
    let solved = "#####\n#@*.#\n#####\n".replace('.', " ");
    let cases = [
        // Two moves, fewer states than workers.
        (boards::TINY.to_owned(), exit::SUCCESS, "2"),
        // Solved at the start: no level at all.
        (solved, exit::SUCCESS, "0"),
        // The box cannot leave its wall, which no search is needed for.
        ("######\n#@ $ #\n#.####\n######\n".to_owned(), exit::UNSOLVABLE, "UNSOLVABLE"),
        // Two boxes block each other: every reachable state has to be searched.
        ("#######\n#     #\n#@$$..#\n#######\n".to_owned(), exit::UNSOLVABLE, "UNSOLVABLE"),
        // More boxes than goals.
        ("#######\n#@$$ .#\n#     #\n#######\n".to_owned(), exit::UNSOLVABLE, "UNSOLVABLE"),
    ];
    for (board, code, optimal) in cases {
        let alone = run_with_input(&["solve", "-"], board.as_bytes());
        assert_eq!(alone.code, Some(code.into()), "alone:\n{board}{alone:?}");
        let answer = run_with_input(&["solve", "-", "--workers", &list], board.as_bytes());
        assert_eq!(answer.code, Some(code.into()), "{board}{answer:?}");
        assert_eq!(answer.value("optimal"), optimal, "{board}");
    }
}

#[test]
fn limits_come_with_bounds_and_leave_the_workers_free() {
    let workers = workers(2, &[]);
    let list = list(&workers);
    let solve = |args: &[&str]| {
        let mut all = vec!["solve", "p15", "--workers", &list];
        all.extend(args);
        run(&all).expect(exit::LIMIT)
    };
    let answer = solve(&["--max-expansions", "20000"]);
    assert_eq!(answer.value("optimal"), "LIMIT");
    let answer = solve(&["--timeout", "1s"]);
    assert_eq!(answer.value("optimal"), "TIMEOUT");
    assert!(answer.value("lower_bound").parse::<u32>().unwrap() <= 184);
    let answer = run(&["solve", "p1", "--workers", &list]).expect(exit::SUCCESS);
    assert_eq!(answer.value("optimal"), builtin::find("p1").unwrap().moves.to_string());
}

#[test]
fn the_figures_of_the_wire_are_told() {
    let workers = workers(3, &[]);
    let answer = run(&["solve", "p13", "--format", "json", "--workers", &list(&workers)]);
    let answer = answer.expect(exit::SUCCESS);
    let object: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    let cluster = &object["cluster"];
    assert_eq!(cluster["workers"], 3);
    assert!(cluster["transferred"].as_u64().unwrap() > 0, "{cluster}");
    assert!(cluster["bytes_per_state"].as_f64().unwrap() <= 10.0, "{cluster}");
    assert_eq!(cluster["refused"], 0);
}
