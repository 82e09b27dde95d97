//! How jobs begin and end, against scripted workers. Whole searches are simulated elsewhere.

use std::time::Duration;

use sokohive_engine::{EstimateChoice, Limit, Objective, Reached, Rule, SearchChoice, Side};
use sokohive_proto::{
    AllOptimal, Finish, Hello, Incarnation, JobKey, OpenList, PROTOCOL, Rank, Refusal, Report, Row,
    Task, Trail,
};

use super::*;

mod comparing;
mod keeping;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Opens the smallest f below the incumbent.
#[derive(Debug)]
struct Forward(u32);

impl Levels for Forward {
    fn level_is_over(&mut self, open: [Option<OpenList>; 2], incumbent: Option<u32>) -> Reached {
        let next = open[0].map_or(self.0, |open| open.smallest_f);
        let lower_bound = self.0.max(next.min(incumbent.unwrap_or(u32::MAX)));
        Reached { lower_bound, ..Reached::default() }
    }

    fn advance(
        &mut self,
        open: [Option<OpenList>; 2],
        incumbent: Option<u32>,
    ) -> Option<(Side, u32)> {
        let f = open[0]?.smallest_f;
        self.0 = f.min(incumbent.unwrap_or(u32::MAX));
        (f == self.0 && incumbent != Some(f)).then_some((Side::Forward, f))
    }

    fn forward_closed_below(&self) -> u32 {
        u32::MAX
    }

    fn lower_bound(&self) -> u32 {
        self.0
    }
}

/// A job and the calls that await an answer.
struct Bench {
    now: Duration,
    job: Job,
    calls: Vec<(usize, CallId, Request)>,
    others: Vec<Command>,
}

impl Bench {
    fn new(workers: usize) -> Self {
        Self::with(settings(workers))
    }

    fn with(settings: Settings) -> Self {
        let (job, commands) = Job::start(ms(0), settings);
        let mut bench = Self { now: ms(0), job, calls: Vec::new(), others: Vec::new() };
        bench.sort(commands);
        bench
    }

    /// Writes the manifest that is asked for, if one is.
    fn commit(&mut self) -> Option<Arc<Checkpoint>> {
        let at = self.others.iter().position(|other| matches!(other, Command::Commit(_)))?;
        let Command::Commit(checkpoint) = self.others.remove(at) else { unreachable!() };
        self.event(Event::Committed(Ok(())));
        Some(checkpoint)
    }
}

fn settings(workers: usize) -> Settings {
    Settings {
        key: JobKey::new(1),
        name: "test".to_owned(),
        search: SearchChoice::Forward,
        every: None,
        checkpoint: None,
        last_epoch: 0,
        proven: None,
        task: Task {
            board: "#####\n#@$.#\n#####\n".to_owned(),
            edge_is_wall: false,
            rule: Rule::Classic,
            objective: Objective::Moves,
            search: SearchChoice::Auto,
            estimate: EstimateChoice::Auto,
            dominance: true,
            deadlock_tables: true,
            memory: None,
            all: AllOptimal::default(),
        },
        workers: (0..workers).map(|n| format!("worker-{n}:1")).collect(),
        expansions: Some(1000),
        levels: Box::new(Forward(0)),
    }
}

impl Bench {
    fn sort(&mut self, commands: Vec<Command>) {
        for command in commands {
            match command {
                Command::Call { worker, call, request } => {
                    self.calls.push((worker, call, request));
                }
                other => self.others.push(other),
            }
        }
    }

    fn event(&mut self, event: Event) {
        let commands = self.job.handle(self.now, event);
        self.sort(commands);
    }

    /// Answers every call that waits; `None` leaves it unanswered for good.
    fn answer(&mut self, reply: impl Fn(usize, &Request) -> Option<Result<Reply, CallError>>) {
        for (worker, call, request) in std::mem::take(&mut self.calls) {
            if let Some(result) = reply(worker, &request) {
                self.event(Event::Answered { call, result });
            }
        }
    }

    /// Answers until all workers are ready and are called for something else.
    fn prepare(&mut self) {
        for _ in 0..20 {
            let later =
                |request: &Request| matches!(request, Request::Poll(_) | Request::Restore(_));
            if self.calls.iter().any(|(_, _, request)| later(request)) {
                return;
            }
            self.answer(steady(&idle()));
        }
        panic!("no survey, but {:?}", self.calls);
    }

    fn tick(&mut self) {
        self.now = self.job.deadline().expect("a job that goes on has a deadline").max(self.now);
        self.event(Event::Tick);
    }

