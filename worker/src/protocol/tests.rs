//! What the protocol takes in, and what it refuses.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use sokohive_engine::{EstimateChoice, Objective, Rule, SearchChoice, Side};
use sokohive_proto::{
    AllOptimal, Ends, Epoch, Fence, Incarnation, JobKey, Level, OpenLevel, Owners, PROTOCOL, Peer,
    Poll, Prepare, Push, Rank, Refusal, Restore, Row, Segment, SegmentName, Task, Upkeep,
};

use super::{Chore, Identity, Preparation, Protocol};
use crate::shard::{OfferError, Restoration, Sealed, Shard, ShardStatus};

/// Remembers what it was given.
#[derive(Debug, Default)]
struct Memo {
    batches: Mutex<Vec<Vec<u8>>>,
    levels: Mutex<Vec<Level>>,
    compacted: Mutex<u32>,
}

impl Shard for Memo {
    fn restore(&self, restoration: Restoration) {
        self.levels.lock().unwrap().push(restoration.level);
    }
    fn sync(&self) -> Result<(), String> {
        Ok(())
    }
    fn compact(&self) {
        *self.compacted.lock().unwrap() += 1;
    }
    fn open_level(&self, level: Level, _: Option<u32>) {
        self.levels.lock().unwrap().push(level);
    }
    fn lower_incumbent(&self, _: u32) {}
    fn offer(&self, batch: Vec<u8>) -> Result<(), OfferError> {
        match batch.as_slice() {
            [0xff, ..] => return Err(OfferError::Bad("garbage".to_owned())),
            [0xfe, ..] => return Err(OfferError::Full),
            _ => self.batches.lock().unwrap().push(batch),
        }
        Ok(())
    }
    fn take(&self, _: u16) -> Option<Sealed> {
        None
    }
    fn status(&self) -> ShardStatus {
        let applied = self.batches.lock().unwrap().len() as u64;
        ShardStatus { applied, segments: vec![segment(1, 9)], ..Default::default() }
    }
    fn rows(&self, ranks: &[Rank]) -> Vec<Row> {
        vec![Row::default(); ranks.len()]
    }
    fn ends(&self, _: u32, _: Option<Rank>) -> Ends {
        None
    }
    fn stop(&self) {}
}

const ME: u64 = 7;

/// A segment of a job.
fn segment(job: u64, number: u32) -> Segment {
    let name = SegmentName::new(&format!("{job:016x}-1-0-{number}.seg")).unwrap();
    Segment { name, bytes: 10, records: 1 }
}

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn fence(job: u64, epoch: u64) -> Fence {
    Fence { job: JobKey::new(job), epoch: Epoch::after(epoch - 1) }
}

fn level(ordinal: u32) -> Level {
    Level { ordinal, side: Side::Forward, f: 10 * ordinal }
}

fn prepare(fence: Fence) -> Prepare {
    let peer = |n| Peer { address: format!("worker-{n}:1"), incarnation: Incarnation::new(ME + n) };
    Prepare {
        fence,
        index: 0,
        peers: vec![peer(0), peer(1)],
        owners: Owners::even(2),
        task: Task {
            board: "####\n#@.#\n####\n".to_owned(),
            edge_is_wall: false,
            rule: Rule::Classic,
            objective: Objective::Moves,
            search: SearchChoice::Auto,
            estimate: EstimateChoice::Auto,
            dominance: true,
            deadlock_tables: true,
            memory: Some(5),
            all: AllOptimal::default(),
        },
        wait: Duration::ZERO,
        journal: false,
        restores: false,
        keep: Vec::new(),
    }
}

fn push(fence: Fence, ordinal: u32, sequence: u64, first: u8) -> Push {
    Push { fence, level: level(ordinal), source: 1, sequence, batch: vec![first, 1, 2] }
}

fn open(fence: Fence, ordinal: u32) -> OpenLevel {
    let (level, upkeep) = (level(ordinal), Upkeep::default());
    OpenLevel { fence, level, incumbent: None, wait: at(0), upkeep }
}

