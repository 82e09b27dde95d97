//! Optimum, unsolvability and the path walked back to are those of a plain search.

use sokohive::cluster::job::Ending;

use crate::seeds;

#[test]
fn answer_equals_single_node() {
    seeds::check("answer_equals_single_node", |history| {
        for (number, job) in history.jobs.iter().enumerate() {
            let Some((_, ending)) = &job.ended else {
                continue;
            };
            let found = match ending {
                Ending::Optimal(finish) => Some(finish.cost),
                Ending::Unsolvable => None,
                // Only the first job is struck by faults.
                other if number > 0 => return Err(format!("job {number} ended as {other:?}")),
                Ending::Limit { .. } | Ending::Failed(_) => continue,
            };
            if found != job.optimum {
                return Err(format!("job {number}: {found:?}, expected {:?}", job.optimum));
            }
            if let Some(cost) = found
                && job.walked != Some(Ok(cost))
            {
                return Err(format!("job {number}: walked {:?}, not {cost}", job.walked));
            }
        }
        Ok(())
    });
}
