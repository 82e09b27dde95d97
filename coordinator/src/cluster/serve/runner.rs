//! Runs one job after the other.

use std::sync::Arc;

use sokohive_engine::{Ending, Limit};
use sokohive_proto::{Checkpoint, JobEnding, JobNumber, JobResult, JobState, Optimum};
use tokio::time::Instant;
use tracing::{Instrument, info, info_span, warn};

use super::ServeOptions;
use super::jobs::{Jobs, Turn};
use super::registry::{LEASE, Registry};
use super::store::is_unfinished;
use crate::checkpoint;
use crate::cluster::drive::{ended_early, failed_early};
use crate::cluster::durable::{Durable, Safety, Workers, discard};
use crate::cluster::plain::Plain;
use crate::cluster::prepare::{Settled, first, prepare};

/// Runs jobs until there will be none any more.
pub(super) async fn run(jobs: Arc<Jobs>, registry: Arc<Registry>, options: ServeOptions) {
    while let Some(turn) = jobs.next().await {
        let number = turn.number;
        let span = info_span!("job", number = %number);
        span.in_scope(|| info!("begins"));
        jobs.update(number, JobState::Running(None));
        let running = run_one(&jobs, &registry, &options, turn);
        let result = running.instrument(span.clone()).await;
        span.in_scope(|| info!("{}", summary(&result)));
        if jobs.suspends() && is_unfinished(&result) {
            span.in_scope(|| info!("goes on after a restart"));
            return;
        }
        let kept = what_is_kept(&jobs, number, &result);
        let jobs = Arc::clone(&jobs);
        let ended = move || jobs.update(number, JobState::Ended(result));
        if let Err(panic) = tokio::task::spawn_blocking(ended).await {
            span.in_scope(|| warn!("{panic}"));
        }
        if let Some(kept) = kept {
            discard(&kept, &options.security).await;
        }
    }
}

/// What workers have kept of a job that is proven, as its result could not be written down before they were
/// released.
fn what_is_kept(jobs: &Jobs, number: JobNumber, result: &JobResult) -> Option<Checkpoint> {
    let store = jobs.store().filter(|_| !is_unfinished(result))?;
    let kept = checkpoint::read(&store.manifest(number)).ok()?;
    kept.result.is_none().then_some(kept)
}

async fn run_one(
    jobs: &Jobs,
    registry: &Arc<Registry>,
    options: &ServeOptions,
    turn: Turn,
) -> JobResult {
    let Turn { number, submission, mut stop } = turn;
    let start = Instant::now();
    let task = first(&submission.task);
    // The tables of a large board take a while to work out.
    let prepared = tokio::task::spawn_blocking(move || prepare(&task)).await;
    let plan = match prepared {
        Ok(Ok(plan)) => plan,
        Ok(Err(Settled::Ending(ending))) => return ended_early(told(ending)),
        Ok(Err(Settled::Refused(reason))) => return failed_early(reason),
        Err(panic) => {
            return failed_early(format!("reading the board: {panic}"));
        }
    };
    let progress = |progress| jobs.update(number, JobState::Running(Some(progress)));
    let note = |text| jobs.note(number, text);
    let least = options.workers.max(1);
    if let Some(store) = jobs.store() {
        let manifest = store.manifest(number);
        let checkpoint = match checkpoint::read(&manifest) {
            // The process ended between writing the result down and telling it.
            Ok(over @ Checkpoint { result: Some(_), .. }) => {
                discard(&over, &options.security).await;
                return over.result.unwrap_or_else(|| failed_early("no result".to_owned()));
            }
            Ok(checkpoint) => Some(Arc::new(checkpoint)),
            Err(error) if error.is_not_found() => None,
            Err(error) => return failed_early(error.to_string()),
        };
        if let Some(checkpoint) = &checkpoint {
            info!("goes on from level {}", checkpoint.reached.lower_bound);
        }
        let registry = Arc::clone(registry);
        let durable = Durable {
            name: submission.name,
            // Where comparing the solutions takes a search of its own, they are not.
            task: first(&submission.task),
            expansions: submission.expansions,
            timeout: submission.timeout,
            plan,
            workers: Workers::Registered(Box::new(move || registry.addresses()), least),
            security: options.security.clone(),
            safety: Safety {
                manifest,
                every: options.every,
                give_up_after: options.give_up_after,
                checkpoint,
            },
            stop,
        };
        return durable.run(progress, note).await;
    }
    let late = |limit| {
        let ending = JobEnding::Limit { limit, lower_bound: 0, best: None };
        JobResult { elapsed: start.elapsed(), ..ended_early(ending) }
    };
    let left = || submission.timeout.map(|timeout| timeout.saturating_sub(start.elapsed()));
    let time_is_up = async {
        match left() {
            Some(left) => tokio::time::sleep(left).await,
            None => std::future::pending().await,
        }
    };
    let workers = tokio::select! {
        workers = enough_workers(registry, options.workers.max(1)) => workers,
        () = time_is_up => return late(Limit::Time),
        _ = stop.wait_for(Option::is_some) => return late(Limit::Interrupted),
    };
    let timeout = left();
    info!("{} workers", workers.len());
    let plain = Plain {
        name: submission.name,
        task: submission.task,
        plan,
        workers,
        expansions: submission.expansions,
        timeout,
        security: options.security.clone(),
        stop,
    };
    plain.run(progress, note).await
}

/// Waits until enough workers have registered. Takes all that are there then.
async fn enough_workers(registry: &Registry, least: usize) -> Vec<String> {
    loop {
        let arrived = registry.arrived.notified();
        let workers = registry.addresses();
        if workers.len() >= least {
            return workers;
        }
        // Looks again from time to time as well: registrations run out silently.
        let _ = tokio::time::timeout(LEASE, arrived).await;
    }
}

/// An ending that takes no search, as clients are told it.
fn told(ending: Ending) -> JobEnding {
    match ending {
        Ending::Optimal(solution) => JobEnding::Optimal(Optimum::any(solution.moves.to_string())),
        Ending::Unsolvable(reason) => JobEnding::Unsolvable(reason.to_string()),
        Ending::Unsupported(reason) => JobEnding::Unsupported(reason.to_string()),
        Ending::Limit { limit, lower_bound, best } => {
            let best = best.map(|solution| solution.moves.to_string());
            JobEnding::Limit { limit, lower_bound, best }
        }
    }
}

fn summary(result: &JobResult) -> String {
    match &result.ending {
        JobEnding::Optimal(optimum) => format!("optimal, {} moves", optimum.moves.len()),
        JobEnding::Unsolvable(reason) => format!("unsolvable: {reason}"),
        JobEnding::Unsupported(reason) => format!("unsupported: {reason}"),
        JobEnding::Limit { limit, lower_bound, .. } => {
            format!("limit {limit:?} at lower bound {lower_bound}")
        }
        JobEnding::Failed(failure) => format!("failed: {failure}"),
    }
}
