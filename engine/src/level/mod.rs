//! Levels: legal boards read from text.

use std::fmt;

use crate::Rule;

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

/// A legal board: one keeper, closed in by walls or by the edge of the grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    name: Option<String>,
    rule: Rule,
    rows: usize,
    columns: usize,
    tiles: Vec<Tile>,
    keeper: Position,
}

impl Level {
    /// The title or number that the source gives it.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
    /// The rule usual for the notation it was written in.
    pub fn rule(&self) -> Rule {
        self.rule
    }
    /// Height in squares.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Width in squares.
    pub fn columns(&self) -> usize {
        self.columns
    }
    /// The tile at a position; a wall outside the grid.
    pub fn tile(&self, at: Position) -> Tile {
        if at.row < self.rows && at.column < self.columns {
            self.tiles[at.row * self.columns + at.column]
        } else {
            Tile::Wall
        }
    }
    /// Where the keeper starts.
    pub fn keeper(&self) -> Position {
        self.keeper
    }
}
