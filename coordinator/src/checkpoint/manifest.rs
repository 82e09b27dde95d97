//! The manifest: one small file that says what a checkpoint is made of.
//!
//! Eight bytes that say what it is, the version of the format (4 bytes), the length of the message
//! (8), its checksum (xxh3, 8), and the message [`Checkpoint`]; numbers with the least significant
//! byte first. Any changed, missing or added byte shows.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sokohive_proto::{BadField, Checkpoint};
use xxhash_rust::xxh3::xxh3_64;

/// What every manifest begins with.
const MAGIC: [u8; 8] = *b"SOKOHIVE";

/// Version of the format and of what a checkpoint means. A search that chooses its levels in another
/// way, or reads journals of another form, has to count this up.
const VERSION: u32 = 1;

/// Bytes before the message.
const HEAD: usize = 28;

/// Longest manifest read, in bytes: the longest board and the most segments fit many times.
const MOST_BYTES: u64 = 256 << 20;

/// Why a manifest cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The file cannot be read.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It is another kind of file.
    #[error("{0}: not a checkpoint")]
    NotACheckpoint(PathBuf),
    /// Another version of the program has written it.
    #[error("{path}: a checkpoint of format {found}, expected {VERSION}")]
    Version {
        /// The file.
        path: PathBuf,
        /// The format found.
        found: u32,
    },
    /// It is shorter or longer than it says.
    #[error("{path}: {found} bytes, expected {expected}: the file is damaged")]
    Length {
        /// The file.
        path: PathBuf,
        /// Bytes expected.
        expected: u64,
        /// Bytes found.
        found: u64,
    },
    /// Its bytes are not those that were written.
    #[error("{0}: the checksum is wrong: the file is damaged")]
    Checksum(PathBuf),
    /// What it says makes no sense.
    #[error("{path}: {field}")]
    Field {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        field: BadField,
    },
}

impl ManifestError {
    /// Whether there is no such file.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { error, .. } if error.kind() == io::ErrorKind::NotFound)
    }
}

/// Writes a manifest in place of the one that is there, whole or not at all. It is durable when this
/// returns. Waits for the disk. The folder is made if it is missing.
///
/// # Errors
///
/// If a file cannot be written; the manifest that was there is still there then.
pub fn write(path: &Path, checkpoint: &Checkpoint) -> io::Result<()> {
    replace(path, &seal(&checkpoint.encode()))
}

/// Reads a manifest.
///
/// # Errors
///
/// If there is none, or it is not what was written.
pub fn read(path: &Path) -> Result<Checkpoint, ManifestError> {
    let message = open(path)?;
    let field = |field| ManifestError::Field { path: path.to_owned(), field };
    Checkpoint::decode(&message).map_err(field)
}

/// Deletes a manifest, and what a writing of it that was cut off has left. It is gone for good when this
/// returns; one that is not there does no harm.
///
/// # Errors
///
/// If it is still there.
pub fn remove(path: &Path) -> io::Result<()> {
    // Without the manifest it does no harm.
    let _ = fs::remove_file(under_way(path));
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    match sync_folder(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// A message with what tells whether it is whole.
pub(crate) fn seal(message: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD + message.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&(message.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&xxh3_64(message).to_le_bytes());
    bytes.extend_from_slice(message);
    bytes
}

/// Puts a file in the place of another, whole or not at all, and durably.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let new = under_way(path);
    let write = || {
        let mut file = fs::File::create(&new)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&new, path)
    };
    write().inspect_err(|_| {
        // On a disk that is full it would only be in the way.
        let _ = fs::remove_file(&new);
    })?;
    sync_folder(path)
}

/// What a file is named while it is being written.
fn under_way(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    path.with_file_name(name)
}

/// Makes the names in the folder of `path` durable.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// The message in a file that [`seal`] has made.
pub(crate) fn open(path: &Path) -> Result<Vec<u8>, ManifestError> {
    let io = |error| ManifestError::Io { path: path.to_owned(), error };
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(io)?;
    file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(io)?;
    let path = || path.to_owned();
    let Some((head, message)) = bytes.split_at_checked(HEAD) else {
        if MAGIC.starts_with(&bytes[..bytes.len().min(8)]) && !bytes.is_empty() {
            let (expected, found) = (HEAD as u64, bytes.len() as u64);
            return Err(ManifestError::Length { path: path(), expected, found });
        }
        return Err(ManifestError::NotACheckpoint(path()));
    };
    if head[..8] != MAGIC {
        return Err(ManifestError::NotACheckpoint(path()));
    }
    // Lengths are those of the head's fields.
    let number = |at: usize, len: usize| {
        head[at..at + len].iter().rev().fold(0_u64, |sum, &byte| sum << 8 | u64::from(byte))
    };
    let found = number(8, 4) as u32;
    if found != VERSION {
        return Err(ManifestError::Version { path: path(), found });
    }
    let (expected, found) = (number(12, 8), message.len() as u64);
    if expected != found {
        return Err(ManifestError::Length { path: path(), expected, found });
    }
    if number(20, 8) != xxh3_64(message) {
        return Err(ManifestError::Checksum(path()));
    }
    Ok(message.to_vec())
}

