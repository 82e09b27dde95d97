//! The epoch is written down before anyone is called into it.
//!
//! So no epoch is ever used twice, even if the coordinator dies: the files of two attempts would have
//! the same names.

use std::sync::Arc;

use sokohive_engine::{Reached, Statistics};
use sokohive_proto::{Checkpoint, ClusterFailure};

use super::keeping::Keeping;
use super::preparing::Preparing;
use super::releasing::Releasing;
use super::shared::Shared;
use super::{Command, Ending, State};

/// The manifest is being written, as the job was left, with the epoch that is about to begin.
#[derive(Debug)]
pub(super) struct Claiming(Arc<Checkpoint>);

impl Claiming {
    /// Where nothing is kept there is nothing to write down.
    pub(super) fn enter(shared: &mut Shared) -> State {
        let (Some(_), Some(fence)) = (shared.settings.every, shared.fence) else {
            return Preparing::enter(shared);
        };
        let settings = &shared.settings;
        let workers = settings.workers.clone();
        let checkpoint = match settings.checkpoint.as_deref() {
            Some(checkpoint) => Checkpoint { epoch: fence.epoch, workers, ..checkpoint.clone() },
            // A job that begins: an edge before the first level, without any states.
            None => Checkpoint {
                program: env!("CARGO_PKG_VERSION").to_owned(),
                job: fence.job,
                epoch: fence.epoch,
                name: settings.name.clone(),
                task: settings.task.clone(),
                search: settings.search,
                reached: Reached::default(),
                best: None,
                statistics: Statistics::default(),
                segments: Vec::new(),
                workers,
                result: None,
            },
        };
        let checkpoint = Arc::new(checkpoint);
        shared.command(Command::Commit(Arc::clone(&checkpoint)));
        State::Claiming(Self(checkpoint))
    }

    pub(super) fn committed(self, shared: &mut Shared, result: Result<(), String>) -> State {
        match (result, shared.settings.every) {
            (Ok(()), Some(every)) => {
                shared.keeping = Some(Keeping::new(shared.now, every, self.0));
                Preparing::enter(shared)
            }
            (Ok(()), None) => Preparing::enter(shared),
            (Err(reason), _) => {
                let failure = ClusterFailure {
                    worker: None,
                    level: shared.lower_bound,
                    reason: format!("writing the checkpoint: {reason}"),
                    retryable: true,
                    saved: None,
                };
                Releasing::enter(shared, Ending::Failed(failure))
            }
        }
    }
}
