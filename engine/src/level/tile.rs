//! Squares and what stands on them.

use std::fmt;

/// What stands on one square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tile {
    /// Nothing.
    Floor,
    /// A wall.
    Wall,
    /// A box off goal.
    Box,
    /// The keeper off goal.
    Keeper,
    /// An empty goal.
    Goal,
    /// A box on a goal.
    BoxOnGoal,
    /// The keeper on a goal.
    KeeperOnGoal,
}

impl Tile {
    /// Whether a box stands here.
    pub fn has_box(self) -> bool {
        matches!(self, Self::Box | Self::BoxOnGoal)
    }
    /// Whether this is a goal square.
    pub fn has_goal(self) -> bool {
        matches!(self, Self::Goal | Self::BoxOnGoal | Self::KeeperOnGoal)
    }
    /// Whether the keeper stands here.
    pub fn has_keeper(self) -> bool {
        matches!(self, Self::Keeper | Self::KeeperOnGoal)
    }

    /// The XSB character, floor as a blank.
    pub(crate) fn xsb(self) -> char {
        match self {
            Self::Floor => ' ',
            Self::Wall => '#',
            Self::Box => '$',
            Self::Keeper => '@',
            Self::Goal => '.',
            Self::BoxOnGoal => '*',
            Self::KeeperOnGoal => '+',
        }
    }

    /// Reads an XSB character; letters are the alternatives of the SOK format.
    pub(super) fn from_xsb(byte: u8) -> Option<Self> {
        Some(match byte {
            b' ' | b'-' | b'_' => Self::Floor,
            b'#' | b'W' => Self::Wall,
            b'$' | b'b' => Self::Box,
            b'@' | b'p' => Self::Keeper,
            b'.' => Self::Goal,
            b'*' | b'B' => Self::BoxOnGoal,
            b'+' | b'P' => Self::KeeperOnGoal,
            _ => return None,
        })
    }

    /// Reads a digit of the digit code.
    pub(super) fn from_digit(byte: u8) -> Option<Self> {
        Some(match byte {
            b'0' => Self::Floor,
            b'1' => Self::Wall,
            b'2' => Self::Box,
            b'3' => Self::Keeper,
            b'4' => Self::Goal,
            b'5' => Self::BoxOnGoal,
            b'6' => Self::KeeperOnGoal,
            _ => return None,
        })
    }
}

/// A square of the grid, counted from 0; printed counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// Row, from 0 at the top.
    pub row: usize,
    /// Column, from 0 at the left.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}, column {}", self.row + 1, self.column + 1)
    }
}
