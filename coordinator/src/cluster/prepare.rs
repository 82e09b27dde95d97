//! Reading a task: what the engine makes of its board.

use std::sync::Arc;

use sokohive_engine::{Level, ReadOptions};
use sokohive_proto::{JobEnding, Task};

use super::plan::Plan;

/// Reads a task.
///
/// # Errors
///
/// If the answer is known without a search, or the board cannot be searched.
pub(super) fn prepare(task: &Task) -> Result<Arc<dyn Plan>, JobEnding> {
    let options = ReadOptions::default().edge_is_wall(task.edge_is_wall);
    let _level = Level::read(task.board.as_bytes(), options)
        .map_err(|error| JobEnding::Unsupported(format!("not a board: {error}")))?;
    Err(JobEnding::Unsupported("the engine is not connected yet".to_owned()))
}
