//! Workers are told falling bounds only, and never one below the optimum.

use crate::seeds;

#[test]
fn incumbent_never_rises() {
    seeds::check_all("incumbent_never_rises", |history| {
        for (number, job) in history.jobs.iter().enumerate() {
            let told = job.incumbents.iter().map(|incumbent| incumbent.unwrap_or(u32::MAX));
            if !told.clone().is_sorted_by(|earlier, later| earlier >= later) {
                return Err(format!("job {number}: the incumbent rose"));
            }
            let optimum = job.optimum.unwrap_or(u32::MAX);
            if let Some(cost) = told.min().filter(|&cost| cost < optimum) {
                return Err(format!("job {number}: incumbent {cost}, optimum {optimum}"));
            }
        }
        Ok(())
    });
}
