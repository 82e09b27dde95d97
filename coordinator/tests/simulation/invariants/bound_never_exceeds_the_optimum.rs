//! What is called proven is so, at every moment and in every ending.

use sokohive::cluster::job::Ending;

use crate::seeds;

#[test]
fn bound_never_exceeds_the_optimum() {
    seeds::check_all("bound_never_exceeds_the_optimum", |history| {
        for (number, job) in history.jobs.iter().enumerate() {
            let optimum = job.optimum.unwrap_or(u32::MAX);
            let told = job.ended.iter().map(|(_, ending)| match ending {
                Ending::Limit { lower_bound, .. } => *lower_bound,
                Ending::Failed(failure) => failure.level,
                Ending::Optimal(_) | Ending::Unsolvable => 0,
            });
            let bounds: Vec<u32> = job.bounds.iter().copied().chain(told).collect();
            if let Some(bound) = bounds.iter().find(|&&bound| bound > optimum) {
                return Err(format!("job {number}: bound {bound}, optimum {optimum}"));
            }
            if !job.bounds.is_sorted() {
                return Err(format!("job {number}: the bound fell"));
            }
        }
        Ok(())
    });
}