fn poll(fence: Fence, ordinal: u32) -> Poll {
    let (level, upkeep) = (Some(level(ordinal)), Upkeep::default());
    Poll { fence, level, incumbent: None, wait: at(0), upkeep }
}

fn vacant() -> Protocol<Memo> {
    let incarnation = Incarnation::new(ME);
    let identity = Identity { incarnation, memory: 1 << 20, threads: 2, keeps_journal: true };
    Protocol::new(identity, 0)
}

fn serving(fence: Fence) -> Protocol<Memo> {
    let mut protocol = vacant();
    let Ok(Preparation::LayOut { layout, stop: None }) = protocol.prepare(at(0), prepare(fence))
    else {
        panic!("a vacant worker lays out a shard");
    };
    assert_eq!(layout.memory, 5, "the smaller limit counts");
    assert!(matches!(protocol.prepare(at(0), prepare(fence)), Ok(Preparation::UnderWay)));
    assert_eq!(protocol.push(push(fence, 1, 1, 0)), Err(Refusal::NotReady));
    assert!(protocol.laid_out(fence, Ok(Arc::new(Memo::default()))).is_none());
    assert!(matches!(protocol.prepare(at(0), prepare(fence)), Ok(Preparation::Ready)));
    protocol
}

#[test]
fn another_version_is_refused() {
    let found = PROTOCOL + 1;
    assert_eq!(vacant().hello(found), Err(Refusal::ProtocolVersion { expected: PROTOCOL, found }));
    assert_eq!(vacant().hello(PROTOCOL).unwrap().incarnation.get(), ME);
}

#[test]
fn a_call_meant_for_an_earlier_process_is_refused() {
    let mut prepare = prepare(fence(1, 1));
    prepare.peers[0].incarnation = Incarnation::new(99);
    let refused = vacant().prepare(at(0), prepare);
    assert!(matches!(refused, Err(Refusal::OtherIncarnation { .. })), "{refused:?}");
}

#[test]
fn a_batch_is_applied_once_however_often_it_comes() {
    let fence = fence(1, 1);
    let mut protocol = serving(fence);
    assert_eq!(protocol.push(push(fence, 1, 2, 2)), Ok(false));
    assert_eq!(protocol.push(push(fence, 1, 1, 1)), Ok(false));
    assert_eq!(protocol.push(push(fence, 1, 1, 1)), Ok(true));
    assert_eq!(protocol.push(push(fence, 1, 2, 2)), Ok(true));
    let report = protocol.report(at(0), fence).unwrap();
    assert_eq!(report.applied, 2);
    assert_eq!((report.traffic.batches_received, report.traffic.batches_repeated), (2, 2));
}

#[test]
fn a_full_inbox_leaves_the_number_free() {
    let fence = fence(1, 1);
    let mut protocol = serving(fence);
    assert_eq!(protocol.push(push(fence, 1, 1, 0xfe)), Err(Refusal::InboxFull));
    assert_eq!(protocol.push(push(fence, 1, 1, 0)), Ok(false));
}

#[test]
fn damaged_batches_are_refused_and_counted() {
    let fence = fence(1, 1);
    let mut protocol = serving(fence);
    assert!(matches!(protocol.push(push(fence, 1, 1, 0xff)), Err(Refusal::BadBatch(_))));
    assert!(matches!(protocol.push(push(fence, 1, 999, 0)), Err(Refusal::Sequence { .. })));
    for source in [0, 2, 999] {
        let from = Push { source, ..push(fence, 1, 1, 0) };
        assert!(matches!(protocol.push(from), Err(Refusal::BadField(_))), "{source}");
    }
    assert_eq!(protocol.report(at(0), fence).unwrap().traffic.batches_refused, 5);
}

