//! Limits and interrupts end a search in time, with its bounds, and never as a proof.

use std::io::Read;
use std::process::{Child, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use sokohive::exit;
use sokohive_tests::{Run, Scratch, boards, command, run, run_with_input, signal};

/// Two tenths are promised; the machine that runs the tests may be busy with others of them.
const SLACK: Duration = Duration::from_millis(1_500);

#[test]
fn the_time_limit_is_kept() {
    for milliseconds in [0, 100, 700] {
        let timeout = format!("{milliseconds}ms");
        let args = ["solve", "-", "--timeout", &timeout, "--threads", "2"];
        let answer = run_with_input(&args, boards::HARD.as_bytes()).expect(exit::LIMIT);
        assert_eq!(answer.value("optimal"), "TIMEOUT");
        let limit = Duration::from_millis(milliseconds);
        assert!(answer.elapsed >= limit, "{answer:?}");
        assert!(answer.elapsed < limit + SLACK, "{answer:?}");
        let bound: u32 = answer.value("lower_bound").parse().expect("a bound");
        assert!(bound > 0 || milliseconds < 700, "{answer:?}");
    }
}

#[test]
fn limits_are_kept_while_a_search_is_set_up() {
    for search in ["two-sided", "backward"] {
        let args = ["solve", "-", "--search", search, "--timeout", "300ms"];
        let answer = run_with_input(&args, boards::MANY_GOALS.as_bytes()).expect(exit::LIMIT);
        assert_eq!(answer.value("optimal"), "TIMEOUT");
        assert!(answer.elapsed < Duration::from_millis(300) + SLACK, "{answer:?}");
    }
    let args = ["solve", "-", "--search", "two-sided", "--memory", "4M"];
    let answer = run_with_input(&args, boards::MANY_GOALS.as_bytes()).expect(exit::LIMIT);
    assert_eq!(answer.value("optimal"), "MEMORY");
}

#[test]
fn the_bound_of_a_limit_is_below_the_optimum() {
    let answer = run(&["solve", "p15", "--timeout", "200ms", "--threads", "1"]);
    // A machine that proves it in that time is welcome to.
    if answer.code == Some(i32::from(exit::LIMIT)) {
        let bound: u32 = answer.value("lower_bound").parse().expect("a bound");
        assert!(bound <= 184, "{answer:?}");
    } else {
        assert_eq!(answer.expect(exit::SUCCESS).value("optimal"), "184");
    }
}

#[test]
fn a_small_memory_limit_is_never_a_verdict() {
    for size in ["1M", "4M", "64M"] {
        let answer = run(&["solve", "p10", "--memory", size]);
        match answer.code {
            Some(0) => assert_eq!(answer.value("optimal"), "59"),
            _ => assert_eq!(answer.expect(exit::LIMIT).value("optimal"), "MEMORY"),
        }
    }
}

#[test]
fn progress_is_told_in_plain_lines_where_there_is_no_terminal() {
    let args = ["solve", "-", "--timeout", "4s", "--memory", "1G"];
    let answer = run_with_input(&args, boards::HARD.as_bytes()).expect(exit::LIMIT);
    let lines: Vec<&str> =
        answer.stderr.lines().filter(|line| line.contains(" s: at least ")).collect();
    // The memory may be full before the time is over.
    let seconds: f64 = answer.value("seconds").parse().expect("seconds");
    assert!(lines.len() >= (seconds / 2.0) as usize, "{answer:?}");
    let args = ["solve", "-", "--timeout", "2500ms", "--memory", "1G", "--quiet"];
    let answer = run_with_input(&args, boards::HARD.as_bytes()).expect(exit::LIMIT);
    assert_eq!(answer.stderr, "");
}

/// A search that goes on until somebody stops it.
fn endless() -> (Scratch, Child) {
    let scratch = Scratch::new();
    let file = scratch.file("hard.xsb", boards::HARD);
    let args = ["solve", &file, "p1", "--memory", "4G", "--timeout", "60", "--threads", "1"];
    let mut child = command(&args)
        .args(["--verbose"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("sokohive starts");
    // The first message comes when the handlers are in place and the search is about to begin.
    let mut first = [0];
    child.stderr.as_mut().expect("piped").read_exact(&mut first).expect("a message");
    thread::sleep(Duration::from_millis(200));
    (scratch, child)
}

fn end(child: Child, start: Instant) -> Run {
    let output: Output = child.wait_with_output().expect("sokohive ends");
    Run::new(&output, start.elapsed())
}

#[test]
fn a_signal_ends_the_search_with_its_bounds() {
    for name in ["INT", "TERM"] {
        let (_scratch, child) = endless();
        let start = Instant::now();
        signal(&child, name);
        let answer = end(child, start).expect(exit::LIMIT);
        assert!(answer.elapsed < SLACK, "{answer:?}");
        assert_eq!(answer.value("optimal"), "INTERRUPTED");
        answer.value("lower_bound").parse::<u32>().expect("a bound");
        assert!(!answer.stdout.contains(" p1 "), "the next board is not begun: {answer:?}");
        assert!(answer.stderr.contains("1 more board not begun"), "{answer:?}");
    }
}

#[test]
fn a_second_signal_ends_the_process_at_once() {
    let (_scratch, child) = endless();
    let start = Instant::now();
    signal(&child, "INT");
    signal(&child, "INT");
    let answer = end(child, start).expect(exit::LIMIT);
    assert!(answer.elapsed < SLACK, "{answer:?}");
}
