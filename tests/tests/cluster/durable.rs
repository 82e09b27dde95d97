//! Searches that outlive their workers, their coordinator, and everything at once.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant, SystemTime};

use sokohive::checkpoint;
use sokohive::exit;
use sokohive_tests::cluster::{Server, list, workers};
use sokohive_tests::{Run, Scratch, command, run, signal};

/// The board of these tests: some seconds, and many levels.
const BOARD: &str = "level1";
const OPTIMUM: &str = "230";

/// Longer than any of this takes on a busy machine.
const LONG: Duration = Duration::from_secs(300);

/// A search with checkpoints.
struct Search {
    folder: Scratch,
    child: Option<Child>,
}

impl Search {
    /// Starts, and returns once a checkpoint of a level is written.
    fn start(workers: &str) -> Self {
        Self::start_with(workers, &[])
    }

    fn start_with(workers: &str, more: &[&str]) -> Self {
        let folder = Scratch::new();
        let mut search = Self { folder, child: None };
        let folder = search.folder().to_owned();
        let args = ["solve", BOARD, "--solution", "--workers", workers, "--checkpoint"];
        search.spawn(&[&args[..], &[&folder], more].concat());
        let newest = search.wait_for_levels(20);
        assert!(newest >= 20);
        search
    }

    fn folder(&self) -> &str {
        self.folder.path().to_str().expect("temporary paths are UTF-8")
    }

    fn manifest(&self) -> PathBuf {
        self.folder.path().join("checkpoint")
    }

