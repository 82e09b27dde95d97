//! The flags of checkpoints, and where a folder of them has what.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueHint;

use crate::checkpoint::{Held, ManifestError, lock, read};
use crate::exit::Failure;
use crate::units::Span;

/// How often checkpoints are taken, and how long a cluster is nursed.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Keep {
    /// Time between two checkpoints, such as 30s or 5m; one is taken at the end of a level
    #[arg(long, value_name = "TIME", default_value = "60s")]
    checkpoint_every: Span,
    /// With --workers: give up when no attempt has got further for so long
    #[arg(long, value_name = "TIME", default_value = "10m")]
    give_up_after: Span,
}

/// Where to keep checkpoints.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Folder {
    /// Keep checkpoints in this folder: `sokohive resume FOLDER` goes on from the last one
    ///
    /// For one board. With --workers, every worker needs a --data-dir; a lost worker then no longer ends
    /// the search. When the result has been printed, the checkpoint is deleted.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) checkpoint: Option<PathBuf>,
}

impl Keep {
    /// Time between two checkpoints.
    pub(crate) fn every(&self) -> Duration {
        self.checkpoint_every.0
    }

    /// How long no attempt may get further.
    pub(crate) fn give_up_after(&self) -> Duration {
        self.give_up_after.0
    }
}

/// The manifest in a folder of checkpoints.
pub(crate) fn manifest(folder: &Path) -> PathBuf {
    folder.join("checkpoint")
}

/// Keeps other processes out of a folder of checkpoints for as long as what is returned lives: two at once would write
/// over each other's files.
pub(crate) fn hold(folder: &Path) -> Result<Option<File>, Failure> {
    lock(folder).map_err(|Held| {
        Failure::Usage(format!("{}: another process searches here", folder.display()))
    })
}

/// Refuses a folder that has a checkpoint already: it would be written over.
pub(crate) fn check_vacant(folder: &Path) -> Result<(), Failure> {
    let path = manifest(folder);
    let shown = folder.display();
    match read(&path) {
        Err(error) if error.is_not_found() => Ok(()),
        Err(error @ ManifestError::Io { .. }) => Err(Failure::Usage(error.to_string())),
        Err(error) => Err(Failure::Usage(format!("{error}; name another folder, or delete it"))),
        Ok(found) => Err(Failure::Usage(format!(
            "{shown} has a checkpoint of {}, at level {}: go on with `sokohive resume {shown}`, or name \
             another folder",
            found.name, found.reached.lower_bound
        ))),
    }
}
