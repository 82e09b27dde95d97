//! Levels: legal boards read from text.

pub mod builtin;

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

    /// A trusted board, digits or XSB, until the full reader is there.
    fn sketch(text: &str, name: &str) -> Self {
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        let digits = lines.iter().all(|line| line.bytes().all(|byte| byte.is_ascii_digit()));
        let columns = lines.iter().map(|line| line.len()).max().unwrap_or(0);
        let mut tiles = Vec::new();
        for line in &lines {
            let padding = std::iter::repeat_n(b' ', columns - line.len());
            tiles.extend(line.bytes().chain(padding).map(|byte| match byte {
                b'1' | b'#' => Tile::Wall,
                b'2' | b'$' => Tile::Box,
                b'3' | b'@' => Tile::Keeper,
                b'4' | b'.' => Tile::Goal,
                b'5' | b'*' => Tile::BoxOnGoal,
                b'6' | b'+' => Tile::KeeperOnGoal,
                _ => Tile::Floor,
            }));
        }
        let at =
            tiles.iter().position(|tile| tile.has_keeper()).expect("built-in boards are legal");
        Self {
            name: Some(name.to_owned()),
            rule: if digits { Rule::KeeperOnGoal } else { Rule::Classic },
            rows: lines.len(),
            columns,
            keeper: Position { row: at / columns, column: at % columns },
            tiles,
        }
    }

    /// Reads one board in plain digits or XSB rows.
    pub fn parse(text: &str) -> Option<Self> {
        text.bytes().any(|byte| b"36@+".contains(&byte)).then(|| Self::sketch(text, ""))
    }
}

#[cfg(test)]
mod tests {
    use super::builtin;

    #[test]
    fn all_built_in_boards_are_there() {
        assert_eq!(builtin::all().len(), 16);
        let p15 = &builtin::find("p15").expect("p15").level;
        assert_eq!((p15.rows(), p15.columns()), (13, 10));
        assert_eq!(
            builtin::find("level1").map(|b| (b.level.rows(), b.level.columns())),
            Some((11, 19))
        );
    }
}
