//! The result of a coordinator's job, as a report.

use sokohive_engine::{Moves, Solution};
use sokohive_proto::{JobEnding, JobEvent, JobResult, Optimum};

use crate::event::{AllOptimal, Cluster, Ending, Report};
use crate::exit::Failure;

/// The report of a job that is over.
pub(super) fn report(event: &JobEvent, result: JobResult) -> Result<Report, Failure> {
    let JobResult { ending, search, statistics, traffic, elapsed, states, threads } = result;
    let ending = match ending {
        JobEnding::Optimal(Optimum { moves, tie, count }) => {
            Ending::Optimal(Solution { tie, count, ..solution(&moves)? })
        }
        JobEnding::Unsolvable(why) => Ending::Unsolvable(why),
        JobEnding::Unsupported(why) => Ending::Unsupported(why),
        JobEnding::Limit { limit, lower_bound, best } => {
            let best = best.as_deref().map(solution).transpose()?;
            Ending::Limit { limit, lower_bound, best }
        }
        JobEnding::Failed(failure) => Ending::Failed(failure),
    };
    let cluster = (!states.is_empty()).then_some(Cluster { traffic, states });
    Ok(Report {
        id: event.name.clone(),
        title: None,
        file: None,
        rule: event.rule,
        objective: event.objective,
        all: AllOptimal { count: event.counts, ..AllOptimal::default() },
        search,
        ending,
        disk_fault: None,
        statistics,
        elapsed,
        threads: threads as usize,
        cluster,
    })
}

fn solution(moves: &str) -> Result<Solution, Failure> {
    let bad = |error| Failure::Internal(format!("the coordinator's answer: {error}"));
    moves.parse::<Moves>().map(Solution::new).map_err(bad)
}
