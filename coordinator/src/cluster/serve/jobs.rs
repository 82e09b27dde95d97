//! All jobs: the queue, the one that runs, the results.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sokohive_engine::Limit;
use sokohive_proto::{
    JobEnding, JobEvent, JobKey, JobNumber, JobProgress, JobState, Refusal, Submission,
};
use tokio::sync::{Notify, watch};

use super::caller::Caller;
use super::counters::Counters;
use super::limits::{self, Waiting};
use crate::cluster::drive::ended_early;
use crate::cluster::job::StopReason;

/// Results kept; older ones are forgotten.
const MOST_ENDED: usize = 10_000;

/// All jobs: the queue, the one that runs, the results.
#[derive(Debug)]
pub(super) struct Jobs {
    inner: Mutex<Inner>,
    counters: Arc<Counters>,
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
}

/// A job whose turn it is.
pub(super) struct Turn {
    pub(super) number: JobNumber,
    pub(super) submission: Submission,
    pub(super) stop: watch::Receiver<Option<StopReason>>,
}

impl Jobs {
    /// No jobs yet.
    pub(super) fn new(counters: Arc<Counters>) -> Self {
        Self { inner: Mutex::default(), counters, changed: Notify::new() }
    }

    /// Queues a job.
    ///
    /// # Errors
    ///
    /// If there are too many, or the coordinator is about to stop.
    pub(super) fn submit(
        &self,
        submission: Submission,
        caller: Caller,
    ) -> Result<JobNumber, Refusal> {
        let mut inner = self.lock();
        if inner.closed {
            return Err(Refusal::ShuttingDown);
        }
        if let Some(&number) = inner.keys.get(&submission.key) {
            return Ok(number);
        }
        let job = Waiting { caller: &caller, bytes: submission.task.board.len() };
        limits::admit(inner.waiting(), job)?;
        let number = JobNumber::new(inner.last + 1).ok_or(Refusal::ShuttingDown)?;
        inner.last += 1;
        inner.keys.insert(submission.key, number);
        let event = JobEvent {
            id: number,
            name: submission.name.clone(),
            rule: submission.task.rule,
            objective: submission.task.objective,
            state: JobState::Queued,
        };
        let entry = Entry {
            submission,
            caller,
            event: watch::Sender::new(event),
            stop: watch::Sender::new(None),
        };
        inner.jobs.insert(number, entry);
        inner.queue.push_back(number);
        drop(inner);
        self.counters.submitted();
        self.changed.notify_one();
        Ok(number)
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

    /// Changes what a job looks like.
    pub(super) fn update(&self, number: JobNumber, state: JobState) {
        let mut inner = self.lock();
        let ended = matches!(state, JobState::Ended(_));
        if let JobState::Ended(result) = &state {
            self.counters.ended(&result.ending);
        }
        if let Some(entry) = inner.jobs.get(&number) {
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
            }
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
                entry.stop.send_replace(Some(StopReason::Interrupt));
                return Some(true);
            }
            JobState::Queued => {}
        }
        // Its turn may have come just now.
        entry.stop.send_replace(Some(StopReason::Interrupt));
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
            entry.stop.send_replace(Some(StopReason::Interrupt));
        }
        drop(inner);
        self.changed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
