//! What is seen from above of a durable job, and what its workers do with their disks.

use std::time::Duration;

use sokohive::cluster::job::Reply;
use sokohive_proto::{Epoch, Fence, JobKey, OpenLevel, Refusal, SegmentName};
use sokohive_worker::Shard;
use sokohive_worker::protocol::{Chore, Released};

use crate::durable::Durably;
use crate::shard::GraphShard;
use crate::world::World;

impl World {
    /// Looks at a call into an attempt.
    pub(crate) fn look_at_call(&mut self, attempt: usize, fence: Fence) {
        let fences = &mut self.history.lock().unwrap().survival.fences;
        if !fences.contains(&(attempt, fence)) {
            fences.push((attempt, fence));
        }
    }

    /// Looks at an edge, as the level after it is opened.
    pub(crate) fn look_at_edge(&mut self, attempt: usize, open: &OpenLevel) {
        if self.durable.is_none() {
            return;
        }
        let (now, edge) = (self.now, open.level.ordinal - 1);
        let disks_full = self.history.lock().unwrap().survival.disks_full;
        let restored = self.newest().is_some() && {
            let saved = self.kept().manifest.as_ref();
            saved.is_some_and(|checkpoint| checkpoint.reached.levels > 0)
        };
        let kept = self.kept();
        let nothing_new = edge == 0 || (edge == 1 && restored);
        let on_its_way = open.upkeep.sync != 0 || !kept.writing.is_empty();
        if !nothing_new && !on_its_way && now >= kept.due && disks_full == 0 {
            let note = format!("attempt {attempt}: edge {edge} at {now:?}, due {:?}", kept.due);
            self.history.lock().unwrap().survival.overdue.push(note);
        }
        let kept = self.kept();
        if open.upkeep.sync == edge {
            kept.asked = (edge, now);
        }
    }

    /// What a call asks for beside the search.
    pub(crate) fn see_to(
        &mut self,
        worker: usize,
        fence: Fence,
        chores: Result<Vec<Chore<GraphShard>>, Refusal>,
    ) -> Result<(), Refusal> {
        self.do_chores(worker, fence, chores?);
        Ok(())
    }

    pub(crate) fn do_chores(
        &mut self,
        worker: usize,
        fence: Fence,
        chores: Vec<Chore<GraphShard>>,
    ) {
        for chore in chores {
            match chore {
                Chore::Sync { shard, ordinal } => {
                    let lengths = shard.begin_sync();
                    let time = Duration::from_micros(self.random.between(10, 20_000));
                    let life = self.nodes[worker].life;
                    let synced = Durably::Synced { worker, life, fence, shard, ordinal, lengths };
                    self.durably(time, synced);
                }
                Chore::Remove(names) => {
                    let disk = self.nodes[worker].disk.clone();
                    for name in names {
                        self.look_at_removal(&name);
                        disk.as_ref().map(|disk| disk.lock().unwrap().files.remove(&name));
                    }
                }
            }
        }
        let compacted = self.nodes[worker].shard.as_ref().is_some_and(|s| s.status().compacting);
        self.history.lock().unwrap().survival.compacted += usize::from(compacted);
    }

    /// Deletes what earlier epochs have left, or all of a job.
    pub(crate) fn discard(
        &mut self,
        worker: usize,
        job: JobKey,
        before: Option<Epoch>,
        keep: &[SegmentName],
    ) {
        let Some(disk) = self.nodes[worker].disk.clone() else {
            return;
        };
        let mut disk = disk.lock().unwrap();
        let names: Vec<SegmentName> = disk.files.keys().cloned().collect();
        disk.discard(job, before, keep);
        for name in names.iter().filter(|name| !disk.files.contains_key(*name)) {
            self.look_at_removal(name);
        }
    }

    /// Nothing may be deleted that the manifest names, unless the result is written down.
    pub(crate) fn look_at_removal(&mut self, name: &SegmentName) {
        let manifest = self.kept().manifest.clone();
        let named = manifest.filter(|manifest| manifest.result.is_none()).is_some_and(|manifest| {
            manifest.segments.iter().any(|placed| placed.segment.name == *name)
        });
        if named {
            self.history.lock().unwrap().survival.missed_segments.push(name.to_string());
        }
    }

    /// A job has been released on a worker.
    pub(crate) fn released(
        &mut self,
        worker: usize,
        fence: Fence,
        released: Released<GraphShard>,
    ) -> Reply {
        let Released { shard, discard } = released;
        if let Some(shard) = shard {
            shard.stop();
            self.nodes[worker].shard = None;
        }
        if discard {
            self.discard(worker, fence.job, None, &[]);
        }
        if self.nodes[worker].leaving {
            let life = self.nodes[worker].life;
            self.durably(Duration::from_millis(1), Durably::Gone { worker, life });
        }
        Reply::Released
    }
}
