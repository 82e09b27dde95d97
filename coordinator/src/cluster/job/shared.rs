//! What all states of a job share.

use std::time::Duration;

use sokohive_engine::{Side, Statistics};
use sokohive_proto::{
    ClusterFailure, Fence, Finish, JobProgress, Level, OpenList, Refusal, Report, Segment, Traffic,
    Upkeep,
};

use super::call::{CallError, CallId, Reply, Request};
use super::keeping::{Keeping, Standing};
use super::member::{Loss, Member};
use super::{Command, Ending, LOST, Settings};

/// How long a job waits for workers that other jobs have, all in all.
const BUSY: Duration = Duration::from_secs(60);

/// What all states of a job share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) now: Duration,
    started: Duration,
    pub(super) settings: Settings,
    pub(super) members: Vec<Member>,
    /// Known once the greeting is over.
    pub(super) fence: Option<Fence>,
    /// The best finish that any worker has reported. INVARIANT: its cost never rises.
    pub(super) incumbent: Option<Finish>,
    /// Since when other jobs have been in the way.
    contested_since: Option<Duration>,
    /// The level being searched; `None` before the first.
    pub(super) level: Option<Level>,
    /// Every solution costs at least this much. INVARIANT: never falls.
    pub(super) lower_bound: u32,
    /// What is kept of the job; `None` where nothing is, or the manifest is not there yet.
    pub(super) keeping: Option<Keeping>,
    /// Whether it has been told that a manifest cannot be written.
    has_told_problem: bool,
    /// What each worker reads of the checkpoint.
    pub(super) dealt: Vec<Vec<Segment>>,
    /// Whether the tables are there, to walk back in.
    pub(super) walkable: bool,
    /// Whether nobody wants the answer any more.
    pub(super) cancelled: bool,
    /// Whether what is kept of the job is to be deleted.
    pub(super) discard: bool,
    /// What earlier attempts or searches have counted, as far as it was kept.
    base: Statistics,
    last_call: u64,
    commands: Vec<Command>,
}

/// What a report may reveal that ends a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// A worker, by its index, has failed or is out of reach of another.
    Failed(usize, Loss),
    /// A worker, by its index, has been told to end.
    Leaving(usize),
    /// A worker has no memory left.
    Memory,
    /// All workers together have expanded as much as they may.
    Expansions,
}

impl Shared {
    pub(super) fn new(now: Duration, settings: Settings) -> Self {
        let checkpoint = settings.checkpoint.as_deref();
        let (incumbent, lower_bound, base) = match (checkpoint, settings.proven) {
            (Some(checkpoint), _) => {
                // The states are counted again when they are read.
                let base = Statistics { states: 0, ..checkpoint.statistics };
                (checkpoint.best, checkpoint.reached.lower_bound, base)
            }
            (None, Some(proven)) => (None, proven.cost, proven.statistics),
            (None, None) => (None, 0, Statistics::default()),
        };
        // Bytes are counted when they are held.
        let base = Statistics { peak_bytes: 0, ..base };
        Self {
            now,
            started: now,
            members: settings.workers.iter().cloned().map(Member::new).collect(),
            settings,
            fence: None,
            incumbent,
            contested_since: None,
            level: None,
            lower_bound,
            keeping: None,
            has_told_problem: false,
            dealt: Vec::new(),
            walkable: false,
            cancelled: false,
            discard: false,
            base,
            last_call: 0,
            commands: Vec::new(),
        }
    }

    pub(super) fn take_commands(&mut self) -> Vec<Command> {
        std::mem::take(&mut self.commands)
    }

    pub(super) fn command(&mut self, command: Command) {
        self.commands.push(command);
    }

    fn next_call(&mut self) -> CallId {
        self.last_call += 1;
        CallId::new(self.last_call)
    }

    /// Calls a worker that is not being called.
    pub(super) fn call(&mut self, worker: usize, request: Request) {
        let call = self.next_call();
        self.members[worker].ask(self.now, call, request.clone());
        self.command(Command::Call { worker, call, request });
    }

    /// Calls all workers with the same request.
    pub(super) fn call_all(&mut self, request: &Request) {
        (0..self.members.len()).for_each(|worker| self.call(worker, request.clone()));
    }

