//! One process at a time writes to a file of results.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::exit::Failure;

/// Keeps other processes away from a file for as long as it lives.
///
/// The lock is on a file beside it, as the file itself is replaced with every row.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Takes the lock of the file at `path`, which need not be there.
    ///
    /// # Errors
    ///
    /// If another process has it, or if nothing can be written there.
    pub(super) fn take(path: &Path) -> Result<Self, Failure> {
        let mut name = path.as_os_str().to_owned();
        name.push(".lock");
        let beside = PathBuf::from(name);
        loop {
            let file = File::create(&beside)
                .map_err(|error| Failure::Usage(format!("{}: {error}", beside.display())))?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => {
                    let problem = format!("{}: another process writes to it", path.display());
                    return Err(Failure::Usage(problem));
                }
                // Not every file system has locks.
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
            // Whoever had it before may have deleted it meanwhile; then another one can be made and locked.
            if is_at(&file, &beside).unwrap_or(false) {
                return Ok(Self { path: beside, _file: file });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // One that is left behind is locked by nobody.
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether `path` leads to `file`.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let (open, named) = (file.metadata()?, fs::metadata(path)?);
    Ok((open.dev(), open.ino()) == (named.dev(), named.ino()))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::{env, fs, process, thread};

    use super::Lock;

    #[test]
    fn nobody_else_has_it_however_often_it_is_given_back() {
        let folder = env::temp_dir().join(format!("sokohive-lock-{}", process::id()));
        fs::create_dir_all(&folder).expect("the temporary folder can be written");
        let output = folder.join("results.csv");
        let (inside, taken) = (AtomicU32::new(0), AtomicU32::new(0));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..2_000 {
                        let Ok(_lock) = Lock::take(&output) else { continue };
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two at once");
                        taken.fetch_add(1, Ordering::SeqCst);
                        thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!(taken.into_inner() > 0);
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0, "nothing is left over");
        fs::remove_dir(&folder).expect("an empty folder");
    }
}
