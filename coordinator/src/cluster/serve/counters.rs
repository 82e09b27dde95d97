//! What a coordinator counts, since it was started.

use std::sync::atomic::{AtomicU64, Ordering};

use sokohive_proto::{JobEnding, Refusal};

/// What a coordinator counts, since it was started.
#[derive(Debug, Default)]
pub(super) struct Counters {
    submitted: AtomicU64,
    ended: [AtomicU64; ENDINGS.len()],
    refused: [AtomicU64; REASONS.len()],
}

/// How jobs end, as labels.
const ENDINGS: [&str; 5] = ["optimal", "unsolvable", "unsupported", "limit", "failed"];

/// Why calls are refused, as labels.
const REASONS: [&str; 4] = ["unauthenticated", "too_much", "bad_request", "other"];

impl Counters {
    /// A job has been queued.
    pub(super) fn submitted(&self) {
        self.submitted.fetch_add(1, Ordering::Relaxed);
    }

    /// A job is over.
    pub(super) fn ended(&self, ending: &JobEnding) {
        let index = match ending {
            JobEnding::Optimal(_) => 0,
            JobEnding::Unsolvable(_) => 1,
            JobEnding::Unsupported(_) => 2,
            JobEnding::Limit { .. } => 3,
            JobEnding::Failed(_) => 4,
        };
        self.ended[index].fetch_add(1, Ordering::Relaxed);
    }

    /// A call has been refused; hands the refusal back.
    pub(super) fn refused(&self, refusal: Refusal) -> Refusal {
        let index = match refusal {
            Refusal::Unauthenticated(_) => 0,
            Refusal::TooMuch { .. } => 1,
            Refusal::BadField(_) | Refusal::BadBoard(_) | Refusal::UnknownJob(_) => 2,
            _ => 3,
        };
        self.refused[index].fetch_add(1, Ordering::Relaxed);
        refusal
    }

    /// Jobs queued.
    pub(super) fn jobs_submitted(&self) -> u64 {
        self.submitted.load(Ordering::Relaxed)
    }

    /// Jobs that are over, by how they ended.
    pub(super) fn jobs_ended(&self) -> impl Iterator<Item = (&'static str, u64)> {
        labelled(ENDINGS, &self.ended)
    }

    /// Calls refused, by the reason.
    pub(super) fn calls_refused(&self) -> impl Iterator<Item = (&'static str, u64)> {
        labelled(REASONS, &self.refused)
    }
}

fn labelled<const N: usize>(
    labels: [&'static str; N],
    values: &[AtomicU64; N],
) -> impl Iterator<Item = (&'static str, u64)> {
    labels.into_iter().zip(values.iter().map(|value| value.load(Ordering::Relaxed)))
}