#[test]
fn other_jobs_and_old_epochs_are_refused() {
    let now = fence(1, 5);
    let mut protocol = serving(now);
    assert!(matches!(
        protocol.push(push(fence(1, 4), 1, 1, 0)),
        Err(Refusal::OldEpoch { current: 5, .. })
    ));
    assert!(matches!(protocol.push(push(fence(2, 5), 1, 1, 0)), Err(Refusal::OtherJob { .. })));
    assert_eq!(protocol.push(push(fence(1, 6), 1, 1, 0)), Err(Refusal::NotReady));
    let refused = protocol.prepare(at(1), prepare(fence(2, 6)));
    assert!(matches!(refused, Err(Refusal::Busy(_))), "{refused:?}");
    let refused = protocol.prepare(at(20), prepare(fence(2, 5)));
    assert!(matches!(refused, Err(Refusal::OldEpoch { .. })), "{refused:?}");
    let taken = protocol.prepare(at(20), prepare(fence(2, 6)));
    assert!(matches!(taken, Ok(Preparation::LayOut { stop: Some(_), .. })), "{taken:?}");
    assert!(protocol.laid_out(now, Ok(Arc::new(Memo::default()))).is_some(), "nobody waits");
}

#[test]
fn levels_open_in_order_and_once() {
    let fence = fence(1, 1);
    let mut protocol = serving(fence);
    let open = |ordinal| open(fence, ordinal);
    let poll = |ordinal| poll(fence, ordinal);
    assert!(protocol.open_level(at(0), open(2)).is_err());
    assert!(protocol.open_level(at(0), open(1)).is_ok());
    assert!(protocol.open_level(at(0), open(1)).is_ok());
    assert!(protocol.poll(at(0), poll(1)).is_ok());
    assert_eq!(protocol.push(push(fence, 2, 1, 0)), Ok(false), "a peer may be one level ahead");
    assert!(protocol.push(push(fence, 3, 2, 0)).is_err());
    assert!(protocol.open_level(at(0), open(2)).is_ok());
    assert!(matches!(protocol.open_level(at(0), open(1)), Err(Refusal::LevelOver { .. })));
    assert!(matches!(protocol.poll(at(0), poll(1)), Err(Refusal::LevelOver { .. })));
    assert!(matches!(protocol.push(push(fence, 1, 2, 0)), Err(Refusal::LevelOver { .. })));
    assert_eq!(protocol.push(push(fence, 1, 1, 0)), Ok(true), "late copies do no harm");
    let shard = protocol.shard(at(0), fence).unwrap();
    assert_eq!(*shard.levels.lock().unwrap(), [level(1), level(2)]);
}

#[test]
fn a_released_job_is_over() {
    let now = fence(1, 1);
    let mut protocol = serving(now);
    assert!(protocol.release(fence(2, 1), false).is_err());
    assert!(protocol.release(now, false).unwrap().shard.is_some());
    assert!(protocol.release(now, false).unwrap().shard.is_none());
    assert_eq!(protocol.push(push(now, 1, 1, 0)), Err(Refusal::NoJob));
    let refused = protocol.prepare(at(0), prepare(now));
    assert!(matches!(refused, Err(Refusal::OldEpoch { .. })), "{refused:?}");
    assert_eq!(protocol.hello(PROTOCOL).unwrap().last_epoch, 1);
}

#[test]
fn a_job_without_a_coordinator_is_given_up() {
    let fence = fence(1, 1);
    let mut protocol = serving(fence);
    assert!(protocol.tick(at(59)).is_none());
    assert!(protocol.tick(at(61)).is_some());
    assert!(protocol.tick(at(99)).is_none());
}

#[test]
fn a_board_that_cannot_be_taken_stays_refused() {
    let fence = fence(1, 1);
    let mut protocol = vacant();
    assert!(protocol.prepare(at(0), prepare(fence)).is_ok());
    let refusal = Refusal::BadBoard("too wide".to_owned());
    assert!(protocol.laid_out(fence, Err(refusal.clone())).is_none());
    assert_eq!(protocol.prepare(at(0), prepare(fence)).unwrap_err(), refusal);
    assert!(protocol.release(fence, false).unwrap().shard.is_none());
}

