//! Every exit code, and which one wins when boards end differently.

use std::process::Stdio;

use sokohive::exit;
use sokohive_tests::{Scratch, boards, command, run, run_with_input};

#[test]
fn success() {
    run(&["solve", "p1"]).expect(exit::SUCCESS);
    run(&["boards"]).expect(exit::SUCCESS);
    run(&["--help"]).expect(exit::SUCCESS);
    run(&["solve", "--help"]).expect(exit::SUCCESS);
    let version = run(&["--version"]).expect(exit::SUCCESS);
    assert_eq!(version.stdout, concat!("sokohive ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn unsolvable() {
    let searched = run_with_input(&["solve", "-"], boards::UNSOLVABLE.as_bytes());
    let searched = searched.expect(exit::UNSOLVABLE);
    assert_eq!(searched.value("optimal"), "UNSOLVABLE");
    let counted = run_with_input(&["solve", "-"], boards::TOO_FEW_GOALS.as_bytes());
    let counted = counted.expect(exit::UNSOLVABLE);
    assert_eq!(counted.value("optimal"), "UNSOLVABLE");
    assert_eq!(counted.value("expanded"), "0", "known before any expansion");
    assert!(counted.stdout.contains("reason=\"2 boxes, 1 goal\""), "{counted:?}");
    let keeper =
        run_with_input(&["solve", "-", "--rule", "keeper-on-goal"], boards::NEXT.as_bytes());
    let keeper = keeper.expect(exit::UNSOLVABLE);
    let reason = "reason=\"1 box, 1 goal, and the keeper needs a goal of its own\"";
    assert!(keeper.stdout.contains(reason), "{keeper:?}");
}

#[test]
fn bad_input_and_bad_usage() {
    run_with_input(&["solve", "-"], b"not a board\n").expect(exit::BAD_INPUT);
    run_with_input(&["solve", "-"], b"").expect(exit::BAD_INPUT);
    for args in [
        &["solve"][..],
        &["solve", "nowhere.xsb"],
        &["solve", "p99"],
        &["solve", "p1", "--level", "2"],
        &["solve", "p1", "--level", "0"],
        &["solve", "p1", "--level", "3-2"],
        &["solve", "p1", "--rule", "chess"],
        &["solve", "p1", "--objective", "points"],
        &["solve", "p1", "--estimate", "guess"],
        &["solve", "p1", "--search", "sideways"],
        &["solve", "p1", "--search", "backward", "--estimate", "nearest"],
        &["solve", "p1", "--objective", "pushes", "--estimate", "walk"],
        &["solve", "p1", "--entry-width", "12"],
        &["solve", "p1", "--threads", "0"],
        &["solve", "p1", "--threads", "100000"],
        &["solve", "p1", "--memory", "much"],
        &["solve", "p1", "--timeout", "soon"],
        &["solve", "p1", "--max-expansions", "-1"],
        &["solve", "p1", "--quiet", "--verbose"],
        &["solve", "p1", "--format", "xml"],
        &["solve", "p1", "--workers", "nowhere"],
        &["solve", "p1", "--workers", ""],
        &["solve", "p1", "--workers", "a:1,b:2,a:1"],
        &["solve", "p1", "--workers", "a:1", "--threads", "2"],
        &["verify", "p1"],
        &["verify", "p1", "hello"],
        &["verify", "-", "-"],
        &["bench", "p99"],
        &["bench", "p1", "--runs", "0"],
        &["completions", "cmd"],
        &["fly"],
    ] {
        let answer = run(args).expect(exit::BAD_INPUT);
        assert_eq!(answer.stdout, "", "{args:?}");
        assert!(answer.stderr.starts_with("error: ") || args == ["solve"], "{args:?} {answer:?}");
    }
}

#[test]
fn an_unsupported_board_names_its_bits() {
    let answer = run_with_input(&["solve", "-"], boards::huge().as_bytes()).expect(exit::BAD_INPUT);
    assert_eq!(answer.value("optimal"), "UNSUPPORTED");
    assert!(answer.stdout.contains(" bits"), "{answer:?}");
}

#[test]
fn a_limit() {
    let limit = |flags: &[&str], word: &str| {
        let mut args = vec!["solve", "-", "--threads", "2"];
        args.extend(flags);
        let answer = run_with_input(&args, boards::HARD.as_bytes()).expect(exit::LIMIT);
        assert_eq!(answer.value("optimal"), word, "{answer:?}");
        answer.value("lower_bound").parse::<u32>().expect("a bound");
        answer.value("best_found");
        assert!(!answer.stdout.contains("SOLUTION"), "{answer:?}");
    };
    limit(&["--timeout", "500ms"], "TIMEOUT");
    limit(&["--memory", "16M", "--timeout", "60"], "MEMORY");
    limit(&["--max-expansions", "1000", "--timeout", "60"], "LIMIT");
}

#[test]
fn results_that_cannot_be_written() {
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full");
    let Ok(device) = full() else {
        eprintln!("skipped: this system has no /dev/full");
        return;
    };
    for args in [&["boards"][..], &["solve", "p1"], &["verify", "p1", "r"], &["--help"]] {
        let device = device.try_clone().expect("a second handle");
        let status = command(args)
            .stdout(Stdio::from(device))
            .stderr(Stdio::null())
            .status()
            .expect("sokohive starts");
        assert_eq!(status.code(), Some(i32::from(exit::OUTPUT_FAILED)), "{args:?}");
    }
}

#[test]
fn a_reader_who_leaves_is_no_error() {
    for args in [&["boards"][..], &["solve", "p1", "p2"], &["completions", "zsh"], &["--help"]] {
        let mut child = command(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("sokohive starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("sokohive ends");
        assert_eq!(output.status.code(), Some(i32::from(exit::SUCCESS)), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
}

#[test]
fn the_worst_of_several_boards_decides() {
    let scratch = Scratch::new();
    let unsolvable = scratch.file("unsolvable.xsb", boards::UNSOLVABLE);
    let hard = scratch.file("hard.xsb", boards::HARD);
    let broken = scratch.file("broken.xsb", boards::OPEN);
    let solve = |files: &[&str]| {
        let mut args = vec!["solve", "--timeout", "300ms"];
        args.extend(files);
        run(&args)
    };
    solve(&["p1", &unsolvable, "p2"]).expect(exit::UNSOLVABLE);
    solve(&[&hard, &unsolvable, "p1"]).expect(exit::LIMIT);
    let all = solve(&[&broken, &hard, &unsolvable, "p1"]).expect(exit::BAD_INPUT);
    assert_eq!(all.stdout.matches("RESULT").count(), 3, "the others still run: {all:?}");
}
