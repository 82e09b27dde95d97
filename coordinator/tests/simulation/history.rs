//! What happened in a simulation, seen from above: what no single node knows.

use std::collections::BTreeMap;
use std::time::Duration;

use sokohive::cluster::job::Ending;
use sokohive_proto::Fence;

/// A successor on its way between two workers: unique in a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SuccessorId(pub(crate) u64);

/// The life of a successor that was sent.
#[derive(Clone, Debug)]
pub(crate) struct Journey {
    /// The job and epoch that it was generated in.
    pub(crate) sent_in: Fence,
    /// Its vertex's owner.
    pub(crate) owner: usize,
    /// Where it was applied: worker, and that worker's job and epoch.
    pub(crate) applied: Vec<(usize, Fence)>,
}

/// The end of a level, as the coordinator saw it.
#[derive(Clone, Debug)]
pub(crate) struct LevelEnd {
    pub(crate) job: usize,
    /// Ordinal of the level; 0 for the survey before the first.
    pub(crate) ordinal: u32,
    /// Workers that had work of the level left.
    pub(crate) busy: Vec<usize>,
    /// Successors sent and not applied.
    pub(crate) in_flight: usize,
}

/// A job of a simulation.
#[derive(Clone, Debug)]
pub(crate) struct JobRecord {
    pub(crate) started: Duration,
    pub(crate) ended: Option<(Duration, Ending)>,
    /// The optimum of its graph.
    pub(crate) optimum: Option<u32>,
    /// Cost of the path walked back to, if one was.
    pub(crate) walked: Option<Result<u32, String>>,
    /// Whether all best solutions were compared, which walks once more.
    pub(crate) compared: bool,
    /// Incumbents told to workers, in order.
    pub(crate) incumbents: Vec<Option<u32>>,
    /// Lower bounds in force, in order.
    pub(crate) bounds: Vec<u32>,
    /// Workers struck by a fault during or before the job, and when.
    pub(crate) struck: Vec<(usize, Duration)>,
    /// Whether the job was stopped from outside.
    pub(crate) stopped: bool,
    /// Workers that it was to have.
    pub(crate) members: Vec<usize>,
    /// When it opened its first level.
    pub(crate) searching: Option<Duration>,
    /// When it gave its workers back after that.
    pub(crate) released: Option<Duration>,
}

/// What happened in a simulation.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    pub(crate) journeys: BTreeMap<SuccessorId, Journey>,
    pub(crate) levels: Vec<LevelEnd>,
    pub(crate) jobs: Vec<JobRecord>,
    /// Whether the simulation had to be given up.
    pub(crate) given_up: Option<String>,
    /// Pushes refused for another job, epoch or process: shows that the fence was needed.
    pub(crate) fenced: usize,
    /// Closed vertices reached again at less cost: a level was ended too early.
    pub(crate) reopened: usize,
    /// Batches that came again.
    pub(crate) repeated: usize,
    /// What happened to a job that outlives its workers and its coordinator.
    pub(crate) survival: Survival,
}

/// What happened to a job that outlives its workers and its coordinator.
#[derive(Clone, Debug, Default)]
pub(crate) struct Survival {
    /// How it ended, and the path walked back to.
    pub(crate) answer: Option<(Ending, Option<Result<u32, String>>)>,
    /// Every attempt, with the job and epoch that workers were called into it under.
    pub(crate) fences: Vec<(usize, Fence)>,
    /// Segments that a manifest named and that were not safe.
    pub(crate) unsafe_segments: Vec<String>,
    /// Segments that were deleted while a manifest named them.
    pub(crate) missed_segments: Vec<String>,
    /// Edges at which a checkpoint was due and did not begin.
    pub(crate) overdue: Vec<String>,
    /// Searches that were given up with time to spare, and without a checkpoint of their last edge.
    pub(crate) unsettled: Vec<String>,
    /// Workers killed, with or without what was not safe on their disks.
    pub(crate) killed: usize,
    pub(crate) power_lost: usize,
    pub(crate) coordinators_killed: usize,
    pub(crate) disks_full: usize,
    pub(crate) left: usize,
    /// Manifests written at edges, and attempts that went on from one.
    pub(crate) checkpoints: usize,
    pub(crate) restored: usize,
    /// Attempts that went on with fewer workers than before.
    pub(crate) left_out: usize,
    /// Journals written anew.
    pub(crate) compacted: usize,
}

impl History {
    /// Successors of an epoch that have not been applied.
    pub(crate) fn in_flight(&self, fence: Fence) -> usize {
        let of = |journey: &&Journey| journey.sent_in == fence && journey.applied.is_empty();
        self.journeys.values().filter(of).count()
    }
}