    fn ending(&self) -> Option<&Ending> {
        self.others.iter().find_map(|command| match command {
            Command::End(ending) => Some(ending),
            _ => None,
        })
    }

    fn failure(&self) -> (Option<&str>, &str, bool) {
        match self.ending() {
            Some(Ending::Failed(failure)) => {
                (failure.worker.as_deref(), &failure.reason, failure.retryable)
            }
            other => panic!("expected a failure, found {other:?}"),
        }
    }
}

fn hello(worker: usize) -> Hello {
    Hello {
        protocol: PROTOCOL,
        incarnation: Incarnation::new(100 + worker as u64),
        last_epoch: 3 * worker as u64,
        memory: 1 << 20,
        threads: 2,
        version: "test".to_owned(),
        keeps_journal: true,
        present: Vec::new(),
    }
}

/// A worker whose report is always the same.
fn steady(report: &Report) -> impl Fn(usize, &Request) -> Option<Result<Reply, CallError>> {
    let report = report.clone();
    move |worker, request| {
        Some(Ok(match request {
            Request::Hello(_) => Reply::Hello(hello(worker)),
            Request::Prepare(_) => Reply::Prepared { ready: true },
            Request::Restore(restore) => {
                let level = Some(restore.level);
                Reply::Report(Box::new(Report { level, ..report.clone() }))
            }
            Request::OpenLevel(open) => {
                Reply::Report(Box::new(Report { level: Some(open.level), ..report.clone() }))
            }
            Request::Poll(poll) => {
                Reply::Report(Box::new(Report { level: poll.level, ..report.clone() }))
            }
            Request::Rows(_, ranks) => Reply::Rows(vec![Row::default(); ranks.len()]),
            Request::Ends(_) => Reply::Ends(Some(Vec::new())),
            Request::Release { .. } => Reply::Released,
        }))
    }
}

fn idle() -> Report {
    Report { idle: true, ..Report::default() }
}

fn open(f: u32) -> Vec<OpenList> {
    vec![OpenList { side: Side::Forward, smallest_f: f, rows: 1 }]
}

fn finish(cost: u32) -> Finish {
    Finish { cost, rank: Rank::from(5), trail: Trail::Meeting }
}

fn run(bench: &mut Bench, report: &Report) {
    for _ in 0..50 {
        bench.answer(steady(report));
    }
}

#[test]
fn no_workers_no_job() {
    assert_eq!(Bench::new(0).failure(), (None, "there are no workers", true));
}

#[test]
fn the_epoch_is_beyond_all_that_the_workers_know() {
    let mut bench = Bench::new(3);
    bench.answer(steady(&idle()));
    let Some((_, _, Request::Prepare(prepare))) = bench.calls.first() else {
        panic!("greeting is followed by preparing");
    };
    assert_eq!(prepare.fence.epoch.get(), 7);
}

#[test]
fn nothing_open_and_no_finish_is_unsolvable() {
    let mut bench = Bench::new(2);
    run(&mut bench, &idle());
    assert_eq!(bench.ending(), Some(&Ending::Unsolvable));
}

#[test]
fn a_board_solved_at_the_start_takes_no_level() {
    let mut bench = Bench::new(2);
    run(&mut bench, &Report { best: Some(finish(0)), open: open(0), ..idle() });
    assert!(matches!(bench.others[..], [Command::WalkBack(_)]), "{:?}", bench.others);
    bench.event(Event::WalkedBack(Ok(())));
    run(&mut bench, &idle());
    assert_eq!(bench.ending(), Some(&Ending::Optimal(finish(0))));
}

#[test]
fn a_worker_of_another_version_is_named() {
    let mut bench = Bench::new(2);
    bench.answer(|worker, _| {
        let protocol = if worker == 1 { PROTOCOL + 1 } else { PROTOCOL };
        Some(Ok(Reply::Hello(Hello { protocol, ..hello(worker) })))
    });
    let (worker, reason, retryable) = bench.failure();
    assert_eq!((worker, retryable), (Some("worker-1:1"), false));
    assert_eq!(reason, "it speaks protocol version 4, expected 3");
}

#[test]
fn a_worker_that_is_named_twice_is_refused() {
    let mut bench = Bench::new(2);
    bench.answer(|_, _| Some(Ok(Reply::Hello(hello(0)))));
    let (worker, reason, _) = bench.failure();
    assert_eq!(worker, Some("worker-1:1"));
    assert_eq!(reason, "it is the same process as worker worker-0:1");
}

