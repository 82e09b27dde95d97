//! Whatever a worker sends is relaxed once, by the owner. Once at most in a job that was broken
//! off; exactly once in a job that ended with a proof.

use sokohive::cluster::job::Ending;

use crate::seeds;

#[test]
fn every_successor_applied_exactly_once() {
    seeds::check("every_successor_applied_exactly_once", |history| {
        for journey in history.journeys.values() {
            // Jobs are numbered by key, from 1.
            let number = journey.sent_in.job.get() as usize - 1;
            let ended = history.jobs[number].ended.as_ref();
            let proven = matches!(ended, Some((_, Ending::Optimal(_) | Ending::Unsolvable)));
            let owner = journey.owner;
            match &journey.applied[..] {
                [] if proven => return Err(format!("job {number}: lost on the way to {owner}")),
                [] => {}
                [(worker, _)] if *worker == owner => {}
                [(worker, _)] => {
                    return Err(format!("job {number}: for {owner}, applied by {worker}"));
                }
                more => return Err(format!("job {number}: applied {} times", more.len())),
            }
        }
        Ok(())
    });
}
