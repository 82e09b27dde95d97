//! A job fails only for a worker that a fault has struck, names it, and is over in time.

use std::time::Duration;

use sokohive::cluster::job::Ending;

use crate::seeds;

/// From the fault to the ending.
const IN_TIME: Duration = Duration::from_secs(15);

#[test]
fn failure_names_the_worker() {
    seeds::check("failure_names_the_worker", |history| {
        for (number, job) in history.jobs.iter().enumerate() {
            let Some((at, Ending::Failed(failure))) = &job.ended else {
                continue;
            };
            let named = failure.worker.as_deref();
            let struck = |&&(worker, _): &&(usize, Duration)| {
                named == Some(format!("worker-{worker}").as_str())
            };
            let Some((_, since)) = job.struck.iter().find(struck) else {
                return Err(format!(
                    "job {number}: {failure}, but {:?} were struck, started {:?}",
                    job.struck, job.started
                ));
            };
            // A worker that has never been met is waited for longer.
            let met = !job.incumbents.is_empty();
            if met && *at - *since > IN_TIME {
                return Err(format!("job {number}: took {:?} to fail", *at - *since));
            }
        }
        Ok(())
    });
}
