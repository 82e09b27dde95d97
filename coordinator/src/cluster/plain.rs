//! A job that keeps nothing: one search or, where it takes another for all optimal solutions, two.
//!
//! Where pushes count, or an estimate leads both ends, a search for any optimal solution may leave out what others
//! need, and is many times shorter. So the optimum is proven by such a search first, and another follows that knows it.
//! Whatever comes between leaves the proof.

use std::sync::Arc;
use std::time::Duration;

use sokohive_engine::{Objective, Reached};
use sokohive_proto::{JobEnding, JobKey, JobProgress, JobResult, Optimum, Security, Task};
use tokio::sync::watch;
use tokio::time::Instant;
use tracing::info;

use super::drive::Drive;
use super::job::{Levels, Proven, Settings, StopReason};
use super::plan::Plan;
use super::prepare::{first, prepare};

/// A job that keeps nothing.
pub(super) struct Plain {
    /// What results are printed under.
    pub(super) name: String,
    /// What is to be proven, and asked of all optimal solutions.
    pub(super) task: Task,
    /// The board, as the [`first`] search of the task knows it.
    pub(super) plan: Arc<dyn Plan>,
    /// Host and port of every worker.
    pub(super) workers: Vec<String>,
    /// Most rows to expand, in all workers together.
    pub(super) expansions: Option<u64>,
    /// Longest time.
    pub(super) timeout: Option<Duration>,
    /// How the workers are connected to.
    pub(super) security: Security,
    pub(super) stop: watch::Receiver<Option<StopReason>>,
}

impl Plain {
    /// Runs the job to its end. `note` is told, for people, which workers are waited for, and why.
    pub(super) async fn run(
        self,
        mut progress: impl FnMut(JobProgress),
        mut note: impl FnMut(String),
    ) -> JobResult {
        let start = Instant::now();
        let task = first(&self.task);
        let follows = task.all != self.task.all;
        let plan = Arc::clone(&self.plan);
        let levels = plan.levels();
        let first = self.drive(task, plan, levels, None, self.timeout);
        let result = first.run(&mut progress, &mut note).await;
        let JobEnding::Optimal(optimum) = &result.ending else { return result };
        if !follows || self.stop.borrow().is_some() {
            return result;
        }
        let Some(cost) = cost(optimum, self.task.objective) else { return result };
        let task = self.task.clone();
        let prepared = tokio::task::spawn_blocking(move || prepare(&task)).await;
        // Anything else would be strange, as the board has been searched.
        let Ok(Ok(plan)) = prepared else { return result };
        info!("the optimum is {cost}; all solutions as good are searched for");
        let before = start.elapsed();
        let left = self.timeout.map(|timeout| timeout.saturating_sub(before));
        let proven = Proven { cost, statistics: result.statistics };
        let levels = plan.levels_from(Reached { lower_bound: cost, ..Reached::default() });
        let second = self.drive(self.task.clone(), plan, levels, Some(proven), left);
        let told = |figures: JobProgress| {
            progress(JobProgress { elapsed: before + figures.elapsed, ..figures });
        };
        let second = second.run(told, note).await;
        both(result, second, start.elapsed())
    }

    fn drive(
        &self,
        task: Task,
        plan: Arc<dyn Plan>,
        levels: Box<dyn Levels>,
        proven: Option<Proven>,
        timeout: Option<Duration>,
    ) -> Drive {
        let settings = Settings {
            key: JobKey::random(),
            name: self.name.clone(),
            task,
            search: plan.search(),
            workers: self.workers.clone(),
            expansions: self.expansions,
            levels,
            every: None,
            checkpoint: None,
            last_epoch: 0,
            proven,
        };
        let (security, stop) = (self.security.clone(), self.stop.clone());
        Drive { settings, security, timeout, plan, stop, manifest: None }
    }
}

/// What a solution costs, if it is one.
fn cost(optimum: &Optimum, objective: Objective) -> Option<u32> {
    let moves: sokohive_engine::Moves = optimum.moves.parse().ok()?;
    let cost = match objective {
        Objective::Moves => moves.len(),
        Objective::Pushes => moves.pushes(),
    };
    u32::try_from(cost).ok()
}

/// The result of both searches: the proof of the first, and what the second knows of all solutions.
fn both(first: JobResult, second: JobResult, elapsed: Duration) -> JobResult {
    let ending = match second.ending {
        // One of which nothing is known is no better than the first.
        JobEnding::Optimal(best) if best != Optimum::any(best.moves.clone()) => {
            JobEnding::Optimal(best)
        }
        _ => first.ending,
    };
    let mut statistics = second.statistics;
    statistics.peak_bytes = statistics.peak_bytes.max(first.statistics.peak_bytes);
    let mut traffic = first.traffic;
    traffic += second.traffic;
    let states = if second.states.is_empty() { first.states } else { second.states };
    let threads = second.threads.max(first.threads);
    // The proof is the first one's.
    JobResult { ending, search: first.search, statistics, traffic, elapsed, states, threads }
}

#[cfg(test)]
mod tests {
    use sokohive_engine::{SearchChoice, Statistics, Tie};
    use sokohive_proto::Traffic;

    use super::*;

    fn result(ending: JobEnding, peak_bytes: u64, expanded: u64) -> JobResult {
        JobResult {
            ending,
            search: SearchChoice::TwoSided,
            statistics: Statistics { peak_bytes, expanded, ..Statistics::default() },
            traffic: Traffic { bytes_sent: 5, ..Traffic::default() },
            elapsed: Duration::ZERO,
            states: vec![expanded],
            threads: 1,
        }
    }

    #[test]
    fn the_proof_stays_whatever_comes_of_the_second_search() {
        let any = JobEnding::Optimal(Optimum::any("rR".to_owned()));
        let best = Optimum { tie: Tie::FewestMoves, ..Optimum::any("R".to_owned()) };
        let best = JobEnding::Optimal(best);
        let other = JobEnding::Optimal(Optimum::any("lL".to_owned()));
        let limit =
            JobEnding::Limit { limit: sokohive_engine::Limit::Memory, lower_bound: 1, best: None };
        for (second, ending) in [(best.clone(), best), (other, any.clone()), (limit, any.clone())] {
            let sum = both(result(any.clone(), 9, 2), result(second, 7, 6), Duration::from_secs(1));
            assert_eq!(sum.ending, ending);
            let Statistics { peak_bytes, expanded, .. } = sum.statistics;
            assert_eq!((peak_bytes, expanded, sum.traffic.bytes_sent), (9, 6, 10));
        }
    }

    #[test]
    fn the_cost_is_that_of_the_objective() {
        let optimum = Optimum::any("rRRl".to_owned());
        assert_eq!(cost(&optimum, Objective::Moves), Some(4));
        assert_eq!(cost(&optimum, Objective::Pushes), Some(2));
        assert_eq!(cost(&Optimum::any("?".to_owned()), Objective::Moves), None);
    }
}
