//! A job that outlives its workers and its coordinator: attempts, one after the other, from the newest
//! checkpoint.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sokohive_engine::Limit;
use sokohive_proto::{
    Checkpoint, ClusterFailure, Fence, Hello, JobEnding, JobKey, JobProgress, JobResult, Security,
    Segment, Task,
};
use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use super::drive::{Attempt, Drive, ended_early, failed_early};
use super::job::{Reply, Request, Settings, StopReason};
use super::link::Link;
use super::plan::Plan;
use super::recovery::{Choice, Recovery, Verdict, choose};
use crate::checkpoint::manifest;

/// Longest time to wait for one answer to a roll call.
const ANSWER: Duration = Duration::from_secs(1);

/// Pause between two roll calls.
const PAUSE: Duration = Duration::from_millis(300);

/// Workers that have not answered roll calls for so long are worth a word.
const TELL: Duration = Duration::from_secs(2);

/// What there is to make a job durable.
#[derive(Clone, Debug)]
pub struct Safety {
    /// File of the manifest.
    pub manifest: PathBuf,
    /// How often a checkpoint is taken.
    pub every: Duration,
    /// The job is given up when no attempt has got further for so long.
    pub give_up_after: Duration,
    /// The checkpoint to go on from.
    pub checkpoint: Option<Arc<Checkpoint>>,
}

/// Who may take part.
pub(super) enum Workers {
    /// These, by their addresses.
    List(Vec<String>),
    /// Whoever is registered at the time, and at least so many.
    Registered(Box<dyn Fn() -> Vec<String> + Send + Sync>, usize),
}

/// A job that outlives its workers.
pub(super) struct Durable {
    pub(super) name: String,
    pub(super) task: Task,
    pub(super) expansions: Option<u64>,
    pub(super) timeout: Option<Duration>,
    pub(super) plan: Arc<dyn Plan>,
    pub(super) workers: Workers,
    /// How they are connected to.
    pub(super) security: Security,
    pub(super) safety: Safety,
    pub(super) stop: watch::Receiver<Option<StopReason>>,
}

/// What a roll call ends with.
enum Roll {
    Go(Vec<String>),
    GiveUp(String),
    Stop(StopReason),
}

/// Tells people what they have not been told before.
struct Once<N> {
    note: N,
    told: BTreeSet<String>,
}

impl<N: FnMut(String)> Once<N> {
    fn tell(&mut self, text: String) {
        if self.told.insert(text.clone()) {
            (self.note)(text);
        }
    }
}

/// What a roll call has brought: who is there, and why the others are not.
#[derive(Default)]
struct Answers {
    hellos: Vec<(String, Option<Hello>)>,
    silent: Vec<(String, String)>,
}

impl Durable {
    /// Runs the job to its end. `note` is told, for people, which workers are waited for and why, and why
    /// an attempt has failed and another follows.
    pub(super) async fn run(
        mut self,
        progress: impl FnMut(JobProgress),
        note: impl FnMut(String),
    ) -> JobResult {
        let begins = self.safety.checkpoint.is_none();
        let mut result = self.attempts(progress, note).await;
        if let JobEnding::Failed(failure) = &mut result.ending {
            if begins {
                self.forget_start().await;
            }
            failure.saved = self.saved();
        }
        result
    }

    /// Forgets the manifest of a job that began and came to nothing: it names an epoch, and no states.
    async fn forget_start(&mut self) {
        let is_start = |checkpoint: &mut Arc<Checkpoint>| checkpoint.reached.levels == 0;
        let Some(start) = self.safety.checkpoint.take_if(is_start) else { return };
        let path = self.safety.manifest.clone();
        let removed = tokio::task::spawn_blocking(move || manifest::remove(&path));
        match removed.await {
            Ok(Ok(())) => discard(&start, &self.security).await,
            // It is still there, so it counts.
            Ok(Err(_)) | Err(_) => self.safety.checkpoint = Some(start),
        }
    }

