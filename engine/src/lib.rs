//! The search of Sokohive: proves the shortest solution of a Sokoban board.
//!
//! The engine has no clock, reads no files, and prints nothing. Limits and the wish to stop come in through [`Solver`]
//! and [`Control`]; what was proven comes out as an [`Ending`].
//!
//! ```
//! use sokohive_engine::{Ending, Level, Rule, SearchChoice, Solver, verify};
//!
//! let level = Level::parse("#######|#@    #|# $ # #|#  .  #|#######")?;
//! let outcome = Solver::new(&level)
//!     .rule(Rule::Classic)
//!     .search(SearchChoice::TwoSided)
//!     .threads(2)
//!     .memory(64 << 20)
//!     .solve();
//! match outcome.ending {
//!     Ending::Optimal(solution) => {
//!         // No solution is shorter. Whoever does not believe it can at least replay this one.
//!         println!("{} moves: {}", solution.moves.len(), solution.moves);
//!         verify(&level, Rule::Classic, &solution.moves)?;
//!     }
//!     Ending::Unsolvable(reason) => println!("no solution: {reason}"),
//!     Ending::Unsupported(reason) => println!("not for this engine: {reason}"),
//!     Ending::Limit { limit, lower_bound, .. } => println!("{limit:?}: at least {lower_bound}"),
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Layout
//!
//! The folders spell the algorithm: `level` reads text, `board` and `squares` are the playing area, `rank` numbers box
//! sets, `table` holds the best costs, `search` has open list, expansion, levels and the shard that runs them, `walk`
//! says where the keeper gets, `estimate` and `deadlock` cut the work, `ida` searches depth first in little memory,
//! `scout` finds solutions before the proof, `reconstruct` finds the moves again, `optima` all that are as good, and
//! `verify` replays them. [`Solver`] searches in one process; a [`Node`] is one shard of many, and a [`Navigator`] tells
//! whoever drives them what is next.
//! `ARCHITECTURE.md` has the code map and what must stay true.

mod board;
mod budget;
mod canonical;
mod control;
mod deadlock;
mod direction;
mod durable;
mod estimate;
mod found;
mod ida;
mod inspect;
mod journal;
mod level;
mod moves;
mod navigator;
mod node;
mod optima;
mod outcome;
mod paths;
mod plan;
mod purse;
mod rank;
mod reconstruct;
mod rule;
mod scout;
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
pub use canonical::canonical;
pub use control::{Control, Progress, Stop};
pub use direction::Direction;
pub use durable::{Checkpoint, Durable, DurableError, Edge, Syncer};
pub use ida::USUAL_MEMORY as IDA_MEMORY;
pub use inspect::{BoxInspection, Inspection};
pub use journal::{
    JournalPlace, JournalStatus, Segment, SegmentError, SegmentProblem, segments_present,
};
pub use level::{
    Collection, EmbeddedSolution, Level, LevelError, LevelErrorKind, Note, Place, Position,
    ReadOptions, Tile, builtin,
};
pub use moves::{MAX_MOVES, Move, Moves, MovesError, MovesErrorKind};
pub use navigator::{AllFound, CompareError, LevelChoice, Navigator, WalkBackError};
pub use node::{
    BoxSet, Course, FoundFinish, Node, NodeError, NodeStatus, OfferError, RowEntry, Share,
};
pub use outcome::{Ending, Limit, Outcome, Solution, Unsolvable, Unsupported};
pub use rule::{Objective, Rule, Tie, UnknownName};
pub use search::agenda::{MOST_POST_BYTES, Next, Sealed};
pub use search::exchange::{BatchError, VIRTUAL_SHARDS};
pub use search::levels::Reached;
pub use search::side::Side;
pub use search::spill::SpillPlace;
pub use solver::{EntryWidth, EstimateChoice, SearchChoice, Solver};
pub use statistics::Statistics;
pub use table::TableSize;
pub use verify::{Blocked, Replay, Unfinished, VerifyError, verify, verify_strict};