#[test]
fn a_worker_that_never_comes_is_waited_for_a_minute() {
    let mut bench = Bench::new(2);
    let gone = || CallError::Unreachable("name not known".to_owned());
    while bench.ending().is_none() {
        bench.answer(|worker, _| {
            Some(if worker == 0 { Ok(Reply::Hello(hello(0))) } else { Err(gone()) })
        });
        if bench.ending().is_none() {
            bench.tick();
        }
    }
    assert_eq!(bench.now.as_secs(), 60);
    let (worker, reason, retryable) = bench.failure();
    assert_eq!((worker, retryable), (Some("worker-1:1"), true));
    assert_eq!(reason, "no answer for 60 s: name not known");
}

#[test]
fn why_a_worker_is_waited_for_is_told_once_a_cause_and_soon() {
    let mut bench = Bench::new(2);
    let mut told = Vec::new();
    while bench.ending().is_none() {
        let cause = if bench.now < ms(5_000) { "name not known" } else { "connection refused" };
        bench.answer(|worker, _| {
            let gone = || Err(CallError::Unreachable(cause.to_owned()));
            Some(if worker == 0 { Ok(Reply::Hello(hello(0))) } else { gone() })
        });
        let now = bench.now;
        bench.others.retain(|other| match other {
            Command::Note(text) => {
                told.push((now, text.clone()));
                false
            }
            _ => true,
        });
        if bench.ending().is_none() {
            bench.tick();
        }
    }
    let [(first, name), (second, refused)] = &told[..] else { panic!("{told:?}") };
    assert_eq!(name, "waiting for worker worker-1:1: name not known");
    assert_eq!(refused, "waiting for worker worker-1:1: connection refused");
    assert!((ms(1_000)..ms(2_000)).contains(first), "{told:?}");
    assert!((ms(5_000)..ms(6_000)).contains(second), "{told:?}");
}

#[test]
fn a_mismatch_is_not_waited_out_and_one_that_comes_later_may_pass() {
    let mismatch = || CallError::Mismatch("it does not speak TLS".to_owned());
    let mut bench = Bench::new(1);
    bench.answer(|_, _| Some(Err(mismatch())));
    assert_eq!(bench.failure(), (Some("worker-0:1"), "it does not speak TLS", false));
    let mut bench = Bench::new(1);
    bench.prepare();
    bench.answer(|_, _| Some(Err(mismatch())));
    bench.answer(|_, _| Some(Ok(Reply::Released)));
    assert_eq!(bench.failure(), (Some("worker-0:1"), "it does not speak TLS", true));
}

#[test]
fn a_worker_that_falls_silent_is_lost_in_time() {
    let mut bench = Bench::new(3);
    bench.prepare();
    let report = Report { open: open(17), ..idle() };
    bench.answer(steady(&report));
    // In the level, worker 2 falls silent: no answer to any call, the release included.
    while bench.ending().is_none() {
        bench.answer(|worker, request| {
            (worker != 2).then(|| steady(&report)(worker, request)).flatten()
        });
        if bench.ending().is_none() {
            bench.tick();
        }
    }
    assert!(bench.now < Duration::from_secs(11), "took {:?}", bench.now);
    assert_eq!(bench.failure(), (Some("worker-2:1"), "no answer for 8 s: no answer", true));
    let Some(Ending::Failed(failure)) = bench.ending() else { unreachable!() };
    assert_eq!(failure.level, 17);
}

#[test]
fn a_restarted_worker_is_lost_at_once() {
    let mut bench = Bench::new(1);
    bench.prepare();
    bench.answer(steady(&Report { open: open(17), ..idle() }));
    bench.answer(|_, _| Some(Err(CallError::Refused(Refusal::NoJob))));
    assert_eq!(bench.failure().1, "it has been started again");
}

#[test]
fn memory_ends_with_the_bound_proven() {
    let mut bench = Bench::new(2);
    bench.prepare();
    bench.answer(steady(&Report { open: open(17), ..idle() }));
    run(&mut bench, &Report { memory_exhausted: true, open: open(18), ..Report::default() });
    let expected = Ending::Limit { limit: Limit::Memory, lower_bound: 17, best: None };
    assert_eq!(bench.ending(), Some(&expected));
}

#[test]
fn memory_for_no_table_at_all_is_a_limit_too() {
    let mut bench = Bench::new(2);
    for _ in 0..2 {
        bench.answer(steady(&idle()));
    }
    let refusal = || CallError::Refused(Refusal::TooLittleMemory(5));
    bench.answer(|worker, _| (worker == 1).then(|| Err(refusal())));
    run(&mut bench, &idle());
    let expected = Ending::Limit { limit: Limit::Memory, lower_bound: 0, best: None };
    assert_eq!(bench.ending(), Some(&expected));
}

