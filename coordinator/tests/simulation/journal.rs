//! The journal of a simulated shard.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use sokohive_proto::{Segment, SegmentName};

use crate::disk::{Disk, RECORD};

/// The journal of a shard: segments on a disk.
#[derive(Debug)]
pub(crate) struct Journal {
    disk: Arc<Mutex<Disk>>,
    prefix: String,
    next: u32,
    /// The last one is appended to.
    live: Vec<Live>,
    /// Files that hold something that has not been made durable.
    unsynced: BTreeSet<SegmentName>,
    pub(crate) whole: bool,
    pub(crate) fault: Option<String>,
    /// Vertices still to be written into the newest segment; `None` while nothing is written anew.
    pub(crate) dump: Option<Vec<u32>>,
}

#[derive(Debug)]
struct Live {
    name: SegmentName,
    records: u64,
    broken: bool,
}

impl Journal {
    pub(crate) fn new(disk: Arc<Mutex<Disk>>, prefix: String, whole: bool) -> Self {
        let mut journal = Self {
            disk,
            prefix,
            next: 0,
            live: Vec::new(),
            unsynced: BTreeSet::new(),
            whole,
            fault: None,
            dump: None,
        };
        journal.begin();
        journal
    }

    fn begin(&mut self) {
        let name = SegmentName::new(&format!("{}-{}.seg", self.prefix, self.next)).unwrap();
        self.next += 1;
        let mut disk = self.disk.lock().unwrap();
        assert!(!disk.files.contains_key(&name), "{name} is there already");
        disk.files.insert(name.clone(), crate::disk::File::default());
        self.live.push(Live { name, records: 0, broken: false });
    }

    pub(crate) fn append(&mut self, vertex: u32, cost: u32) {
        let Some(live) = self.live.last_mut().filter(|live| !live.broken) else {
            return;
        };
        self.unsynced.insert(live.name.clone());
        if self.disk.lock().unwrap().append(&live.name, (vertex, cost)) {
            live.records += 1;
        } else {
            live.broken = true;
            self.fault.get_or_insert_with(|| "disk full".to_owned());
        }
    }

    /// Begins to write the table anew; the caller appends all of it and then says so.
    pub(crate) fn compact(&mut self, vertices: Vec<u32>) {
        if self.dump.is_none() {
            self.begin();
            self.dump = Some(vertices);
        }
    }

    pub(crate) fn compacted(&mut self) {
        self.dump = None;
        let newest = self.live.pop().unwrap();
        if newest.broken {
            return;
        }
        self.live = vec![newest];
        self.whole = true;
        self.fault = None;
    }

    /// What a sync that begins now makes durable: files and their lengths.
    pub(crate) fn begin_sync(&mut self) -> Vec<(SegmentName, usize)> {
        let disk = self.disk.lock().unwrap();
        let unsynced = std::mem::take(&mut self.unsynced);
        let length = |name: SegmentName| {
            let len = disk.files.get(&name)?.records.len();
            Some((name, len))
        };
        unsynced.into_iter().filter_map(length).collect()
    }

    /// A sync that is over, for better or worse.
    pub(crate) fn end_sync(&mut self, lengths: &[(SegmentName, usize)]) -> Result<(), String> {
        let mut disk = self.disk.lock().unwrap();
        if disk.full {
            self.live.iter_mut().for_each(|live| live.broken = true);
            self.fault.get_or_insert_with(|| "not synced".to_owned());
            return Err("disk full".to_owned());
        }
        for (name, len) in lengths {
            if let Some(file) = disk.files.get_mut(name) {
                file.durable = file.durable.max(*len);
            }
        }
        Ok(())
    }

    pub(crate) fn segments(&self) -> Vec<Segment> {
        let segment = |live: &Live| Segment {
            name: live.name.clone(),
            bytes: live.records * RECORD,
            records: live.records,
        };
        self.live.iter().map(segment).collect()
    }
}