#[cfg(test)]
mod tests {
    use sokohive_engine::{EstimateChoice, Objective, Reached, Rule, SearchChoice, Statistics};
    use sokohive_proto::{
        AllOptimal, Epoch, Finish, JobKey, PlacedSegment, Rank, Segment, SegmentName, Task, Trail,
    };

    use super::*;

    /// A folder of its own, removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("sokohive-manifest-{name}-{}", std::process::id());
            Self(std::env::temp_dir().join(name))
        }

        fn file(&self) -> PathBuf {
            self.0.join("inner").join("checkpoint")
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn checkpoint() -> Checkpoint {
        let segment = |number: u64| PlacedSegment {
            segment: Segment {
                name: SegmentName::new(&format!("00c0ffee00c0ffee-3-1-{number}.seg")).unwrap(),
                bytes: 1000 + number,
                records: 100,
            },
            writer: "worker-1:7401".to_owned(),
        };
        Checkpoint {
            program: "0.1.0".to_owned(),
            job: JobKey::new(0x00c0_ffee_00c0_ffee),
            epoch: Epoch::after(6),
            name: "p15".to_owned(),
            task: Task {
                board: "#####\n#@$.#\n#####\n".to_owned(),
                edge_is_wall: false,
                rule: Rule::KeeperOnGoal,
                objective: Objective::Moves,
                search: SearchChoice::Auto,
                estimate: EstimateChoice::Auto,
                dominance: true,
                deadlock_tables: true,
                memory: Some(1 << 30),
                all: AllOptimal::default(),
            },
            search: SearchChoice::TwoSided,
            reached: Reached {
                lower_bound: 30,
                levels: 31,
                closed: [Some(16), None],
                put_off: true,
            },
            best: Some(Finish { cost: 40, rank: Rank::from(77), trail: Trail::Meeting }),
            statistics: Statistics { expanded: 12345, ..Statistics::default() },
            segments: vec![segment(0), segment(1)],
            workers: vec!["worker-0:7401".to_owned(), "worker-1:7401".to_owned()],
            result: None,
        }
    }

    #[test]
    fn what_is_written_is_read_and_what_is_removed_is_gone() {
        let folder = Folder::new("round");
        let path = folder.file();
        assert!(read(&path).unwrap_err().is_not_found());
        remove(&path).unwrap();
        let first = checkpoint();
        write(&path, &first).unwrap();
        assert_eq!(read(&path).unwrap(), first);
        let second = Checkpoint { epoch: Epoch::after(7), best: None, ..first };
        write(&path, &second).unwrap();
        assert_eq!(read(&path).unwrap(), second);
        assert_eq!(
            fs::read_dir(path.parent().unwrap()).unwrap().count(),
            1,
            "nothing is left over"
        );
        remove(&path).unwrap();
        assert!(read(&path).unwrap_err().is_not_found());
    }

    #[test]
    fn every_flipped_bit_and_every_cut_shows() {
        let folder = Folder::new("damage");
        let path = folder.file();
        write(&path, &checkpoint()).unwrap();
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut bytes = whole.clone();
                bytes[at] ^= 1 << bit;
                fs::write(&path, &bytes).unwrap();
                let error = read(&path).expect_err("a flipped bit shows");
                let kind = match at {
                    0..8 => matches!(error, ManifestError::NotACheckpoint(_)),
                    8..12 => matches!(error, ManifestError::Version { .. }),
                    12..20 => matches!(error, ManifestError::Length { .. }),
                    _ => matches!(error, ManifestError::Checksum(_)),
                };
                assert!(kind, "byte {at}: {error}");
            }
            fs::write(&path, &whole[..at]).unwrap();
            let error = read(&path).expect_err("a cut shows");
            let kind = match at {
                0 => matches!(error, ManifestError::NotACheckpoint(_)),
                _ => matches!(error, ManifestError::Length { .. }),
            };
            assert!(kind, "{at} bytes: {error}");
        }
        fs::write(&path, [&whole[..], &[0]].concat()).unwrap();
        assert!(matches!(read(&path), Err(ManifestError::Length { .. })));
    }

    #[test]
    fn a_message_that_makes_no_sense_is_refused_with_its_field() {
        let folder = Folder::new("field");
        let path = folder.file();
        let mut twice = checkpoint();
        twice.segments.extend(checkpoint().segments);
        write(&path, &twice).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.ends_with("00c0ffee00c0ffee-3-1-0.seg is there twice"), "{error}");
        replace(&path, &seal(&[])).unwrap();
        let error = read(&path).unwrap_err();
        assert!(matches!(error, ManifestError::Field { .. }), "{error}");
    }
}
