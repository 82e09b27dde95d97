//! What is kept of a job, and in which order.

use sokohive_proto::{PlacedSegment, Segment, SegmentName};

use super::*;

/// A job that keeps checkpoints, and begins one at every edge.
fn kept(workers: usize, checkpoint: Option<Checkpoint>) -> Settings {
    let checkpoint = checkpoint.map(Arc::new);
    Settings { every: Some(Duration::ZERO), checkpoint, ..settings(workers) }
}

fn segment(number: u64, bytes: u64) -> Segment {
    let name = SegmentName::new(&format!("{:016x}-4-{number}-0.seg", 1)).unwrap();
    Segment { name, bytes, records: 1 }
}

/// A checkpoint of three segments, of 30, 20 and 10 bytes, that worker n has written.
fn checkpoint() -> Checkpoint {
    let placed = |number| PlacedSegment {
        segment: segment(number, 30 - 10 * number),
        writer: format!("worker-{number}:1"),
    };
    let settings = settings(2);
    Checkpoint {
        program: "test".to_owned(),
        job: settings.key,
        epoch: Epoch::after(40),
        name: settings.name,
        task: settings.task,
        search: SearchChoice::Forward,
        reached: Reached { lower_bound: 12, levels: 5, closed: [Some(12), None], put_off: false },
        best: Some(finish(30)),
        statistics: Statistics { expanded: 100, levels: 5, ..Statistics::default() },
        segments: (0..3).map(placed).collect(),
        workers: Vec::new(),
        result: None,
    }
}

/// Says hello with these segments present.
fn with_segments(worker: usize, present: &[u32]) -> Option<Result<Reply, CallError>> {
    Some(Ok(Reply::Hello(Hello { present: present.to_vec(), ..hello(worker) })))
}

#[test]
fn a_worker_without_a_place_for_its_journal_is_refused() {
    let mut bench = Bench::with(kept(2, None));
    bench.answer(|worker, _| {
        let keeps_journal = worker == 0;
        Some(Ok(Reply::Hello(Hello { keeps_journal, ..hello(worker) })))
    });
    let (worker, reason, retryable) = bench.failure();
    assert_eq!((worker, retryable), (Some("worker-1:1"), false));
    assert_eq!(reason, "it keeps no journal: start it with --data-dir");
}

#[test]
fn the_epoch_is_written_down_before_anyone_is_called_into_it() {
    let mut bench = Bench::with(kept(2, Some(checkpoint())));
    bench.answer(|worker, _| with_segments(worker, &[0, 1, 2]));
    assert!(bench.calls.is_empty(), "{:?}", bench.calls);
    let claimed = bench.commit().expect("the epoch is claimed");
    assert_eq!(claimed.epoch.get(), 42, "beyond the one of the checkpoint");
    assert_eq!(claimed.segments, checkpoint().segments);
    let Some((_, _, Request::Prepare(prepare))) = bench.calls.first() else {
        panic!("{:?}", bench.calls);
    };
    assert_eq!((prepare.fence.epoch.get(), prepare.journal, prepare.restores), (42, true, true));
    assert_eq!(prepare.keep.len(), 3);
}

#[test]
fn every_segment_is_read_once_by_a_worker_that_has_it() {
    let mut bench = Bench::with(kept(2, Some(checkpoint())));
    // Both have the longest, only the second has the others.
    bench.answer(|worker, _| with_segments(worker, [&[0][..], &[0, 1, 2]][worker]));
    bench.commit();
    bench.prepare();
    let read: Vec<_> = bench
        .calls
        .iter()
        .map(|(worker, _, request)| match request {
            Request::Restore(restore) => (*worker, restore.segments.clone(), restore.closed),
            other => panic!("{other:?}"),
        })
        .collect();
    let closed = [Some(12), None];
    let first = (0, vec![segment(0, 30)], closed);
    assert_eq!(read, [first, (1, vec![segment(1, 20), segment(2, 10)], closed)]);
    assert_eq!(bench.job.progress().lower_bound, 12);
    assert_eq!(bench.job.progress().best, Some(30));
}

#[test]
fn a_segment_that_nobody_has_is_named_with_who_wrote_it() {
    let mut bench = Bench::with(kept(2, Some(checkpoint())));
    bench.answer(|worker, _| with_segments(worker, &[0, 2]));
    let (worker, reason, retryable) = bench.failure();
    assert_eq!((worker, retryable), (Some("worker-1:1"), true));
    assert_eq!(reason, "its segment 0000000000000001-4-1-0.seg is on none of the workers");
}

