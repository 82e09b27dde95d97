//! What came of all boards of one command together.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::event::Report;
use crate::outcome::Outcome;

/// Numbers of boards by their outcome, those included that were not searched again, and what the searches took.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Summary {
    /// All boards.
    boards: usize,
    /// Proven shortest.
    optimal: usize,
    /// Proven to have no solution.
    unsolvable: usize,
    /// Beyond the engine.
    unsupported: usize,
    /// Ended by a limit, whichever, or by an interrupt.
    limit: usize,
    /// Lost with the cluster.
    failed: usize,
    /// Not to be read.
    bad_input: usize,
    /// Not begun, as somebody interrupted.
    not_begun: usize,
    /// Passed over, as the file of results has them; each is in one of the numbers above, too.
    skipped: usize,
    /// Rows expanded by all searches.
    expanded: u64,
    /// Wall time of all searches, to the microsecond.
    seconds: f64,
    #[serde(skip)]
    elapsed: Duration,
}

impl Summary {
    /// The names of all numbers with their values, in order.
    pub(crate) fn numbers(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(numbers)) => numbers,
            // A structure of named numbers is an object.
            _ => Map::new(),
        }
    }

    /// Whether there is more to sum up than one board.
    pub(crate) fn is_of_several(&self) -> bool {
        self.boards > 1
    }

    /// Counts a board that was not searched.
    pub(crate) fn count(&mut self, outcome: Outcome) {
        self.boards += 1;
        *match outcome {
            Outcome::Optimal => &mut self.optimal,
            Outcome::Unsolvable => &mut self.unsolvable,
            Outcome::Unsupported => &mut self.unsupported,
            Outcome::Timeout
            | Outcome::Memory
            | Outcome::Disk
            | Outcome::Limit
            | Outcome::Interrupted => &mut self.limit,
            Outcome::Failed => &mut self.failed,
            Outcome::BadInput => &mut self.bad_input,
        } += 1;
    }

    /// Counts a board that has a row with this outcome already.
    pub(crate) fn skip(&mut self, outcome: Outcome) {
        self.count(outcome);
        self.skipped += 1;
    }

    /// Counts a search that has ended.
    pub(crate) fn add(&mut self, report: &Report) {
        self.count(Outcome::from(&report.ending));
        self.expanded += report.statistics.expanded;
        self.elapsed += report.elapsed;
        self.seconds = self.elapsed.as_micros() as f64 / 1e6;
    }

    /// Counts boards that are not even begun.
    pub(crate) fn leave(&mut self, boards: usize) {
        self.boards += boards;
        self.not_begun += boards;
    }
}