    fn spawn(&mut self, args: &[&str]) {
        let mut command = command(args);
        command.args(["--checkpoint-every", "200ms", "--quiet"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        self.child = Some(command.spawn().expect("sokohive starts"));
    }

    /// Waits for a checkpoint of so many levels; how many it has.
    fn wait_for_levels(&mut self, least: u64) -> u64 {
        let start = Instant::now();
        loop {
            if let Ok(checkpoint) = checkpoint::read(&self.manifest())
                && checkpoint.reached.levels >= least
            {
                return checkpoint.reached.levels;
            }
            if let Some(child) = &mut self.child
                && child.try_wait().expect("a child can be waited for").is_some()
            {
                panic!("ended too early: {:?}", self.end());
            }
            assert!(start.elapsed() < LONG, "no checkpoint of {least} levels");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn kill(&mut self) {
        let mut child = self.child.take().expect("it runs");
        child.kill().expect("it can be killed");
        child.wait().expect("a killed process ends");
    }

    fn end(&mut self) -> Run {
        let child = self.child.take().expect("it runs");
        let output = child.wait_with_output().expect("sokohive ends");
        Run::new(&output, Duration::ZERO)
    }

    /// Goes on from the checkpoint; with the workers of before if none are named.
    fn resume(&mut self, args: &[&str]) {
        let folder = self.folder().to_owned();
        self.spawn(&[&["resume", &folder, "--solution"], args].concat());
    }

    fn expect_proof(&mut self) {
        let answer = self.end().expect(exit::SUCCESS);
        assert_eq!(answer.value("optimal"), OPTIMUM, "{answer:?}");
        let moves = answer.line("SOLUTION").rsplit(' ').next().expect("a line has words");
        let replay = run(&["verify", BOARD, moves]).expect(exit::SUCCESS);
        assert_eq!(replay.value("moves"), OPTIMUM);
        assert!(!self.manifest().exists(), "the checkpoint of a proof that was told is deleted");
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        if self.child.is_some() {
            self.kill();
        }
    }
}

/// Some number below `end`, another one in every run.
fn any(end: usize) -> usize {
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
    let number = time.subsec_nanos() as usize / 1000 % end;
    println!("chose {number} of {end}");
    number
}

fn segments(data: &Path) -> usize {
    std::fs::read_dir(data.join("journal")).map_or(0, Iterator::count)
}

#[test]
fn a_killed_worker_that_comes_back_costs_some_levels_only() {
    let mut workers = workers(3, &[]);
    let mut search = Search::start(&list(&workers));
    let victim = any(3);
    workers[victim].restart();
    search.expect_proof();
    for worker in &workers {
        let data = worker.data().expect("it has a folder of its own");
        assert_eq!(segments(data), 0, "nothing is left behind");
    }
}

#[test]
fn with_a_folder_for_all_the_others_go_on_without_a_worker_that_stays_away() {
    let data = Scratch::new();
    let worker = || Server::worker_with("127.0.0.1:0", data.path().as_os_str(), &[]);
    let mut workers = vec![worker(), worker(), worker()];
    let mut search = Search::start(&list(&workers));
    workers[any(3)].kill();
    search.expect_proof();
    assert_eq!(segments(data.path()), 0, "nothing is left behind");
}

#[test]
fn a_killed_coordinator_is_gone_on_from() {
    let workers = workers(2, &[]);
    let mut search = Search::start(&list(&workers));
    search.kill();
    search.resume(&[]);
    search.expect_proof();
}

#[test]
fn everything_killed_goes_on_with_more_workers() {
    let mut all = workers(2, &[]);
    let mut search = Search::start(&list(&all));
    search.kill();
    all.iter_mut().for_each(Server::kill);
    all.iter_mut().for_each(Server::restart);
    all.extend(workers(2, &[]));
    search.resume(&["--workers", &list(&all)]);
    search.expect_proof();
}

#[test]
fn everything_killed_goes_on_with_fewer_workers() {
    let data = Scratch::new();
    let worker = || Server::worker_with("127.0.0.1:0", data.path().as_os_str(), &[]);
    let mut all = vec![worker(), worker(), worker()];
    let mut search = Search::start(&list(&all));
    search.kill();
    all.iter_mut().for_each(Server::kill);
    let one = worker();
    search.resume(&["--workers", one.address()]);
    search.expect_proof();
}

#[test]
fn what_is_interrupted_is_saved_up_to_the_last_level() {
    let workers = workers(2, &[]);
    let mut search = Search::start(&list(&workers));
    signal(search.child.as_ref().expect("it runs"), "INT");
    let answer = search.end().expect(exit::LIMIT);
    assert_eq!(answer.value("optimal"), "INTERRUPTED");
    let bound: u32 = answer.value("lower_bound").parse().unwrap();
    let saved = checkpoint::read(&search.manifest()).unwrap().reached;
    let levels: u64 = answer.value("levels").parse().unwrap();
    // One level was open.
    assert_eq!(saved.levels + 1, levels, "{answer:?}");
    assert!(saved.lower_bound <= bound, "{answer:?}");
    search.resume(&[]);
    search.expect_proof();
}

#[test]
fn a_worker_told_to_end_is_released_after_the_last_level_is_saved() {
    let mut workers = workers(2, &[]);
    let mut search = Search::start(&list(&workers));
    workers[1].signal("TERM");
    assert_eq!(workers[1].wait(Duration::from_secs(15)), Some(0));
    workers[1].restart();
    search.expect_proof();
}

#[test]
fn a_worker_that_stays_away_with_its_folder_ends_the_search_with_what_is_safe() {
    let mut workers = workers(2, &[]);
    let addresses = list(&workers);
    let mut search = Search::start_with(&addresses, &["--give-up-after", "3s"]);
    workers[1].kill();
    let answer = search.end().expect(exit::CLUSTER_FAILED);
    assert_eq!(answer.value("optimal"), "FAILED");
    assert_eq!(answer.value("worker"), workers[1].address(), "{answer:?}");
    assert!(answer.stderr.contains("1 of 2 workers were there"), "{answer:?}");
    assert!(answer.stderr.contains("safe up to level "), "{answer:?}");
    workers[1].restart();
    search.resume(&[]);
    search.expect_proof();
}

#[test]
fn what_cannot_be_kept_is_refused_before_the_search() {
    let folder = Scratch::new();
    let path = folder.path().to_str().expect("temporary paths are UTF-8");
    let mut child = std::process::Command::new(sokohive_tests::binary("sokohive-worker"))
        .args(["--listen", "127.0.0.1:0", "--threads", "1"])
        .env("SOKOHIVE_LOG", "warn")
        .stdout(Stdio::piped())
        .spawn()
        .expect("a worker starts");
    let mut line = String::new();
    let stdout = child.stdout.take().expect("stdout is piped");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut line).unwrap();
    let address = line.trim().strip_prefix("listening on ").expect("it says where");
    let args = ["solve", "p1", "--workers", address, "--checkpoint", path];
    let answer = run(&args).expect(exit::CLUSTER_FAILED);
    assert!(answer.stderr.contains("it keeps no journal: start it with --data-dir"), "{answer:?}");
    child.kill().expect("it can be killed");
    child.wait().expect("a killed process ends");
    let nothing = Scratch::new();
    let path = nothing.path().to_str().expect("temporary paths are UTF-8");
    let answer = run(&["resume", path]).expect(exit::BAD_INPUT);
    assert!(answer.stderr.contains("there is no checkpoint"), "{answer:?}");
}

#[test]
fn a_worker_whose_folder_is_none_does_not_start() {
    let scratch = Scratch::new();
    let file = scratch.file("file", "");
    let folder = scratch.inside("data");
    std::fs::create_dir(&folder).expect("can be made");
    std::fs::write(format!("{folder}/journal"), "").expect("can be written");
    for (flag, path, names) in [
        ("--data-dir", &file, &file),
        ("--data-dir", &folder, &format!("{folder}/journal")),
        ("--spill-dir", &file, &file),
    ] {
        let output = std::process::Command::new(sokohive_tests::binary("sokohive-worker"))
            .args(["--listen", "127.0.0.1:0", flag, path])
            .output()
            .expect("a worker starts");
        let answer = Run::new(&output, Duration::ZERO).expect(exit::BAD_INPUT);
        assert!(answer.stdout.is_empty(), "{answer:?}");
        let says = format!("error: {flag}: {names}: not a directory, expected a folder");
        assert!(answer.stderr.contains(&says), "{answer:?}");
    }
}

#[test]
fn where_nothing_was_saved_there_is_no_checkpoint() {
    let (workers, folder) = (workers(1, &[]), Scratch::new());
    let journals = workers[0].data().expect("it has a folder of its own").join("journal");
    std::fs::remove_dir(&journals).expect("it is empty");
    std::fs::write(&journals, "").expect("can be written");
    let path = folder.inside("kept");
    let args = ["solve", "p1", "--workers", workers[0].address(), "--checkpoint", &path];
    let answer = run(&args).expect(exit::CLUSTER_FAILED);
    assert!(answer.stderr.contains("nothing was saved"), "{answer:?}");
    let says = format!("cannot begin a journal in {}: ", journals.display());
    assert!(answer.stderr.contains(&says), "{answer:?}");
    std::fs::remove_file(&journals).expect("there");
    run(&args).expect(exit::SUCCESS);
}

#[test]
fn a_result_that_cannot_be_written_down_leaves_nothing_behind_once_it_is_told() {
    let workers = workers(2, &[]);
    let mut search = Search::start(&list(&workers));
    // From now on no manifest can be written.
    std::fs::create_dir(search.folder.path().join("checkpoint.new")).expect("can be made");
    search.expect_proof();
    for worker in &workers {
        assert_eq!(segments(worker.data().expect("it has a folder of its own")), 0);
    }
}

/// A coordinator that keeps its state, and its workers.
struct Cluster {
    coordinator: Server,
    workers: Vec<Server>,
    state: Scratch,
}

impl Cluster {
    fn start(count: usize) -> Self {
        let state = Scratch::new();
        let path = state.path().to_str().expect("temporary paths are UTF-8");
        let least = count.to_string();
        let args = ["--min-workers", &least, "--state-dir", path, "--checkpoint-every", "200ms"];
        let coordinator = Server::coordinator(&args);
        let to = ["--coordinator", coordinator.address()];
        let workers = (0..count).map(|_| Server::worker(&to)).collect();
        Self { coordinator, workers, state }
    }

    fn run(&self, args: &[&str]) -> Run {
        run(&[args, &["--coordinator", self.coordinator.address()]].concat())
    }

    fn manifest(&self, job: u64) -> PathBuf {
        self.state.path().join("jobs").join(job.to_string()).join("checkpoint")
    }

    fn wait_for_levels(&self, job: u64, least: u64) {
        let start = Instant::now();
        let levels = |checkpoint: sokohive_proto::Checkpoint| checkpoint.reached.levels;
        while !checkpoint::read(&self.manifest(job)).is_ok_and(|found| levels(found) >= least) {
            assert!(start.elapsed() < LONG, "no checkpoint of {least} levels");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn a_serving_coordinator_that_is_killed_knows_its_queue_and_goes_on() {
    let mut cluster = Cluster::start(2);
    cluster.run(&["submit", "p1", "--watch"]).expect(exit::SUCCESS);
    cluster.run(&["submit", BOARD, "p2"]).expect(exit::SUCCESS);
    cluster.wait_for_levels(2, 20);
    let coordinator = cluster.coordinator.address().to_owned();
    let watching = command(&["watch", "2", "--solution", "--coordinator", &coordinator])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("sokohive starts");
    std::thread::sleep(Duration::from_millis(200));
    cluster.coordinator.restart();
    let output = watching.wait_with_output().expect("sokohive ends");
    let answer = Run::new(&output, Duration::ZERO).expect(exit::SUCCESS);
    assert_eq!(answer.value("optimal"), OPTIMUM, "{answer:?}");
    for (job, optimal) in [("1", "p1"), ("3", "p2")] {
        let answer = cluster.run(&["watch", job]).expect(exit::SUCCESS);
        let known = sokohive_engine::builtin::find(optimal).unwrap().moves.to_string();
        assert_eq!(answer.value("optimal"), known, "{answer:?}");
    }
    let next = cluster.run(&["submit", "p3"]).expect(exit::SUCCESS);
    assert_eq!(next.stdout.trim(), "SUBMITTED p3 job=4", "numbers are not used again");
    assert!(!cluster.manifest(2).exists());
}

#[test]
fn a_serving_coordinator_told_to_stop_suspends_its_job_and_heals_a_worker() {
    let mut cluster = Cluster::start(2);
    cluster.run(&["submit", BOARD]).expect(exit::SUCCESS);
    cluster.wait_for_levels(1, 20);
    cluster.coordinator.signal("TERM");
    assert_eq!(cluster.coordinator.wait(Duration::from_secs(20)), Some(0));
    cluster.workers[any(2)].kill();
    cluster.coordinator.restart();
    cluster.workers.iter_mut().for_each(Server::restart);
    let answer = cluster.run(&["watch", "1"]).expect(exit::SUCCESS);
    assert_eq!(answer.value("optimal"), OPTIMUM, "{answer:?}");
}

#[test]
fn two_coordinators_do_not_serve_from_one_folder() {
    let cluster = Cluster::start(1);
    let state = cluster.state.path().to_str().expect("temporary paths are UTF-8");
    let other = run(&["serve", "--listen", "127.0.0.1:0", "--state-dir", state]);
    let other = other.expect(exit::BAD_INPUT);
    assert!(other.stdout.is_empty(), "{other:?}");
    let says = format!("{state}: another process serves from here");
    assert!(other.stderr.contains(&says), "{other:?}");
}

#[test]
fn a_serving_coordinator_cleans_up_after_a_result_that_it_could_not_write_down() {
    let cluster = Cluster::start(1);
    cluster.run(&["submit", BOARD]).expect(exit::SUCCESS);
    cluster.wait_for_levels(1, 20);
    std::fs::create_dir(cluster.manifest(1).with_extension("new")).expect("can be made");
    let answer = cluster.run(&["watch", "1"]).expect(exit::SUCCESS);
    assert_eq!(answer.value("optimal"), OPTIMUM, "{answer:?}");
    assert!(answer.stderr.contains("no checkpoint: "), "{answer:?}");
    assert!(!cluster.manifest(1).exists());
    let data = cluster.workers[0].data().expect("it has a folder of its own");
    let start = Instant::now();
    while segments(data) > 0 {
        assert!(start.elapsed() < LONG, "segments are left");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn whoever_follows_a_job_is_told_that_a_journal_fails() {
    let cluster = Cluster::start(1);
    cluster.run(&["submit", BOARD]).expect(exit::SUCCESS);
    cluster.wait_for_levels(1, 20);
    let worker = &cluster.workers[0];
    let journal = worker.data().expect("it has a folder of its own").join("journal");
    std::fs::remove_dir_all(journal).expect("there");
    let answer = cluster.run(&["watch", "1"]).expect(exit::SUCCESS);
    assert_eq!(answer.value("optimal"), OPTIMUM, "{answer:?}");
    let says = format!("no checkpoints while worker {} cannot write its journal", worker.address());
    assert_eq!(answer.stderr.matches(&says).count(), 1, "{answer:?}");
}

#[test]
fn a_cancelled_job_leaves_nothing_behind() {
    let cluster = Cluster::start(2);
    cluster.run(&["submit", BOARD]).expect(exit::SUCCESS);
    cluster.wait_for_levels(1, 20);
    cluster.run(&["cancel", "1"]).expect(exit::SUCCESS);
    let answer = cluster.run(&["watch", "1"]).expect(exit::LIMIT);
    assert_eq!(answer.value("optimal"), "INTERRUPTED");
    for worker in &cluster.workers {
        assert_eq!(segments(worker.data().expect("it has a folder of its own")), 0);
    }
    assert!(!cluster.manifest(1).exists());
}