fn restored(fence: Fence) -> Protocol<Memo> {
    let mut protocol = vacant();
    let prepare = Prepare { restores: true, journal: true, ..prepare(fence) };
    assert!(protocol.prepare(at(0), prepare).is_ok());
    assert!(protocol.laid_out(fence, Ok(Arc::new(Memo::default()))).is_none());
    protocol
}

#[test]
fn a_shard_to_be_restored_takes_nothing_in_before() {
    let fence = fence(1, 1);
    let mut protocol = restored(fence);
    let restore = Restore {
        fence,
        level: level(1),
        segments: vec![segment(1, 0)],
        closed: [Some(3), None],
        incumbent: None,
        wait: at(0),
    };
    assert_eq!(protocol.push(push(fence, 1, 1, 0)), Err(Refusal::NotReady));
    assert!(protocol.open_level(at(0), open(fence, 1)).is_err());
    assert_eq!(protocol.restore(at(0), restore.clone()), Ok(()));
    assert_eq!(protocol.restore(at(0), restore.clone()), Ok(()), "the same call again");
    assert_eq!(protocol.push(push(fence, 1, 1, 0)), Ok(false));
    assert!(protocol.poll(at(0), poll(fence, 1)).is_ok());
    assert_eq!(protocol.push(push(fence, 2, 2, 0)), Err(Refusal::NotReady), "not journalled yet");
    assert!(protocol.open_level(at(0), open(fence, 2)).is_ok());
    assert_eq!(protocol.push(push(fence, 2, 2, 0)), Ok(false));
    assert!(matches!(protocol.restore(at(0), restore.clone()), Err(Refusal::LevelOver { .. })));
    let shard = protocol.shard(at(0), fence).unwrap();
    assert_eq!(*shard.levels.lock().unwrap(), [level(1), level(2)], "each begins once");
    assert!(serving(fence).restore(at(0), restore).is_err(), "nobody has said so before");
}

#[test]
fn the_journal_is_kept_up_once_for_each_wish() {
    let fence = fence(1, 1);
    let mut protocol = serving(fence);
    let wish = |sync, compact, retire: Vec<SegmentName>| Poll {
        upkeep: Upkeep { sync, compact, retire },
        ..poll(fence, 2)
    };
    protocol.open_level(at(0), open(fence, 1)).unwrap();
    protocol.open_level(at(0), open(fence, 2)).unwrap();
    assert!(protocol.poll(at(0), wish(2, 0, Vec::new())).is_err(), "the level is not over");
    let chores = protocol.poll(at(0), wish(1, 1, Vec::new())).unwrap();
    assert!(matches!(chores[..], [Chore::Sync { ordinal: 1, .. }]), "{chores:?}");
    assert!(protocol.poll(at(0), wish(1, 1, Vec::new())).unwrap().is_empty());
    assert_eq!(protocol.report(at(0), fence).unwrap().synced, 0);
    assert!(protocol.synced(fence, 1, Ok(())).is_none());
    assert_eq!(protocol.report(at(0), fence).unwrap().synced, 1);
    assert_eq!(*protocol.shard(at(0), fence).unwrap().compacted.lock().unwrap(), 1);
    let foreign = wish(0, 0, vec![segment(2, 0).name]);
    assert!(protocol.poll(at(0), foreign).is_err(), "nothing of another job is deleted");
    // Number 9 is being written.
    let chores = protocol.poll(at(0), wish(0, 0, vec![segment(1, 0).name, segment(1, 9).name]));
    let [Chore::Remove(names)] = &chores.unwrap()[..] else {
        panic!("segments are retired");
    };
    assert_eq!(*names, [segment(1, 0).name]);
}

#[test]
fn what_is_kept_is_discarded_only_where_the_job_does_not_go_on() {
    let mut protocol = serving(fence(1, 5));
    assert!(!protocol.release(fence(1, 4), true).unwrap().discard, "an attempt that is over");
    assert!(protocol.release(fence(1, 5), true).unwrap().discard);
    assert!(protocol.release(fence(1, 5), true).unwrap().discard, "the same call again");
}

