//! Whether a job that failed is tried again, and on which workers. No sockets, no clock.
//!
//! An attempt that failed for something that may pass is followed by another, from the newest
//! checkpoint. Who is there is asked first. The answer of everybody who is expected is waited for only
//! a moment: a worker that was lost may stay lost, and the job goes on without it if the others can
//! read all that the checkpoint names.

use std::collections::BTreeSet;
use std::time::Duration;

use sokohive_proto::{Checkpoint, Hello};

/// How long workers that are expected are waited for when the job could go on without them.
const GRACE: Duration = Duration::from_secs(5);

/// Pauses before another attempt: the first, doubled while no attempt gets further, up to the last.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LAST_PAUSE: Duration = Duration::from_secs(5);

/// What to do after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Try again after a pause.
    Again(Duration),
    /// No attempt has got further for too long.
    GiveUp,
}

/// How the attempts at a job have gone.
#[derive(Clone, Debug)]
pub struct Recovery {
    give_up_after: Duration,
    /// The most levels that any attempt has opened.
    furthest: u64,
    /// When an attempt ended that got further than all before; `None` before the first.
    last_gain: Option<Duration>,
    /// Attempts since.
    in_vain: u32,
}

impl Recovery {
    /// Gives up when no attempt has got further for so long.
    pub fn new(give_up_after: Duration) -> Self {
        Self { give_up_after, furthest: 0, last_gain: None, in_vain: 0 }
    }

    /// An attempt has failed that had opened so many levels, those of its checkpoint included.
    pub fn failed(&mut self, now: Duration, levels: u64) -> Verdict {
        let since = *self.last_gain.get_or_insert(now);
        if levels > self.furthest {
            self.furthest = levels;
            self.last_gain = Some(now);
            self.in_vain = 0;
        } else if now.saturating_sub(since) >= self.give_up_after {
            return Verdict::GiveUp;
        }
        let pause = FIRST_PAUSE.saturating_mul(1 << self.in_vain.min(16)).min(LAST_PAUSE);
        self.in_vain += 1;
        Verdict::Again(pause)
    }

    /// Whether it is too late to wait any longer for workers.
    pub fn is_too_late(&self, now: Duration) -> bool {
        self.last_gain.is_some_and(|since| now.saturating_sub(since) >= self.give_up_after)
    }
}

/// What a roll call leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Go on with these.
    Go(Vec<String>),
    /// Ask again a little later.
    Wait,
    /// Everyone is there, and a segment is with none of them: its name.
    Lost(String),
}

/// Chooses who takes part, given who is expected, who has answered what, and for how long the roll has
/// been called. At least `least` take part.
pub fn choose(
    expected: &[String],
    answers: &[(String, Option<Hello>)],
    checkpoint: Option<&Checkpoint>,
    least: usize,
    waited: Duration,
) -> Choice {
    let there = || answers.iter().filter_map(|(address, hello)| Some((address, hello.as_ref()?)));
    let addresses: Vec<String> = there().map(|(address, _)| address.clone()).collect();
    if addresses.len() < least.max(1) {
        return Choice::Wait;
    }
    let everyone = expected.iter().all(|address| addresses.contains(address));
    let readable: BTreeSet<u32> =
        there().flat_map(|(_, hello)| hello.present.iter().copied()).collect();
    let segments = checkpoint.map_or(&[][..], |checkpoint| &checkpoint.segments);
    let lost = (0..).zip(segments).find(|(index, _)| !readable.contains(index));
    match lost {
        None if everyone || waited >= GRACE => Choice::Go(addresses),
        Some((_, placed)) if everyone => Choice::Lost(placed.segment.name.to_string()),
        _ => Choice::Wait,
    }
}

#[cfg(test)]
mod tests {
    use sokohive_engine::{EstimateChoice, Objective, Reached, Rule, SearchChoice, Statistics};
    use sokohive_proto::{
        AllOptimal, Epoch, Incarnation, JobKey, PROTOCOL, PlacedSegment, Segment, SegmentName, Task,
    };

