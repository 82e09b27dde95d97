//! Files for one test.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, fs, process};

/// A folder of its own, removed at the end.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// An empty folder.
    ///
    /// # Panics
    ///
    /// If it cannot be made.
    #[expect(clippy::new_without_default, reason = "it makes a folder, which no default should")]
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("sokohive-test-{}-{number}", process::id()));
        fs::create_dir_all(&path).expect("the temporary folder can be written");
        Self(path)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A path in the folder, as an argument; nothing is made there.
    ///
    /// # Panics
    ///
    /// If it is not UTF-8.
    pub fn inside(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("temporary paths are UTF-8").to_owned()
    }

    /// Writes a file and returns its path as an argument.
    ///
    /// # Panics
    ///
    /// If it cannot be written.
    pub fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        fs::write(&path, contents).expect("the temporary folder can be written");
        path.to_str().expect("temporary paths are UTF-8").to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left behind in a temporary folder harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}
