//! At most one interval and one level is lost, beside what takes a checkpoint to be written: the first
//! edge after an interval begins one. And a search that is given up with time to spare loses no level
//! that was over.

use crate::seeds;

#[test]
fn work_lost_is_bounded() {
    seeds::check_durable("work_lost_is_bounded", |history| {
        let survival = &history.survival;
        match survival.overdue.first().or(survival.unsettled.first()) {
            None => Ok(()),
            Some(note) => Err(note.clone()),
        }
    });
}
