//! No two attempts at a job run under one epoch, whoever has forgotten what; and epochs grow.

use std::collections::BTreeMap;

use crate::seeds;

#[test]
fn no_epoch_is_reused() {
    seeds::check_durable("no_epoch_is_reused", |history| {
        let mut last = BTreeMap::new();
        for (attempt, fence) in &history.survival.fences {
            let epoch = fence.epoch.get();
            if let Some((before, known)) = last.insert(fence.job, (attempt, epoch))
                && known >= epoch
            {
                return Err(format!("epoch {epoch} in attempt {attempt}, {known} in {before}"));
            }
        }
        Ok(())
    });
}
