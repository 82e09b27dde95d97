//! The search of Sokohive: proves the shortest solution of a Sokoban board.
//!
//! # Layout
//!
//! The folders spell the algorithm; see `ARCHITECTURE.md` for the code map.

mod control;
mod direction;
mod level;
mod moves;
mod outcome;
mod rule;
mod solver;
mod statistics;
mod verify;

pub use control::{Control, Progress, Stop};
pub use direction::Direction;
pub use level::{
    Collection, EmbeddedSolution, Level, LevelError, LevelErrorKind, Note, Place, Position,
    ReadOptions, Tile, builtin,
};
pub use moves::{MAX_MOVES, Move, Moves, MovesError, MovesErrorKind};
pub use outcome::{Ending, Limit, Outcome, Solution, Unsolvable, Unsupported};
pub use rule::{Objective, Rule, UnknownName};
pub use solver::{EstimateChoice, Solver};
pub use statistics::Statistics;
pub use verify::{Blocked, Replay, Unfinished, VerifyError, verify, verify_strict};
