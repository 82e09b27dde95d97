//! Bad input: the message names file, line and column, what was found and what was expected.

use std::time::Duration;

use sokohive::exit;
use sokohive_tests::{Run, Scratch, boards, command, run, run_with_input};

/// The message for a file of this text, without the folder.
#[track_caller]
fn refused(text: impl AsRef<[u8]>) -> String {
    let scratch = Scratch::new();
    let file = scratch.file("bad.xsb", text);
    let answer = run(&["solve", &file]).expect(exit::BAD_INPUT);
    assert_eq!(answer.stdout, "");
    let folder = format!("{}/", scratch.path().display());
    answer.stderr.replace(&folder, "")
}

#[track_caller]
fn has(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "{part:?} in {message:?}");
    }
}

#[test]
fn an_unknown_character_is_named_with_its_place() {
    has(&refused("########\n#@\t$.#\n########\n"), &["error: bad.xsb:2:3: ", "expected"]);
    has(&refused("XXXXXX\nX@ *.X\nXXXXXX\n"), &["bad.xsb:1:1: ", "'X'", "expected"]);
}

#[test]
fn keepers_are_counted() {
    has(&refused("#####\n# $.#\n#####\n"), &["error: bad.xsb:", "keeper"]);
    has(&refused("######\n#@$.+#\n######\n"), &["bad.xsb:2:5: ", "keeper"]);
}

#[test]
fn an_open_board_names_the_leak_and_can_be_read_otherwise() {
    has(&refused(boards::OPEN), &["bad.xsb:3:6: "]);
    let scratch = Scratch::new();
    let file = scratch.file("open.xsb", boards::OPEN);
    let answer = run(&["solve", &file, "--edge-is-wall"]).expect(exit::SUCCESS);
    assert_eq!(answer.value("optimal"), "2");
}

#[test]
fn a_short_row_never_becomes_another_board() {
    has(&refused("111111\n10324\n111111\n"), &["bad.xsb:2:"]);
}

#[test]
fn the_other_levels_of_a_file_still_run() {
    let scratch = Scratch::new();
    let bad = "######\n#@ $.#\n#@   #\n######\n";
    let text = [boards::NEXT, "\n", bad, "\n", boards::TINY].concat();
    let file = scratch.file("mixed.xsb", text);
    let answer = run(&["solve", &file]).expect(exit::BAD_INPUT);
    let results = answer.stdout.lines().filter(|line| line.starts_with("RESULT ")).count();
    assert_eq!(results, 2, "{answer:?}");
    assert!(answer.stdout.contains("mixed.xsb:3 optimal=2 "), "{answer:?}");
    assert!(answer.stderr.contains("mixed.xsb:7:2: "), "{answer:?}");
}

#[test]
fn files_that_are_none() {
    let scratch = Scratch::new();
    let folder = scratch.path().to_str().expect("UTF-8").to_owned();
    let answer = run(&["solve", &folder]).expect(exit::BAD_INPUT);
    assert!(answer.stderr.contains("found a folder"), "{answer:?}");
    let answer = run(&["verify", "p1", &folder]).expect(exit::BAD_INPUT);
    assert!(answer.stderr.contains("nor is there a file"), "{answer:?}");
    let answer = run(&["solve", "p99"]).expect(exit::BAD_INPUT);
    assert!(answer.stderr.contains("sokohive boards"), "says where to look: {answer:?}");
}

#[test]
fn bytes_that_are_no_text_are_no_panic() {
    refused([0xff, 0xfe, 0x00, 0x01, b'#', b'@', 0x80]);
    refused(vec![b'#'; 100_000]);
    refused(b"99999999999#\n");
}

#[test]
fn standard_input_is_read_once() {
    let answer = run_with_input(&["solve", "-", "p1", "-"], boards::TINY.as_bytes());
    let answer = answer.expect(exit::BAD_INPUT);
    assert_eq!(answer.stdout.matches("RESULT").count(), 2, "{answer:?}");
    assert!(answer.stderr.contains("named before"), "{answer:?}");
}

#[cfg(unix)]
#[test]
fn a_file_name_need_not_be_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let scratch = Scratch::new();
    let file = scratch.path().join(OsStr::from_bytes(b"lev\xffel.xsb"));
    if std::fs::write(&file, boards::TINY).is_err() {
        eprintln!("skipped: this file system only takes names that are text");
        return;
    }
    for args in [&["solve"][..], &["inspect"]] {
        let output = command(args).arg(&file).output().expect("sokohive starts");
        let answer = Run::new(&output, Duration::ZERO).expect(exit::SUCCESS);
        assert!(answer.stdout.contains("lev\u{fffd}el.xsb"), "{answer:?}");
    }
}

#[test]
fn rows_that_are_taken_for_text_are_told() {
    let scratch = Scratch::new();
    let text = [boards::TINY, "\n# @ #\n\n", boards::NEXT].concat();
    let file = scratch.file("stray.xsb", text);
    let answer = run(&["solve", &file]).expect(exit::SUCCESS);
    assert!(answer.stderr.starts_with("note: "), "{answer:?}");
    assert!(answer.stderr.contains("stray.xsb:5: "), "{answer:?}");
    let quiet = run(&["solve", &file, "--quiet"]).expect(exit::SUCCESS);
    assert_eq!(quiet.stderr, "");
}
