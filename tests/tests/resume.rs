//! A search in one process survives whatever ends it.

use std::fs;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use sokohive::{checkpoint, exit};
use sokohive_tests::{Run, Scratch, boards, command, command_on_full_disk, run, signal};

/// A search of `level1` that keeps a checkpoint of nearly every level in a folder.
fn start(folder: &str) -> Child {
    let args = ["solve", "level1", "--threads", "1", "--checkpoint", folder];
    let args = args.iter().chain(&["--checkpoint-every", "50ms", "--quiet", "--solution"]);
    let args: Vec<&str> = args.copied().collect();
    piped(&args)
}

fn resume(folder: &str) -> Child {
    piped(&["resume", folder, "--checkpoint-every", "50ms", "--quiet", "--solution"])
}

fn piped(args: &[&str]) -> Child {
    command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("sokohive starts")
}

fn end(child: Child) -> Run {
    Run::new(&child.wait_with_output().expect("sokohive ends"), Duration::ZERO)
}

/// Waits until there is a checkpoint, and for a while; false if the search has ended meanwhile.
fn is_under_way(child: &mut Child, folder: &str, more: Duration) -> bool {
    let start = Instant::now();
    let manifest = std::path::Path::new(folder).join("checkpoint");
    let mut since = None;
    loop {
        if child.try_wait().expect("a child").is_some() {
            return false;
        }
        if since.is_none() && manifest.exists() {
            since = Some(Instant::now());
        }
        if since.is_some_and(|since| since.elapsed() >= more) {
            return true;
        }
        assert!(start.elapsed() < Duration::from_secs(120), "no checkpoint");
        thread::sleep(Duration::from_millis(5));
    }
}

fn is_right(answer: &Run) {
    assert_eq!(answer.value("optimal"), "230", "{answer:?}");
    let moves = answer.line("SOLUTION").rsplit(' ').next().expect("moves");
    run(&["verify", "level1", moves]).expect(exit::SUCCESS);
}

#[test]
fn a_search_that_is_killed_again_and_again_comes_to_its_answer() {
    let scratch = Scratch::new();
    let folder = scratch.inside("kept");
    let mut child = start(&folder);
    let mut kills = 0;
    for more in [0, 150, 250, 400, 100, 300, 600, 200] {
        if !is_under_way(&mut child, &folder, Duration::from_millis(more)) {
            break;
        }
        child.kill().expect("a child");
        child.wait().expect("a child");
        kills += 1;
        child = resume(&folder);
    }
    let answer = end(child).expect(exit::SUCCESS);
    is_right(&answer);
    println!("killed {kills} times");
    assert!(kills >= 2);
    assert_eq!(fs::read_dir(&folder).expect("there").count(), 0, "nothing is left over");
    run(&["resume", &folder]).expect(exit::BAD_INPUT);
}

#[test]
fn a_signal_costs_no_more_than_the_open_level() {
    for name in ["TERM", "INT"] {
        let scratch = Scratch::new();
        let folder = scratch.inside("kept");
        let args = ["solve", "level1", "--threads", "1", "--checkpoint", &folder, "--quiet"];
        let mut child = piped(&args);
        // Checkpoints are a minute apart here: that of the signal is what is gone on from.
        if !is_under_way(&mut child, &folder, Duration::from_millis(300)) {
            continue;
        }
        signal(&child, name);
        let cut = end(child).expect(exit::LIMIT);
        assert_eq!(cut.value("optimal"), "INTERRUPTED");
        let bound = |run: &Run| run.value("lower_bound").parse::<u32>().expect("a bound");
        let levels = |run: &Run| run.value("levels").parse::<u64>().expect("a number");
        let begun = run(&["resume", &folder, "--timeout", "0", "--quiet"]).expect(exit::LIMIT);
        assert!(bound(&begun) >= bound(&cut), "{begun:?}\n{cut:?}");
        assert!(levels(&begun) + 1 >= levels(&cut), "{begun:?}\n{cut:?}");
        is_right(&end(resume(&folder)).expect(exit::SUCCESS));
    }
}

#[test]
fn two_searches_do_not_write_to_one_folder() {
    let scratch = Scratch::new();
    let folder = scratch.inside("kept");
    let mut child = start(&folder);
    assert!(is_under_way(&mut child, &folder, Duration::ZERO), "level1 takes longer");
    let other = run(&["resume", &folder, "--quiet"]).expect(exit::BAD_INPUT);
    assert!(other.stderr.contains("another process searches here"), "{other:?}");
    run(&["solve", "p1", "--checkpoint", &folder, "--quiet"]).expect(exit::BAD_INPUT);
    is_right(&end(child).expect(exit::SUCCESS));
}

