//! One job that outlives its workers and its coordinator: disks, manifests, faults without end, and
//! attempts until one succeeds.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sokohive::cluster::job::{Ending, Event, Job, Settings, StopReason};
use sokohive::cluster::recovery::{Choice, Recovery, Verdict, choose};
use sokohive_engine::{SearchChoice, Statistics};
use sokohive_proto::{
    Checkpoint, Epoch, Fence, Hello, JobEnding, JobKey, JobResult, OpenLevel, PROTOCOL, Refusal,
    Segment, SegmentName, Traffic,
};
use sokohive_worker::Shard;
use sokohive_worker::protocol::{Chore, Released};

use crate::disk::Disk;
use crate::levels::Forward;
use crate::random::Random;
use crate::shard::GraphShard;
use crate::world::{Happening, World, task};

/// How long a worker that is told to end waits to be released.
const LEAVING: Duration = Duration::from_secs(10);

/// A search that is given up has so long for the checkpoint of its last edge.
const SETTLING: Duration = Duration::from_secs(5);

/// Pause between two roll calls.
const ROLL_CALL: Duration = Duration::from_millis(300);

/// What may happen to such a job.
pub(crate) enum Durably {
    /// A manifest is written, if its coordinator lives.
    Written {
        coordinator: u64,
    },
    /// A sync is over.
    Synced {
        worker: usize,
        life: u64,
        fence: Fence,
        shard: Arc<GraphShard>,
        ordinal: u32,
        lengths: Vec<(SegmentName, usize)>,
    },
    /// A worker dies, and its disk forgets what was not safe.
    PowerLoss(usize),
    KillCoordinator,
    StartCoordinator {
        coordinator: u64,
    },
    RollCall {
        coordinator: u64,
        since: Duration,
    },
    DiskFull(usize),
    DiskFree(usize),
    /// A worker is told to end.
    Leave(usize),
    /// It has waited long enough to be released.
    Gone {
        worker: usize,
        life: u64,
    },
    /// Somebody interrupts the job, to go on later.
    Stop,
}

/// What such a job has.
pub(crate) struct Durable {
    disks: Vec<Arc<Mutex<Disk>>>,
    every: Duration,
    /// The manifest, as it is on the coordinator's disk.
    manifest: Option<Arc<Checkpoint>>,
    /// Manifests on their way to the disk: whether it is the last, with the result.
    writing: VecDeque<(usize, Arc<Checkpoint>, bool)>,
    /// How the job has ended, as soon as the result is written down.
    concluded: Option<Ending>,
    /// Counts the coordinators.
    coordinator: u64,
    recovery: Recovery,
    last_epoch: u64,
    /// Who takes part in the next attempt.
    next: Vec<usize>,
    /// Faults that may still strike.
    faults_left: u64,
    /// Until when edges need no checkpoint.
    due: Duration,
    /// The edge whose checkpoint has been asked for last, and when it was reached.
    asked: (u32, Duration),
    /// When the job was stopped or a worker of it was told to end, in this attempt.
    stopped: Option<Duration>,
}

impl Durable {
    pub(crate) fn new(random: &mut Random, workers: usize) -> Self {
        let shared = random.permille(300);
        let one = Arc::<Mutex<Disk>>::default();
        let disk = |_| if shared { Arc::clone(&one) } else { Arc::default() };
        Self {
            disks: (0..workers).map(disk).collect(),
            every: Duration::from_millis([0, 5, 50, 500][random.below(4) as usize]),
            manifest: None,
            writing: VecDeque::new(),
            concluded: None,
            coordinator: 0,
            recovery: Recovery::new(Duration::from_secs(600)),
            last_epoch: 0,
            next: (0..workers).collect(),
            faults_left: random.between(2, 12),
            due: Duration::ZERO,
            asked: (0, Duration::ZERO),
            stopped: None,
        }
    }

    pub(crate) fn disk(&self, worker: usize) -> Arc<Mutex<Disk>> {
        Arc::clone(&self.disks[worker])
    }

