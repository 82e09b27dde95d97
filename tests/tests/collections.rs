//! Whole collections: files of results, from which the same command goes on, whatever ended it.

use std::fs;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use sokohive::exit;
use sokohive_engine::{Collection, Moves, ReadOptions, Rule, verify};
use sokohive_tests::{Run, Scratch, boards, cluster, command, run, signal};

#[path = "../../engine/tests/case_boards/mod.rs"]
mod case_boards;

use case_boards::{CASES, Case, Expected};

const FORMATS: [&str; 3] = ["csv", "json", "sok"];

/// Far more than any wait here takes.
const LONG: Duration = Duration::from_secs(120);

/// The boards as one file.
fn collection(boards: &[&str]) -> String {
    boards.join("\n")
}

/// The boards of `CASES` that can be read, each once: one of them is another with walls where nobody comes.
fn cases() -> impl Iterator<Item = &'static Case> + Clone {
    let once = |case: &&Case| !case.name.starts_with("c41 ");
    CASES.iter().filter(|case| !matches!(case.expected, Expected::Refused(_))).filter(once)
}

/// These boards as a level file, titled by their names.
fn text_of_cases() -> String {
    cases().map(|case| format!("; {}\n{}\n\n", case.name, case.board)).collect()
}

/// The objects of a file of results in JSON.
fn rows(path: &str) -> Vec<Value> {
    serde_json::from_str(&fs::read_to_string(path).expect("results")).expect("an array of objects")
}

fn start(args: &[&str]) -> Child {
    command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("sokohive starts")
}

fn end(child: Child) -> Run {
    Run::new(&child.wait_with_output().expect("sokohive ends"), Duration::ZERO)
}

