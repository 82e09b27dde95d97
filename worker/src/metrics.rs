//! The page of figures of a worker.

use std::sync::Arc;

use sokohive_host::{Page, Source};
use sokohive_proto::Fence;

use crate::foundry::Foundry;
use crate::protocol::{Figures, Totals};
use crate::service::Node;

/// A worker, to be looked at.
pub(crate) struct Watched<F: Foundry>(pub(crate) Arc<Node<F>>);

impl<F: Foundry> Source for Watched<F> {
    fn page(&self) -> Page {
        let (figures, mut totals, last_epoch, memory, threads) = {
            let protocol = self.0.protocol();
            let identity = protocol.identity();
            let (memory, threads) = (identity.memory, identity.threads);
            (protocol.figures(), protocol.totals(), protocol.last_epoch(), memory, threads)
        };
        if let Some(figures) = &figures {
            totals += figures;
        }
        let mut page = Page::of_process(env!("CARGO_PKG_VERSION"));
        standing(&mut page, figures.as_ref().map(|figures| figures.fence), last_epoch);
        search(&mut page, &totals);
        exchange(&mut page, &totals, figures.as_ref());
        bytes(&mut page, figures.as_ref(), memory, threads);
        page
    }

    fn is_healthy(&self) -> bool {
        self.0.open().is_ok()
    }
}

/// Which job and epoch.
fn standing(page: &mut Page, fence: Option<Fence>, last_epoch: u64) {
    page.gauge(
        "sokohive_worker_job_active",
        "Whether the worker has a shard of a job: 1, or 0.",
        u8::from(fence.is_some()),
    );
    let job = fence.map(|fence| fence.job.to_string());
    page.labelled_gauge(
        "sokohive_worker_job_info",
        "Always 1; the label has the key of the job that the worker has a shard of, as logs do.",
        "job",
        job.as_deref().map(|job| (job, 1)),
    );
    page.gauge(
        "sokohive_worker_epoch",
        "The largest epoch that the worker has taken part in, also before its last start.",
        last_epoch,
    );
}

/// What the search has done, since the process started.
fn search(page: &mut Page, totals: &Totals) {
    let counted = totals.statistics;
    page.counter(
        "sokohive_worker_jobs_total",
        "Jobs, or epochs of jobs, that the worker has had a shard of.",
        totals.jobs,
    );
    page.counter(
        "sokohive_worker_expanded_rows_total",
        "Rows, that is box sets at one cost, that generated something.",
        counted.expanded,
    );
    page.counter(
        "sokohive_worker_generated_states_total",
        "Successors queued: new states, or states reached at less cost.",
        counted.generated,
    );
    page.counter(
        "sokohive_worker_attempts_total",
        "Relaxations tried on the table.",
        counted.attempts,
    );
    page.counter(
        "sokohive_worker_reopened_states_total",
        "Closed states reached again at less cost; anything but 0 is a defect.",
        counted.reopened,
    );
}

/// What goes to peers and comes from them.
fn exchange(page: &mut Page, totals: &Totals, figures: Option<&Figures>) {
    let (counted, traffic) = (totals.statistics, totals.traffic);
    page.counter(
        "sokohive_worker_transferred_states_total",
        "Successors put into batches for peers.",
        counted.transferred,
    );
    page.counter(
        "sokohive_worker_filtered_states_total",
        "Successors of peers that were not sent, as they had been before at no greater cost.",
        counted.filtered,
    );
    page.counter(
        "sokohive_worker_sent_batches_total",
        "Batches that peers have acknowledged.",
        traffic.batches_sent,
    );
    page.counter(
        "sokohive_worker_sent_bytes_total",
        "Bytes of the batches that peers have acknowledged.",
        traffic.bytes_sent,
    );
    page.counter(
        "sokohive_worker_received_batches_total",
        "Batches of peers taken in.",
        traffic.batches_received,
    );
    page.counter(
        "sokohive_worker_repeated_batches_total",
        "Batches of peers that came again and were not applied again.",
        traffic.batches_repeated,
    );
    page.counter(
        "sokohive_worker_refused_batches_total",
        "Batches of peers refused: damaged, of another job or epoch, or out of order.",
        traffic.batches_refused,
    );
    let shard = figures.map(|figures| &figures.shard);
    page.gauge(
        "sokohive_worker_inbox_bytes",
        "Bytes of peers' batches that wait to be applied.",
        shard.map_or(0, |shard| shard.inbox),
    );
    page.gauge(
        "sokohive_worker_outbox_bytes",
        "Bytes of batches that wait to be sent.",
        shard.map_or(0, |shard| shard.outbox),
    );
    page.gauge(
        "sokohive_worker_in_flight_bytes",
        "Bytes of batches sent that peers have not acknowledged.",
        figures.map_or(0, |figures| figures.in_flight),
    );
}

/// What the job takes. What a journal takes belongs here.
fn bytes(page: &mut Page, figures: Option<&Figures>, memory: u64, threads: u32) {
    let shard = figures.map(|figures| &figures.shard);
    if let Some(level) = figures.and_then(|figures| figures.level) {
        page.gauge(
            "sokohive_worker_level_ordinal",
            "Number of the level that is open, from 1 in every epoch; absent without one.",
            level.ordinal,
        );
        page.gauge(
            "sokohive_worker_level_cost",
            "The f value of the level that is open, in moves, or in pushes if the objective of the job is that; absent without one.",
            level.f,
        );
    }
    page.gauge(
        "sokohive_worker_idle",
        "Whether no work of the open level is left on the worker: 1, or 0.",
        u8::from(shard.is_none_or(|shard| shard.idle)),
    );
    let states = shard.map_or(0, |shard| shard.statistics.states);
    page.gauge("sokohive_worker_states", "States stored in the table.", states);
    let table = shard.and_then(|shard| shard.table);
    page.gauge_if_known(
        "sokohive_worker_table_bytes",
        "Bytes of the table; absent without one, and while it grows.",
        table.map(|table| table.bytes),
    );
    page.gauge_if_known(
        "sokohive_worker_table_load_ratio",
        "States to slots of the table; absent without one, and while it grows.",
        table.map(|table| states as f64 / table.slots.max(1) as f64),
    );
    page.gauge(
        "sokohive_worker_memory_held_bytes",
        "Bytes that the search holds, and batches in the inbox, in the outboxes and on their way.",
        figures.map_or(0, |figures| figures.shard.memory + figures.in_flight),
    );
    page.gauge("sokohive_worker_memory_limit_bytes", "Bytes that the search may hold.", memory);
    page.gauge(
        "sokohive_worker_memory_exhausted",
        "Whether the search of the job has reached its limit: 1, or 0.",
        u8::from(shard.is_some_and(|shard| shard.memory_exhausted)),
    );
    page.gauge(
        "sokohive_worker_job_spilled_bytes",
        "Bytes of the open list written to disk in the job, each time they were.",
        shard.map_or(0, |shard| shard.statistics.spilled_bytes),
    );
    page.gauge(
        "sokohive_worker_journal_failed",
        "Whether the journal of the job does not hold all of its table, so that no checkpoint can be taken: 1, or 0.",
        u8::from(shard.is_some_and(|shard| shard.journal_fault.is_some())),
    );
    page.gauge("sokohive_worker_threads", "Threads that the worker searches on.", threads);
}