    use super::choose as chosen;
    use super::*;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn attempts_go_on_while_they_gain_and_end_when_they_do_not() {
        let mut recovery = Recovery::new(at(600));
        assert!(!recovery.is_too_late(at(99_999)), "nothing has failed yet");
        assert_eq!(recovery.failed(at(5_000), 10), Verdict::Again(FIRST_PAUSE));
        assert_eq!(recovery.failed(at(5_500), 10), Verdict::Again(2 * FIRST_PAUSE));
        assert_eq!(recovery.failed(at(5_599), 9), Verdict::Again(4 * FIRST_PAUSE));
        assert_eq!(recovery.failed(at(5_700), 11), Verdict::Again(FIRST_PAUSE), "a gain");
        assert_eq!(recovery.failed(at(6_299), 11), Verdict::Again(2 * FIRST_PAUSE));
        assert!(!recovery.is_too_late(at(6_299)));
        assert!(recovery.is_too_late(at(6_300)));
        assert_eq!(recovery.failed(at(6_300), 11), Verdict::GiveUp);
    }

    #[test]
    fn a_first_failure_before_any_level_is_not_the_end() {
        let mut recovery = Recovery::new(at(600));
        assert_eq!(recovery.failed(at(9_000), 0), Verdict::Again(FIRST_PAUSE));
        assert_eq!(recovery.failed(at(9_600), 0), Verdict::GiveUp);
    }

    fn hello(present: &[u32]) -> Hello {
        Hello {
            protocol: PROTOCOL,
            incarnation: Incarnation::new(1),
            last_epoch: 1,
            memory: 1,
            threads: 1,
            version: String::new(),
            keeps_journal: true,
            present: present.to_vec(),
        }
    }

    fn checkpoint() -> Checkpoint {
        let placed = |number: u64| PlacedSegment {
            segment: Segment {
                name: SegmentName::new(&format!("{:016x}-1-{number}-0.seg", 7)).unwrap(),
                bytes: 1,
                records: 1,
            },
            writer: format!("w{number}:1"),
        };
        Checkpoint {
            program: String::new(),
            job: JobKey::new(7),
            epoch: Epoch::after(0),
            name: String::new(),
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
            search: SearchChoice::TwoSided,
            reached: Reached { levels: 3, ..Reached::default() },
            best: None,
            statistics: Statistics::default(),
            segments: vec![placed(0), placed(1)],
            workers: vec!["w0:1".to_owned(), "w1:1".to_owned()],
            result: None,
        }
    }

    #[test]
    fn whoever_is_silent_is_left_out_only_if_the_others_have_everything() {
        let expected = ["w0:1".to_owned(), "w1:1".to_owned()];
        let both = checkpoint();
        let choose = |first: Option<&[u32]>, second: Option<&[u32]>, waited| {
            let answers = [first, second].map(|present| present.map(hello));
            let answers: Vec<_> = expected.iter().cloned().zip(answers).collect();
            chosen(&expected, &answers, Some(&both), 1, waited)
        };
        let all = || Choice::Go(expected.to_vec());
        assert_eq!(choose(Some(&[0]), Some(&[1]), at(0)), all());
        assert_eq!(choose(None, None, at(60)), Choice::Wait);
        // The folder is shared: one can read what the other wrote.
        assert_eq!(choose(Some(&[0, 1]), None, at(1)), Choice::Wait, "it may come back");
        assert_eq!(choose(Some(&[0, 1]), None, GRACE), Choice::Go(expected[..1].to_vec()));
        assert_eq!(choose(Some(&[0]), None, at(60)), Choice::Wait, "only the other can read it");
        let lost = Choice::Lost("0000000000000007-1-1-0.seg".to_owned());
        assert_eq!(choose(Some(&[0]), Some(&[]), at(0)), lost);
    }

    #[test]
    fn without_a_checkpoint_anyone_will_do_and_too_few_never_do() {
        let expected = ["w0:1".to_owned(), "w1:1".to_owned()];
        let answers = vec![(expected[0].clone(), Some(hello(&[]))), (expected[1].clone(), None)];
        let choose = |least, waited| chosen(&expected, &answers, None, least, waited);
        assert_eq!(choose(1, at(1)), Choice::Wait);
        assert_eq!(choose(1, GRACE), Choice::Go(expected[..1].to_vec()));
        assert_eq!(choose(2, at(60)), Choice::Wait);
    }
}