/// A worker that has made everything durable that it was asked for.
fn durable(report: &Report) -> impl Fn(usize, &Request) -> Option<Result<Reply, CallError>> {
    let report = report.clone();
    move |worker, request| {
        let synced = match request {
            Request::OpenLevel(open) => open.upkeep.sync,
            Request::Poll(poll) => poll.upkeep.sync,
            _ => 0,
        };
        steady(&Report { synced, ..report.clone() })(worker, request)
    }
}

#[test]
fn a_manifest_is_written_when_every_worker_has_synced_and_then_segments_retire() {
    let mut bench = Bench::with(kept(2, None));
    bench.answer(steady(&idle()));
    assert_eq!(bench.commit().expect("the epoch is claimed").reached.levels, 0);
    let report = |number| Report {
        open: open(17),
        segments: vec![segment(number, 10)],
        compacted: true,
        ..idle()
    };
    // Surveyed, and the first level is over.
    bench.prepare();
    (0..3).for_each(|_| bench.answer(steady(&report(0))));
    let wants = |bench: &Bench| match &bench.calls[0].2 {
        Request::OpenLevel(open) => open.upkeep.clone(),
        Request::Poll(poll) => poll.upkeep.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(wants(&bench).sync, 1);
    let half = |worker: usize, request: &Request| {
        if worker == 0 { durable(&report(0))(0, request) } else { steady(&report(0))(1, request) }
    };
    bench.answer(half);
    assert_eq!(bench.commit(), None, "one worker has not synced");
    bench.answer(durable(&report(0)));
    assert!(bench.commit().is_some());
    // From here on the journals are other ones, of which a checkpoint is taken in the same way.
    for _ in 0..20 {
        bench.answer(durable(&report(1)));
        bench.commit();
        if wants(&bench).retire == [segment(0, 10).name] {
            return;
        }
    }
    panic!("nothing has retired");
}

#[test]
fn why_no_checkpoint_is_taken_is_told_once() {
    let mut bench = Bench::with(kept(2, None));
    bench.answer(steady(&idle()));
    bench.commit();
    bench.prepare();
    let report = |fault: Option<&str>| Report {
        open: open(17),
        segments: vec![segment(0, 10)],
        journal_fault: fault.map(str::to_owned),
        ..idle()
    };
    bench.answer(durable(&report(None)));
    for fault in ["disk full", "disk still full"] {
        (0..4).for_each(|_| {
            bench.answer(|worker, request| {
                let fault = Some(fault).filter(|_| worker == 1);
                durable(&report(fault))(worker, request)
            });
        });
    }
    bench.event(Event::Committed(Err("kept: no room".to_owned())));
    bench.event(Event::Committed(Err("kept: no room".to_owned())));
    let notes = bench.others.iter().filter_map(|other| match other {
        Command::Note(text) => Some(text.as_str()),
        _ => None,
    });
    let fault = "no checkpoints while worker worker-1:1 cannot write its journal: disk full";
    assert_eq!(notes.collect::<Vec<_>>(), [fault, "no checkpoint: kept: no room"]);
}

#[test]
fn a_result_is_written_down_before_what_it_came_from_is_discarded() {
    let mut bench = Bench::with(kept(2, None));
    bench.answer(steady(&idle()));
    bench.commit();
    bench.prepare();
    bench.answer(steady(&idle()));
    assert!(matches!(bench.others[..], [Command::Conclude(Ending::Unsolvable)]));
    assert!(bench.calls.is_empty());
    bench.event(Event::Concluded(Ok(())));
    let discards = |(_, _, request): &(usize, CallId, Request)| {
        matches!(request, Request::Release { discard: true, .. })
    };
    assert_eq!(bench.calls.iter().filter(|call| discards(call)).count(), 2);
}

#[test]
fn a_result_that_cannot_be_written_down_discards_nothing() {
    let mut bench = Bench::with(kept(1, None));
    bench.answer(steady(&idle()));
    bench.commit();
    (0..2).for_each(|_| bench.answer(steady(&idle())));
    bench.event(Event::Concluded(Err("disk full".to_owned())));
    let Some((_, _, Request::Release { discard, .. })) = bench.calls.first() else {
        panic!("{:?}", bench.calls);
    };
    assert!(!discard);
}
