//! A file without a name, for what waits on disk: nothing is left of it however the process ends. It knows how long it may
//! get, and what has gone wrong with it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::spill::SpillPlace;

/// See the module.
pub(super) struct Nameless {
    pub(super) file: File,
    folder: PathBuf,
    most_bytes: u64,
    /// Where that bound comes from, for people.
    bound: &'static str,
    /// The first thing that went wrong, for people.
    fault: OnceLock<String>,
}

impl Nameless {
    /// Opens a file of its own in the folder, which is made if it is not there.
    pub(super) fn new(place: &SpillPlace) -> io::Result<Self> {
        let folder = place.directory.clone();
        fs::create_dir_all(&folder)?;
        let mut number = 0_u64;
        let file = loop {
            let name = format!("sokohive-open-list-{}-{number}", std::process::id());
            let path = folder.join(name);
            let open = OpenOptions::new().read(true).write(true).create_new(true).open(&path);
            match open {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                file => {
                    let file = file?;
                    fs::remove_file(&path)?;
                    break file;
                }
            }
        };
        let system = rustix::fs::fstatvfs(&file)?;
        let spare = system.f_bavail.saturating_mul(system.f_frsize) / 10 * 9;
        let (most_bytes, bound) = match place.most_bytes <= spare {
            true => (place.most_bytes, "the limit given to it"),
            false => (spare, "nine tenths of what was free"),
        };
        Ok(Self { file, folder, most_bytes, bound, fault: OnceLock::new() })
    }

    /// Bytes that may be held there.
    pub(super) fn most_bytes(&self) -> u64 {
        self.most_bytes
    }

    pub(super) fn write(&self, bytes: &[u8], place: u64) -> io::Result<()> {
        let written = self.file.write_all_at(bytes, place);
        written.inspect_err(|error| self.note(&format!("writing: {error}")))
    }

    pub(super) fn read(&self, bytes: &mut [u8], place: u64) -> io::Result<()> {
        let read = self.file.read_exact_at(bytes, place);
        read.inspect_err(|error| self.note(&format!("reading back: {error}")))
    }

    /// The error of holding more than may be held.
    pub(super) fn full(&self) -> io::Error {
        let (bytes, bound) = (self.most_bytes, self.bound);
        let problem = format!("the open list takes more than {bytes} bytes there, {bound}");
        self.note(&problem);
        io::Error::new(io::ErrorKind::StorageFull, problem)
    }

    /// The error of reading what was not written.
    pub(super) fn damaged(&self) -> io::Error {
        let problem = "what is read back is not what was written";
        self.note(problem);
        io::Error::new(io::ErrorKind::InvalidData, problem)
    }

    /// The first thing that went wrong, with the folder, for people.
    pub(super) fn fault(&self) -> Option<&str> {
        self.fault.get().map(String::as_str)
    }

    fn note(&self, problem: &str) {
        self.fault.get_or_init(|| format!("{}: {problem}", self.folder.display()));
    }
}
