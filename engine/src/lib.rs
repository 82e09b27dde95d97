//! The search of Sokohive: proves the shortest solution of a Sokoban board.
//!
//! # Layout
//!
//! The folders spell the algorithm; see `ARCHITECTURE.md` for the code map.

mod board;
mod budget;
mod control;
mod deadlock;
mod direction;
mod estimate;
mod inspect;
mod level;
mod moves;
mod navigator;
mod node;
mod outcome;
mod paths;
mod plan;
mod rank;
mod reconstruct;
mod rule;
mod search;
mod solver;
mod squares;
mod statistics;
mod table;
#[cfg(test)]
mod truth;
mod verify;
mod walk;

pub use board::{Board, Square};
pub use control::{Control, Progress, Stop};
pub use direction::Direction;
pub use inspect::{BoxInspection, Inspection};
pub use level::{
    Collection, EmbeddedSolution, Level, LevelError, LevelErrorKind, Note, Place, Position,
    ReadOptions, Tile, builtin,
};
pub use moves::{MAX_MOVES, Move, Moves, MovesError, MovesErrorKind};
pub use navigator::{LevelChoice, Navigator, WalkBackError};
pub use node::{
    BoxSet, Course, FoundFinish, Node, NodeError, NodeStatus, OfferError, RowEntry, Share,
};
pub use outcome::{Ending, Limit, Outcome, Solution, Unsolvable, Unsupported};
pub use rule::{Objective, Rule, UnknownName};
pub use search::agenda::{Next, Sealed};
pub use search::exchange::{BatchError, VIRTUAL_SHARDS};
pub use search::side::Side;
pub use solver::{EntryWidth, EstimateChoice, SearchChoice, Solver};
pub use statistics::Statistics;
pub use verify::{Blocked, Replay, Unfinished, VerifyError, verify, verify_strict};
