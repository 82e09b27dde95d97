//! Clients that want the same workers at the same moment.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use sokohive::exit;
use sokohive_engine::builtin;
use sokohive_tests::cluster::{Server, list, workers};
use sokohive_tests::{Run, binary, command, run};

/// Starts to solve a board on these workers.
fn start(board: &str, list: &str) -> Child {
    command(&["solve", board, "--workers", list])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("sokohive starts")
}

fn expect_optimum(child: Child, board: &str, since: Instant) {
    let output = child.wait_with_output().expect("sokohive ends");
    let answer = Run::new(&output, since.elapsed()).expect(exit::SUCCESS);
    assert_eq!(answer.value("optimal"), builtin::find(board).unwrap().moves.to_string());
}

/// Neither order of the list nor the number of clients matters.
#[test]
fn clients_that_start_together_go_one_after_the_other() {
    let workers = workers(3, &[]);
    let ahead = list(&workers);
    let back: Vec<&str> = workers.iter().rev().map(Server::address).collect();
    let back = back.join(",");
    for lists in [[&ahead, &ahead, &ahead], [&ahead, &back, &ahead], [&back, &ahead, &back]] {
        let since = Instant::now();
        let boards = ["p13", "p7", "p2"];
        let children: Vec<_> =
            boards.iter().zip(lists).map(|(board, list)| (board, start(board, list))).collect();
        for (board, child) in children {
            expect_optimum(child, board, since);
        }
        assert!(since.elapsed() < Duration::from_secs(40), "{:?}", since.elapsed());
    }
}

/// A job that ends before it has begun keeps nobody.
#[test]
fn workers_of_a_job_that_ends_while_they_prepare_are_free_at_once() {
    let workers = workers(3, &[]);
    let list = list(&workers);
    for _ in 0..5 {
        for limit in [["--memory", "1K"], ["--max-expansions", "1"], ["--timeout", "1ms"]] {
            let mut args = vec!["solve", "p15", "--workers", &list];
            args.extend(limit);
            run(&args).expect(exit::LIMIT);
            let answer = run(&["solve", "p1", "--workers", &list]).expect(exit::SUCCESS);
            assert!(answer.elapsed < Duration::from_secs(6), "{limit:?}: {:?}", answer.elapsed);
        }
    }
}

/// Of a worker's environment only its certificate has to do with a question.
#[test]
fn probing_takes_no_notice_of_the_environment_but_for_tls() {
    let worker = Server::worker(&[]);
    let probe = |address: &str| {
        Command::new(binary("sokohive-worker"))
            .args(["--probe", address])
            .env("SOKOHIVE_MEMORY", "1G")
            .env("SOKOHIVE_LISTEN", "0.0.0.0:7401")
            .env("SOKOHIVE_SPILL_LIMIT", "1G")
            .env("SOKOHIVE_THREADS", "many")
            .output()
            .expect("sokohive-worker starts")
    };
    let answer = probe(worker.address());
    assert!(answer.status.success(), "{answer:?}");
    let answer = probe("127.0.0.1:1");
    assert_eq!(answer.status.code(), Some(1), "{answer:?}");
    let text = String::from_utf8_lossy(&answer.stderr);
    assert!(text.contains("127.0.0.1:1: no answer"), "{text}");
    let answer = Command::new(binary("sokohive-worker"))
        .args(["--probe", worker.address()])
        .env("SOKOHIVE_TLS_CA", "ca.pem")
        .output()
        .expect("sokohive-worker starts");
    assert!(!answer.status.success(), "{answer:?}");
    let text = String::from_utf8_lossy(&answer.stderr);
    assert!(text.contains("--tls-cert"), "{text}");
}

/// What a worker has written down can be damaged.
#[test]
fn a_worker_whose_epoch_makes_no_sense_does_not_start() {
    let mut worker = Server::worker(&[]);
    worker.kill();
    let folder = worker.data().expect("it has a folder").to_owned();
    std::fs::write(folder.join("epoch"), "sokohive-epoch 1\n18446744073709551615\n").unwrap();
    let answer = Command::new(binary("sokohive-worker"))
        .args(["--listen", "127.0.0.1:0", "--data-dir"])
        .arg(&folder)
        .output()
        .expect("sokohive-worker starts");
    assert_eq!(answer.status.code(), Some(exit::BAD_INPUT.into()), "{answer:?}");
    let text = String::from_utf8_lossy(&answer.stderr);
    assert!(text.contains("epoch 18446744073709551615 is beyond"), "{text}");
}

#[test]
fn a_worker_with_two_names_is_refused_before_anything_starts() {
    let worker = Server::worker(&[]);
    let port = worker.address().rsplit(':').next().unwrap();
    let twice = format!("localhost:{port},127.0.0.1:{port}");
    let answer = run(&["solve", "p1", "--workers", &twice]).expect(exit::BAD_INPUT);
    assert!(answer.stderr.contains("is named twice"), "{answer:?}");
    for scheme in ["http", "https"] {
        let url = format!("{scheme}://127.0.0.1:{port}");
        let answer = run(&["solve", "p1", "--workers", &url]).expect(exit::BAD_INPUT);
        assert!(answer.stderr.contains("expected HOST:PORT without a scheme"), "{answer:?}");
    }
}