#[test]
fn a_limit_of_expansions_counts_those_before_the_checkpoint() {
    let scratch = Scratch::new();
    let folder = scratch.inside("kept");
    let limit = |args: &[&str], rows: &str| -> u64 {
        let args = [args, &["--threads", "1", "--quiet", "--max-expansions", rows]].concat();
        run(&args).expect(exit::LIMIT).value("expanded").parse().expect("a number")
    };
    limit(&["solve", "level1", "--checkpoint", &folder], "200000");
    let expanded = limit(&["resume", &folder], "300000");
    assert!((300_000..310_000).contains(&expanded), "{expanded}");
}

/// A folder with a checkpoint in the middle of a search.
fn cut_off(scratch: &Scratch) -> String {
    let folder = scratch.inside("kept");
    let mut child = start(&folder);
    if is_under_way(&mut child, &folder, Duration::from_millis(300)) {
        signal(&child, "TERM");
    }
    end(child).expect(exit::LIMIT);
    folder
}

#[test]
fn what_is_damaged_is_named_and_never_answers() {
    let scratch = Scratch::new();
    let folder = cut_off(&scratch);
    let segment = fs::read_dir(&folder).expect("there").flatten().map(|entry| entry.path());
    let segment = segment.into_iter().find(|path| path.extension().is_some()).expect("a segment");
    let sound = fs::read(&segment).expect("there");
    let name = segment.file_name().and_then(|name| name.to_str()).expect("a name");
    for at in [3, 30, sound.len() / 2] {
        let mut damaged = sound.clone();
        damaged[at] ^= 32;
        fs::write(&segment, damaged).expect("can be written");
        let answer = run(&["resume", &folder, "--quiet"]).expect(exit::BAD_INPUT);
        assert!(answer.stdout.is_empty() && answer.stderr.contains(name), "{answer:?}");
    }
    fs::write(&segment, &sound[..sound.len() / 2]).expect("can be written");
    let answer = run(&["resume", &folder, "--quiet"]).expect(exit::BAD_INPUT);
    assert!(answer.stderr.contains("it ends at byte"), "{answer:?}");
    fs::remove_file(&segment).expect("there");
    run(&["resume", &folder, "--quiet"]).expect(exit::BAD_INPUT);
    fs::write(&segment, &sound).expect("can be written");

    let manifest = format!("{folder}/checkpoint");
    let whole = fs::read(&manifest).expect("there");
    for at in [0, 9, 15, 25, whole.len() - 1] {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        fs::write(&manifest, damaged).expect("can be written");
        let answer = run(&["resume", &folder, "--quiet"]).expect(exit::BAD_INPUT);
        assert!(answer.stderr.contains(&manifest), "{answer:?}");
    }
    fs::write(&manifest, whole).expect("can be written");
    is_right(&end(resume(&folder)).expect(exit::SUCCESS));
}

#[test]
fn a_folder_with_a_checkpoint_is_not_written_over() {
    let scratch = Scratch::new();
    let folder = cut_off(&scratch);
    let answer = run(&["solve", "p1", "--checkpoint", &folder]).expect(exit::BAD_INPUT);
    assert!(answer.stderr.contains("has a checkpoint of level1"), "{answer:?}");
    let two = ["solve", "p1", "p2", "--checkpoint", &scratch.inside("other")];
    run(&two).expect(exit::BAD_INPUT);
    let nowhere = run(&["solve", "p1", "--checkpoint", "/dev/null/x"]).expect(exit::BAD_INPUT);
    assert!(nowhere.stderr.contains("/dev/null/x"), "{nowhere:?}");
    is_right(&end(resume(&folder)).expect(exit::SUCCESS));
}

/// Runs it with a limit on the length of files.
fn on_full_disk(blocks: u64, args: &[&str]) -> Run {
    let output = command_on_full_disk(blocks, args).output().expect("a shell starts");
    Run::new(&output, Duration::ZERO)
}

fn files(folder: &str) -> Vec<String> {
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    fs::read_dir(folder).expect("there").flatten().map(name).collect()
}

