//! One job that outlives its workers and its coordinator: disks, manifests, faults without end, and
//! attempts until one succeeds.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sokohive::cluster::job::{Ending, Event, StopReason};
use sokohive::cluster::recovery::Recovery;
use sokohive_proto::{Checkpoint, Fence, SegmentName};

use crate::disk::Disk;
use crate::random::Random;
use crate::shard::GraphShard;
use crate::world::{Happening, World};

/// How long a worker that is told to end waits to be released.
const LEAVING: Duration = Duration::from_secs(10);

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
    pub(crate) disks: Vec<Arc<Mutex<Disk>>>,
    pub(crate) every: Duration,
    /// The manifest, as it is on the coordinator's disk.
    pub(crate) manifest: Option<Arc<Checkpoint>>,
    /// Manifests on their way to the disk: whether it is the last, with the result.
    pub(crate) writing: VecDeque<(usize, Arc<Checkpoint>, bool)>,
    /// How the job has ended, as soon as the result is written down.
    pub(crate) concluded: Option<Ending>,
    /// Counts the coordinators.
    pub(crate) coordinator: u64,
    pub(crate) recovery: Recovery,
    pub(crate) last_epoch: u64,
    /// Who takes part in the next attempt.
    pub(crate) next: Vec<usize>,
    /// Faults that may still strike.
    pub(crate) faults_left: u64,
    /// Until when edges need no checkpoint.
    pub(crate) due: Duration,
    /// The edge whose checkpoint has been asked for last, and when it was reached.
    pub(crate) asked: (u32, Duration),
    /// When the job was stopped or a worker of it was told to end, in this attempt.
    pub(crate) stopped: Option<Duration>,
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
    pub(crate) fn kept(&mut self) -> &mut Durable {
        self.durable.as_mut().expect("the job is durable")
    }

    pub(crate) fn durably(&mut self, after: Duration, happening: Durably) {
        self.plan(after, Happening::Durable(happening));
    }

    /// Plans some faults, each of which passes; there are only so many, so that some attempt has none.
    pub(crate) fn plan_durable_faults(&mut self, faults: u64) {
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
                if attempt > 0 && self.newest().is_some() {
                    self.kept().stopped.get_or_insert(now);
                    self.event(attempt - 1, Event::Stop(StopReason::Interrupt));
                }
            }
        }
    }

    pub(crate) fn leave(&mut self, worker: usize) {
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
    pub(crate) fn gone(&mut self, worker: usize) {
        if self.nodes[worker].alive {
            self.nodes[worker].alive = false;
            let pause = Duration::from_millis(self.random.between(1, 3_000));
            self.plan(pause, Happening::Revive(worker));
        }
    }

    /// The coordinator is no more; what it was writing has been written, up to some point.
    pub(crate) fn end_coordinator(&mut self, pause: Duration) {
        while !self.kept().writing.is_empty() && self.random.permille(500) {
            self.take_written();
        }
        self.take_newest();
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

    pub(crate) fn answered(&mut self, ending: Ending) {
        let mut history = self.history.lock().unwrap();
        let walked = history.jobs.iter().rev().find_map(|job| job.walked.clone());
        history.survival.answer = Some((ending, walked));
    }
}
