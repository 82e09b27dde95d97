//! The page of figures of a coordinator.

use std::sync::Arc;

use sokohive_host::{Page, Source};
use sokohive_proto::{JobNumber, JobProgress};

use super::counters::Counters;
use super::jobs::Jobs;
use super::registry::Registry;

/// A coordinator, to be looked at.
pub(super) struct Watched {
    pub(super) jobs: Arc<Jobs>,
    pub(super) registry: Arc<Registry>,
    pub(super) counters: Arc<Counters>,
    /// Workers that a job waits for.
    pub(super) least: usize,
}

impl Source for Watched {
    fn page(&self) -> Page {
        let mut page = Page::of_process(env!("CARGO_PKG_VERSION"));
        self.workers(&mut page);
        self.queue(&mut page);
        running(&mut page, self.jobs.running());
        page
    }

    fn is_healthy(&self) -> bool {
        self.jobs.is_open()
    }
}

impl Watched {
    fn workers(&self, page: &mut Page) {
        page.gauge(
            "sokohive_coordinator_workers",
            "Workers whose registration holds.",
            self.registry.addresses().len(),
        );
        page.gauge(
            "sokohive_coordinator_workers_needed",
            "Workers that a job waits for before it starts.",
            self.least,
        );
        page.labelled_counter(
            "sokohive_coordinator_refused_calls_total",
            "Calls of clients and workers refused, by the reason.",
            "reason",
            self.counters.calls_refused(),
        );
    }

    fn queue(&self, page: &mut Page) {
        page.gauge(
            "sokohive_coordinator_queued_jobs",
            "Jobs that wait for their turn.",
            self.jobs.waiting(),
        );
        page.counter(
            "sokohive_coordinator_submitted_jobs_total",
            "Jobs queued.",
            self.counters.jobs_submitted(),
        );
        page.labelled_counter(
            "sokohive_coordinator_ended_jobs_total",
            "Jobs that are over, by how they ended.",
            "ending",
            self.counters.jobs_ended(),
        );
    }
}

/// The job that runs. What its checkpoints are belongs here.
fn running(page: &mut Page, running: Option<(JobNumber, Option<JobProgress>)>) {
    page.gauge(
        "sokohive_coordinator_running_job",
        "Number of the job that runs, or waits for workers with its turn come; 0 for none.",
        running.map_or(0, |(number, _)| number.get()),
    );
    let progress = running.and_then(|(_, progress)| progress).unwrap_or_default();
    page.gauge(
        "sokohive_coordinator_job_workers",
        "Workers that take part in the job that runs.",
        progress.workers,
    );
    page.gauge(
        "sokohive_coordinator_job_lower_bound_cost",
        "Proven of the job that runs: every solution costs at least so much, in moves, or in pushes if its objective is that.",
        progress.lower_bound,
    );
    page.gauge_if_known(
        "sokohive_coordinator_job_best_cost",
        "Cost of the best solution so far of the job that runs, in moves or pushes as the lower bound; absent for none.",
        progress.best,
    );
    page.gauge(
        "sokohive_coordinator_job_expanded_rows",
        "Rows expanded in the job that runs, on all workers.",
        progress.expanded,
    );
    page.gauge(
        "sokohive_coordinator_job_states",
        "States stored in the job that runs, on all workers.",
        progress.states,
    );
    page.gauge(
        "sokohive_coordinator_job_memory_held_bytes",
        "Bytes held for the job that runs, on all workers.",
        progress.memory,
    );
    page.gauge(
        "sokohive_coordinator_job_elapsed_seconds",
        "Time since the job that runs called its workers.",
        progress.elapsed.as_secs_f64(),
    );
    page.gauge_if_known(
        "sokohive_coordinator_checkpoint_age_seconds",
        "Time since the moment that the newest checkpoint of the job that runs is of; absent where none are kept.",
        progress.unsaved.map(|unsaved| unsaved.as_secs_f64()),
    );
}
