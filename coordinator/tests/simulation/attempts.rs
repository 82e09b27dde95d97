//! Attempts at a durable job, one after the other, and the manifests that they write.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use sokohive::cluster::job::{Ending, Event, Settings};
use sokohive::cluster::recovery::{Choice, Verdict, choose};
use sokohive_engine::{SearchChoice, Statistics};
use sokohive_proto::{
    Checkpoint, Epoch, Hello, JobEnding, JobKey, JobResult, PROTOCOL, Refusal, Segment, Traffic,
};

use crate::disk::Disk;
use crate::durable::Durably;
use crate::levels::Forward;
use crate::world::{World, task};

/// A search that is given up has so long for the checkpoint of its last edge.
const SETTLING: Duration = Duration::from_secs(5);

/// Pause between two roll calls.
const ROLL_CALL: Duration = Duration::from_millis(300);

impl World {
    /// Starts an attempt from the newest manifest.
    pub(crate) fn start_attempt(&mut self) {
        let number = self.history.lock().unwrap().jobs.len();
        let fresh = JobKey::new(1000 + self.kept().coordinator);
        let kept = self.kept();
        let checkpoint = kept.manifest.clone();
        let reached = checkpoint.as_ref().map(|checkpoint| checkpoint.reached).unwrap_or_default();
        let settings = Settings {
            key: checkpoint.as_ref().map_or(fresh, |checkpoint| checkpoint.job),
            name: "durable".to_owned(),
            task: task(0),
            search: SearchChoice::Forward,
            workers: Vec::new(),
            expansions: None,
            levels: Box::new(Forward::from(reached)),
            every: Some(kept.every),
            checkpoint,
            last_epoch: kept.last_epoch,
            proven: None,
        };
        let members = kept.next.clone();
        kept.stopped = None;
        kept.asked = (0, Duration::ZERO);
        let mut history = self.history.lock().unwrap();
        history.survival.restored += usize::from(reached.levels > 0);
        let before = self.newest_members();
        history.survival.left_out += usize::from(members.len() < before);
        drop(history);
        let faults = self.random.below(3);
        self.plan_durable_faults(faults);
        self.begin(number, members, settings);
    }

    /// An attempt is over: the next follows, or the job is over.
    pub(crate) fn attempt_ended(&mut self, attempt: usize, ending: Ending) {
        let job = self.take_newest();
        let (levels, epoch) =
            job.map_or((0, 0), |job| (job.levels_opened(), job.epoch().map_or(0, Epoch::get)));
        // What is being written is waited for.
        while !self.kept().writing.is_empty() {
            self.take_written();
        }
        self.check_settled(attempt, levels, &ending);
        match ending {
            Ending::Failed(failure) if !failure.retryable => {
                self.answered(Ending::Failed(failure));
            }
            Ending::Failed(failure) => {
                let now = self.now;
                let kept = self.kept();
                kept.last_epoch = kept.last_epoch.max(epoch);
                let (coordinator, verdict) = (kept.coordinator, kept.recovery.failed(now, levels));
                match verdict {
                    Verdict::Again(pause) => {
                        let since = now + pause;
                        self.durably(pause, Durably::RollCall { coordinator, since });
                    }
                    Verdict::GiveUp => self.answered(Ending::Failed(failure)),
                }
            }
            // Somebody has interrupted it; it goes on a little later.
            Ending::Limit { .. } => self.end_coordinator(Duration::from_millis(100)),
            ending @ (Ending::Optimal(_) | Ending::Unsolvable) => self.answered(ending),
        }
    }

    /// Searches that were given up with time to spare have a checkpoint of their last edge.
    pub(crate) fn check_settled(&mut self, attempt: usize, levels: u64, ending: &Ending) {
        let given_up = match ending {
            Ending::Limit { .. } => true,
            Ending::Failed(failure) => failure.reason == "it is shutting down",
            Ending::Optimal(_) | Ending::Unsolvable => false,
        };
        let now = self.now;
        let disks_full = self.history.lock().unwrap().survival.disks_full;
        let kept = self.kept();
        let saved = kept.manifest.as_ref().map_or(0, |checkpoint| checkpoint.reached.levels);
        let in_time = kept.stopped.is_some_and(|since| now - since < SETTLING);
        if given_up && in_time && disks_full == 0 && saved + 1 < levels {
            let note = format!("attempt {attempt}: {levels} levels opened, {saved} safe");
            self.history.lock().unwrap().survival.unsettled.push(note);
        }
    }

