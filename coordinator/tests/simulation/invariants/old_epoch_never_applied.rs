//! Nothing of an earlier job reaches the tables of a later one.

use crate::seeds;

#[test]
fn old_epoch_never_applied() {
    seeds::check_all("old_epoch_never_applied", |history| {
        for journey in history.journeys.values() {
            if let Some((worker, fence)) =
                journey.applied.iter().find(|(_, fence)| *fence != journey.sent_in)
            {
                return Err(format!(
                    "sent in epoch {} of job {}, applied by worker {worker} in epoch {} of job {}",
                    journey.sent_in.epoch, journey.sent_in.job, fence.epoch, fence.job
                ));
            }
        }
        Ok(())
    });
}
