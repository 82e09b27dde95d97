//! The journal of a shard: what its table has accepted, on disk, so that a search that was cut off can go on.
//!
//! A record is one accepted relaxation: a state, its cost, its side, and the estimate if there is one. The table is the
//! minimum over its journal. So records may be read back in any order, twice, and by anybody; and what is closed and
//! what is open need not be written. Where all levels up to some f of a side are over, a state of that side is closed
//! exactly if its own f is not larger: no state of a smaller f is left open by a level that is over, and none of a larger
//! one has been opened.
//!
//! # Positions
//!
//! Threads hand in their records before they count themselves idle. So when a level is over, the lengths of the live
//! segments at that moment, the *position*, hold all of the level and nothing of the next. Whoever drives the search
//! notes the position, lets the search go on, makes the files durable meanwhile ([`Journal::sync`]), and only then commits
//! the position somewhere. What is appended later lies beyond it and does no harm.
//!
//! # Compaction
//!
//! A journal that has grown much longer than the table, or could not be written, is begun anew: a new segment
//! takes all further records, and the whole table is dumped into it beside. When the dump is complete, the segments before
//! are no longer live. What the table accepts while it is dumped stands in the new segment anyway, so nothing has to
//! stand still.
//!
//! # Faults
//!
//! A write that fails ends no search: it marks the journal as failed, which keeps its positions from being committed
//! until it has been begun anew with success. What was committed before is not touched.

mod segment;

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use self::segment::{Segment, SegmentError, SegmentProblem};
use self::segment::{SegmentReader, SegmentWriter};

/// Where a shard keeps its journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalPlace {
    /// The folder; made if it is not there.
    pub directory: PathBuf,
    /// What the names of the files begin with. No two shards may share it, nor two attempts at the same search.
    pub prefix: String,
}

/// Where the journal of a shard stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalStatus {
    /// The live segments, with their lengths at this moment.
    pub segments: Vec<Segment>,
    /// Whether these alone are the whole shard, and nothing that it was restored from is needed any more.
    pub whole: bool,
    /// Whether the table is being dumped.
    pub compacting: bool,
    /// Why the journal cannot be written; its segments must not be committed then.
    pub fault: Option<String>,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Journal {
    place: JournalPlace,
    digest: u64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The last one is appended to.
    live: Vec<Live>,
    /// Files that were live until a compaction was over, and have not been made durable since: somebody
    /// may be about to commit a position in them.
    replaced: Vec<Arc<File>>,
    next: u32,
    whole: bool,
    compacting: bool,
    fault: Option<String>,
}

#[derive(Debug)]
struct Live {
    name: String,
    writer: SegmentWriter<Arc<File>>,
    /// A write has failed: nothing is appended to it any more.
    broken: bool,
}

