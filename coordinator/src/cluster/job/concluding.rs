//! The result is written down before what it was proven from is deleted.

use super::releasing::Releasing;
use super::shared::Shared;
use super::{Command, Ending, State};

/// The result is being written down.
#[derive(Debug)]
pub(super) struct Concluding {
    ending: Ending,
}

impl Concluding {
    /// Ends the job. If nobody will go on with it, what is kept of it is deleted.
    pub(super) fn enter(shared: &mut Shared, ending: Ending) -> State {
        let proven = matches!(ending, Ending::Optimal(_) | Ending::Unsolvable);
        if shared.keeping.is_some() && (proven || shared.cancelled) {
            shared.command(Command::Conclude(ending.clone()));
            State::Concluding(Self { ending })
        } else {
            Releasing::enter(shared, ending)
        }
    }

    /// What cannot be written down leaves the checkpoint as it is: everything it names stays.
    pub(super) fn concluded(self, shared: &mut Shared, result: &Result<(), String>) -> State {
        shared.discard = result.is_ok();
        Releasing::enter(shared, self.ending)
    }
}
