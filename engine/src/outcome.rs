//! How a search ends.

use std::fmt;

use crate::level::Position;
use crate::{Moves, Objective, Statistics, Tie};

/// The end of a search, with what it counted.
#[derive(Clone, Debug)]
#[must_use]
pub struct Outcome {
    /// What was proven, or what stopped the proof.
    pub ending: Ending,
    /// What it took.
    pub statistics: Statistics,
    /// With [`Limit::Disk`], which folder is to blame and what is wrong there, for people.
    pub disk_fault: Option<String>,
}

/// What was proven, or what stopped the proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// No solution costs less than this one, by exhaustion of all levels below its cost.
    Optimal(Solution),
    /// There is no solution.
    Unsolvable(Unsolvable),
    /// The board is legal but too wide for the engine; nothing is proven.
    Unsupported(Unsupported),
    /// A limit came first. Not a verdict on the board.
    Limit {
        /// Which limit.
        limit: Limit,
        /// Proven: every solution costs at least this much.
        lower_bound: u32,
        /// The best solution so far, not proven best.
        best: Option<Solution>,
    },
}

/// A solution that has been replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The keeper's steps.
    pub moves: Moves,
    /// How many optimal solutions there are, counted as distinct strings of steps; `u64::MAX` stands for so many or more.
    /// Where pushes count, they are those with fewest moves among them. `None` if they were not to be counted, or could
    /// not be.
    pub count: Option<u64>,
    /// What is proven of it among all that cost as much.
    pub tie: Tie,
}

impl Solution {
    /// One of which no more is known than that it is one.
    pub fn new(moves: Moves) -> Self {
        Self { moves, count: None, tie: Tie::Any }
    }

    /// Its cost under an objective.
    pub fn cost(&self, objective: Objective) -> usize {
        match objective {
            Objective::Moves => self.moves.len(),
            Objective::Pushes => self.moves.pushes(),
        }
    }
}

/// Why a board has no solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsolvable {
    /// More boxes than goals within the keeper's reach.
    TooFewGoals {
        /// Boxes there.
        boxes: usize,
        /// Goals there.
        goals: usize,
    },
    /// Every goal within the keeper's reach is needed for a box, and the rule wants one for the keeper.
    NoGoalForKeeper {
        /// Boxes there.
        boxes: usize,
        /// Goals there.
        goals: usize,
    },
    /// A box off goal that the keeper can never get at.
    BoxOutOfReach(Position),
    /// A box on a square from which it reaches no goal, even alone.
    BoxOnDeadSquare(Position),
    /// Every reachable state was searched.
    Exhausted,
}

/// Why the engine cannot take a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// The number of box sets needs more bits than the widest table entry has.
    RankTooWide {
        /// Bits the board needs.
        bits: u32,
        /// Bits there are.
        limit: u32,
    },
    /// States cost more than even the widest table entry of this board has room for.
    CostTooLarge {
        /// The largest cost there is room for.
        limit: u32,
    },
}

/// The limit that ended a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// The time given.
    Time,
    /// The bytes given.
    Memory,
    /// The open list could not be read back from disk, or not be written there when memory was short.
    Disk,
    /// The expansions given.
    Expansions,
    /// Stopped from outside.
    Interrupted,
}

fn count(number: usize, noun: &str, plural: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { plural })
}

impl fmt::Display for Unsolvable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewGoals { boxes, goals } => {
                write!(f, "{}, {}", count(*boxes, "box", "es"), count(*goals, "goal", "s"))
            }
            Self::NoGoalForKeeper { boxes, goals } => write!(
                f,
                "{}, {}, and the keeper needs a goal of its own",
                count(*boxes, "box", "es"),
                count(*goals, "goal", "s")
            ),
            Self::BoxOutOfReach(at) => write!(f, "the keeper can never reach the box at {at}"),
            Self::BoxOnDeadSquare(at) => {
                write!(f, "the box at {at} can reach no goal, even alone")
            }
            Self::Exhausted => f.write_str("every reachable state was searched"),
        }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RankTooWide { bits, limit } => {
                write!(
                    f,
                    "a box set of this board takes {bits} bits, at most {limit} are supported"
                )
            }
            Self::CostTooLarge { limit } => {
                write!(f, "some states cost more than {limit}, the most its table entries hold")
            }
        }
    }
}