    fn is_shared(&self) -> bool {
        self.disks.len() > 1 && Arc::ptr_eq(&self.disks[0], &self.disks[1])
    }
}

impl World {
    fn kept(&mut self) -> &mut Durable {
        self.durable.as_mut().expect("the job is durable")
    }

    fn durably(&mut self, after: Duration, happening: Durably) {
        self.plan(after, Happening::Durable(happening));
    }

    /// Plans some faults, each of which passes; there are only so many, so that some attempt has none.
    fn plan_durable_faults(&mut self, faults: u64) {
        let span = [30_000, 300_000, 3_000_000][self.random.below(3) as usize];
        let power_fails = !self.kept().is_shared();
        let faults = faults.min(self.kept().faults_left);
        self.kept().faults_left -= faults;
        for _ in 0..faults {
            let at = Duration::from_micros(self.random.between(1, span));
            let worker = self.random.below(self.nodes.len() as u64) as usize;
            let longest = [100, 3_000, 20_000][self.random.below(3) as usize];
            let back = at + Duration::from_millis(self.random.between(1, longest));
            match self.random.below(8) {
                0 | 1 => {
                    self.plan(at, Happening::Kill(worker));
                    self.plan(back, Happening::Revive(worker));
                }
                2 if power_fails => {
                    self.durably(at, Durably::PowerLoss(worker));
                    self.plan(back, Happening::Revive(worker));
                }
                2 | 3 => {
                    self.plan(at, Happening::Cut(worker));
                    self.plan(back, Happening::Heal(worker));
                }
                4 => self.durably(at, Durably::KillCoordinator),
                5 => {
                    self.durably(at, Durably::DiskFull(worker));
                    self.durably(back, Durably::DiskFree(worker));
                }
                6 => self.durably(at, Durably::Leave(worker)),
                _ => self.durably(at, Durably::Stop),
            }
        }
    }

    pub(crate) fn happen_durably(&mut self, happening: Durably) {
        match happening {
            Durably::Written { coordinator } => {
                if coordinator == self.kept().coordinator {
                    self.written();
                }
            }
            Durably::Synced { worker, life, fence, shard, ordinal, lengths } => {
                if self.nodes[worker].alive && self.nodes[worker].life == life {
                    let result = shard.end_sync(&lengths);
                    let next = self.nodes[worker].protocol.synced(fence, ordinal, result);
                    self.do_chores(worker, fence, next.into_iter().collect());
                }
            }
            Durably::PowerLoss(worker) => {
                if self.nodes[worker].alive {
                    self.strike(worker);
                    self.nodes[worker].alive = false;
                    let disk = self.kept().disk(worker);
                    disk.lock().unwrap().lose_power(&mut self.random);
                    self.history.lock().unwrap().survival.power_lost += 1;
                }
            }
            Durably::KillCoordinator => {
                self.history.lock().unwrap().survival.coordinators_killed += 1;
                let pause = Duration::from_millis(self.random.between(1, 3_000));
                self.end_coordinator(pause);
            }
            Durably::StartCoordinator { coordinator } => {
                if coordinator == self.kept().coordinator {
                    self.start_attempt();
                }
            }
            Durably::RollCall { coordinator, since } => {
                if coordinator == self.kept().coordinator {
                    self.roll_call(since);
                }
            }
            Durably::DiskFull(worker) => {
                self.kept().disk(worker).lock().unwrap().full = true;
                self.history.lock().unwrap().survival.disks_full += 1;
            }
            Durably::DiskFree(worker) => self.kept().disk(worker).lock().unwrap().full = false,
            Durably::Leave(worker) => self.leave(worker),
            Durably::Gone { worker, life } => {
                if self.nodes[worker].life == life {
                    self.gone(worker);
                }
            }
            Durably::Stop => {
                let now = self.now;
                let attempt = self.history.lock().unwrap().jobs.len();
                if self.job.is_some() && attempt > 0 {
                    self.kept().stopped.get_or_insert(now);
                    self.event(attempt - 1, Event::Stop(StopReason::Interrupt));
                }
            }
        }
    }