#[test]
fn stopping_keeps_what_is_known() {
    let mut bench = Bench::new(2);
    let report = Report { open: open(17), best: Some(finish(30)), ..Report::default() };
    bench.prepare();
    for _ in 0..2 {
        bench.answer(steady(&report));
    }
    bench.event(Event::Stop(StopReason::Time));
    bench.event(Event::WalkedBack(Ok(())));
    bench.event(Event::Stop(StopReason::Interrupt));
    run(&mut bench, &idle());
    let (limit, lower_bound) = (Limit::Time, 17);
    let expected = Ending::Limit { limit, lower_bound, best: Some(finish(30)) };
    assert_eq!(bench.ending(), Some(&expected));
}

#[test]
fn an_unreachable_peer_is_named_with_who_misses_it() {
    let mut bench = Bench::new(2);
    bench.prepare();
    bench.answer(steady(&Report { open: open(17), ..idle() }));
    let silent =
        sokohive_proto::SilentPeer { index: 1, silent: LOST, reason: "timed out".to_owned() };
    run(&mut bench, &Report { silent: vec![silent], ..Report::default() });
    let (worker, reason, _) = bench.failure();
    assert_eq!(worker, Some("worker-1:1"));
    assert_eq!(reason, "out of reach of worker worker-0:1 for 8 s: timed out");
}

#[test]
fn rows_are_read_in_chunks_and_delivered_together() {
    let mut bench = Bench::new(2);
    run(&mut bench, &Report { best: Some(finish(9)), ..idle() });
    let ranks = |n: u64| (0..n).map(Rank::from).collect::<Vec<_>>();
    bench.event(Event::RowsWanted(vec![(1, ranks(1300)), (0, ranks(2))]));
    run(&mut bench, &idle());
    let Some(Command::Deliver(rows)) = bench.others.last() else {
        panic!("rows are delivered");
    };
    let shape: Vec<_> = rows.iter().map(|(worker, rows)| (*worker, rows.len())).collect();
    assert_eq!(shape, [(1, 1300), (0, 2)]);
    bench.event(Event::WalkedBack(Err("no tight predecessor".to_owned())));
    run(&mut bench, &idle());
    assert_eq!(bench.failure().1, "walking back along the solution: no tight predecessor");
}

/// The workers that are called into the job now, and the epoch.
fn called(bench: &Bench) -> Vec<(usize, u64)> {
    let of = |(worker, _, request): &(usize, CallId, Request)| match request {
        Request::Prepare(prepare) => Some((*worker, prepare.fence.epoch.get())),
        _ => None,
    };
    bench.calls.iter().filter_map(of).collect()
}

#[test]
fn workers_are_claimed_one_after_the_other_by_incarnation() {
    let mut bench = Bench::new(3);
    let incarnation = |worker| Incarnation::new([30, 10, 20][worker]);
    bench.answer(|worker, _| {
        let incarnation = incarnation(worker);
        Some(Ok(Reply::Hello(Hello { incarnation, ..hello(worker) })))
    });
    for worker in [1, 2, 0] {
        assert_eq!(called(&bench), [(worker, 7)]);
        bench.answer(steady(&idle()));
    }
    assert!(matches!(bench.calls[0].2, Request::Poll(_)), "{:?}", bench.calls);
}

#[test]
fn workers_that_are_ready_are_called_while_another_lays_out() {
    let mut bench = Bench::new(2);
    bench.answer(steady(&idle()));
    bench.answer(steady(&idle()));
    let (mut heard, mut longest) = (ms(0), ms(0));
    while bench.now < ms(30_000) {
        if called(&bench).iter().any(|&(worker, _)| worker == 0) {
            longest = longest.max(bench.now - heard);
            heard = bench.now;
        }
        bench.answer(|worker, _| Some(Ok(Reply::Prepared { ready: worker == 0 })));
        // The worker takes its time.
        bench.now += ms(500);
        bench.event(Event::Tick);
    }
    assert!(heard > ms(28_000), "{heard:?}");
    assert!(longest <= ms(2_000), "silent for {longest:?}");
    assert!(bench.ending().is_none());
    bench.prepare();
}

#[test]
fn a_job_whose_epoch_is_over_before_it_has_a_worker_begins_anew() {
    let mut bench = Bench::new(2);
    bench.answer(steady(&idle()));
    bench.answer(steady(&idle()));
    assert_eq!(called(&bench), [(1, 4)]);
    let (current, called_in) = (8, Epoch::after(3));
    let over = Refusal::OldEpoch { current, called: called_in };
    bench.answer(|_, _| Some(Err(CallError::Refused(over.clone()))));
    assert_eq!(bench.calls.len(), 2);
    for (_, _, request) in &bench.calls {
        assert!(matches!(request, Request::Release { discard: false, .. }), "{request:?}");
    }
    bench.answer(steady(&idle()));
    bench.tick();
    bench
        .answer(|worker, _| Some(Ok(Reply::Hello(Hello { last_epoch: current, ..hello(worker) }))));
    assert_eq!(called(&bench), [(0, 9)]);
    bench.prepare();
}

