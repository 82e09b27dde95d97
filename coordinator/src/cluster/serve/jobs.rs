//! All jobs: the queue, the one that runs, the results.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sokohive_engine::Limit;
use sokohive_proto::{
    JobEnding, JobEvent, JobKey, JobNumber, JobProgress, JobState, Refusal, StoredJob, Submission,
};
use tokio::sync::{Notify, watch};
use tracing::warn;

use super::caller::Caller;
use super::counters::Counters;
use super::limits::{self, Waiting};
use super::store::Store;
use crate::cluster::drive::ended_early;
use crate::cluster::job::StopReason;

/// Results kept; older ones are forgotten.
const MOST_ENDED: usize = 10_000;

/// Notes kept of a job; later ones are only logged.
const MOST_NOTES: usize = 32;

/// All jobs: the queue, the one that runs, the results.
#[derive(Debug)]
pub(super) struct Jobs {
    inner: Mutex<Inner>,
    counters: Arc<Counters>,
    /// What outlives the process, where something does.
    store: Option<Store>,
    /// Told when a job is queued, and when no more will be.
    changed: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    last: u64,
    jobs: BTreeMap<JobNumber, Entry>,
    /// The jobs by what their clients call them.
    keys: HashMap<JobKey, JobNumber>,
    queue: VecDeque<JobNumber>,
    ended: VecDeque<JobNumber>,
    closed: bool,
}

#[derive(Debug)]
struct Entry {
    submission: Submission,
    caller: Caller,
    event: watch::Sender<JobEvent>,
    stop: watch::Sender<Option<StopReason>>,
}

impl Inner {
    /// The jobs that wait.
    fn waiting(&self) -> impl Iterator<Item = Waiting<'_>> {
        self.queue.iter().filter_map(|number| {
            let entry = self.jobs.get(number)?;
            Some(Waiting { caller: &entry.caller, bytes: entry.submission.task.board.len() })
        })
    }

    /// Takes a job in, in any state.
    fn enter(
        &mut self,
        number: JobNumber,
        mut submission: Submission,
        caller: Caller,
        state: JobState,
    ) {
        self.last = self.last.max(number.get());
        self.keys.insert(submission.key, number);
        match state {
            JobState::Ended(_) => {
                // Only what waits or runs is to take the memory of a board.
                submission.task.board = String::new();
                self.ended.push_back(number);
            }
            JobState::Queued | JobState::Running(_) => self.queue.push_back(number),
        }
        let event = JobEvent {
            id: number,
            name: submission.name.clone(),
            rule: submission.task.rule,
            objective: submission.task.objective,
            counts: submission.task.all.count,
            state,
            notes: Vec::new(),
        };
        let (event, stop) = (watch::Sender::new(event), watch::Sender::new(None));
        self.jobs.insert(number, Entry { submission, caller, event, stop });
    }
}

/// A job whose turn it is.
pub(super) struct Turn {
    pub(super) number: JobNumber,
    pub(super) submission: Submission,
    pub(super) stop: watch::Receiver<Option<StopReason>>,
}

/// Why a job is not taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum SubmitError {
    /// There are too many, or the coordinator is about to stop.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// It cannot be written down.
    #[error("the job cannot be written down: {0}")]
    Store(io::Error),
}

impl Jobs {
    /// No jobs yet.
    pub(super) fn new(counters: Arc<Counters>) -> Self {
        Self { inner: Mutex::default(), counters, store: None, changed: Notify::new() }
    }

    /// Jobs that outlive the process: those kept before come first, in order.
    pub(super) fn kept(store: Store, kept: Vec<StoredJob>, counters: Arc<Counters>) -> Self {
        let jobs = Self { store: Some(store), ..Self::new(counters) };
        let mut inner = jobs.lock();
        for StoredJob { number, submission, result } in kept {
            let state = result.map_or(JobState::Queued, JobState::Ended);
            // Whoever handed it in is not written down.
            inner.enter(number, submission, Caller::Unknown, state);
        }
        drop(inner);
        jobs
    }

    /// Queues a job. Waits for the disk where jobs are kept.
    ///
    /// # Errors
    ///
    /// If there are too many, it cannot be written down, or the coordinator is about to stop.
    pub(super) fn submit(
        &self,
        submission: Submission,
        caller: Caller,
    ) -> Result<JobNumber, SubmitError> {
        let mut inner = self.lock();
        if inner.closed {
            return Err(Refusal::ShuttingDown.into());
        }
        if let Some(&number) = inner.keys.get(&submission.key) {
            return Ok(number);
        }
        let job = Waiting { caller: &caller, bytes: submission.task.board.len() };
        limits::admit(inner.waiting(), job)?;
        let number = JobNumber::new(inner.last + 1).ok_or(Refusal::ShuttingDown)?;
        if let Some(store) = &self.store {
            let job = StoredJob { number, submission: submission.clone(), result: None };
            store.save(&job).map_err(SubmitError::Store)?;
        }
        inner.enter(number, submission, caller, JobState::Queued);
        drop(inner);
        self.counters.submitted();
        self.changed.notify_one();
        Ok(number)
    }

