//! Segments: files of blocks that are only ever appended to.
//!
//! # Layout
//!
//! Little-endian. Header of 28 bytes: the word `sokohive` (8), version of the layout (4), digest of what is searched (8),
//! xxh3 of the 20 bytes before (8). Then blocks: length of the payload (4), xxh3 of the payload (8), seeded with the
//! digest and the place of the block in the file, and the payload. So a block that was changed, moved, doubled or taken
//! from another search is found, and a file that ends within a block is too.
//!
//! What a file holds beyond the length that was committed is not read: it was being written when the process ended.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The first bytes of every segment.
const MAGIC: [u8; 8] = *b"sokohive";
/// Version of the layout above.
const VERSION: u32 = 1;
const HEADER: usize = 28;
const BLOCK_HEADER: usize = 12;
/// No block is longer: what claims to be is damaged.
const LONGEST_BLOCK: usize = 4 << 20;

/// The beginning of a segment: as much of it as belongs to a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Segment {
    /// Name of the file, without its folder.
    pub name: String,
    /// Bytes from the start of the file.
    pub bytes: u64,
    /// Records in them.
    pub records: u64,
}

/// Why a segment cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("segment {}: {problem}", path.display())]
pub struct SegmentError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    #[source]
    pub problem: SegmentProblem,
}

/// What is wrong with a segment.
#[derive(Debug, thiserror::Error)]
pub enum SegmentProblem {
    /// The system does not give it.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is no segment, or its header is damaged.
    #[error("no header of a segment")]
    Header,
    /// Written by a program that lays segments out in another way.
    #[error("layout version {0}, expected {VERSION}")]
    Version(u32),
    /// It belongs to another board, rule or kind of search.
    #[error("it belongs to another search")]
    OtherSearch,
    /// It ends before the length that was committed.
    #[error("it ends at byte {found}, expected {expected}")]
    Short {
        /// Bytes there.
        found: u64,
        /// Bytes committed.
        expected: u64,
    },
    /// A block is not what was written.
    #[error("the block at byte {0} is damaged")]
    Block(u64),
    /// It holds another number of records than was committed.
    #[error("{found} records, expected {expected}")]
    Records {
        /// Records there.
        found: u64,
        /// Records committed.
        expected: u64,
    },
}

/// A segment being written.
#[derive(Debug)]
pub(super) struct SegmentWriter<W> {
    file: W,
    digest: u64,
    bytes: u64,
    records: u64,
}

impl<W: Write> SegmentWriter<W> {
    /// Begins a segment.
    pub(super) fn new(mut file: W, digest: u64) -> io::Result<Self> {
        file.write_all(&header(VERSION, digest))?;
        Ok(Self { file, digest, bytes: HEADER as u64, records: 0 })
    }

    /// Appends a block of so many records. After an error the segment must not be appended to any more; what was
    /// counted before is whole.
    pub(super) fn append(&mut self, payload: &[u8], records: u64) -> io::Result<()> {
        debug_assert!(payload.len() <= LONGEST_BLOCK);
        let mut block = Vec::with_capacity(BLOCK_HEADER + payload.len());
        block.extend((payload.len() as u32).to_le_bytes());
        block.extend(checksum(payload, self.digest, self.bytes).to_le_bytes());
        block.extend(payload);
        self.file.write_all(&block)?;
        self.bytes += block.len() as u64;
        self.records += records;
        Ok(())
    }

    pub(super) fn file(&self) -> &W {
        &self.file
    }

    #[cfg(test)]
    pub(super) fn replace_file(&mut self, file: W) {
        self.file = file;
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn records(&self) -> u64 {
        self.records
    }
}

fn header(version: u32, digest: u64) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&version.to_le_bytes());
    header[12..20].copy_from_slice(&digest.to_le_bytes());
    let sum = xxh3_64(&header[..20]);
    header[20..].copy_from_slice(&sum.to_le_bytes());
    header
}

fn checksum(payload: &[u8], digest: u64, place: u64) -> u64 {
    xxh3_64_with_seed(payload, digest ^ place)
}

/// A segment being read, as far as it was committed.
pub(super) struct SegmentReader {
    path: PathBuf,
    file: BufReader<File>,
    digest: u64,
    /// Where the next block begins, and the one read last.
    place: u64,
    last: u64,
    records: u64,
    committed: Segment,
}

impl SegmentReader {
    /// Opens a segment of the search with this digest.
    pub(super) fn open(
        directory: &Path,
        committed: Segment,
        digest: u64,
    ) -> Result<Self, SegmentError> {
        let path = directory.join(&committed.name);
        match Self::begin(&path, &committed, digest) {
            Ok(file) => {
                let place = HEADER as u64;
                Ok(Self { path, file, digest, place, last: place, records: 0, committed })
            }
            Err(problem) => Err(SegmentError { path, problem }),
        }
    }

    fn begin(
        path: &Path,
        committed: &Segment,
        digest: u64,
    ) -> Result<BufReader<File>, SegmentProblem> {
        let file = File::open(path)?;
        let found = file.metadata()?.len();
        if found < committed.bytes {
            return Err(SegmentProblem::Short { found, expected: committed.bytes });
        }
        let mut file = BufReader::with_capacity(256 << 10, file);
        let mut bytes = [0; HEADER];
        if committed.bytes < HEADER as u64 || file.read_exact(&mut bytes).is_err() {
            return Err(SegmentProblem::Header);
        }
        let (version, found) = (word(&bytes[8..12]) as u32, word(&bytes[12..20]));
        if bytes != header(version, found) {
            return Err(SegmentProblem::Header);
        }
        if version != VERSION {
            return Err(SegmentProblem::Version(version));
        }
        if found != digest {
            return Err(SegmentProblem::OtherSearch);
        }
        Ok(file)
    }

    /// The next block; `None` after the last that was committed.
    pub(super) fn next_block(&mut self) -> Result<Option<Vec<u8>>, SegmentError> {
        self.read_block().map_err(|problem| SegmentError { path: self.path.clone(), problem })
    }

    fn read_block(&mut self) -> Result<Option<Vec<u8>>, SegmentProblem> {
        let left = self.committed.bytes - self.place;
        if left == 0 {
            let (found, expected) = (self.records, self.committed.records);
            return match found == expected {
                true => Ok(None),
                false => Err(SegmentProblem::Records { found, expected }),
            };
        }
        let damaged = SegmentProblem::Block(self.place);
        if left < BLOCK_HEADER as u64 {
            return Err(damaged);
        }
        let mut head = [0; BLOCK_HEADER];
        self.file.read_exact(&mut head)?;
        let length = word(&head[..4]) as usize;
        if length > LONGEST_BLOCK || length as u64 > left - BLOCK_HEADER as u64 {
            return Err(damaged);
        }
        let mut payload = vec![0; length];
        self.file.read_exact(&mut payload)?;
        if word(&head[4..]) != checksum(&payload, self.digest, self.place) {
            return Err(damaged);
        }
        self.last = self.place;
        self.place += (BLOCK_HEADER + length) as u64;
        Ok(Some(payload))
    }

    /// Adds to the records read, which the caller can count and this file cannot.
    pub(super) fn count(&mut self, records: u64) {
        self.records += records;
    }

    /// Blames the block that was read last: its payload makes no sense.
    pub(super) fn blame(&self) -> SegmentError {
        let problem = SegmentProblem::Block(self.last);
        SegmentError { path: self.path.clone(), problem }
    }
}

/// The number that up to eight bytes write, the least significant first.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}
