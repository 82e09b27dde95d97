//! Folders that flags name.

use std::path::{Path, PathBuf};
use std::{fs, io, process};

/// Why no files can be kept in a folder.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}, expected a folder in which files can be made", folder.display())]
pub struct FolderError {
    folder: PathBuf,
    problem: io::Error,
}

/// Finds out whether files can be made in a folder. The folder is made if it is missing.
///
/// # Errors
///
/// What the system says of the folder, or of a file in it.
pub fn check_folder(folder: &Path) -> Result<(), FolderError> {
    try_folder(folder).map_err(|problem| FolderError { folder: folder.to_owned(), problem })
}

fn try_folder(folder: &Path) -> io::Result<()> {
    if folder.exists() && !folder.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    fs::create_dir_all(folder)?;
    let file = folder.join(format!("sokohive-check-{}", process::id()));
    fs::File::create(&file)?;
    match fs::remove_file(file) {
        // Processes in containers of their own may have the same number.
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_made_and_what_is_none_is_named() {
        let folder = std::env::temp_dir().join(format!("sokohive-folder-{}", process::id()));
        let inner = folder.join("inner");
        check_folder(&inner).unwrap();
        check_folder(&inner).unwrap();
        assert_eq!(fs::read_dir(&inner).unwrap().count(), 0, "nothing is left there");
        let file = folder.join("file");
        fs::write(&file, "").unwrap();
        for (folder, problem) in [
            (file.as_path(), "not a directory"),
            (&file.join("x"), "Not a directory"),
            // What is wrong there depends on who asks.
            (Path::new("/proc"), ""),
        ] {
            let error = check_folder(folder).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{}: {problem}", folder.display())), "{error}");
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
