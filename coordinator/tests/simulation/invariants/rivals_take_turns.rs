//! Jobs that start at the same time and share workers go one after the other, and all get their answers.

use std::time::Duration;

use sokohive::cluster::job::Ending;

use crate::history::JobRecord;
use crate::seeds;

/// How long a job waits for others.
const BUSY: Duration = Duration::from_secs(60);

#[test]
fn rivals_take_turns() {
    seeds::check_rivals("rivals_take_turns", |history| {
        for (number, job) in history.jobs.iter().enumerate() {
            let Some((at, ending)) = &job.ended else {
                return Err(format!("job {number} did not end"));
            };
            match (ending, job.optimum) {
                (Ending::Optimal(finish), Some(optimum)) if finish.cost == optimum => {}
                (Ending::Unsolvable, None) => {}
                // The others have taken longer than it waits.
                (Ending::Failed(failure), _)
                    if failure.reason.contains("is busy with job") && *at >= job.started + BUSY => {
                }
                _ => {
                    return Err(format!(
                        "job {number} at {at:?}: {ending:?}, not {:?}",
                        job.optimum
                    ));
                }
            }
            for (other, rival) in history.jobs.iter().enumerate().skip(number + 1) {
                let shared = job.members.iter().find(|worker| rival.members.contains(worker));
                if let (Some(worker), true) = (shared, overlap(job, rival)) {
                    return Err(format!("jobs {number} and {other} had worker {worker} at once"));
                }
            }
        }
        Ok(())
    });
    if seeds::is_full_run() {
        let waited = seeds::count_rivals(|history| history.jobs.iter().any(has_waited));
        let failed = seeds::count_rivals(|history| {
            let is_failed = |job: &JobRecord| matches!(job.ended, Some((_, Ending::Failed(_))));
            history.jobs.iter().any(is_failed)
        });
        println!("{waited} with a job that has waited long, {failed} with one that has given up");
        assert!(waited >= 50 && failed <= 25, "{waited} {failed}");
    }
}

/// Whether both searched at some moment.
fn overlap(one: &JobRecord, other: &JobRecord) -> bool {
    let span = |job: &JobRecord| Some((job.searching?, job.released?));
    match (span(one), span(other)) {
        (Some((begun, ended)), Some((other_begun, other_ended))) => {
            begun < other_ended && other_begun < ended
        }
        _ => false,
    }
}

/// Whether it took longer than a coordinator may be silent before it could search.
fn has_waited(job: &JobRecord) -> bool {
    job.searching.is_some_and(|begun| begun > job.started + Duration::from_secs(10))
}
