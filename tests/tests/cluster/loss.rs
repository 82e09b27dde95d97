//! Workers that go away in the middle of a search.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use sokohive::exit;
use sokohive_tests::cluster::{Server, list, workers};
use sokohive_tests::{Run, Scratch, command, run};

/// From the loss to the exit.
const IN_TIME: Duration = Duration::from_secs(15);

/// Starts on p15, which takes long enough, and returns once the search is under way.
fn start(list: &str) -> Child {
    let mut command = command(&["solve", "p15", "--search", "forward", "--workers", list]);
    command.args(["--estimate", "nearest"]);
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("sokohive starts");
    let stderr = child.stderr.as_mut().expect("stderr is piped");
    let mut line = String::new();
    BufReader::with_capacity(1, stderr).read_line(&mut line).expect("progress is told");
    assert!(line.contains("at least"), "{line:?}");
    child
}

fn end(child: Child, since: Instant) -> Run {
    let output = child.wait_with_output().expect("sokohive ends");
    assert!(since.elapsed() < IN_TIME, "took {:?}", since.elapsed());
    Run::new(&output, since.elapsed())
}

fn assert_names(run: &Run, worker: &str) {
    assert_eq!(run.code, Some(exit::CLUSTER_FAILED.into()), "{run:?}");
    assert_eq!(run.value("optimal"), "FAILED");
    assert_eq!(run.value("worker"), worker, "{run:?}");
    assert!(run.value("level").parse::<u32>().unwrap() > 0, "{run:?}");
    assert!(run.stderr.contains(worker), "{run:?}");
    assert!(run.stderr.contains("nothing was saved"), "{run:?}");
}

#[test]
fn why_a_worker_is_waited_for_is_told() {
    // Nobody listens there.
    let args = ["solve", "p1", "--workers", "127.0.0.1:1", "--timeout", "5s"];
    for more in [&[][..], &["--checkpoint", &Scratch::new().inside("kept")]] {
        let answer = run(&[&args, more].concat()).expect(exit::LIMIT);
        let notes = answer.stderr.matches("note: p1: waiting for worker 127.0.0.1:1: ").count();
        assert_eq!(notes, 1, "{answer:?}");
    }
}

#[test]
fn a_killed_worker_is_named_and_the_next_job_runs_when_it_is_back() {
    let mut workers = workers(3, &[]);
    let list = list(&workers);
    let child = start(&list);
    let since = Instant::now();
    workers[1].kill();
    let address = workers[1].address().to_owned();
    assert_names(&end(child, since), &address);
    workers[1] = Server::worker_at(&address, &[]);
    let answer = run(&["solve", "p2", "--workers", &list]).expect(exit::SUCCESS);
    assert_eq!(answer.value("threads"), "3");
}

#[test]
fn a_worker_that_stands_still_is_named() {
    let workers = workers(2, &[]);
    let child = start(&list(&workers));
    let since = Instant::now();
    workers[0].signal("STOP");
    let run = end(child, since);
    workers[0].signal("CONT");
    assert_names(&run, workers[0].address());
}

#[test]
fn a_worker_told_to_stop_ends_in_good_order() {
    let mut workers = workers(2, &[]);
    let child = start(&list(&workers));
    let since = Instant::now();
    workers[1].signal("TERM");
    assert_eq!(workers[1].wait(Duration::from_secs(8)), Some(0));
    let run = end(child, since);
    assert_names(&run, workers[1].address());
    assert!(run.stderr.contains("shutting down"), "{run:?}");
    // Not after the time for which a worker may be silent.
    assert!(since.elapsed() < Duration::from_secs(6), "{:?}", since.elapsed());
}

#[test]
fn an_idle_worker_told_to_stop_ends_at_once() {
    let mut worker = Server::worker(&[]);
    worker.signal("TERM");
    assert_eq!(worker.wait(Duration::from_secs(5)), Some(0));
}

#[test]
fn interrupting_the_client_frees_the_workers() {
    let workers = workers(2, &[]);
    let list = list(&workers);
    let child = start(&list);
    let since = Instant::now();
    sokohive_tests::signal(&child, "INT");
    let run = end(child, since);
    assert_eq!(run.code, Some(exit::LIMIT.into()), "{run:?}");
    assert_eq!(run.value("optimal"), "INTERRUPTED");
    let answer = sokohive_tests::run(&["solve", "p2", "--workers", &list]);
    assert!(answer.expect(exit::SUCCESS).elapsed < Duration::from_secs(5));
}

#[test]
fn what_is_no_address_is_refused_before_anything_starts() {
    let run = run(&["solve", "p1", "--workers", "not-an-address"]);
    assert_eq!(run.code, Some(exit::BAD_INPUT.into()), "{run:?}");
    assert!(run.stderr.contains("'not-an-address' is not an address"), "{run:?}");
}