#[test]
fn a_full_disk_is_a_limit_when_a_search_is_gone_on_with() {
    let scratch = Scratch::new();
    let folder = cut_off(&scratch);
    let before = files(&folder);
    let answer = on_full_disk(0, &["resume", &folder, "--quiet"]).expect(exit::LIMIT);
    assert_eq!(answer.value("optimal"), "DISK");
    assert!(answer.value("lower_bound").parse::<u32>().expect("a bound") > 0, "{answer:?}");
    let reason = format!("reason=\"cannot begin a journal in {folder}: ");
    assert!(answer.stdout.contains(&reason), "{answer:?}");
    assert_eq!(files(&folder), before);
    is_right(&end(resume(&folder)).expect(exit::SUCCESS));
}

#[test]
fn a_full_disk_leaves_nothing_of_a_search_that_cannot_be_gone_on_with() {
    let scratch = Scratch::new();
    let folder = scratch.inside("kept");
    let args = ["solve", "level1", "--checkpoint", &folder, "--checkpoint-every", "50ms"];
    let answer = on_full_disk(0, &args).expect(exit::LIMIT);
    assert_eq!(answer.value("optimal"), "DISK");
    assert_eq!(files(&folder), [""; 0]);
    // Segments can be begun, and neither they nor manifests be written to their ends.
    let answer = on_full_disk(1, &args).expect(exit::SUCCESS);
    assert!(answer.stderr.contains("no checkpoints for now: "), "{answer:?}");
    assert_eq!((answer.value("optimal"), files(&folder)), ("230", Vec::new()));
    // At best there is a checkpoint of the beginning, and what it names.
    let stopped = [&args[..], &["--max-expansions", "100000"]].concat();
    on_full_disk(1, &stopped).expect(exit::LIMIT);
    let kept = checkpoint::read(&std::path::Path::new(&folder).join("checkpoint"));
    let named = kept.map_or(0, |kept| 1 + kept.segments.len());
    assert_eq!(files(&folder).len(), named, "{:?}", files(&folder));
}

#[test]
fn a_folder_for_checkpoints_that_is_none_is_named() {
    let scratch = Scratch::new();
    let file = scratch.file("file", "");
    let answer = run(&["solve", "p1", "--checkpoint", &file]).expect(exit::BAD_INPUT);
    assert!(answer.stderr.contains(&file), "{answer:?}");
}

#[test]
fn boards_without_a_search_leave_nothing_behind() {
    let scratch = Scratch::new();
    let folder = scratch.inside("kept");
    let jammed = scratch.file("jammed.xsb", "#####\n#@$ #\n#  .#\n#####\n");
    let answer = run(&["solve", &jammed, "--checkpoint", &folder]);
    assert!(answer.code == Some(1) || answer.code == Some(0), "{answer:?}");
    let left = fs::read_dir(&folder).map_or(0, Iterator::count);
    assert_eq!(left, 0);
}

#[test]
fn the_open_list_waits_on_disk_and_leaves_nothing_there() {
    let scratch = Scratch::new();
    let folder = scratch.inside("spill");
    let args = ["solve", "level1", "--quiet", "--memory", "48M", "--spill-dir", &folder];
    let answer = run(&args).expect(exit::SUCCESS);
    assert_eq!(answer.value("optimal"), "230");
    let file = scratch.file("hard.xsb", boards::HARD);
    let args = ["solve", &file, "--quiet", "--memory", "48M", "--spill-dir", &folder];
    let answer = run(&args).expect(exit::LIMIT);
    assert!(answer.value("spilled_bytes").parse::<u64>().expect("a number") > 0, "{answer:?}");
    assert_eq!(fs::read_dir(&folder).expect("there").count(), 0);
    let args = [&args[..], &["--spill-limit", "128K"]].concat();
    let answer = run(&args).expect(exit::LIMIT);
    assert_eq!(answer.value("optimal"), "DISK");
    let reason = format!("reason=\"{folder}: the open list takes more than 131072 bytes there");
    assert!(answer.stdout.contains(&reason), "{answer:?}");
    for nowhere in ["/dev/null/x", &file] {
        let args = ["solve", "p9", "--quiet", "--spill-dir", nowhere];
        let answer = run(&args).expect(exit::BAD_INPUT);
        let says = format!("error: --spill-dir {nowhere}: ");
        assert!(answer.stdout.is_empty() && answer.stderr.starts_with(&says), "{answer:?}");
    }
    run(&["solve", "p9", "--spill-limit", "1G"]).expect(exit::BAD_INPUT);
}
