//! Searches that can be taken up again after they were cut off.
//!
//! Between two levels a search has an *edge*: nothing is half done. What it needs to go on from there is a
//! [`Checkpoint`]: how far the levels have come, the best solution, the counters, and the segments of its journal as long
//! as they were at that moment. The search writes the segments; when to make them durable and where to keep the
//! checkpoint is for its owner to say, who has a clock and files of his own. He is shown every [`Edge`].

use std::cell::Cell;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::journal::{Journal, JournalPlace, Segment, SegmentError};
use crate::{FoundFinish, Outcome, Reached, Solver, Statistics};

/// All that a search needs to go on from an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// How far the levels have come.
    pub reached: Reached,
    /// The best solution found.
    pub best: Option<FoundFinish>,
    /// What had been counted.
    pub statistics: Statistics,
    /// All that the table has accepted.
    pub segments: Vec<Segment>,
}

/// The moment between two levels.
pub struct Edge<'s> {
    checkpoint: Checkpoint,
    fault: Option<String>,
    journal: &'s Arc<Journal>,
    compact: Cell<bool>,
}

impl<'s> Edge<'s> {
    pub(crate) fn new(
        journal: &'s Arc<Journal>,
        checkpoint: Checkpoint,
        fault: Option<String>,
    ) -> Self {
        Self { checkpoint, fault, journal, compact: Cell::new(false) }
    }

    /// What is needed to go on from here; worth something once [`Syncer::sync`] has succeeded after this moment.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Why the journal is not whole. The checkpoint must not be kept then; [`Edge::compact`] is the way back.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// What makes the segments durable; from any thread, while the search goes on.
    pub fn syncer(&self) -> Syncer {
        Syncer(Arc::clone(self.journal))
    }

    /// Begins the journal anew, beside the search. When that is done, the edges after have fewer segments.
    pub fn compact(&self) {
        self.compact.set(true);
    }

    pub(crate) fn wants_compaction(&self) -> bool {
        self.compact.get()
    }
}

/// Makes the segments of a journal durable.
#[derive(Clone, Debug)]
pub struct Syncer(Arc<Journal>);

impl Syncer {
    /// Waits until all that has been written by now is on the disk.
    ///
    /// # Errors
    ///
    /// What the system says. The journal is at fault then, as the edges after will say.
    pub fn sync(&self) -> io::Result<()> {
        self.0.sync()
    }
}

/// Why a search could not be begun or taken up.
#[derive(Debug, thiserror::Error)]
pub enum DurableError {
    /// The journal cannot be begun.
    #[error("cannot begin a journal in {}: {error}", folder.display())]
    Journal {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// A segment cannot be read back.
    #[error(transparent)]
    Segment(#[from] SegmentError),
    /// The checkpoint does not belong to this board.
    #[error("the checkpoint does not fit the board: {0}")]
    Checkpoint(&'static str),
    /// [`SearchChoice::Ida`](crate::SearchChoice::Ida) keeps nothing that it could go on from.
    #[error("a search by ida keeps no journal; expected another search")]
    Search,
}

/// A [`Solver`] that keeps a journal, made by [`Solver::durable`].
#[must_use]
pub struct Durable<'a> {
    solver: Solver<'a>,
    pub(crate) keeping: Keeping<'a>,
}

/// How a journal is kept, and from where it goes on.
pub(crate) struct Keeping<'a> {
    pub(crate) place: JournalPlace,
    pub(crate) resume: Option<Checkpoint>,
    pub(crate) at_edge: Box<dyn FnMut(&Edge<'_>) + 'a>,
}

impl<'a> Durable<'a> {
    pub(crate) fn new(
        solver: Solver<'a>,
        place: JournalPlace,
        at_edge: Box<dyn FnMut(&Edge<'_>) + 'a>,
    ) -> Self {
        Self { solver, keeping: Keeping { place, resume: None, at_edge } }
    }

    /// Goes on from a checkpoint of the same search, whose segments are in the same folder as the journal.
    pub fn resume(mut self, checkpoint: Checkpoint) -> Self {
        self.keeping.resume = Some(checkpoint);
        self
    }

    /// Searches until an ending is reached, as [`Solver::solve`] does.
    ///
    /// # Errors
    ///
    /// If the search keeps no journal, the journal cannot be begun, or a segment of the checkpoint cannot be read back. A journal that cannot be
    /// written any more is no error: the search goes on, and the edges say so.
    pub fn solve(self) -> Result<Outcome, DurableError> {
        let Self { solver, mut keeping } = self;
        solver.run(Some(&mut keeping))
    }
}

impl Keeping<'_> {
    /// The folder of the journal.
    pub(crate) fn directory(&self) -> &PathBuf {
        &self.place.directory
    }
}