/// Waits until the file has so many rows.
fn wait_for_rows(path: &str, count: usize) {
    let start = Instant::now();
    let there = || {
        let text = fs::read_to_string(path).unwrap_or_default();
        serde_json::from_str::<Vec<Value>>(&text).map_or(0, |rows| rows.len())
    };
    while there() < count {
        assert!(start.elapsed() < LONG, "{count} rows in {path}");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn every_format_has_every_board_and_is_gone_on_from() {
    let scratch = Scratch::new();
    let file = scratch.file("cases.txt", text_of_cases());
    for format in FORMATS {
        let output = scratch.inside(&format!("results.{format}"));
        let args = ["solve", &file, "--level", "all", "--threads", "1", "--output", &output];
        let first = run(&args).expect(exit::UNSOLVABLE);
        let boards = cases().count().to_string();
        assert_eq!(first.line("RESULT").split(' ').nth(1), Some(format!("{file}:1").as_str()));
        let sum = first.line("SUMMARY");
        assert!(sum.contains(&format!(" boards={boards} ")), "{sum}");
        assert!(sum.contains(" skipped=0 "), "{sum}");
        let written = fs::read(&output).expect("results");
        let again = run(&args).expect(exit::UNSOLVABLE);
        assert!(!again.stdout.contains("RESULT"), "{format}: {again:?}");
        assert!(again.stdout.contains(&format!(" skipped={boards} expanded=0 ")), "{again:?}");
        assert_eq!(fs::read(&output).expect("results"), written, "{format}");
    }
    assert_eq!(fs::read_dir(scratch.path()).expect("a folder").count(), 4, "nothing is left over");

    let rows = rows(&scratch.inside("results.json"));
    assert_eq!(rows.len(), cases().count());
    for ((row, case), number) in rows.iter().zip(cases()).zip(1..) {
        assert_eq!(row["level"], number);
        assert_eq!(row["id"], format!("{file}:{number}"));
        let outcome = row["outcome"].as_str().expect("a word");
        assert_eq!(row["title"], case.name);
        match case.expected {
            Expected::Optimum { moves, .. } => {
                assert_eq!(outcome, "optimal", "{row}");
                assert_eq!((&row["moves"], &row["lower_bound"]), (&moves.into(), &row["moves"]));
                assert_eq!(row["proven"], true);
            }
            _ => {
                assert_eq!((outcome, &row["moves"]), ("unsolvable", &Value::Null), "{row}");
                assert_eq!((&row["lower_bound"], &row["proven"]), (&Value::Null, &false.into()));
            }
        }
    }
}

#[test]
fn a_level_file_of_results_is_a_collection_like_any_other() {
    let scratch = Scratch::new();
    let output = scratch.inside("results.sok");
    let file = scratch.file("cases.txt", text_of_cases());
    let args = ["solve", &file, "p1", "p6", "--threads", "1", "--output", &output];
    run(&args).expect(exit::UNSOLVABLE);
    let written = fs::read(&output).expect("results");
    let read = Collection::read(&written, None, ReadOptions::default()).expect("a level file");
    assert!(read.notes.is_empty(), "{:?}", read.notes);
    assert_eq!(read.levels.len(), cases().count() + 2);
    let read_back = |level| Result::as_ref(level).expect("a legal board");
    for (level, case) in read.levels.iter().map(read_back).zip(cases()) {
        assert_eq!(level.name(), Some(case.name));
        let Expected::Optimum { moves, .. } = case.expected else { continue };
        let solution = level.solutions().first().map_or("", |solution| &solution.text);
        let solution: Moves = solution.parse().expect("moves");
        let replay = verify(level, Rule::Classic, &solution).expect(case.name);
        assert_eq!(replay.moves, moves as usize, "{}", case.name);
    }
    // One from a digit board, whose edge is wall.
    let p1 = read.levels.len() - 1;
    let moves = &read_back(&read.levels[p1 - 1]).solutions()[0].text;
    let level = p1.to_string();
    let args = ["verify", &output, "--level", &level, "--rule", "keeper-on-goal", moves];
    assert_eq!(run(&args).expect(exit::SUCCESS).value("moves"), "6");
    // The command reads it too, and knows the boards again.
    let boards = read.levels.len();
    let again = scratch.inside("again.sok");
    let solved = run(&["solve", &output, "--threads", "1", "--output", &again]);
    let solved = solved.expect(exit::UNSOLVABLE);
    assert!(solved.stdout.contains(&format!("SUMMARY boards={boards} ")), "{solved:?}");
    let known = run(&["solve", &output, "--level", "1-3", "--output", &output]);
    assert!(known.stdout.contains(" skipped=3 "), "{known:?}");
}

#[test]
fn a_title_with_commas_and_quotes_is_one_field() {
    let scratch = Scratch::new();
    let file = scratch.file("quoted.xsb", format!("; One, \"two\"\n{}", boards::TINY));
    let output = scratch.inside("results.csv");
    run(&["solve", &file, "--output", &output]).expect(exit::SUCCESS);
    let written = fs::read_to_string(&output).expect("results");
    let lines: Vec<&str> = written.lines().collect();
    assert!(lines[0].starts_with("level,id,title,board,rule,objective,outcome,lower_bound,moves,"));
    assert!(lines[0].ends_with(",budget_seconds,memory_bytes,version,solution"), "{}", lines[0]);
    let id = format!("1,{file},\"One, \"\"two\"\"\",");
    assert!(lines[1].starts_with(&id), "{written}");
    assert!(lines[1].contains(",classic,moves,optimal,2,2,1,true,fewest-pushes,"), "{written}");
    assert!(lines[1].ends_with(",rR"), "{written}");
}

#[test]
fn a_command_that_was_killed_goes_on_with_the_board_it_was_at() {
    let scratch = Scratch::new();
    let text = collection(&[boards::TINY, boards::UNSOLVABLE, boards::HARD, boards::NEXT]);
    let file = scratch.file("four.xsb", text);
    let output = scratch.inside("results.json");
    let args = ["solve", &file, "--output", &output, "--threads", "1", "--memory", "1G"];
    let mut child = start(&args);
    wait_for_rows(&output, 2);
    child.kill().expect("a child");
    child.wait().expect("a child");
    assert_eq!(rows(&output).len(), 2);
    let args = [&args[..], &["--budget", "200ms"]].concat();
    let answer = run(&args).expect(exit::LIMIT);
    let ids: Vec<&str> = answer.stdout.lines().filter_map(|line| line.split(' ').nth(1)).collect();
    assert_eq!(ids, [&format!("{file}:3"), &format!("{file}:4"), "boards=4"], "{answer:?}");
    let sum = "boards=4 optimal=2 unsolvable=1 unsupported=0 limit=1 failed=0 bad_input=0 not_begun=0 skipped=2 ";
    assert!(answer.line("SUMMARY").contains(sum), "{answer:?}");
    let outcomes: Vec<Value> = rows(&output).iter().map(|row| row["outcome"].clone()).collect();
    assert_eq!(outcomes, ["optimal", "unsolvable", "timeout", "optimal"]);
}

#[test]
fn a_kill_at_any_time_leaves_whole_rows() {
    let scratch = Scratch::new();
    let output = scratch.inside("results.json");
    let ids = ["p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12"];
    let args = [&["solve", "--threads", "1", "--output", &output], &ids[..]].concat();
    let mut before = 0;
    for count in [1, 2, 4, 7, 11] {
        let mut child = start(&args);
        wait_for_rows(&output, count);
        child.kill().expect("a child");
        child.wait().expect("a child");
        let now = rows(&output).len();
        assert!(now >= before.max(count), "{now} rows after {before}");
        before = now;
    }
    let answer = run(&args).expect(exit::SUCCESS);
    assert!(answer.stdout.contains(" optimal=12 "), "{answer:?}");
    let found: Vec<Value> = rows(&output).iter().map(|row| row["id"].clone()).collect();
    assert_eq!(found, ids);
}

#[test]
fn an_interrupted_board_has_no_row_and_those_before_have_theirs() {
    let scratch = Scratch::new();
    let file = scratch.file("three.xsb", collection(&[boards::TINY, boards::HARD, boards::NEXT]));
    let output = scratch.inside("results.json");
    let child = start(&["solve", &file, "--output", &output, "--threads", "1", "--memory", "1G"]);
    wait_for_rows(&output, 1);
    signal(&child, "INT");
    let answer = end(child).expect(exit::LIMIT);
    let left = if answer.stdout.contains("INTERRUPTED") { " limit=1 " } else { " limit=0 " };
    assert!(answer.line("SUMMARY").contains(left), "{answer:?}");
    assert!(answer.line("SUMMARY").contains("SUMMARY boards=3 optimal=1 "), "{answer:?}");
    assert_eq!(rows(&output).len(), 1);
}

#[test]
fn what_ended_by_a_limit_is_searched_again_if_there_is_more_of_it() {
    let scratch = Scratch::new();
    let file = scratch.file("hard.xsb", boards::HARD);
    let output = scratch.inside("results.json");
    let solve = |limits: &[&str]| {
        let args = ["solve", &file, "--threads", "1", "--output", &output];
        run(&[&args, limits].concat()).expect(exit::LIMIT)
    };
    let skipped = |limits: &[&str]| solve(limits).stdout.contains(" skipped=1 ");
    assert!(!skipped(&["--budget", "100ms", "--memory", "1G"]));
    assert!(skipped(&["--timeout", "100ms", "--memory", "1G"]), "the same flag by its other name");
    assert!(skipped(&["--budget", "50ms", "--memory", "512M"]), "less is no use");
    assert!(skipped(&["--budget", "100ms"]), "no memory asked for");
    assert!(!skipped(&["--budget", "100ms", "--memory", "2G"]));
    assert!(!skipped(&["--budget", "150ms", "--memory", "2G"]));
    let rows = rows(&output);
    assert_eq!(rows.len(), 1, "the row is replaced");
    assert_eq!(
        (&rows[0]["outcome"], &rows[0]["budget_seconds"]),
        (&"timeout".into(), &0.15.into())
    );
    assert_eq!(rows[0]["memory_bytes"], 2_u64 << 30);
    assert_eq!(rows[0]["proven"], false);
    // Another question about the same board has a row of its own.
    assert!(!skipped(&["--budget", "100ms", "--objective", "pushes"]));
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_leads_to_the_file_that_is_written() {
    let scratch = Scratch::new();
    let tiny = scratch.file("tiny.xsb", boards::TINY);
    let (output, link) = (scratch.inside("results.json"), scratch.inside("link.json"));
    std::os::unix::fs::symlink(&output, &link).expect("a link");
    fs::write(&output, "[]\n").expect("a file");
    run(&["solve", &tiny, "--output", &link]).expect(exit::SUCCESS);
    assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
    assert_eq!(rows(&output).len(), 1);
}

#[test]
fn a_board_is_known_however_it_is_written() {
    let scratch = Scratch::new();
    let tiny = scratch.file("tiny.xsb", boards::TINY);
    let other = scratch.file("other.txt", "   ######\r\n   #@-$.##\r\n   #######\r\n");
    let output = scratch.inside("results.csv");
    run(&["solve", &tiny, "--output", &output]).expect(exit::SUCCESS);
    let again = run(&["solve", &other, "--output", &output]).expect(exit::SUCCESS);
    assert!(again.stdout.contains(" skipped=1 "), "{again:?}");
    let new = scratch.inside("new.csv");
    let twice = run(&["solve", &other, &tiny, "--output", &new]).expect(exit::SUCCESS);
    assert!(twice.stdout.contains("SUMMARY boards=2 optimal=2 "), "{twice:?}");
    assert!(twice.stdout.contains(" skipped=1 "), "{twice:?}");
    // Another rule is another question.
    let args = ["solve", &tiny, "--rule", "keeper-on-goal", "--output", &new];
    let ruled = run(&args).expect(exit::UNSOLVABLE);
    assert!(ruled.stdout.contains(" skipped=0 "), "{ruled:?}");
    assert_eq!(fs::read_to_string(&new).expect("results").lines().count(), 3);
}

#[test]
fn what_is_no_file_of_results_is_refused_and_left_alone() {
    let scratch = Scratch::new();
    let tiny = scratch.file("tiny.xsb", boards::TINY);
    for (format, line, part) in [
        ("csv", 1, "found 'hello', expected the columns level,"),
        ("json", 1, "expected value"),
        ("sok", 1, "found 'hello', expected the rows of a board"),
    ] {
        let output = scratch.file(&format!("results.{format}"), "hello\n");
        let refused = run(&["solve", &tiny, "--output", &output]).expect(exit::BAD_INPUT);
        let place = format!("error: {output}:{line}: ");
        assert!(refused.stderr.starts_with(&place), "{refused:?}");
        assert!(refused.stderr.contains(part), "{refused:?}");
        assert_eq!(
            (refused.stdout.as_str(), fs::read(&output).unwrap()),
            ("", b"hello\n".to_vec())
        );
    }
    for (output, part) in [
        ("results.txt", "found .txt, expected a name that ends in .csv, .json or .sok"),
        ("results", "found no extension, expected a name that ends in .csv, .json or .sok"),
        ("no/such/folder/results.csv", "no/such/folder/results.csv.lock: No such file"),
    ] {
        let output = scratch.inside(output);
        let refused = run(&["solve", &tiny, "--output", &output]).expect(exit::BAD_INPUT);
        assert!(refused.stderr.contains(part), "{refused:?}");
    }
}

#[test]
fn two_processes_do_not_write_to_one_file() {
    let scratch = Scratch::new();
    let file = scratch.file("two.xsb", collection(&[boards::TINY, boards::HARD]));
    let output = scratch.inside("results.json");
    let mut child =
        start(&["solve", &file, "--output", &output, "--threads", "1", "--memory", "1G"]);
    wait_for_rows(&output, 1);
    let second = run(&["solve", "p1", "--output", &output]).expect(exit::BAD_INPUT);
    assert_eq!(second.stderr, format!("error: {output}: another process writes to it\n"));
    assert_eq!(rows(&output).len(), 1);
    child.kill().expect("a child");
    child.wait().expect("a child");
    run(&["solve", "p1", "--output", &output]).expect(exit::SUCCESS);
    assert_eq!(rows(&output).len(), 2);
}

#[test]
fn boards_that_cannot_be_read_are_summed_up_and_have_no_row() {
    let scratch = Scratch::new();
    let file = scratch.file("two.xsb", collection(&[boards::OPEN, boards::TINY]));
    let output = scratch.inside("results.json");
    let args = ["solve", &file, "--output", &output, "--format", "json"];
    for skipped in [0, 1] {
        let answer = run(&args).expect(exit::BAD_INPUT);
        assert!(answer.stderr.contains("not closed"), "{answer:?}");
        let last = answer.stdout.lines().last().expect("a line");
        let object: Value = serde_json::from_str(last).expect("JSON");
        let sum = &object["summary"];
        assert_eq!((&sum["boards"], &sum["bad_input"]), (&2.into(), &1.into()), "{sum}");
        assert_eq!((&sum["optimal"], &sum["skipped"]), (&1.into(), &skipped.into()), "{sum}");
        assert_eq!(rows(&output).len(), 1);
    }
}

#[test]
fn one_board_alone_is_not_summed_up() {
    let answer = run(&["solve", "p1"]).expect(exit::SUCCESS);
    assert!(!answer.stdout.contains("SUMMARY"), "{answer:?}");
}

#[test]
fn a_cluster_writes_the_same_rows() {
    let scratch = Scratch::new();
    let file = scratch.file("two.xsb", collection(&[boards::TINY, boards::UNSOLVABLE]));
    let workers = cluster::workers(2, &[]);
    let solve = |output: &str, flags: &[&str]| {
        let args = ["solve", &file, "p1", "--budget", "60s", "--memory", "64M", "--output", output];
        run(&[&args, flags].concat()).expect(exit::UNSOLVABLE)
    };
    let (ours, theirs) = (scratch.inside("ours.json"), scratch.inside("theirs.json"));
    solve(&ours, &["--threads", "2"]);
    solve(&theirs, &["--workers", &cluster::list(&workers)]);
    let again = solve(&theirs, &["--workers", &cluster::list(&workers)]);
    assert!(again.stdout.contains(" skipped=3 "), "{again:?}");
    let answers = |path: &str| {
        let effort = ["expanded", "states", "attempts", "seconds", "peak_bytes", "solution"];
        let mut rows = rows(path);
        for row in &mut rows {
            let fields = row.as_object_mut().expect("an object");
            fields.retain(|name, _| !effort.contains(&name.as_str()));
        }
        rows
    };
    assert_eq!(answers(&ours), answers(&theirs));
}