impl Journal {
    /// Begins a journal of a search with this digest. `whole`: nothing has been stored before it.
    pub(crate) fn create(place: JournalPlace, digest: u64, whole: bool) -> io::Result<Self> {
        fs::create_dir_all(&place.directory)?;
        let state = State {
            live: Vec::new(),
            replaced: Vec::new(),
            next: 0,
            whole,
            compacting: false,
            fault: None,
        };
        let journal = Self { place, digest, state: Mutex::new(state) };
        journal.begin_segment(&mut journal.lock())?;
        Ok(journal)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic under the lock ends the search; the segments on disk say for themselves what is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins the next segment. Never one that is there already: somebody may need that.
    fn begin_segment(&self, state: &mut State) -> io::Result<()> {
        let (name, file) = loop {
            let name = format!("{}-{}.seg", self.place.prefix, state.next);
            state.next += 1;
            let path = self.place.directory.join(&name);
            match OpenOptions::new().write(true).create_new(true).open(path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                file => break (name, file?),
            }
        };
        let writer = SegmentWriter::new(Arc::new(file), self.digest).inspect_err(|_| {
            // Without its header it is of no use. One that stays does no harm.
            let _ = fs::remove_file(self.place.directory.join(&name));
        })?;
        state.live.push(Live { name, writer, broken: false });
        Ok(())
    }

    /// Appends records. A failure shows in the status.
    pub(crate) fn append(&self, payload: &[u8], records: u64) {
        let mut state = self.lock();
        let Some(live) = state.live.last_mut().filter(|live| !live.broken) else { return };
        if let Err(error) = live.writer.append(payload, records) {
            live.broken = true;
            let path = self.place.directory.join(&live.name);
            let problem = format!("writing {}: {error}", path.display());
            state.fault.get_or_insert(problem);
        }
    }

    /// Makes durable what has been appended up to now, and the names of the files. Waits for the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        let files: Vec<Arc<File>> = {
            let mut state = self.lock();
            let replaced = std::mem::take(&mut state.replaced);
            let live = state.live.iter().map(|live| Arc::clone(live.writer.file()));
            live.chain(replaced).collect()
        };
        let synced = files
            .iter()
            .try_for_each(|file| file.sync_data())
            .and_then(|()| sync_directory(&self.place.directory));
        if let Err(error) = &synced {
            // What of it has reached the disk is anybody's guess, and the next attempt would not tell.
            let mut state = self.lock();
            state.live.iter_mut().for_each(|live| live.broken = true);
            let folder = self.place.directory.display();
            let problem = format!("making the journal in {folder} durable: {error}");
            state.fault.get_or_insert(problem);
        }
        synced
    }

    /// Begins anew, unless that is under way: from now on records go into a new segment, and the caller dumps the table
    /// by [`Journal::append`] and then calls [`Journal::compacted`]. False if there is nothing to do, or no file to be had.
    pub(crate) fn begin_compaction(&self) -> bool {
        let mut state = self.lock();
        if state.compacting {
            return false;
        }
        if let Err(error) = self.begin_segment(&mut state) {
            let folder = self.place.directory.display();
            state.fault.get_or_insert_with(|| format!("beginning a segment in {folder}: {error}"));
            return false;
        }
        state.compacting = true;
        true
    }

    /// The dump is not going to be whole: all segments stay live.
    pub(crate) fn give_compaction_up(&self) {
        self.lock().compacting = false;
    }

    /// The whole table is in the newest segment. Unless that could not be written, the others are live no more, and
    /// whatever had failed before is made good.
    pub(crate) fn compacted(&self) {
        let mut state = self.lock();
        state.compacting = false;
        let newest = state.live.len() - 1;
        if state.live[newest].broken {
            // The file stays: before it broke, a position in it may have been committed.
            state.live.truncate(newest);
        } else {
            let replaced = state.live.drain(..newest).map(|live| Arc::clone(live.writer.file()));
            let replaced: Vec<_> = replaced.collect();
            state.replaced.extend(replaced);
            state.whole = true;
            state.fault = None;
        }
    }

    pub(crate) fn status(&self) -> JournalStatus {
        let state = self.lock();
        let segment = |live: &Live| Segment {
            name: live.name.clone(),
            bytes: live.writer.bytes(),
            records: live.writer.records(),
        };
        JournalStatus {
            segments: state.live.iter().map(segment).collect(),
            whole: state.whole,
            compacting: state.compacting,
            fault: state.fault.clone(),
        }
    }
}

/// Makes the names of the files in a folder durable.
fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

/// For each segment, whether its file is in the folder and at least as long as was committed.
pub fn segments_present(directory: &Path, segments: &[Segment]) -> Vec<bool> {
    let present = |segment: &Segment| {
        fs::metadata(directory.join(&segment.name)).is_ok_and(|file| file.len() >= segment.bytes)
    };
    segments.iter().map(present).collect()
}

/// Segments to be read back, one after the other.
pub(crate) struct Reading {
    directory: PathBuf,
    digest: u64,
    waiting: std::vec::IntoIter<Segment>,
    current: Option<SegmentReader>,
}

impl Reading {
    pub(crate) fn new(directory: PathBuf, digest: u64, segments: Vec<Segment>) -> Self {
        Self { directory, digest, waiting: segments.into_iter(), current: None }
    }

    /// The next block, of whichever segment; `None` when all has been read and every count was right.
    ///
    /// `records` is called with the payload and says how many records are in it; `None` for a payload that makes no sense.
    pub(crate) fn next_block(
        &mut self,
        records: impl Fn(&[u8]) -> Option<u64>,
    ) -> Result<Option<Vec<u8>>, SegmentError> {
        loop {
            if let Some(reader) = &mut self.current {
                match reader.next_block()? {
                    Some(payload) => match records(&payload) {
                        Some(count) => {
                            reader.count(count);
                            return Ok(Some(payload));
                        }
                        None => return Err(reader.blame()),
                    },
                    None => self.current = None,
                }
            }
            match self.waiting.next() {
                Some(segment) => {
                    let reader = SegmentReader::open(&self.directory, segment, self.digest)?;
                    self.current = Some(reader);
                }
                None => return Ok(None),
            }
        }
    }
}

#[cfg(test)]
mod tests;