    fn leave(&mut self, worker: usize) {
        let now = self.now;
        if !self.nodes[worker].alive || self.nodes[worker].leaving {
            return;
        }
        self.strike(worker);
        self.history.lock().unwrap().survival.left += 1;
        let node = &mut self.nodes[worker];
        node.leaving = true;
        let life = node.life;
        if node.protocol.leave() {
            self.kept().stopped.get_or_insert(now);
            self.durably(LEAVING, Durably::Gone { worker, life });
        } else {
            self.gone(worker);
        }
    }

    /// A worker has ended in good order, and is started again some time later.
    fn gone(&mut self, worker: usize) {
        if self.nodes[worker].alive {
            self.nodes[worker].alive = false;
            let pause = Duration::from_millis(self.random.between(1, 3_000));
            self.plan(pause, Happening::Revive(worker));
        }
    }

    /// The coordinator is no more; what it was writing has been written, up to some point.
    fn end_coordinator(&mut self, pause: Duration) {
        while !self.kept().writing.is_empty() && self.random.permille(500) {
            self.take_written();
        }
        self.job = None;
        let kept = self.kept();
        kept.writing.clear();
        kept.coordinator += 1;
        kept.last_epoch = 0;
        kept.recovery = Recovery::new(Duration::from_secs(600));
        kept.next = (0..kept.disks.len()).collect();
        let coordinator = kept.coordinator;
        if let Some(ending) = kept.concluded.clone() {
            // The next one finds the result.
            self.answered(ending);
        } else {
            self.durably(pause, Durably::StartCoordinator { coordinator });
        }
    }