    pub(crate) fn roll_call(&mut self, since: Duration) {
        let expected: Vec<String> =
            (0..self.nodes.len()).map(|worker| format!("worker-{worker}")).collect();
        let checkpoint = self.kept().manifest.clone();
        let segments: Vec<Segment> = checkpoint
            .iter()
            .flat_map(|checkpoint| &checkpoint.segments)
            .map(|placed| placed.segment.clone())
            .collect();
        let mut answers = Vec::new();
        for (worker, address) in expected.iter().enumerate() {
            let reachable = self.nodes[worker].reachable();
            let hello = reachable.then(|| self.hello(worker, &segments).ok()).flatten();
            answers.push((address.clone(), hello));
        }
        let coordinator = self.kept().coordinator;
        let waited = self.now - since;
        match choose(&expected, &answers, checkpoint.as_deref(), 1, waited) {
            Choice::Go(members) => {
                let index = |address: &String| {
                    expected.iter().position(|other| other == address).expect("it was called")
                };
                self.kept().next = members.iter().map(index).collect();
                self.start_attempt();
            }
            Choice::Wait => self.durably(ROLL_CALL, Durably::RollCall { coordinator, since }),
            Choice::Lost(name) => {
                self.history.lock().unwrap().survival.missed_segments.push(name);
                self.answered(Ending::Unsolvable);
            }
        }
    }

    /// What a worker says of itself.
    pub(crate) fn hello(&mut self, worker: usize, segments: &[Segment]) -> Result<Hello, Refusal> {
        let node = &self.nodes[worker];
        let mut hello = node.protocol.hello(PROTOCOL)?;
        if let Some(disk) = &node.disk {
            let present = (0..).zip(disk.lock().unwrap().present(segments));
            hello.present = present.filter_map(|(index, there)| there.then_some(index)).collect();
        }
        Ok(hello)
    }

    /// Writes a manifest, some time later.
    pub(crate) fn write(&mut self, attempt: usize, checkpoint: Arc<Checkpoint>, last: bool) {
        let time = Duration::from_micros(self.random.between(50, 20_000));
        let kept = self.kept();
        kept.writing.push_back((attempt, checkpoint, last));
        let coordinator = kept.coordinator;
        self.durably(time, Durably::Written { coordinator });
    }

    /// Writes the result down.
    pub(crate) fn conclude(&mut self, attempt: usize, ending: &Ending) {
        let result = JobResult {
            ending: JobEnding::Unsolvable(String::new()),
            search: SearchChoice::Forward,
            statistics: Statistics::default(),
            traffic: Traffic::default(),
            elapsed: Duration::ZERO,
            states: Vec::new(),
            threads: 0,
        };
        let saved = self.newest().and_then(|job| job.saved().cloned()).expect("something is kept");
        let checkpoint = Checkpoint { result: Some(result), ..Checkpoint::clone(&saved) };
        self.write(attempt, Arc::new(checkpoint), true);
        // Counts once it is written.
        self.history.lock().unwrap().jobs[attempt].ended = Some((self.now, ending.clone()));
    }

    /// The oldest manifest on its way is on the disk now.
    pub(crate) fn take_written(&mut self) -> Option<(usize, bool)> {
        let (attempt, checkpoint, last) = self.kept().writing.pop_front()?;
        if last {
            let ended = self.history.lock().unwrap().jobs[attempt].ended.clone();
            self.kept().concluded = ended.map(|(_, ending)| ending);
        } else {
            let is_safe = |disks: &[Arc<Mutex<Disk>>], segment: &Segment| {
                disks.iter().any(|disk| disk.lock().unwrap().is_durable(segment))
            };
            for placed in &checkpoint.segments {
                if !is_safe(&self.kept().disks, &placed.segment) {
                    let note = format!("attempt {attempt}: {:?}", placed.segment);
                    self.history.lock().unwrap().survival.unsafe_segments.push(note);
                }
            }
            let known = self.kept().manifest.as_ref().map(|known| known.reached.levels);
            let further = known.is_some_and(|levels| levels < checkpoint.reached.levels);
            self.history.lock().unwrap().survival.checkpoints += usize::from(further);
            if further && self.random.permille(100) {
                self.plan_durable_faults(1);
            }
            let now = self.now;
            let kept = self.kept();
            // The first one of an attempt only claims the epoch.
            kept.due = if further { kept.asked.1 } else { now } + kept.every;
        }
        self.kept().manifest = Some(checkpoint);
        Some((attempt, last))
    }

    pub(crate) fn written(&mut self) {
        if let Some((attempt, last)) = self.take_written() {
            let event = if last { Event::Concluded(Ok(())) } else { Event::Committed(Ok(())) };
            self.event(attempt, event);
        }
    }
}