    /// What outlives the process, where something does.
    pub(super) fn store(&self) -> Option<&Store> {
        self.store.as_ref()
    }

    /// Whether a job that is not finished is to go on after a restart.
    pub(super) fn suspends(&self) -> bool {
        self.store.is_some() && self.lock().closed
    }

    /// The next job, when there is one; `None` when there will be none any more.
    pub(super) async fn next(&self) -> Option<Turn> {
        loop {
            {
                let mut inner = self.lock();
                if inner.closed {
                    return None;
                }
                if let Some(number) = inner.queue.pop_front()
                    && let Some(entry) = inner.jobs.get(&number)
                {
                    let stop = entry.stop.subscribe();
                    return Some(Turn { number, submission: entry.submission.clone(), stop });
                }
            }
            // Holds a permit if it was told in between.
            self.changed.notified().await;
        }
    }

    /// Changes what a job looks like. Its end is told when it is written down.
    pub(super) fn update(&self, number: JobNumber, state: JobState) {
        let mut inner = self.lock();
        let ended = matches!(state, JobState::Ended(_));
        if let JobState::Ended(result) = &state {
            self.counters.ended(&result.ending);
        }
        if let Some(entry) = inner.jobs.get(&number) {
            if let (Some(store), JobState::Ended(result)) = (&self.store, &state) {
                let submission = entry.submission.clone();
                let job = StoredJob { number, submission, result: Some(result.clone()) };
                if let Err(error) = store.save(&job).and_then(|()| store.settle(number, result)) {
                    warn!("job {number}: its end is not written down: {error}");
                }
            }
            entry.event.send_modify(|event| event.state = state);
        }
        if ended {
            if let Some(entry) = inner.jobs.get_mut(&number) {
                // Only what waits or runs is to take the memory of a board.
                entry.submission.task.board = String::new();
            }
            inner.ended.push_back(number);
            if inner.ended.len() > MOST_ENDED
                && let Some(oldest) = inner.ended.pop_front()
            {
                let key = inner.jobs.remove(&oldest).map(|entry| entry.submission.key);
                key.map(|key| inner.keys.remove(&key));
                if let Some(Err(error)) = self.store.as_ref().map(|store| store.forget(oldest)) {
                    warn!("job {oldest} is not deleted: {error}");
                }
            }
        }
    }

    /// Tells whoever follows a job something in words, and logs it.
    pub(super) fn note(&self, number: JobNumber, text: String) {
        warn!("{text}");
        if let Some(entry) = self.lock().jobs.get(&number) {
            entry.event.send_if_modified(|event| {
                let has_room = event.notes.len() < MOST_NOTES;
                if has_room {
                    event.notes.push(text);
                }
                has_room
            });
        }
    }

    /// Follows a job.
    pub(super) fn watch(&self, number: JobNumber) -> Option<watch::Receiver<JobEvent>> {
        self.lock().jobs.get(&number).map(|entry| entry.event.subscribe())
    }

    /// Stops a job, whether it waits or runs. `None` if there is no such job, false if it is over.
    pub(super) fn cancel(&self, number: JobNumber) -> Option<bool> {
        let mut inner = self.lock();
        let entry = inner.jobs.get(&number)?;
        let state = entry.event.borrow().state.clone();
        match state {
            JobState::Ended(_) => return Some(false),
            JobState::Running(_) => {
                entry.stop.send_replace(Some(StopReason::Cancel));
                return Some(true);
            }
            JobState::Queued => {}
        }
        // Its turn may have come just now.
        entry.stop.send_replace(Some(StopReason::Cancel));
        let waiting = inner.queue.len();
        inner.queue.retain(|&queued| queued != number);
        let was_waiting = inner.queue.len() < waiting;
        drop(inner);
        if was_waiting {
            let limit = Limit::Interrupted;
            let ending = JobEnding::Limit { limit, lower_bound: 0, best: None };
            self.update(number, JobState::Ended(ended_early(ending)));
        }
        Some(true)
    }

    /// How many jobs wait.
    pub(super) fn waiting(&self) -> usize {
        self.lock().queue.len()
    }

    /// The job whose turn it is, with its figures once it has begun.
    pub(super) fn running(&self) -> Option<(JobNumber, Option<JobProgress>)> {
        self.lock().jobs.iter().rev().find_map(|(&number, entry)| {
            match entry.event.borrow().state {
                JobState::Running(progress) => Some((number, progress)),
                _ => None,
            }
        })
    }

    /// Whether jobs are taken.
    pub(super) fn is_open(&self) -> bool {
        !self.lock().closed
    }

    /// All jobs, by number.
    pub(super) fn list(&self) -> Vec<JobEvent> {
        self.lock().jobs.values().map(|entry| entry.event.borrow().clone()).collect()
    }

    /// Takes no more jobs and stops the one that runs.
    pub(super) fn close(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        for entry in inner.jobs.values() {
            // Whoever has taken it back still has.
            entry.stop.send_if_modified(|stop| {
                let news = stop.is_none();
                stop.get_or_insert(StopReason::Interrupt);
                news
            });
        }
        drop(inner);
        self.changed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
