//! Keeps the checkpoints of a search in this process: when one is due, where it goes, and what may be
//! deleted after.
//!
//! Segments and manifest lie in one folder. The search is shown no disk that it would have to wait for: a
//! thread of its own makes segments durable, then writes the manifest, then deletes the segments that only
//! the manifest before had named.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use sokohive_engine::{self as engine, Edge, FoundFinish, JournalPlace, Syncer};
use sokohive_proto::{
    BadField, Checkpoint, Epoch, Fence, Finish, JobKey, PlacedSegment, Rank, Segment, SegmentName,
    Trail,
};

use super::manifest;

/// Keeps the checkpoints of a search in this process.
pub(crate) struct Keeper<'n> {
    folder: PathBuf,
    every: Duration,
    /// What all checkpoints of the search have in common.
    common: Checkpoint,
    /// When the last one was ordered; `None` before the first.
    last: Option<Instant>,
    /// The newest edge.
    newest: Option<(Checkpoint, Syncer)>,
    /// The fault of the journal that has been told.
    fault: Option<String>,
    note: &'n (dyn Fn(String) + Sync),
    orders: Option<mpsc::Sender<(Checkpoint, Syncer)>>,
    writer: Option<JoinHandle<()>>,
    shared: Arc<Shared>,
}

/// What the writing thread shows.
#[derive(Debug, Default)]
struct Shared {
    busy: AtomicBool,
    problems: std::sync::Mutex<Vec<String>>,
}

impl<'n> Keeper<'n> {
    /// Keeps checkpoints in this folder. `common` is a checkpoint of the search: of the start, or the one
    /// to go on from. `note` is told what people may want to know.
    ///
    /// # Errors
    ///
    /// If there is no thread to be had, or no other epoch.
    pub(crate) fn new(
        folder: &Path,
        every: Duration,
        common: Checkpoint,
        note: &'n (dyn Fn(String) + Sync),
    ) -> io::Result<Self> {
        remove_others(folder, common.job, &common.segments);
        let epoch = Epoch::new(common.epoch.get() + 1)
            .ok_or_else(|| io::Error::other("the checkpoint has used up all epochs"))?;
        let common = Checkpoint { epoch, ..common };
        let shared = Arc::new(Shared::default());
        let (orders, waiting) = mpsc::channel::<(Checkpoint, Syncer)>();
        let (path, told, mut named) =
            (manifest_in(folder), Arc::clone(&shared), common.segments.clone());
        let directory = folder.to_owned();
        let write = move || {
            for (checkpoint, syncer) in waiting {
                match syncer.sync().and_then(|()| manifest::write(&path, &checkpoint)) {
                    Ok(()) => {
                        let still = |old: &&PlacedSegment| {
                            !checkpoint
                                .segments
                                .iter()
                                .any(|new| new.segment.name == old.segment.name)
                        };
                        for old in named.iter().filter(still) {
                            // One that stays does no harm.
                            let _ = fs::remove_file(directory.join(old.segment.name.as_str()));
                        }
                        named = checkpoint.segments;
                    }
                    Err(error) => {
                        let problem = format!("no checkpoint: {}: {error}", path.display());
                        let mut problems =
                            told.problems.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                        problems.push(problem);
                    }
                }
                told.busy.store(false, Ordering::Release);
            }
        };
        let writer = std::thread::Builder::new().name("checkpoint".to_owned()).spawn(write)?;
        Ok(Self {
            folder: folder.to_owned(),
            every,
            common,
            last: None,
            newest: None,
            fault: None,
            note,
            orders: Some(orders),
            writer: Some(writer),
            shared,
        })
    }

    /// Where the search keeps its journal.
    pub(crate) fn place(&self) -> JournalPlace {
        let fence = Fence { job: self.common.job, epoch: self.common.epoch };
        JournalPlace { directory: self.folder.clone(), prefix: SegmentName::prefix(fence, 0) }
    }

    /// Takes note of an edge, and has a checkpoint written if one is due.
    pub(crate) fn at_edge(&mut self, edge: &Edge<'_>) {
        self.tell_problems();
        // The first one at once: what has a manifest can be taken up again.
        let due = self.last.is_none_or(|last| last.elapsed() >= self.every);
        if let Some(fault) = edge.fault() {
            if self.fault.as_deref() != Some(fault) {
                (self.note)(format!("no checkpoints for now: {fault}"));
                self.fault = Some(fault.to_owned());
            }
            if due {
                self.last = Some(Instant::now());
                edge.compact();
            }
            return;
        }
        if self.fault.take().is_some() {
            (self.note)("checkpoints are written again".to_owned());
        }
        match self.checkpoint(edge.checkpoint()) {
            Ok(checkpoint) => self.newest = Some((checkpoint, edge.syncer())),
            Err(error) => (self.note)(format!("no checkpoint: {error}")),
        }
        if due && !self.shared.busy.load(Ordering::Acquire) {
            self.last = Some(Instant::now());
            self.write_newest();
        }
    }

