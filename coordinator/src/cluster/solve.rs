//! One board on a list of workers.

use std::time::Duration;

use sokohive_engine::{
    Control, Ending, EstimateChoice, Level, Moves, Objective, Outcome, Rule, SearchChoice,
    Solution, Statistics, Stop, Unsolvable,
};
use sokohive_proto::{
    AllOptimal, ClusterFailure, JobEnding, JobProgress, JobResult, Optimum, Security, Task, Traffic,
};
use tokio::runtime::Builder;
use tokio::sync::watch;

use super::drive::failed_early;
use super::durable::{Durable, Safety, Workers};
use super::job::StopReason;
use super::plain::Plain;
use super::prepare::{Settled, first, prepare};

/// How often somebody's wish to stop is looked for.
const LOOK: Duration = Duration::from_millis(20);

/// How a board is to be searched by a cluster.
#[derive(Clone, Debug)]
pub struct ClusterOptions {
    /// Host and port of every worker.
    pub workers: Vec<String>,
    /// How they are connected to.
    pub security: Security,
    /// When the board counts as finished.
    pub rule: Rule,
    /// What to have fewest of.
    pub objective: Objective,
    /// The ends to start from.
    pub search: SearchChoice,
    /// What leads the search.
    pub estimate: EstimateChoice,
    /// Whether dominated states are dropped.
    pub dominance: bool,
    /// Whether pushes into deadlocks are refused.
    pub deadlock_tables: bool,
    /// Most bytes that each worker may use, if that is less than the worker's own limit.
    pub memory: Option<u64>,
    /// Most rows to expand, in all workers together.
    pub expansions: Option<u64>,
    /// What is asked of all optimal solutions.
    pub all: AllOptimal,
}

/// How a search on a cluster ended.
#[derive(Clone, Debug)]
pub struct ClusterSolve {
    /// The outcome, as that of a search in one process; or how the cluster failed.
    pub outcome: Result<Outcome, ClusterFailure>,
    /// The ends that were searched from; [`SearchChoice::Auto`] if nothing had to be searched.
    pub search: SearchChoice,
    /// What the workers counted, however it ended.
    pub statistics: Statistics,
    /// What the workers exchanged.
    pub traffic: Traffic,
    /// States stored on every worker.
    pub states: Vec<u64>,
    /// Threads of all workers together.
    pub threads: u32,
}

/// The task that a level and options make, as it is sent to workers and coordinators.
pub fn task(level: &Level, options: &ClusterOptions) -> Task {
    Task {
        board: level.to_string(),
        edge_is_wall: level.edge_is_wall(),
        rule: options.rule,
        objective: options.objective,
        search: options.search,
        estimate: options.estimate,
        dominance: options.dominance,
        deadlock_tables: options.deadlock_tables,
        memory: options.memory,
        all: options.all,
    }
}