#[test]
fn a_worker_that_another_job_has_is_waited_for_a_minute() {
    let mut bench = Bench::new(2);
    bench.answer(steady(&idle()));
    while bench.ending().is_none() {
        bench.answer(|_, request| {
            Some(match request {
                Request::Release { .. } => Ok(Reply::Released),
                _ => Err(CallError::Refused(Refusal::Busy(JobKey::new(2)))),
            })
        });
        if bench.ending().is_none() {
            assert!(called(&bench).iter().all(|&(worker, _)| worker == 0), "one at a time");
            bench.tick();
        }
    }
    assert!((60..=62).contains(&bench.now.as_secs()), "{:?}", bench.now);
    let (worker, reason, retryable) = bench.failure();
    assert_eq!((worker, retryable), (Some("worker-0:1"), true));
    assert_eq!(reason, "the worker is busy with job 0000000000000002");
}

#[test]
fn a_worker_that_has_used_up_its_epochs_is_named() {
    let mut bench = Bench::new(2);
    let last_epoch = |worker| if worker == 1 { Epoch::LAST } else { 0 };
    bench.answer(|worker, _| {
        Some(Ok(Reply::Hello(Hello { last_epoch: last_epoch(worker), ..hello(worker) })))
    });
    let (worker, reason, retryable) = bench.failure();
    assert_eq!((worker, retryable), (Some("worker-1:1"), false));
    assert_eq!(reason, "it has used up all 281474976710655 epochs");
}

/// Somebody has made one worker jump ahead, by several calls.
#[test]
fn workers_far_behind_are_made_to_follow() {
    let mut bench = Bench::new(2);
    let mut last = [0, 2 * Epoch::MOST_AHEAD + 5];
    for _ in 0..6 {
        let before = last;
        for (_, _, request) in &bench.calls {
            if let Request::Release { fence, .. } = request {
                assert!(fence.epoch.get() <= before[0] + Epoch::MOST_AHEAD, "it would be refused");
                last[0] = fence.epoch.get();
            }
        }
        if !called(&bench).is_empty() {
            break;
        }
        bench.answer(|worker, request| {
            Some(Ok(match request {
                Request::Hello(_) => {
                    Reply::Hello(Hello { last_epoch: last[worker], ..hello(worker) })
                }
                _ => Reply::Released,
            }))
        });
    }
    assert_eq!(called(&bench), [(0, 2 * Epoch::MOST_AHEAD + 6)]);
    assert_eq!(last[0], 2 * Epoch::MOST_AHEAD);
    // One that takes no note is not asked for ever.
    let mut bench = Bench::new(2);
    for _ in 0..3 {
        bench.answer(|worker, request| {
            let last_epoch = [0, 1 << 30][worker];
            Some(Ok(match request {
                Request::Hello(_) => Reply::Hello(Hello { last_epoch, ..hello(worker) }),
                _ => Reply::Released,
            }))
        });
    }
    assert_eq!(bench.failure().1, "it takes no note of epoch 1048576");
}

/// The walk back may take long at one worker, or nowhere.
#[test]
fn workers_are_called_during_the_walk_back_and_one_that_has_no_rows_may_be_lost() {
    let mut bench = Bench::new(2);
    run(&mut bench, &Report { best: Some(finish(9)), ..idle() });
    assert!(bench.calls.is_empty(), "{:?}", bench.calls);
    let mut calls = [0; 2];
    while bench.now < ms(30_000) {
        bench.tick();
        bench.calls.iter().for_each(|(worker, ..)| calls[*worker] += 1);
        bench
            .answer(|worker, request| (worker == 0).then(|| steady(&idle())(0, request)).flatten());
    }
    assert!(calls.iter().all(|&calls| calls >= 10), "{calls:?}");
    bench.event(Event::RowsWanted(vec![(1, vec![Rank::from(1)])]));
    bench.answer(steady(&idle()));
    assert!(matches!(bench.others.last(), Some(Command::Deliver(_))), "{:?}", bench.others);
    bench.event(Event::WalkedBack(Ok(())));
    run(&mut bench, &idle());
    assert_eq!(bench.ending(), Some(&Ending::Optimal(finish(9))));
}
