//! One process at a time in a folder.

use std::fs::{self, File, TryLockError};
use std::path::Path;

/// Another process has the folder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held;

/// Keeps other processes out of a folder for as long as what is returned lives. The folder is made if it is
/// missing; what is wrong with it is said where something is written to it.
pub(crate) fn lock(folder: &Path) -> Result<Option<File>, Held> {
    let Ok(file) = fs::create_dir_all(folder).and_then(|()| File::open(folder)) else {
        return Ok(None);
    };
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(Held),
        // Not every file system has locks.
        Err(TryLockError::Error(_)) => Ok(None),
    }
}