    /// Has the newest edge written, if it is not already, and waits for the disk.
    pub(crate) fn finish(mut self) {
        self.write_newest();
        self.stop();
    }

    fn stop(&mut self) {
        self.orders = None;
        if let Some(writer) = self.writer.take() {
            // A panic there has been printed, and costs no more than a checkpoint.
            let _ = writer.join();
        }
        self.tell_problems();
    }

    fn write_newest(&mut self) {
        if let (Some(order), Some(orders)) = (self.newest.take(), &self.orders) {
            self.shared.busy.store(true, Ordering::Release);
            // It listens for as long as this end is there.
            let _ = orders.send(order);
        }
    }

    fn tell_problems(&self) {
        let mut problems =
            self.shared.problems.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        problems.drain(..).for_each(|problem| (self.note)(problem));
    }

    fn checkpoint(&self, at: &engine::Checkpoint) -> Result<Checkpoint, BadField> {
        let placed = |segment: &engine::Segment| {
            let name = SegmentName::new(&segment.name)?;
            let segment = Segment { name, bytes: segment.bytes, records: segment.records };
            Ok(PlacedSegment { segment, writer: String::new() })
        };
        Ok(Checkpoint {
            reached: at.reached,
            best: at.best.map(finish),
            statistics: at.statistics,
            segments: at.segments.iter().map(placed).collect::<Result<_, _>>()?,
            ..self.common.clone()
        })
    }
}

impl Drop for Keeper<'_> {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The manifest in a folder of checkpoints.
pub(crate) fn manifest_in(folder: &Path) -> PathBuf {
    folder.join("checkpoint")
}

/// What the engine needs of a checkpoint to go on from it.
pub(crate) fn to_engine(checkpoint: &Checkpoint) -> engine::Checkpoint {
    let segment = |placed: &PlacedSegment| engine::Segment {
        name: placed.segment.name.to_string(),
        bytes: placed.segment.bytes,
        records: placed.segment.records,
    };
    let best = checkpoint.best.map(|finish| FoundFinish {
        cost: finish.cost,
        rank: finish.rank.to_le_bytes(),
        finished: match finish.trail {
            Trail::Finished { keeper, push_cost } => Some((keeper, push_cost)),
            Trail::Meeting => None,
        },
    });
    engine::Checkpoint {
        reached: checkpoint.reached,
        best,
        statistics: checkpoint.statistics,
        segments: checkpoint.segments.iter().map(segment).collect(),
    }
}

fn finish(found: FoundFinish) -> Finish {
    let trail = match found.finished {
        Some((keeper, push_cost)) => Trail::Finished { keeper, push_cost },
        None => Trail::Meeting,
    };
    Finish { cost: found.cost, rank: Rank::from_le_bytes(found.rank), trail }
}

/// Deletes all of a search from its folder: nobody will go on with it.
pub(crate) fn forget(folder: &Path, job: JobKey) -> io::Result<()> {
    // Segments without a manifest are of no use, a manifest without segments would be a lie.
    manifest::remove(&manifest_in(folder))?;
    remove_others(folder, job, &[]);
    Ok(())
}

/// Deletes what nobody can go on with from the folder of a search that has ended without a proof: everything
/// where no checkpoint could be written.
pub(crate) fn tidy(folder: &Path, job: JobKey) -> io::Result<()> {
    match manifest::read(&manifest_in(folder)) {
        Ok(checkpoint) => remove_others(folder, job, &checkpoint.segments),
        Err(error) if error.is_not_found() => forget(folder, job)?,
        // Whoever goes on with it will be told.
        Err(_) => {}
    }
    Ok(())
}

/// Deletes the segments of a search that its checkpoint does not name: nobody can read them any more.
fn remove_others(folder: &Path, job: JobKey, named: &[PlacedSegment]) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().and_then(|name| SegmentName::new(name).ok()) else {
            continue;
        };
        let is_named = named.iter().any(|placed| placed.segment.name == name);
        if name.job() == job && !is_named {
            // One that stays does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}
