//! What the command proves, and that its words stay as scripts know them.

use sokohive::exit;
use sokohive_engine::builtin;
use sokohive_tests::{Run, Scratch, boards, redact, run, run_with_input};

/// Whether this build is fast enough for the one board that takes seconds.
const FAST: bool = !cfg!(debug_assertions);

/// The move string of the first SOLUTION line.
fn solution(run: &Run) -> &str {
    run.line("SOLUTION").rsplit(' ').next().expect("a line has words")
}

#[test]
fn every_built_in_board_is_proven_and_its_solution_replays() {
    for builtin in builtin::all() {
        if builtin.id == "p15" && !FAST {
            continue;
        }
        let answer = run(&["solve", builtin.id, "--solution"]).expect(exit::SUCCESS);
        assert_eq!(answer.value("optimal"), builtin.moves.to_string(), "{}", builtin.id);
        let replay = run(&["verify", builtin.id, solution(&answer)]).expect(exit::SUCCESS);
        assert_eq!(replay.value("moves"), builtin.moves.to_string(), "{}", builtin.id);
    }
}

#[test]
fn all_boards_can_be_asked_for_at_once() {
    let ids = ["p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8"];
    let mut args = vec!["solve", "--threads", "2"];
    args.extend(ids);
    let answer = run(&args).expect(exit::SUCCESS);
    let results = answer.stdout.lines().filter(|line| line.starts_with("RESULT "));
    let named: Vec<&str> = results.filter_map(|line| line.split(' ').nth(1)).collect();
    assert_eq!(named, ids, "one line a board, in the order asked");
}

#[test]
fn the_result_and_solution_lines_stay_as_they_are() {
    let answer = run_with_input(&["solve", "-", "--solution"], boards::TINY.as_bytes());
    let answer = answer.expect(exit::SUCCESS);
    assert_eq!(
        redact(&answer.stdout),
        "RESULT stdin optimal=2 moves=2 pushes=1 expanded=_ generated=_ attempts=_ states=_ \
         dominated=_ stale=_ dead=_ reopened=_ levels=_ peak_bytes=_ seconds=_ threads=_ \
         tie=fewest-pushes\n\
         SOLUTION stdin moves=2 rR\n"
    );
    assert_eq!(answer.stderr, "");
}

#[test]
fn every_estimate_and_switch_gives_the_same_answer() {
    let flags: [&[&str]; 15] = [
        &[],
        &["--search", "forward"],
        &["--search", "backward"],
        &["--search", "two-sided"],
        &["--entry-width", "16"],
        &["--entry-width", "32"],
        &["--estimate", "nearest"],
        &["--estimate", "matching"],
        &["--estimate", "walk"],
        &["--search", "two-sided", "--estimate", "walk"],
        &["--no-dominance"],
        &["--no-scout"],
        &["--no-deadlock-tables"],
        &["--threads", "1"],
        &["--threads", "8"],
    ];
    for flags in flags {
        let mut args = vec!["solve", "p9", "p13"];
        args.extend(flags);
        let answer = run(&args).expect(exit::SUCCESS);
        assert!(answer.stdout.contains("RESULT p9 optimal=34 "), "{flags:?} {answer:?}");
        assert!(answer.stdout.contains("RESULT p13 optimal=78 "), "{flags:?} {answer:?}");
    }
}

#[test]
fn the_rule_is_the_notations_own_unless_told() {
    // The keeper must go on to the free goal under the digit boards' rule.
    let board = "11111111\n10324041\n11111111\n";
    let free = run_with_input(&["solve", "-"], board.as_bytes());
    let classic = run_with_input(&["solve", "-", "--rule", "classic"], board.as_bytes());
    assert_eq!(classic.clone().expect(exit::SUCCESS).value("optimal"), "1");
    let free = free.expect(exit::SUCCESS);
    assert_eq!(free.value("optimal"), "4", "push on to the far goal, end on the near one");
    let xsb = "########\n# @$. .#\n########\n";
    let classic = run_with_input(&["solve", "-"], xsb.as_bytes()).expect(exit::SUCCESS);
    assert_eq!(classic.value("optimal"), "1");
}

#[test]
fn json_is_one_object_a_board() {
    let scratch = Scratch::new();
    let unsolvable = scratch.file("unsolvable.xsb", boards::UNSOLVABLE);
    let args = ["solve", "p1", &unsolvable, "nowhere.xsb", "--format", "json", "--solution"];
    let answer = run(&args).expect(exit::BAD_INPUT);
    let objects: Vec<serde_json::Value> = answer
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is an object"))
        .collect();
    assert_eq!(objects.len(), 4, "and one that sums up");
    assert_eq!(objects[0]["id"], "p1");
    assert_eq!(objects[0]["ending"], "optimal");
    assert_eq!(objects[0]["optimal"], 6);
    assert_eq!(objects[0]["moves"], 6);
    assert_eq!(objects[0]["solution"].as_str().map(str::len), Some(6));
    assert_eq!(objects[0]["rule"], "keeper-on-goal");
    assert_eq!(objects[0]["search"], "two-sided");
    assert!(objects[0]["statistics"]["expanded"].is_u64());
    assert_eq!(objects[1]["ending"], "unsolvable");
    assert!(objects[1].get("optimal").is_none());
    assert_eq!(objects[2]["ending"], "bad-input");
    assert!(objects[2]["reason"].is_string());
    let sum = &objects[3]["summary"];
    assert_eq!((&sum["boards"], &sum["optimal"]), (&3.into(), &1.into()));
    assert_eq!((&sum["unsolvable"], &sum["bad_input"]), (&1.into(), &1.into()));
}

