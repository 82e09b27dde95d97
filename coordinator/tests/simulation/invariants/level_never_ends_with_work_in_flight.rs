//! When the coordinator takes a level for over, every worker is idle and every batch applied. What
//! would follow otherwise never does: that a closed vertex is reached again at less cost.

use crate::seeds;

#[test]
fn level_never_ends_with_work_in_flight() {
    seeds::check_all("level_never_ends_with_work_in_flight", |history| {
        match history.levels.iter().find(|end| end.in_flight > 0 || !end.busy.is_empty()) {
            None if history.reopened > 0 => Err(format!("{} vertices reopened", history.reopened)),
            None => Ok(()),
            Some(end) => Err(format!(
                "job {}, level number {}: {} successors in flight, workers {:?} busy",
                end.job, end.ordinal, end.in_flight, end.busy
            )),
        }
    });
}