    /// Calls all workers, each with a request of its own, given what is to be done for its journal and
    /// its index.
    pub(super) fn call_each(&mut self, mut request: impl FnMut(Upkeep, usize) -> Request) {
        for worker in 0..self.members.len() {
            let member = &self.members[worker];
            let upkeep = self.keeping.as_ref().map(|keeping| keeping.upkeep(member));
            let request = request(upkeep.unwrap_or_default(), worker);
            self.call(worker, request);
        }
        if let Some(keeping) = &mut self.keeping {
            keeping.told();
        }
    }

    /// Whether the job goes on from where an earlier attempt has got to.
    pub(super) fn restores(&self) -> bool {
        let checkpoint = self.settings.checkpoint.as_deref();
        checkpoint.is_some_and(|checkpoint| checkpoint.reached.levels > 0)
    }

    /// What waits on each side at its smallest f, on all workers together.
    pub(super) fn open(&self) -> [Option<OpenList>; 2] {
        [Side::Forward, Side::Backward].map(|side| self.waiting(side))
    }

    fn waiting(&self, side: Side) -> Option<OpenList> {
        let reports = self.members.iter().map(|member| &member.report);
        let lists =
            || reports.clone().flat_map(|report| &report.open).filter(|open| open.side == side);
        let smallest_f = lists().map(|open| open.smallest_f).min()?;
        let rows = lists().filter(|open| open.smallest_f == smallest_f).map(|open| open.rows).sum();
        Some(OpenList { side, smallest_f, rows })
    }

    /// A level is over on all workers, and the next is not open: a moment to go on from.
    pub(super) fn reach_edge(&mut self, ordinal: u32) {
        let (statistics, _) = self.statistics();
        let (open, incumbent) = (self.open(), self.incumbent_cost());
        let reached = self.settings.levels.level_is_over(open, incumbent);
        let standing = Standing { reached, best: self.incumbent, statistics };
        if let Some(keeping) = &mut self.keeping {
            keeping.reach(self.now, ordinal, &standing, &mut self.members);
        }
    }

    /// Has the manifest written of a checkpoint whose segments are all durable.
    pub(super) fn commit_what_is_durable(&mut self) {
        let keeping = self.keeping.as_mut();
        if let Some(checkpoint) = keeping.and_then(|keeping| keeping.look(&self.members)) {
            self.command(Command::Commit(checkpoint));
        }
    }

    /// A manifest has been written, or could not be. Why not is told once.
    pub(super) fn committed(&mut self, result: &Result<(), String>) {
        if let Err(problem) = result
            && !std::mem::replace(&mut self.has_told_problem, true)
        {
            self.command(Command::Note(format!("no checkpoint: {problem}")));
        }
        if let Some(keeping) = &mut self.keeping {
            keeping.committed(self.now, result.is_ok(), &self.members);
        }
    }

    /// Makes the calls again whose pause is over.
    pub(super) fn call_again(&mut self) {
        for worker in 0..self.members.len() {
            let call = self.next_call();
            if let Some(request) = self.members[worker].again(self.now, call) {
                self.command(Command::Call { worker, call, request });
            }
        }
    }

    /// The worker whose awaited answer this is, if there is one. A good answer settles its call.
    pub(super) fn settle(
        &mut self,
        call: CallId,
        result: &Result<Reply, CallError>,
    ) -> Option<usize> {
        let worker = self.members.iter().position(|member| member.awaits(call))?;
        if result.is_ok() {
            self.members[worker].settle();
        }
        Some(worker)
    }

    /// Another job has a worker that this one is to have. Waits for it, but not for ever.
    pub(super) fn contested(&mut self, refusal: &Refusal) -> Option<Loss> {
        let since = *self.contested_since.get_or_insert(self.now);
        if self.now.saturating_sub(since) < BUSY {
            return None;
        }
        let reason = match refusal {
            Refusal::Busy(_) => refusal.to_string(),
            _ => format!("it has been taken: {refusal}"),
        };
        Some(Loss { reason, retryable: true })
    }

    /// A worker that has been silent for too long.
    pub(super) fn find_lost(&self) -> Option<(usize, Loss)> {
        let lost = |(worker, member): (usize, &Member)| Some((worker, member.lost(self.now)?));
        self.members.iter().enumerate().find_map(lost)
    }