#[test]
fn a_board_solved_at_the_start_costs_nothing() {
    let board = "#####\n#@*.#\n#####\n";
    let answer = run_with_input(&["solve", "-", "--solution"], board.as_bytes());
    let answer = answer.expect(exit::SUCCESS);
    assert_eq!(answer.value("optimal"), "0");
    assert_eq!(answer.line("SOLUTION"), "SOLUTION stdin moves=0");
}

#[test]
fn levels_of_a_file_are_chosen_by_number() {
    let scratch = Scratch::new();
    let text = [boards::NEXT, "\n", boards::TINY, "\n", boards::NEXT].concat();
    let file = scratch.file("three levels.xsb", text);
    let ids = |level: &[&str]| {
        let mut args = vec!["solve", &file];
        args.extend(level);
        let answer = run(&args).expect(exit::SUCCESS);
        let id = |line: &str| line.split(' ').nth(1)?.rsplit('/').next().map(str::to_owned);
        let results = answer.stdout.lines().filter(|line| line.starts_with("RESULT "));
        results.filter_map(id).collect::<Vec<_>>()
    };
    let all = ["three_levels.xsb:1", "three_levels.xsb:2", "three_levels.xsb:3"];
    assert_eq!(ids(&[]), all);
    assert_eq!(ids(&["--level", "all"]), all);
    assert_eq!(ids(&["--level", "2"]), all[1..2]);
    assert_eq!(ids(&["--level", "2-3"]), all[1..]);
    let missing = run(&["solve", &file, "--level", "4"]).expect(exit::BAD_INPUT);
    assert!(missing.stderr.contains("no level 4, found 3 levels"), "{missing:?}");
}

#[test]
fn verbose_tells_what_it_took_and_quiet_nothing() {
    let quiet = run(&["solve", "p2", "--quiet"]).expect(exit::SUCCESS);
    assert_eq!(quiet.stderr, "");
    let verbose = run(&["solve", "p2", "--verbose"]).expect(exit::SUCCESS);
    assert!(verbose.stderr.contains("p2: 6 rows, 7 columns, 1 box, 2 goals"), "{verbose:?}");
    assert!(verbose.stderr.contains("attempts on the table"), "{verbose:?}");
    assert_eq!(redact(&quiet.stdout), redact(&verbose.stdout));
}

#[test]
fn all_optimal_solutions_are_counted_and_the_best_of_them_is_shown() {
    for (objective, optimal, tie, solutions) in
        [("moves", "78", "fewest-pushes", "6"), ("pushes", "29", "fewest-moves", "4")]
    {
        let asked = ["solve", "p13", "--count", "--objective", objective];
        for search in ["two-sided", "forward", "backward"] {
            let answer = run(&[&asked[..], &["--search", search]].concat()).expect(exit::SUCCESS);
            assert_eq!(answer.value("optimal"), optimal, "{search}");
            assert_eq!(answer.value("solutions"), solutions, "{search}");
            assert_eq!(answer.value("tie"), tie, "{search}");
            assert_eq!((answer.value("moves"), answer.value("pushes")), ("78", "29"), "{search}");
        }
        let json = run(&[&asked[..], &["--format", "json"]].concat()).expect(exit::SUCCESS);
        let object: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
        assert_eq!(object["solutions"].to_string(), solutions);
        assert_eq!(object["tie"], tie);
        // Nothing is counted that was not asked for.
        let plain = run(&["solve", "p13", "--objective", objective]).expect(exit::SUCCESS);
        assert!(!plain.stdout.contains("solutions="), "{plain:?}");
        assert_eq!((plain.value("tie"), plain.value("optimal")), (tie, optimal));
    }
}

#[test]
fn a_tie_that_was_not_broken_is_not_claimed() {
    let scratch = Scratch::new();
    let folder = scratch.inside("kept");
    for flags in [&["--any-tie"][..], &["--checkpoint", &folder]] {
        for objective in ["moves", "pushes"] {
            let args = [&["solve", "p9", "--objective", objective], flags].concat();
            let answer = run(&args).expect(exit::SUCCESS);
            assert_eq!(answer.value("tie"), "any", "{answer:?}");
        }
    }
    for flags in [
        &["--any-tie", "--count"],
        &["--any-tie", "--checkpoint"],
        &["--count", "--checkpoint"],
        &["--no-scout", "--checkpoint"],
    ] {
        let folder = if flags[1] == "--checkpoint" { &[folder.as_str()][..] } else { &[] };
        let args = [&["solve", "p9"], &flags[..], folder].concat();
        let refused = run(&args).expect(exit::BAD_INPUT);
        assert!(refused.stderr.contains(flags[0]), "{refused:?}");
    }
}