#[test]
fn a_worker_that_leaves_says_so_and_takes_no_other_job() {
    let now = fence(1, 1);
    let mut protocol = serving(now);
    assert!(protocol.leave(), "there is a job");
    assert!(protocol.report(at(0), now).unwrap().leaving);
    assert_eq!(protocol.hello(PROTOCOL).unwrap_err(), Refusal::ShuttingDown);
    let refused = protocol.prepare(at(0), prepare(fence(1, 2))).unwrap_err();
    assert_eq!(refused, Refusal::ShuttingDown);
    assert!(protocol.release(now, false).unwrap().shard.is_some());
    assert!(!protocol.is_occupied());
    assert!(!vacant().leave());
}

#[test]
fn batches_on_their_way_count_as_held() {
    let fence = fence(1, 1);
    let mut protocol = serving(fence);
    let outgoing = protocol.outgoing(fence, 1).unwrap();
    outgoing.send(at(0), 1_000);
    let second = outgoing.send(at(0), 500);
    assert_eq!(protocol.report(at(0), fence).unwrap().memory, 1_500);
    assert_eq!(protocol.figures().unwrap().in_flight, 1_500);
    protocol.outgoing(fence, 1).unwrap().acknowledged(at(1), second, 10);
    assert_eq!(protocol.report(at(1), fence).unwrap().memory, 1_000);
}

#[test]
fn what_has_been_done_stays_counted_when_a_job_is_over() {
    let first = fence(1, 1);
    let mut protocol = serving(first);
    assert_eq!(protocol.totals().jobs, 0, "it is not over yet");
    protocol.push(push(first, 1, 1, 1)).unwrap();
    protocol.release(first, false).unwrap();
    assert!(protocol.figures().is_none());
    let totals = protocol.totals();
    assert_eq!((totals.jobs, totals.traffic.batches_received), (1, 1));
    assert_eq!(protocol.last_epoch(), 1);
}

/// The call into a job may be overtaken by the one that ends it.
#[test]
fn what_has_been_released_does_not_begin_any_more() {
    let mut protocol = vacant();
    assert!(protocol.release(fence(1, 3), false).unwrap().shard.is_none());
    for epoch in [2, 3] {
        let refused = protocol.prepare(at(0), prepare(fence(1, epoch)));
        assert!(matches!(refused, Err(Refusal::OldEpoch { current: 3, .. })), "{refused:?}");
    }
    assert!(!protocol.is_occupied());
    assert_eq!(protocol.hello(PROTOCOL).unwrap().last_epoch, 3);
    assert!(protocol.prepare(at(0), prepare(fence(2, 4))).is_ok());
}

#[test]
fn a_release_of_a_later_attempt_ends_the_job_and_of_another_job_does_not() {
    let mut protocol = serving(fence(1, 1));
    assert!(protocol.release(fence(2, 9), true).is_err());
    assert!(protocol.report(at(0), fence(1, 1)).is_ok(), "it goes on");
    assert!(protocol.release(fence(1, 2), false).unwrap().shard.is_some());
    let refused = protocol.prepare(at(0), prepare(fence(1, 2)));
    assert!(matches!(refused, Err(Refusal::OldEpoch { .. })), "{refused:?}");
}

#[test]
fn no_single_call_uses_the_epochs_up() {
    let mut protocol = vacant();
    for epoch in [Epoch::MOST_AHEAD + 1, Epoch::LAST] {
        let refused = protocol.prepare(at(0), prepare(fence(1, epoch))).unwrap_err();
        let Refusal::BadField(problem) = refused else {
            panic!("{refused:?}");
        };
        assert!(problem.contains("fence.epoch"), "{problem}");
        assert!(protocol.release(fence(1, epoch), false).is_err());
    }
    assert!(!protocol.is_occupied());
    assert_eq!(protocol.hello(PROTOCOL).unwrap().last_epoch, 0);
    assert!(protocol.prepare(at(0), prepare(fence(1, Epoch::MOST_AHEAD))).is_ok());
}
