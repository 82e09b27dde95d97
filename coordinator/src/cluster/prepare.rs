//! Reading a task: what the engine makes of its board.

use std::sync::Arc;

use sokohive_engine::{Ending, Level, ReadOptions};
use sokohive_proto::Task;

use super::plan::Plan;

/// Reads a task.
///
/// # Errors
///
/// If the answer is known without a search, or the board cannot be searched.
pub(super) fn prepare(task: &Task) -> Result<Arc<dyn Plan>, Ending> {
    let options = ReadOptions::default().edge_is_wall(task.edge_is_wall);
    let _level = Level::read(task.board.as_bytes(), options);
    unimplemented!()
}
