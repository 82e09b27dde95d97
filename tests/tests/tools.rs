//! The commands beside `solve`.

use sokohive::exit;
use sokohive_engine::builtin;
use sokohive_tests::{Scratch, boards, redact, run, run_with_input};

#[test]
fn boards_lists_every_built_in_board() {
    let list = run(&["boards"]).expect(exit::SUCCESS);
    assert_eq!(list.stdout.lines().count(), builtin::all().len() + 1);
    let p15 = list.line("p15").split_whitespace().collect::<Vec<_>>();
    assert_eq!(p15, ["p15", "keeper-on-goal", "13x10", "8", "9", "184", "-"]);
    let json = run(&["boards", "--format", "json"]).expect(exit::SUCCESS);
    let level1: serde_json::Value =
        serde_json::from_str(json.stdout.lines().last().expect("a line")).expect("JSON");
    assert_eq!(level1["id"], "level1");
    assert_eq!(level1["rule"], "classic");
    assert_eq!(level1["moves"], 230);
}

#[test]
fn verify_replays() {
    let scratch = Scratch::new();
    let tiny = scratch.file("tiny.xsb", boards::TINY);
    for moves in ["rR", "rr", "RR", "2r", " r\nR\n"] {
        let answer = run(&["verify", &tiny, moves]).expect(exit::SUCCESS);
        assert_eq!(answer.value("moves"), "2", "{moves:?}");
        assert_eq!(answer.value("pushes"), "1", "{moves:?}");
        assert!(answer.stdout.contains(" ok "), "{moves:?}");
    }
    let solution = scratch.file("solution.txt", "r\nR\n");
    run(&["verify", &tiny, &solution]).expect(exit::SUCCESS);
    run_with_input(&["verify", &tiny, "-"], b"rR\n").expect(exit::SUCCESS);
    run_with_input(&["verify", "-", "rR"], boards::TINY.as_bytes()).expect(exit::SUCCESS);
}

#[test]
fn verify_names_the_first_step_that_is_illegal() {
    let scratch = Scratch::new();
    let tiny = scratch.file("tiny.xsb", boards::TINY);
    for (moves, part) in [("rRR", "step 3"), ("u", "step 1"), ("r", "goal"), ("", "goal")] {
        let answer = run(&["verify", &tiny, moves]).expect(exit::UNSOLVABLE);
        assert!(answer.stdout.contains(" wrong "), "{moves:?} {answer:?}");
        assert!(answer.stdout.contains(part), "{moves:?} {answer:?}");
    }
    for moves in ["10", "r10", "0R", "rX", "hello"] {
        let answer = run(&["verify", &tiny, moves]).expect(exit::BAD_INPUT);
        assert!(answer.stderr.starts_with("error: not a move string: "), "{answer:?}");
    }
}

#[test]
fn verify_reads_what_solve_writes() {
    let answer = run(&["solve", "p1", "p2", "--solution"]).expect(exit::SUCCESS);
    let input = answer.stdout.as_bytes();
    let replay = run_with_input(&["verify", "p2", "-"], input).expect(exit::SUCCESS);
    assert_eq!(replay.value("moves"), "15");
}

#[test]
fn verify_wants_one_board() {
    let scratch = Scratch::new();
    let file = scratch.file("two.xsb", [boards::TINY, "\n", boards::NEXT].concat());
    let answer = run(&["verify", &file, "R"]).expect(exit::BAD_INPUT);
    assert!(answer.stderr.contains("--level"), "{answer:?}");
    run(&["verify", &file, "R", "--level", "2"]).expect(exit::SUCCESS);
}

#[test]
fn bench_repeats_its_counters_with_one_thread() {
    let bench = || run(&["bench", "p1", "p5", "p9", "--quiet"]).expect(exit::SUCCESS);
    let (first, second) = (bench(), bench());
    let counters = |run: &sokohive_tests::Run| {
        let counter = |word: &&str| !word.contains("seconds") && !word.contains("second=");
        let exact = |word: &&str| counter(word) && !word.starts_with("peak_resident");
        run.line("TOTAL").split(' ').filter(exact).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(counters(&first), counters(&second));
    assert_eq!(first.stdout.lines().count(), 5);
    assert_eq!(first.line("SIGNATURE"), second.line("SIGNATURE"));
    assert_eq!(redact(&first.stdout), redact(&second.stdout));
    assert!(
        first.line("BENCH").starts_with("BENCH p1 optimal=6 search=two-sided expanded="),
        "{first:?}"
    );
}

#[test]
fn inspect_draws_the_board() {
    let answer = run(&["inspect", "p15", "level1"]).expect(exit::SUCCESS);
    for part in [
        "p15: 13 rows, 10 columns, 8 boxes, 9 goals, rule keeper-on-goal\n",
        "\n    #@$ $  x#~\n",
        "the keeper can reach 45 squares, 32 live, 13 dead\n",
        "box set: 24 bits, with the keeper's square 30 bits\n",
        "entry: 8 bytes, ",
        "memory: grows with need, at most ",
        "\nleast pushes: 32 to nearest goals, 72 by matching\n",
        "\n      6,7      1      8      7      6      5      6      9      8      7\n",
        "\nlevel1: ",
    ] {
        assert!(answer.stdout.contains(part), "{part} in {}", answer.stdout);
    }
    let json = run(&["inspect", "p15", "--format", "json", "-m", "1G"]).expect(exit::SUCCESS);
    let object: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(object["live_squares"], 32);
    assert_eq!(object["boxes"][7]["pushes"][0], 1);
    assert_eq!(object["memory_limit"], 1 << 30);
    assert!(object.get("whole_table_bytes").is_none(), "p15 does not fit whole: {object}");
}

#[test]
fn completions_exist_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&["completions", shell]).expect(exit::SUCCESS);
        assert!(script.stdout.contains("max-expansions"), "{shell}");
    }
}