    /// Tells which workers are waited for, and which keep checkpoints from being taken, and why.
    pub(super) fn tell_troubles(&mut self) {
        for member in &mut self.members {
            let troubles = [member.delay(self.now), member.journal_fault()];
            self.commands.extend(troubles.into_iter().flatten().map(Command::Note));
        }
    }

    /// Cost of the best solution known.
    pub(super) fn incumbent_cost(&self) -> Option<u32> {
        let proven = self.settings.proven.map(|proven| proven.cost);
        self.incumbent.map(|finish| finish.cost).into_iter().chain(proven).min()
    }

    /// Takes in a report: the incumbent, the counters. Says whether the search has to end.
    pub(super) fn absorb(&mut self, worker: usize, report: Report) -> Option<Trouble> {
        if let Some(best) = report.best
            && self.incumbent.is_none_or(|incumbent| best < incumbent)
        {
            self.incumbent = Some(best);
        }
        let trouble = self.trouble(worker, &report);
        self.members[worker].report = report;
        if trouble.is_some() {
            return trouble;
        }
        let expanded = self.statistics().0.expanded;
        let limit = self.settings.expansions.unwrap_or(u64::MAX);
        if expanded >= limit {
            return Some(Trouble::Expansions);
        }
        self.members[worker].report.leaving.then_some(Trouble::Leaving(worker))
    }

    fn trouble(&self, worker: usize, report: &Report) -> Option<Trouble> {
        if let Some(fault) = &report.fault {
            let loss = Loss { reason: fault.clone(), retryable: false };
            return Some(Trouble::Failed(worker, loss));
        }
        if report.memory_exhausted {
            return Some(Trouble::Memory);
        }
        let silent = report.silent.iter().find(|peer| peer.silent >= LOST)?;
        let peer = usize::from(silent.index);
        let reason = format!(
            "out of reach of worker {} for {} s: {}",
            self.members[worker].address,
            silent.silent.as_secs(),
            silent.reason
        );
        // An index that names nobody is the reporter's own fault.
        let blamed = if peer < self.members.len() { peer } else { worker };
        Some(Trouble::Failed(blamed, Loss { reason, retryable: true }))
    }

    /// The ending that names a worker.
    pub(super) fn failure(&self, worker: usize, loss: Loss) -> Ending {
        Ending::Failed(ClusterFailure {
            worker: Some(self.members[worker].address.clone()),
            level: self.lower_bound,
            reason: loss.reason,
            retryable: loss.retryable,
            saved: None,
        })
    }

    /// Every solution costs at least this much.
    pub(super) fn prove(&mut self, bound: u32) {
        self.lower_bound = self.lower_bound.max(bound);
    }

    pub(super) fn statistics(&self) -> (Statistics, Traffic) {
        let mut sum = (self.base, Traffic::default());
        for member in &self.members {
            sum.0 += member.report.statistics;
            sum.1 += member.report.traffic;
        }
        // Workers know of no levels but the one that is open.
        let ordinal = self.level.map_or(0, |level| u64::from(level.ordinal));
        // Reading a checkpoint takes the place of one.
        sum.0.levels = self.base.levels + ordinal.saturating_sub(self.restores().into());
        sum
    }

    pub(super) fn shares(&self) -> (Vec<u64>, u32) {
        let states = |member: &Member| member.report.statistics.states;
        let threads = |member: &Member| member.hello.as_ref().map_or(0, |hello| hello.threads);
        (self.members.iter().map(states).collect(), self.members.iter().map(threads).sum())
    }

    pub(super) fn progress(&self) -> JobProgress {
        let (statistics, _) = self.statistics();
        JobProgress {
            lower_bound: self.lower_bound,
            best: self.incumbent_cost(),
            expanded: statistics.expanded,
            states: statistics.states,
            memory: self.members.iter().map(|member| member.report.memory).sum(),
            elapsed: self.now.saturating_sub(self.started),
            // At most 1,024.
            workers: u32::try_from(self.members.len()).unwrap_or(u32::MAX),
            unsaved: self.keeping.as_ref().map(|keeping| keeping.unsaved(self.now)),
        }
    }
}