/// Searches a level on a cluster. Stops when `control` is told to; tells figures as it goes, and in
/// words which workers it waits for, and with `safety` why it has to begin again from the newest checkpoint.
///
/// The solution, if there is one, has been replayed. With `safety`, optimal solutions are not compared where that
/// takes a search of its own.
pub fn solve(
    level: &Level,
    name: &str,
    options: &ClusterOptions,
    safety: Option<Safety>,
    control: &Control,
    progress: impl FnMut(JobProgress),
    note: impl FnMut(String),
) -> ClusterSolve {
    let task = task(level, options);
    let known = safety.as_ref().and_then(|safety| safety.checkpoint.as_deref());
    if let Some(difference) = known.and_then(|checkpoint| difference(&task, &checkpoint.task)) {
        return failed_early(difference).into();
    }
    let result = match prepare(&first(&task)) {
        Ok(plan) => {
            let (stop, stopped) = watch::channel(None);
            let security = options.security.clone();
            let run = async {
                match safety {
                    None => {
                        let plain = Plain {
                            name: name.to_owned(),
                            task,
                            plan,
                            workers: options.workers.clone(),
                            expansions: options.expansions,
                            timeout: None,
                            security,
                            stop: stopped,
                        };
                        plain.run(progress, note).await
                    }
                    Some(safety) => {
                        let durable = Durable {
                            name: name.to_owned(),
                            task: first(&task),
                            expansions: options.expansions,
                            timeout: None,
                            plan,
                            workers: Workers::List(options.workers.clone()),
                            security,
                            safety,
                            stop: stopped,
                        };
                        durable.run(progress, note).await
                    }
                }
            };
            match Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime.block_on(async {
                    tokio::select! {
                        result = run => result,
                        never = look(control, stop) => match never {},
                    }
                }),
                Err(error) => failed_early(format!("starting the network runtime: {error}")),
            }
        }
        Err(Settled::Refused(reason)) => failed_early(reason),
        Err(Settled::Ending(ending)) => {
            let statistics = Statistics::default();
            let outcome = Ok(Outcome { ending, statistics, disk_fault: None });
            let (traffic, states, threads) = (Traffic::default(), Vec::new(), 0);
            let search = SearchChoice::Auto;
            return ClusterSolve { outcome, search, statistics, traffic, states, threads };
        }
    };
    result.into()
}

/// How a task differs from the one that a checkpoint is of, but for the memory.
fn difference(task: &Task, of: &Task) -> Option<String> {
    let differs = |what: &str| Some(format!("the checkpoint is of another {what}"));
    if task.board != of.board || task.edge_is_wall != of.edge_is_wall {
        return differs("board");
    }
    if task.rule != of.rule || task.objective != of.objective {
        return differs("rule or objective");
    }
    let way = |task: &Task| (task.search, task.estimate, task.dominance, task.deadlock_tables);
    if way(task) == way(of) { None } else { differs("way of searching") }
}

impl From<JobResult> for ClusterSolve {
    fn from(result: JobResult) -> Self {
        let JobResult { ending, search, statistics, traffic, states, threads, .. } = result;
        let outcome =
            outcome(ending).map(|ending| Outcome { ending, statistics, disk_fault: None });
        Self { outcome, search, statistics, traffic, states, threads }
    }
}

/// The engine's ending for the one of a job.
fn outcome(ending: JobEnding) -> Result<Ending, ClusterFailure> {
    Ok(match ending {
        JobEnding::Optimal(Optimum { moves, tie, count }) => {
            Ending::Optimal(Solution { tie, count, ..solution(&moves)? })
        }
        JobEnding::Unsolvable(_) => Ending::Unsolvable(Unsolvable::Exhausted),
        JobEnding::Limit { limit, lower_bound, best } => {
            let best = best.as_deref().map(solution).transpose()?;
            Ending::Limit { limit, lower_bound, best }
        }
        JobEnding::Unsupported(reason) => return Err(failure(reason)),
        JobEnding::Failed(failure) => return Err(failure),
    })
}

fn solution(moves: &str) -> Result<Solution, ClusterFailure> {
    let moves: Moves =
        moves.parse().map_err(|error| failure(format!("no move string: {error}")))?;
    Ok(Solution::new(moves))
}

fn failure(reason: String) -> ClusterFailure {
    ClusterFailure { worker: None, level: 0, reason, retryable: false, saved: None }
}

/// Passes a wish to stop on.
async fn look(
    control: &Control,
    stop: watch::Sender<Option<StopReason>>,
) -> std::convert::Infallible {
    loop {
        let reason = control.stopped().map(|stop| match stop {
            Stop::Time => StopReason::Time,
            Stop::Interrupt => StopReason::Interrupt,
        });
        stop.send_if_modified(|told| {
            let news = told.is_none() && reason.is_some();
            if news {
                *told = reason;
            }
            news
        });
        tokio::time::sleep(LOOK).await;
    }
}
