//! A disk of the simulation: files of records, which outlive the workers that write them.

use std::collections::BTreeMap;

use sokohive_proto::{Epoch, JobKey, Segment, SegmentName};

use crate::random::Random;

/// Length of a record, in bytes.
pub(crate) const RECORD: u64 = 8;

/// What is on a disk.
#[derive(Debug, Default)]
pub(crate) struct Disk {
    pub(crate) files: BTreeMap<SegmentName, File>,
    /// The largest epoch written down.
    pub(crate) epoch: u64,
    /// Whether nothing more can be written.
    pub(crate) full: bool,
}

/// A file of records: a vertex and its cost.
#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    pub(crate) records: Vec<(u32, u32)>,
    /// So many are safe from a loss of power.
    pub(crate) durable: usize,
}

impl Disk {
    /// Appends a record, if there is room.
    pub(crate) fn append(&mut self, name: &SegmentName, record: (u32, u32)) -> bool {
        if !self.full {
            self.files.entry(name.clone()).or_default().records.push(record);
        }
        !self.full
    }

    /// Whether so much of a segment is there, and safe.
    pub(crate) fn is_durable(&self, segment: &Segment) -> bool {
        let file = self.files.get(&segment.name);
        file.is_some_and(|file| file.durable as u64 >= segment.records)
    }

    pub(crate) fn present(&self, segments: &[Segment]) -> Vec<bool> {
        let there = |segment: &Segment| {
            let file = self.files.get(&segment.name);
            file.is_some_and(|file| file.records.len() as u64 >= segment.records)
        };
        segments.iter().map(there).collect()
    }

    pub(crate) fn discard(&mut self, job: JobKey, before: Option<Epoch>, keep: &[SegmentName]) {
        self.files.retain(|name, _| {
            name.job() != job
                || before.is_some_and(|before| name.epoch() >= before)
                || keep.contains(name)
        });
    }

    /// What was not safe may be gone, in any part.
    pub(crate) fn lose_power(&mut self, random: &mut Random) {
        for file in self.files.values_mut() {
            let kept = random.between(file.durable as u64, file.records.len() as u64);
            file.records.truncate(kept as usize);
        }
    }
}
