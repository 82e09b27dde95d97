//! The largest epoch that a worker has taken part in, kept over restarts, so that a worker started
//! again still refuses what is left over from before.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sokohive_proto::Epoch;

const NAME: &str = "epoch";

/// First line: the format and its version.
const HEADER: &str = "sokohive-epoch 1";

fn path(directory: &Path) -> PathBuf {
    directory.join(NAME)
}

/// Reads the epoch; 0 if there is no file.
///
/// # Errors
///
/// If the file cannot be read, is not one of ours, or says more than there are epochs.
pub(crate) fn read(directory: &Path) -> io::Result<u64> {
    let text = match fs::read_to_string(path(directory)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => {
            let problem = format!("{}: {error}", path(directory).display());
            return Err(io::Error::new(error.kind(), problem));
        }
    };
    let invalid = |problem: String| {
        let problem = format!("{}: {problem}", path(directory).display());
        io::Error::new(io::ErrorKind::InvalidData, problem)
    };
    let number: Option<u64> = text.strip_prefix(HEADER).and_then(|rest| rest.trim().parse().ok());
    match number {
        Some(number) if number > Epoch::LAST => Err(invalid(format!(
            "epoch {number} is beyond {}, no job can have written it; delete the file to begin at 0",
            Epoch::LAST
        ))),
        Some(number) => Ok(number),
        None => Err(invalid(format!("expected '{HEADER}' and a number"))),
    }
}

/// Writes the epoch, whole or not at all, unless a larger one is there. Workers may share a folder.
///
/// # Errors
///
/// If the file cannot be written.
pub(crate) fn write(directory: &Path, epoch: Epoch) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    let largest = read(directory)?.max(epoch.get());
    let new = directory.join(format!("epoch.new-{}", std::process::id()));
    fs::write(&new, format!("{HEADER}\n{largest}\n"))?;
    fs::File::open(&new)?.sync_all()?;
    fs::rename(new, path(directory))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let directory = std::env::temp_dir().join(format!("sokohive-epoch-{}", std::process::id()));
        assert_eq!(read(&directory).unwrap(), 0);
        write(&directory, Epoch::after(41)).unwrap();
        write(&directory, Epoch::after(42)).unwrap();
        write(&directory, Epoch::after(3)).unwrap();
        assert_eq!(read(&directory).unwrap(), 43, "it never falls");
        fs::write(path(&directory), "something else").unwrap();
        assert!(read(&directory).is_err());
        for beyond in [Epoch::LAST + 1, u64::MAX] {
            fs::write(path(&directory), format!("{HEADER}\n{beyond}\n")).unwrap();
            let error = read(&directory).unwrap_err().to_string();
            assert!(error.contains("/epoch: epoch ") && error.contains("delete"), "{error}");
        }
        fs::remove_dir_all(directory).unwrap();
    }
}
