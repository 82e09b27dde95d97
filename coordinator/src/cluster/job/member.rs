//! One worker, as the coordinator knows it.

use std::time::Duration;

use sokohive_proto::{Hello, Refusal, Report};

use super::call::{CallError, CallId, Request};

/// A worker that gives no answer for this long is lost. Together with the time to release the
/// others it must stay well below fifteen seconds.
pub const LOST: Duration = Duration::from_secs(8);

/// A worker that has not given any answer yet gets longer: it may be starting, its name may not
/// resolve yet.
const UNMET: Duration = Duration::from_secs(60);

/// A worker that gives no answer for this long is worth a word.
const TELL: Duration = Duration::from_secs(1);

/// Most causes that are told of a worker: should they never repeat, nobody wants to read them all.
const MOST_TOLD: usize = 16;

/// Pauses before a call is made again: the first, doubled after every failure, up to the last.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LAST_PAUSE: Duration = Duration::from_millis(500);

/// One worker, as the coordinator knows it.
#[derive(Debug)]
pub(super) struct Member {
    /// Host and port.
    pub(super) address: String,
    /// What it said of itself; `None` until it is met.
    pub(super) hello: Option<Hello>,
    /// The newest report, empty before the first.
    pub(super) report: Report,
    /// The number of the last wish to write its journal anew, 0 for none.
    pub(super) compact: u32,
    call: Option<Call>,
    /// The causes that have been told of its silence.
    told: Vec<String>,
    /// Whether it has been told that its journal is at fault.
    has_told_fault: bool,
}

/// A call that has not been answered yet.
#[derive(Debug)]
struct Call {
    id: CallId,
    request: Request,
    /// When it was made for the first time.
    made: Duration,
    /// When it was made for the first time, or when the worker last gave any answer to it.
    since: Duration,
    /// When it is to be made again; `None` while an answer is awaited.
    again_at: Option<Duration>,
    failures: u32,
    /// What went wrong last.
    reason: String,
}

/// Why a job has to end for a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loss {
    pub(super) reason: String,
    /// Whether the job may succeed when it is run again.
    pub(super) retryable: bool,
}

impl Member {
    pub(super) fn new(address: String) -> Self {
        let (report, told) = (Report::default(), Vec::new());
        Self { address, hello: None, report, compact: 0, call: None, told, has_told_fault: false }
    }

    /// Whether an answer is awaited.
    pub(super) fn is_busy(&self) -> bool {
        self.call.is_some()
    }

    /// Notes a call that is being made for the first time.
    pub(super) fn ask(&mut self, now: Duration, id: CallId, request: Request) {
        debug_assert!(!self.is_busy(), "one call at a time");
        self.call = Some(Call {
            id,
            request,
            made: now,
            since: now,
            again_at: None,
            failures: 0,
            reason: "no answer".to_owned(),
        });
    }

    /// Whether this is the call whose answer is awaited.
    pub(super) fn awaits(&self, id: CallId) -> bool {
        self.call.as_ref().is_some_and(|call| call.id == id && call.again_at.is_none())
    }

    /// Forgets the call: it has been answered, or nobody wants the answer any more.
    pub(super) fn settle(&mut self) {
        self.call = None;
    }

    /// A call brought no answer: it will be made again, unless the worker is lost to the job.
    pub(super) fn failed(&mut self, now: Duration, error: CallError) -> Option<Loss> {
        let call = self.call.as_mut()?;
        let lost = |reason: String, retryable| Some(Loss { reason, retryable });
        match error {
            CallError::Unreachable(reason) => call.reason = reason,
            // Certificates change, but not while a job waits for its workers to begin.
            CallError::Mismatch(reason) => return lost(reason, self.hello.is_some()),
            CallError::Refused(refusal) if refusal.is_retryable() => {
                call.since = now;
                call.reason = refusal.to_string();
            }
            CallError::Refused(refusal) => {
                return match refusal {
                    Refusal::NoJob | Refusal::OtherIncarnation { .. } => {
                        lost("it has been started again".to_owned(), true)
                    }
                    Refusal::ShuttingDown => lost("it is shutting down".to_owned(), true),
                    Refusal::OldEpoch { .. } | Refusal::OtherJob { .. } => {
                        lost(format!("it has been taken: {refusal}"), true)
                    }
                    _ => lost(refusal.to_string(), false),
                };
            }
        }
        let pause = FIRST_PAUSE.saturating_mul(1 << call.failures.min(16)).min(LAST_PAUSE);
        call.failures += 1;
        call.again_at = Some(now + pause);
        None
    }

    /// The call to be made again now, under a new id.
    pub(super) fn again(&mut self, now: Duration, id: CallId) -> Option<Request> {
        let call = self.call.as_mut().filter(|call| call.again_at.is_some_and(|at| at <= now))?;
        call.again_at = None;
        call.id = id;
        Some(call.request.clone())
    }

    /// Why the job has been waiting for the worker for a while, unless that has been told before.
    pub(super) fn delay(&mut self, now: Duration) -> Option<String> {
        let call = self.call.as_ref().filter(|call| call.failures > 0)?;
        let is_late = now.saturating_sub(call.made) >= TELL;
        let is_news = !self.told.contains(&call.reason) && self.told.len() < MOST_TOLD;
        if !is_late || !is_news {
            return None;
        }
        self.told.push(call.reason.clone());
        Some(format!("waiting for worker {}: {}", self.address, call.reason))
    }

    /// Why no checkpoints can be taken for the worker, unless that has been told before.
    pub(super) fn journal_fault(&mut self) -> Option<String> {
        let fault = self.report.journal_fault.as_ref().filter(|_| !self.has_told_fault)?;
        self.has_told_fault = true;
        Some(format!(
            "no checkpoints while worker {} cannot write its journal: {fault}",
            self.address
        ))
    }

    /// Whether the worker has been silent for too long.
    pub(super) fn lost(&self, now: Duration) -> Option<Loss> {
        let call = self.call.as_ref()?;
        let silent = now.saturating_sub(call.since);
        (silent >= self.patience()).then(|| Loss {
            reason: format!("no answer for {} s: {}", silent.as_secs(), call.reason),
            retryable: true,
        })
    }

    /// When something is due: making a call again, or giving the worker up.
    pub(super) fn deadline(&self) -> Option<Duration> {
        let call = self.call.as_ref()?;
        let lost = call.since + self.patience();
        Some(call.again_at.map_or(lost, |at| at.min(lost)))
    }

    fn patience(&self) -> Duration {
        if self.hello.is_some() { LOST } else { UNMET }
    }
}
