//! What a serving coordinator keeps over restarts: a folder for each job, with what was submitted and
//! how it ended in the file `job`, and while it runs its `checkpoint`.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::{fs, io};

use sokohive_proto::{JobNumber, JobResult, StoredJob};

use crate::checkpoint::{self, Held, ManifestError, lock, manifest};

/// The folder of all jobs.
#[derive(Debug)]
pub(super) struct Store {
    jobs: PathBuf,
    /// Keeps other processes out; `None` where the file system has no locks.
    _lock: Option<File>,
}

/// Why what was kept cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder cannot be read or made.
    #[error("{path}: {error}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Another coordinator has it.
    #[error("{0}: another process serves from here, expected a folder that no other has")]
    Held(PathBuf),
    /// The file of a job is damaged or of another version.
    #[error(transparent)]
    File(#[from] ManifestError),
}

impl Store {
    /// Opens a folder, which is made if it is missing, and reads all jobs in it, by number.
    pub(super) fn open(folder: &Path) -> Result<(Self, Vec<StoredJob>), StoreError> {
        let held = |Held| StoreError::Held(folder.to_owned());
        let store = Self { jobs: folder.join("jobs"), _lock: lock(folder).map_err(held)? };
        let failed = |error| StoreError::Folder { path: store.jobs.clone(), error };
        fs::create_dir_all(&store.jobs).map_err(failed)?;
        let mut numbers = Vec::new();
        for entry in fs::read_dir(&store.jobs).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let number = name.to_str().and_then(|name| name.parse().ok()).and_then(JobNumber::new);
            // A folder without its file was being made when the process ended: nobody was told.
            numbers.extend(number.filter(|&number| store.file(number).exists()));
        }
        numbers.sort();
        let jobs =
            numbers.into_iter().map(|number| store.read(number)).collect::<Result<_, _>>()?;
        Ok((store, jobs))
    }

    fn read(&self, number: JobNumber) -> Result<StoredJob, StoreError> {
        let path = self.file(number);
        let message = manifest::open(&path)?;
        let field = |field| ManifestError::Field { path, field };
        Ok(StoredJob::decode(&message).map_err(field)?)
    }

    /// Writes a job down. It is durable when this returns. Waits for the disk.
    pub(super) fn save(&self, job: &StoredJob) -> io::Result<()> {
        manifest::replace(&self.file(job.number), &manifest::seal(&job.encode()))
    }

    /// Forgets the checkpoint of a job whose result is written down, unless one can go on from it.
    pub(super) fn settle(&self, number: JobNumber, result: &JobResult) -> io::Result<()> {
        let path = self.manifest(number);
        match checkpoint::read(&path) {
            Ok(checkpoint) if checkpoint.result.is_none() && is_unfinished(result) => Ok(()),
            Ok(_) | Err(_) => checkpoint::remove(&path),
        }
    }

    /// The manifest of a job's checkpoint.
    pub(super) fn manifest(&self, number: JobNumber) -> PathBuf {
        self.folder(number).join("checkpoint")
    }

    /// Forgets a job.
    pub(super) fn forget(&self, number: JobNumber) -> io::Result<()> {
        fs::remove_dir_all(self.folder(number))
    }

    fn folder(&self, number: JobNumber) -> PathBuf {
        self.jobs.join(number.to_string())
    }

    fn file(&self, number: JobNumber) -> PathBuf {
        self.folder(number).join("job")
    }
}

/// Whether a result is one to go on after: nothing is proven, and nobody has taken the job back.
pub(super) fn is_unfinished(result: &JobResult) -> bool {
    use sokohive_proto::JobEnding;
    matches!(result.ending, JobEnding::Limit { .. } | JobEnding::Failed(_))
}

#[cfg(test)]
mod tests {
    use sokohive_engine::{EstimateChoice, Objective, Rule, SearchChoice};
    use sokohive_proto::{AllOptimal, JobEnding, JobKey, Optimum, Submission, Task};

    use super::*;
    use crate::cluster::drive::ended_early;

    fn job(number: u64, result: Option<JobResult>) -> StoredJob {
        let submission = Submission {
            key: JobKey::new(100 + number),
            name: format!("board-{number}"),
            task: Task {
                board: "#####\n#@$.#\n#####\n".to_owned(),
                edge_is_wall: false,
                rule: Rule::Classic,
                objective: Objective::Moves,
                search: SearchChoice::Auto,
                estimate: EstimateChoice::Auto,
                dominance: true,
                deadlock_tables: true,
                memory: None,
                all: AllOptimal::default(),
            },
            timeout: None,
            expansions: Some(9),
        };
        StoredJob { number: JobNumber::new(number).unwrap(), submission, result }
    }

    #[test]
    fn jobs_come_back_by_number_and_damage_is_named() {
        let name = format!("sokohive-store-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let (store, jobs) = Store::open(&folder).unwrap();
        assert!(jobs.is_empty());
        let ended = ended_early(JobEnding::Optimal(Optimum::any("rR".to_owned())));
        let all = [job(2, Some(ended)), job(10, None), job(11, None)];
        all.iter().rev().for_each(|job| store.save(job).unwrap());
        fs::create_dir_all(folder.join("jobs").join("12")).unwrap();
        let error = Store::open(&folder).unwrap_err().to_string();
        assert!(error.contains("another process serves from here"), "{error}");
        drop(store);
        let (store, jobs) = Store::open(&folder).unwrap();
        assert_eq!(jobs, all);
        store.forget(all[2].number).unwrap();
        drop(store);
        assert_eq!(Store::open(&folder).unwrap().1, all[..2]);
        let file = folder.join("jobs").join("10").join("job");
        let mut bytes = fs::read(&file).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&file, bytes).unwrap();
        let error = Store::open(&folder).unwrap_err().to_string();
        assert!(error.contains("10/job: the checksum is wrong"), "{error}");
        fs::remove_dir_all(folder).unwrap();
    }
}
