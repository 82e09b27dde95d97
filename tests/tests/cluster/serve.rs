//! A serving coordinator, its workers and its clients.

use std::time::{Duration, Instant};

use sokohive::exit;
use sokohive_engine::builtin;
use sokohive_tests::cluster::Server;
use sokohive_tests::{Run, run};

struct Cluster {
    coordinator: Server,
    workers: Vec<Server>,
}

impl Cluster {
    fn start(workers: usize) -> Self {
        let least = workers.max(1).to_string();
        let coordinator = Server::coordinator(&["--min-workers", &least]);
        let to = ["--coordinator", coordinator.address()];
        let workers = (0..workers).map(|_| Server::worker(&to)).collect();
        Self { coordinator, workers }
    }

    fn run(&self, args: &[&str]) -> Run {
        let mut all = args.to_vec();
        all.extend(["--coordinator", self.coordinator.address()]);
        run(&all)
    }

    /// Waits until so many workers have registered.
    fn wait_for_workers(&self, count: usize) {
        let start = Instant::now();
        loop {
            let status = self.run(&["status"]).expect(exit::SUCCESS);
            let found = status.stdout.lines().filter(|line| line.starts_with("WORKER ")).count();
            if found == count {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "{status:?}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

#[test]
fn jobs_queue_and_their_results_are_kept() {
    let cluster = Cluster::start(3);
    let submitted = cluster.run(&["submit", "p1", "p2", "p3"]).expect(exit::SUCCESS);
    let lines: Vec<&str> = submitted.stdout.lines().collect();
    assert_eq!(lines, ["SUBMITTED p1 job=1", "SUBMITTED p2 job=2", "SUBMITTED p3 job=3"]);
    for (job, id) in [("3", "p3"), ("1", "p1"), ("2", "p2")] {
        let answer = cluster.run(&["watch", job, "--solution"]).expect(exit::SUCCESS);
        let known = builtin::find(id).unwrap().moves.to_string();
        assert!(answer.line("RESULT").starts_with(&format!("RESULT {id} optimal={known} ")));
        let moves = answer.line("SOLUTION").rsplit(' ').next().unwrap();
        let replay = run(&["verify", id, moves]).expect(exit::SUCCESS);
        assert_eq!(replay.value("moves"), known);
    }
    let status = cluster.run(&["status"]).expect(exit::SUCCESS);
    assert_eq!(status.stdout.matches("state=ended").count(), 3, "{status:?}");
    let unknown = cluster.run(&["watch", "99"]).expect(exit::BAD_INPUT);
    assert!(unknown.stderr.contains("there is no job 99"), "{unknown:?}");
}

#[test]
fn submitting_and_watching_is_like_solving() {
    let cluster = Cluster::start(2);
    let answer = cluster.run(&["submit", "p4", "--watch", "--format", "json"]);
    let answer = answer.expect(exit::SUCCESS);
    let object: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(object["optimal"], builtin::find("p4").unwrap().moves);
    assert_eq!(object["cluster"]["workers"], 2);
}

#[test]
fn jobs_break_ties_and_count_like_one_process() {
    let cluster = Cluster::start(2);
    for objective in ["moves", "pushes"] {
        let flags = ["p9", "--objective", objective, "--count"];
        let alone = run(&[&["solve"], &flags[..]].concat()).expect(exit::SUCCESS);
        let answer = cluster.run(&[&["submit", "--watch"], &flags[..]].concat());
        let answer = answer.expect(exit::SUCCESS);
        for word in ["optimal", "moves", "pushes", "tie", "solutions"] {
            assert_eq!(answer.value(word), alone.value(word), "{word}, fewest {objective}");
        }
        let any = ["submit", "p9", "--watch", "--any-tie", "--objective", objective];
        let any = cluster.run(&any).expect(exit::SUCCESS);
        assert_eq!(any.value("tie"), "any");
        assert!(!any.stdout.contains("solutions="), "{any:?}");
    }
}

#[test]
fn a_job_waits_for_workers_and_can_be_cancelled() {
    let coordinator = Server::coordinator(&["--min-workers", "2"]);
    let cluster = Cluster { coordinator, workers: Vec::new() };
    cluster.run(&["submit", "p1", "p2"]).expect(exit::SUCCESS);
    for job in ["2", "1"] {
        let answer = cluster.run(&["cancel", job]).expect(exit::SUCCESS);
        assert_eq!(answer.stdout.trim(), format!("CANCEL job={job} cancelled"));
        let answer = cluster.run(&["watch", job]).expect(exit::LIMIT);
        assert_eq!(answer.value("optimal"), "INTERRUPTED");
    }
    let again = cluster.run(&["cancel", "1"]).expect(exit::SUCCESS);
    assert_eq!(again.stdout.trim(), "CANCEL job=1 over-already");
}

#[test]
fn a_running_job_can_be_cancelled_and_the_next_runs() {
    let cluster = Cluster::start(2);
    let args = ["submit", "p15", "--search", "forward", "--estimate", "nearest"];
    cluster.run(&args).expect(exit::SUCCESS);
    cluster.wait_for_workers(2);
    std::thread::sleep(Duration::from_secs(1));
    cluster.run(&["cancel", "1"]).expect(exit::SUCCESS);
    let answer = cluster.run(&["watch", "1"]).expect(exit::LIMIT);
    assert_eq!(answer.value("optimal"), "INTERRUPTED");
    cluster.run(&["submit", "p1", "--watch"]).expect(exit::SUCCESS);
}

#[test]
fn a_lost_worker_fails_its_job_and_not_the_next() {
    let mut cluster = Cluster::start(2);
    cluster.wait_for_workers(2);
    let args = ["submit", "p15", "--search", "forward", "--estimate", "nearest"];
    cluster.run(&args).expect(exit::SUCCESS);
    std::thread::sleep(Duration::from_secs(1));
    let since = Instant::now();
    cluster.workers[0].kill();
    let answer = cluster.run(&["watch", "1"]).expect(exit::CLUSTER_FAILED);
    assert!(since.elapsed() < Duration::from_secs(15), "{:?}", since.elapsed());
    assert_eq!(answer.value("worker"), cluster.workers[0].address());
    let to = cluster.coordinator.address().to_owned();
    cluster.workers[0] = Server::worker(&["--coordinator", &to]);
    cluster.wait_for_workers(2);
    cluster.run(&["submit", "p1", "--watch"]).expect(exit::SUCCESS);
}

#[test]
fn bad_boards_are_told_like_everywhere() {
    let cluster = Cluster::start(1);
    let answer = cluster.run(&["submit", "no-such-file.xsb"]).expect(exit::BAD_INPUT);
    assert!(answer.stderr.contains("no such file"), "{answer:?}");
}

#[test]
fn the_coordinator_told_to_stop_ends_in_good_order() {
    let mut cluster = Cluster::start(1);
    cluster.run(&["submit", "p15", "--search", "forward"]).expect(exit::SUCCESS);
    std::thread::sleep(Duration::from_millis(500));
    cluster.coordinator.signal("TERM");
    assert_eq!(cluster.coordinator.wait(Duration::from_secs(10)), Some(0));
}

#[test]
fn the_time_of_a_job_is_over_even_if_no_workers_come() {
    let cluster = Cluster::start(0);
    let start = Instant::now();
    let args = ["submit", "p1", "--timeout", "1s", "--watch"];
    let answer = cluster.run(&args).expect(exit::LIMIT);
    assert_eq!((answer.value("optimal"), answer.value("lower_bound")), ("TIMEOUT", "0"));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn what_is_for_each_worker_to_say_cannot_be_submitted() {
    for flag in [["--entry-width", "16"], ["--threads", "2"], ["--spill-dir", "."]] {
        let answer = run(&[&["submit", "p1"], &flag[..]].concat()).expect(exit::BAD_INPUT);
        assert!(answer.stderr.contains("is for each worker to say"), "{answer:?}");
        let help = run(&["submit", "--help"]).expect(exit::SUCCESS);
        assert!(!help.stdout.contains(flag[0]), "{}", help.stdout);
    }
    let help = run(&["submit", "--help"]).expect(exit::SUCCESS).stdout;
    assert!(help.contains("the worker's own limit") && !help.contains("80 %"), "{help}");
    assert!(help.contains("waiting for workers"), "{help}");
}

#[test]
fn an_address_in_use_is_no_failure_of_the_cluster() {
    let cluster = Cluster::start(0);
    let answer = run(&["serve", "--listen", cluster.coordinator.address()]);
    let answer = answer.expect(exit::BAD_INPUT);
    assert!(answer.stderr.contains("listening on"), "{answer:?}");
}

#[test]
fn probes_tell_who_serves() {
    let cluster = Cluster::start(1);
    let probe = |address: &str| {
        let worker = sokohive_tests::binary("sokohive-worker");
        let status = std::process::Command::new(worker)
            .args(["--probe", address])
            .stderr(std::process::Stdio::null())
            .status();
        status.expect("sokohive-worker starts").success()
    };
    assert!(probe(cluster.coordinator.address()));
    assert!(probe(cluster.workers[0].address()));
    assert!(!probe("127.0.0.1:1"));
}