    async fn attempts(
        &mut self,
        mut progress: impl FnMut(JobProgress),
        note: impl FnMut(String),
    ) -> JobResult {
        let start = Instant::now();
        let mut once = Once { note, told: BTreeSet::new() };
        let mut recovery = Recovery::new(self.safety.give_up_after);
        let mut last_epoch = 0;
        let newest = self.safety.checkpoint.as_ref();
        if newest.is_some_and(|checkpoint| checkpoint.search != self.plan.search()) {
            return failed_early("the checkpoint is of a search from other ends".to_owned());
        }
        let key = newest.map_or_else(JobKey::random, |checkpoint| checkpoint.job);
        // Everybody named has to be there for the first attempt; those who register come one by one.
        let mut members = match &self.workers {
            Workers::List(list) => list.clone(),
            Workers::Registered(..) => match self.roll_call(start, &recovery, &mut once).await {
                Roll::Go(members) => members,
                Roll::GiveUp(reason) => return self.failed(None, reason, start),
                Roll::Stop(reason) => return self.stopped(reason, start).await,
            },
        };
        loop {
            let left = self.timeout.map(|timeout| timeout.saturating_sub(start.elapsed()));
            if left == Some(Duration::ZERO) {
                return self.stopped(StopReason::Time, start).await;
            }
            let before = start.elapsed();
            let drive = self.drive(key, members, last_epoch, left);
            let told = |figures: JobProgress| {
                progress(JobProgress { elapsed: before + figures.elapsed, ..figures });
            };
            let Attempt { mut result, saved, epoch, levels } =
                drive.attempt(told, |text| once.tell(text)).await;
            result.elapsed = start.elapsed();
            last_epoch = epoch.max(last_epoch);
            if saved.is_some() {
                self.safety.checkpoint = saved;
            }
            let JobEnding::Failed(failure) = &mut result.ending else {
                return result;
            };
            if !failure.retryable || self.stop.borrow().is_some() {
                return result;
            }
            let pause = match recovery.failed(start.elapsed(), levels) {
                Verdict::Again(pause) => pause,
                Verdict::GiveUp => {
                    failure.reason += &self.in_vain();
                    return result;
                }
            };
            let worker = failure.worker.as_deref().unwrap_or("the cluster");
            let (why, position) = (&failure.reason, self.position());
            (once.note)(format!("{worker}: {why}; going on from {position}"));
            tokio::select! {
                () = sleep(pause) => {}
                _ = self.stop.wait_for(Option::is_some) => {}
            }
            members = match self.roll_call(start, &recovery, &mut once).await {
                Roll::Go(members) => members,
                Roll::GiveUp(reason) => {
                    failure.reason = format!("{}; then {reason}", failure.reason);
                    return result;
                }
                Roll::Stop(reason) => return self.stopped(reason, start).await,
            };
        }
    }

    fn drive(
        &self,
        key: JobKey,
        workers: Vec<String>,
        last_epoch: u64,
        timeout: Option<Duration>,
    ) -> Drive {
        let checkpoint = self.safety.checkpoint.clone();
        let levels = match &checkpoint {
            Some(checkpoint) => self.plan.levels_from(checkpoint.reached),
            None => self.plan.levels(),
        };
        let settings = Settings {
            key,
            name: self.name.clone(),
            task: self.task.clone(),
            search: self.plan.search(),
            workers,
            expansions: self.expansions,
            levels,
            every: Some(self.safety.every),
            checkpoint,
            last_epoch,
            proven: None,
        };
        let (plan, stop) = (Arc::clone(&self.plan), self.stop.clone());
        let (security, manifest) = (self.security.clone(), Some(self.safety.manifest.clone()));
        Drive { settings, security, timeout, plan, stop, manifest }
    }

    /// Asks who is there until there are enough to go on with.
    async fn roll_call(
        &mut self,
        start: Instant,
        recovery: &Recovery,
        once: &mut Once<impl FnMut(String)>,
    ) -> Roll {
        let checkpoint = self.safety.checkpoint.clone();
        let segments: Arc<[Segment]> = match &checkpoint {
            Some(checkpoint) => {
                checkpoint.segments.iter().map(|placed| placed.segment.clone()).collect()
            }
            None => Arc::default(),
        };
        let begun = Instant::now();
        loop {
            let stopped = *self.stop.borrow();
            if let Some(reason) = stopped {
                return Roll::Stop(reason);
            }
            if self.timeout.is_some_and(|timeout| start.elapsed() >= timeout) {
                return Roll::Stop(StopReason::Time);
            }
            let (called, least) = match &self.workers {
                Workers::List(list) => (list.clone(), 1),
                Workers::Registered(addresses, least) => (addresses(), *least),
            };
            let Answers { hellos, silent } = ask(&called, &self.security, &segments).await;
            if begun.elapsed() >= TELL {
                for (address, why) in &silent {
                    once.tell(format!("waiting for worker {address}: {why}"));
                }
            }
            let expected = match (&self.workers, &checkpoint) {
                (Workers::Registered(..), Some(checkpoint)) => &checkpoint.workers,
                _ => &called,
            };
            match choose(expected, &hellos, checkpoint.as_deref(), least, begun.elapsed()) {
                Choice::Go(members) => return Roll::Go(members),
                // Others may register yet.
                Choice::Lost(_) if matches!(self.workers, Workers::Registered(..)) => {}
                Choice::Lost(name) => {
                    return Roll::GiveUp(format!("segment {name} is on none of the workers"));
                }
                Choice::Wait => {}
            }
            if recovery.is_too_late(start.elapsed()) {
                let there = hellos.len() - silent.len();
                let mut reason = format!("{there} of {} workers were there", expected.len());
                if let Some((address, why)) = silent.first() {
                    reason += &format!(" ({address}: {why})");
                }
                return Roll::GiveUp(reason + &self.in_vain());
            }
            tokio::select! {
                () = sleep(PAUSE) => {}
                _ = self.stop.wait_for(Option::is_some) => {}
            }
        }
    }