    fn answered(&mut self, ending: Ending) {
        let mut history = self.history.lock().unwrap();
        let walked = history.jobs.iter().rev().find_map(|job| job.walked.clone());
        history.survival.answer = Some((ending, walked));
    }

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
        };
        let members = kept.next.clone();
        kept.stopped = None;
        kept.asked = (0, Duration::ZERO);
        let mut history = self.history.lock().unwrap();
        history.survival.restored += usize::from(reached.levels > 0);
        let before = self.members.last().map_or(0, Vec::len);
        history.survival.left_out += usize::from(members.len() < before);
        drop(history);
        let faults = self.random.below(3);
        self.plan_durable_faults(faults);
        self.begin(number, members, settings);
    }

    /// An attempt is over: the next follows, or the job is over.
    pub(crate) fn attempt_ended(&mut self, attempt: usize, ending: Ending) {
        let job = self.job.take();
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
    fn check_settled(&mut self, attempt: usize, levels: u64, ending: &Ending) {
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

    fn roll_call(&mut self, since: Duration) {
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
        let saved = self.job.as_ref().and_then(Job::saved).expect("something is kept");
        let checkpoint = Checkpoint { result: Some(result), ..Checkpoint::clone(saved) };
        self.write(attempt, Arc::new(checkpoint), true);
        // Counts once it is written.
        self.history.lock().unwrap().jobs[attempt].ended = Some((self.now, ending.clone()));
    }

    /// The oldest manifest on its way is on the disk now.
    fn take_written(&mut self) -> Option<(usize, bool)> {
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

    fn written(&mut self) {
        if let Some((attempt, last)) = self.take_written() {
            let event = if last { Event::Concluded(Ok(())) } else { Event::Committed(Ok(())) };
            self.event(attempt, event);
        }
    }

    /// Looks at a call into an attempt.
    pub(crate) fn look_at_call(&mut self, attempt: usize, fence: Fence) {
        let fences = &mut self.history.lock().unwrap().survival.fences;
        if !fences.contains(&(attempt, fence)) {
            fences.push((attempt, fence));
        }
    }

    /// Looks at an edge, as the level after it is opened.
    pub(crate) fn look_at_edge(&mut self, attempt: usize, open: &OpenLevel) {
        if self.durable.is_none() {
            return;
        }
        let (now, edge) = (self.now, open.level.ordinal - 1);
        let disks_full = self.history.lock().unwrap().survival.disks_full;
        let restored = self.job.is_some() && {
            let saved = self.kept().manifest.as_ref();
            saved.is_some_and(|checkpoint| checkpoint.reached.levels > 0)
        };
        let kept = self.kept();
        let nothing_new = edge == 0 || (edge == 1 && restored);
        let on_its_way = open.upkeep.sync != 0 || !kept.writing.is_empty();
        if !nothing_new && !on_its_way && now >= kept.due && disks_full == 0 {
            let note = format!("attempt {attempt}: edge {edge} at {now:?}, due {:?}", kept.due);
            self.history.lock().unwrap().survival.overdue.push(note);
        }
        let kept = self.kept();
        if open.upkeep.sync == edge {
            kept.asked = (edge, now);
        }
    }

    /// What a call asks for beside the search.
    pub(crate) fn see_to(
        &mut self,
        worker: usize,
        fence: Fence,
        chores: Result<Vec<Chore<GraphShard>>, Refusal>,
    ) -> Result<(), Refusal> {
        self.do_chores(worker, fence, chores?);
        Ok(())
    }

    fn do_chores(&mut self, worker: usize, fence: Fence, chores: Vec<Chore<GraphShard>>) {
        for chore in chores {
            match chore {
                Chore::Sync { shard, ordinal } => {
                    let lengths = shard.begin_sync();
                    let time = Duration::from_micros(self.random.between(10, 20_000));
                    let life = self.nodes[worker].life;
                    let synced = Durably::Synced { worker, life, fence, shard, ordinal, lengths };
                    self.durably(time, synced);
                }
                Chore::Remove(names) => {
                    let disk = self.nodes[worker].disk.clone();
                    for name in names {
                        self.look_at_removal(&name);
                        disk.as_ref().map(|disk| disk.lock().unwrap().files.remove(&name));
                    }
                }
            }
        }
        let compacted = self.nodes[worker].shard.as_ref().is_some_and(|s| s.status().compacting);
        self.history.lock().unwrap().survival.compacted += usize::from(compacted);
    }

    /// Deletes what earlier epochs have left, or all of a job.
    pub(crate) fn discard(
        &mut self,
        worker: usize,
        job: JobKey,
        before: Option<Epoch>,
        keep: &[SegmentName],
    ) {
        let Some(disk) = self.nodes[worker].disk.clone() else {
            return;
        };
        let mut disk = disk.lock().unwrap();
        let names: Vec<SegmentName> = disk.files.keys().cloned().collect();
        disk.discard(job, before, keep);
        for name in names.iter().filter(|name| !disk.files.contains_key(*name)) {
            self.look_at_removal(name);
        }
    }

    /// Nothing may be deleted that the manifest names, unless the result is written down.
    fn look_at_removal(&mut self, name: &SegmentName) {
        let manifest = self.kept().manifest.clone();
        let named = manifest.filter(|manifest| manifest.result.is_none()).is_some_and(|manifest| {
            manifest.segments.iter().any(|placed| placed.segment.name == *name)
        });
        if named {
            self.history.lock().unwrap().survival.missed_segments.push(name.to_string());
        }
    }

    /// A job has been released on a worker.
    pub(crate) fn released(
        &mut self,
        worker: usize,
        fence: Fence,
        released: Released<GraphShard>,
    ) -> sokohive::cluster::job::Reply {
        let Released { shard, discard } = released;
        if let Some(shard) = shard {
            shard.stop();
            self.nodes[worker].shard = None;
        }
        if discard {
            self.discard(worker, fence.job, None, &[]);
        }
        if self.nodes[worker].leaving {
            let life = self.nodes[worker].life;
            self.durably(Duration::from_millis(1), Durably::Gone { worker, life });
        }
        sokohive::cluster::job::Reply::Released
    }
}
