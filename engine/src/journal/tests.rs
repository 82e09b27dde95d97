use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::segment::{SegmentProblem, SegmentReader, SegmentWriter};
use super::*;

const DIGEST: u64 = 0x0123_4567_89AB_CDEF;

/// A folder of its own, gone when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("sokohive-journal-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder can be made");
        Self(path)
    }

    fn place(&self) -> JournalPlace {
        JournalPlace { directory: self.0.clone(), prefix: "shard".to_owned() }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A payload of that many records of one byte, and what it says of itself.
fn payload(records: u8) -> Vec<u8> {
    (0..records).map(|byte| byte ^ 0x5A).collect()
}

/// Reads segments back as payloads whose bytes are their records.
fn read(folder: &Folder, segments: Vec<Segment>) -> Result<Vec<Vec<u8>>, SegmentError> {
    let mut reading = Reading::new(folder.0.clone(), DIGEST, segments);
    let mut payloads = Vec::new();
    while let Some(payload) = reading.next_block(|payload| Some(payload.len() as u64))? {
        payloads.push(payload);
    }
    Ok(payloads)
}

#[test]
fn what_is_appended_is_read_back_as_far_as_it_was_committed() {
    let folder = Folder::new();
    let journal = Journal::create(folder.place(), DIGEST, true).expect("begins");
    for records in 1..=20 {
        journal.append(&payload(records), records.into());
    }
    journal.sync().expect("the disk takes it");
    let committed = journal.status();
    assert!(committed.whole && committed.fault.is_none());
    for records in 21..=30 {
        journal.append(&payload(records), records.into());
    }
    let expected: Vec<_> = (1..=20).map(payload).collect();
    assert_eq!(read(&folder, committed.segments.clone()).expect("whole"), expected);
    assert_eq!(segments_present(&folder.0, &committed.segments), [true]);
    let all: Vec<_> = (1..=30).map(payload).collect();
    assert_eq!(read(&folder, journal.status().segments).expect("whole"), all);
}

#[test]
fn a_journal_never_takes_the_file_of_another() {
    let folder = Folder::new();
    let first = Journal::create(folder.place(), DIGEST, true).expect("begins");
    first.append(&payload(9), 9);
    let second = Journal::create(folder.place(), DIGEST, true).expect("begins");
    second.append(&payload(5), 5);
    assert_eq!(read(&folder, first.status().segments).expect("whole"), [payload(9)]);
    assert_eq!(read(&folder, second.status().segments).expect("whole"), [payload(5)]);
}

#[test]
fn damage_is_found_at_every_byte_and_every_length() {
    let folder = Folder::new();
    let journal = Journal::create(folder.place(), DIGEST, true).expect("begins");
    for records in [3, 1, 40] {
        journal.append(&payload(records), records.into());
    }
    let committed = journal.status().segments;
    let path = folder.0.join(&committed[0].name);
    let sound = fs::read(&path).expect("written");
    assert_eq!(sound.len() as u64, committed[0].bytes);
    for at in 0..sound.len() {
        for bit in 0..8 {
            let mut damaged = sound.clone();
            damaged[at] ^= 1 << bit;
            fs::write(&path, damaged).expect("can be written");
            assert!(read(&folder, committed.clone()).is_err(), "bit {bit} of byte {at}");
        }
        fs::write(&path, &sound[..at]).expect("can be written");
        assert!(read(&folder, committed.clone()).is_err(), "cut at {at}");
        assert_eq!(segments_present(&folder.0, &committed), [false]);
        for length in [1, 2, 5, 16] {
            let mut damaged = sound.clone();
            damaged.drain(at..(at + length).min(sound.len()));
            fs::write(&path, damaged).expect("can be written");
            assert!(read(&folder, committed.clone()).is_err(), "{length} gone at {at}");
            let mut damaged = sound.clone();
            let end = (at + length).min(sound.len());
            damaged[at..end].fill(0);
            let same = damaged == sound;
            fs::write(&path, damaged).expect("can be written");
            assert!(same || read(&folder, committed.clone()).is_err(), "{length} zeroed at {at}");
        }
    }
    fs::write(&path, &sound).expect("can be written");
    assert!(read(&folder, committed).is_ok());
}

#[test]
fn a_position_within_a_block_or_of_other_counts_is_refused() {
    let folder = Folder::new();
    let journal = Journal::create(folder.place(), DIGEST, true).expect("begins");
    [3, 1, 40].into_iter().for_each(|n| journal.append(&payload(n), n.into()));
    let whole = journal.status().segments.remove(0);
    let records_before = |bytes: u64| match bytes {
        28 => Some(0),
        43 => Some(3),
        56 => Some(4),
        108 => Some(44),
        _ => None,
    };
    assert_eq!(records_before(whole.bytes), Some(44));
    for bytes in 0..=whole.bytes {
        for records in [0, 3, 4, 44] {
            let claimed = Segment { bytes, records, ..whole.clone() };
            let sound = records_before(bytes) == Some(records);
            assert_eq!(read(&folder, vec![claimed]).is_ok(), sound, "{bytes} {records}");
        }
    }
}

#[test]
fn blocks_of_another_place_or_another_search_are_refused() {
    let folder = Folder::new();
    let write = |name: &str, digest: u64, payloads: &[u8]| {
        let mut writer = SegmentWriter::new(Vec::new(), digest).expect("memory takes it");
        for &records in payloads {
            writer.append(&payload(records), records.into()).expect("memory takes it");
        }
        fs::write(folder.0.join(name), writer.file()).expect("can be written");
        let (bytes, records) = (writer.bytes(), writer.records());
        Segment { name: name.to_owned(), bytes, records }
    };
    let problem = |segment: Segment| {
        SegmentReader::open(&folder.0, segment, DIGEST).map(drop).expect_err("refused").problem
    };
    let other = write("other", DIGEST + 1, &[4]);
    assert!(matches!(problem(other), SegmentProblem::OtherSearch));
    let swapped = write("swapped", DIGEST, &[6, 6]);
    let path = folder.0.join("swapped");
    let mut bytes = fs::read(&path).expect("written");
    let (first, second) = bytes[28..].split_at_mut(18);
    first.swap_with_slice(second);
    fs::write(&path, bytes).expect("can be written");
    let error = read(&folder, vec![swapped]).expect_err("blocks have changed places");
    assert!(matches!(error.problem, SegmentProblem::Block(28)), "{error}");
    let mut gone = write("gone", DIGEST, &[1]);
    gone.name = "elsewhere".to_owned();
    assert!(matches!(problem(gone), SegmentProblem::Io(_)));
}

/// Takes so many bytes and then none.
struct Disk {
    left: usize,
    taken: Vec<u8>,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Short writes, too.
        let taken = bytes.len().min(self.left).min(7);
        if taken == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.left -= taken;
        self.taken.extend(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_leaves_whole_what_was_counted_before() {
    let folder = Folder::new();
    for left in 28..120 {
        let disk = Disk { left, taken: Vec::new() };
        let mut writer = SegmentWriter::new(disk, DIGEST).expect("the header fits");
        let written =
            [3, 1, 40].into_iter().take_while(|&n| writer.append(&payload(n), n.into()).is_ok());
        let written = written.count();
        assert_eq!(written == 3, left >= 108);
        fs::write(folder.0.join("s"), &writer.file().taken).expect("can be written");
        let (bytes, records) = (writer.bytes(), writer.records());
        let segment = Segment { name: "s".to_owned(), bytes, records };
        assert_eq!(read(&folder, vec![segment]).expect("whole").len(), written);
    }
}

#[test]
fn a_fault_stays_until_the_journal_has_been_begun_anew() {
    let folder = Folder::new();
    let journal = Journal::create(folder.place(), DIGEST, true).expect("begins");
    journal.append(&payload(9), 9);
    // A file that nothing can be written to stands for a disk that is full.
    let full = Arc::new(File::open("/dev/null").expect("there"));
    journal.lock().live[0].writer.replace_file(full);
    journal.append(&payload(8), 8);
    let status = journal.status();
    assert!(status.fault.as_ref().is_some_and(|fault| fault.contains("shard-0.seg")), "{status:?}");
    assert_eq!(status.segments[0].records, 9);
    assert!(journal.begin_compaction());
    assert!(!journal.begin_compaction(), "one at a time");
    journal.append(&payload(17), 17);
    assert!(journal.status().fault.is_some(), "not whole yet");
    journal.compacted();
    let status = journal.status();
    assert_eq!((status.fault, status.whole, status.segments.len()), (None, true, 1));
    assert_eq!(read(&folder, status.segments).expect("whole"), [payload(17)]);
}

#[test]
fn a_compaction_that_fails_changes_nothing_and_keeps_what_may_be_named() {
    let folder = Folder::new();
    let journal = Journal::create(folder.place(), DIGEST, false).expect("begins");
    journal.append(&payload(9), 9);
    assert!(journal.begin_compaction());
    let full = Arc::new(File::open("/dev/null").expect("there"));
    journal.append(&payload(7), 7);
    // A position that may be committed, whatever becomes of the file.
    let named = journal.status().segments;
    journal.lock().live[1].writer.replace_file(full);
    journal.append(&payload(8), 8);
    journal.compacted();
    let status = journal.status();
    assert!(status.fault.is_some() && !status.whole && !status.compacting);
    assert_eq!(read(&folder, status.segments).expect("whole"), [payload(9)]);
    assert_eq!(read(&folder, named).expect("whole"), [payload(9), payload(7)]);
}

#[test]
fn what_a_compaction_replaced_is_made_durable_once_more() {
    let folder = Folder::new();
    let journal = Journal::create(folder.place(), DIGEST, true).expect("begins");
    journal.append(&payload(9), 9);
    assert!(journal.begin_compaction());
    journal.append(&payload(9), 9);
    journal.compacted();
    assert_eq!(journal.lock().replaced.len(), 1, "a position in it may be about to be committed");
    journal.sync().expect("there is a disk");
    assert!(journal.lock().replaced.is_empty());
}