    /// The end of a job that was stopped while nobody worked on it.
    async fn stopped(&self, reason: StopReason, start: Instant) -> JobResult {
        let checkpoint = self.safety.checkpoint.as_deref();
        let lower_bound = checkpoint.map_or(0, |checkpoint| checkpoint.reached.lower_bound);
        let limit: Limit = reason.into();
        let ending = JobEnding::Limit { limit, lower_bound, best: None };
        let result = JobResult { elapsed: start.elapsed(), ..ended_early(ending) };
        if let (StopReason::Cancel, Some(checkpoint)) = (reason, checkpoint) {
            let over = Checkpoint { result: Some(result.clone()), ..checkpoint.clone() };
            let (path, written) = (self.safety.manifest.clone(), over.clone());
            let write = move || manifest::write(&path, &written).is_ok();
            if tokio::task::spawn_blocking(write).await.unwrap_or(false) {
                discard(&over, &self.security).await;
            }
        }
        result
    }

    fn failed(&self, worker: Option<String>, reason: String, start: Instant) -> JobResult {
        let checkpoint = self.safety.checkpoint.as_deref();
        let level = checkpoint.map_or(0, |checkpoint| checkpoint.reached.lower_bound);
        let failure = ClusterFailure { worker, level, reason, retryable: true, saved: None };
        JobResult { elapsed: start.elapsed(), ..ended_early(JobEnding::Failed(failure)) }
    }

    fn in_vain(&self) -> String {
        format!("; no attempt got further for {} s", self.safety.give_up_after.as_secs())
    }

    /// Where the next attempt goes on, for people.
    fn position(&self) -> String {
        match self.safety.checkpoint.as_deref().map(|checkpoint| checkpoint.reached) {
            Some(reached) if reached.levels > 0 => format!("level {}", reached.lower_bound),
            _ => "the start".to_owned(),
        }
    }

    /// What is safe on disk, for people.
    fn saved(&self) -> Option<String> {
        let checkpoint = self.safety.checkpoint.as_deref()?;
        let (path, reached) = (self.safety.manifest.display(), checkpoint.reached);
        Some(match reached.levels {
            0 => format!("safe in {path} is that it has begun"),
            _ => format!("safe up to level {} in {path}", reached.lower_bound),
        })
    }
}

/// Has the workers of a job delete what they keep of it, as its result is written down. Those that
/// cannot be reached in a moment keep it.
pub(super) async fn discard(checkpoint: &Checkpoint, security: &Security) {
    let fence = Fence { job: checkpoint.job, epoch: checkpoint.epoch };
    let mut calls = JoinSet::new();
    for address in checkpoint.workers.clone() {
        let security = security.clone();
        calls.spawn(async move {
            if let Ok(link) = Link::new(&address, &security) {
                let call = link.call(Request::Release { fence, discard: true });
                let _ = timeout(ANSWER, call).await;
            }
        });
    }
    calls.join_all().await;
}

/// Has the workers delete what they keep of a job whose result is written down; for callers without a
/// runtime of their own.
pub fn clean_up(checkpoint: &Checkpoint, security: &Security) {
    if let Ok(runtime) = Builder::new_current_thread().enable_all().build() {
        runtime.block_on(discard(checkpoint, security));
    }
}

/// Asks workers who they are and what they can read.
async fn ask(addresses: &[String], security: &Security, segments: &Arc<[Segment]>) -> Answers {
    let mut asked = JoinSet::new();
    for (place, address) in addresses.iter().cloned().enumerate() {
        let (segments, security) = (Arc::clone(segments), security.clone());
        asked.spawn(async move {
            let hello = async {
                let link = Link::new(&address, &security).map_err(|error| error.to_string())?;
                match link.call(Request::Hello(segments)).await {
                    Ok(Reply::Hello(hello)) => Ok(hello),
                    Ok(_) => Err("the answer is to another question".to_owned()),
                    Err(error) => Err(error.to_string()),
                }
            };
            let late = |_| Err("no answer in time".to_owned());
            let hello = timeout(ANSWER, hello).await.unwrap_or_else(late);
            (place, address, hello)
        });
    }
    let mut all = asked.join_all().await;
    all.sort_by_key(|&(place, ..)| place);
    let mut answers = Answers::default();
    for (_, address, hello) in all {
        if let Err(why) = &hello {
            answers.silent.push((address.clone(), why.clone()));
        }
        answers.hellos.push((address, hello.ok()));
    }
    answers
}
