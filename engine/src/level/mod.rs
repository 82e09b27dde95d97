//! Levels: legal boards read from text.
//!
//! [`Level`] says how boards are written and which are legal, [`Collection`] how files are read.

pub mod builtin;
mod collection;
mod error;
mod key;
mod row;
mod settle;
mod text;
mod tile;
mod validate;

use std::fmt;
use std::sync::Arc;

use crate::Rule;
pub use collection::{Collection, Note, ReadOptions};
pub use error::{LevelError, LevelErrorKind, Place};
pub use tile::{Position, Tile};

/// A legal board: one keeper, closed in by walls or by the edge of the grid.
///
/// # Notations
///
/// **XSB** text as people have it: `#` wall, `@` keeper, `$` box, `.` goal, `*` box on goal,
/// `+` keeper on goal; blank, `-` and `_` floor; `p P b B W` for `@ + $ * #` in rows that begin and
/// end with walls. `|` separates rows on one line; a count repeats the next square or group
/// (`3#2(.-)`). Collections hold many levels among titles, remarks, keys and solutions, see
/// [`Collection`].
///
/// **Digit boards**: `0` floor, `1` wall, `2` box, `3` keeper, `4` goal, `5` box on goal,
/// `6` keeper on goal; all rows equally long; the edge of the grid is wall; finished, by default,
/// with the keeper on a goal. Other digit codes exist, and cannot be told from this one by looking:
/// a digit always means what is said here.
///
/// # What is legal
///
/// One keeper, closed in, of sane size (at most 16,777,216 squares).
/// Whether it can be solved is for the search to say. In particular:
///
/// - A board without boxes, or with all of them on goals, is legal and costs no move.
/// - More goals than boxes is legal; more boxes than goals is legal and has no solution.
/// - A box the keeper can never get at is decoration on a goal; elsewhere it makes the board
///   unsolvable.
/// - A board that is not closed is refused, unless [`ReadOptions::edge_is_wall`] says that every
///   square outside the text is a wall; then short rows end with a wall.
/// - Alphabets of other programs are refused where they first differ, never guessed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    name: Option<String>,
    number: usize,
    source: Option<Arc<str>>,
    rule: Rule,
    edge_is_wall: bool,
    rows: usize,
    columns: usize,
    /// Row by row, `rows` times `columns`.
    tiles: Vec<Tile>,
    keeper: Position,
    /// Where each row was read.
    row_places: Vec<RowPlace>,
    solutions: Vec<EmbeddedSolution>,
}

/// Where a row stands in its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RowPlace {
    start: Place,
    /// Whether each character is one square.
    plain: bool,
}

impl RowPlace {
    fn place(self, column: usize) -> Place {
        let column = if self.plain { column } else { 0 };
        Place { line: self.start.line, column: self.start.column + column }
    }
}

/// A solution that the file gives for a level. Nobody has checked it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddedSolution {
    /// The line that announces it, like `Solution/Moves 12/3`.
    pub title: String,
    /// The line of the file, from 1, on which `text` begins.
    pub line: usize,
    /// The moves as they stand there.
    pub text: String,
}

impl Level {
    /// Reads text that holds exactly one level.
    ///
    /// # Errors
    ///
    /// If there is none, more than one, or one that is not legal.
    pub fn parse(text: &str) -> Result<Self, LevelError> {
        Self::read(text.as_bytes(), ReadOptions::default())
    }

    /// Reads a file that holds exactly one level.
    ///
    /// # Errors
    ///
    /// If there is none, more than one, or one that is not legal.
    pub fn read(bytes: &[u8], options: ReadOptions) -> Result<Self, LevelError> {
        let levels = Collection::read(bytes, None, options)?.levels;
        let mut levels = levels.into_iter().collect::<Result<Vec<_>, _>>()?;
        match (levels.pop(), levels.len()) {
            (Some(level), 0) => Ok(level),
            (_, more) => {
                let kind = LevelErrorKind::SeveralLevels { found: more + 1 };
                Err(LevelError::of_file(None, kind))
            }
        }
    }

    /// The title or number that the source gives it.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
    /// Its number in the source, from 1, whatever its name says.
    pub fn number(&self) -> usize {
        self.number
    }
    /// The name of the file or other source, if one was given.
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }
    /// The rule usual for the notation it was written in.
    pub fn rule(&self) -> Rule {
        self.rule
    }
    /// Whether squares outside the grid count as walls, rather than walls closing the board.
    pub fn edge_is_wall(&self) -> bool {
        self.edge_is_wall
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
    /// Where a square stands in the source; the start of its row if that is written run-length.
    pub fn place(&self, at: Position) -> Option<Place> {
        self.row_places.get(at.row).map(|row| row.place(at.column))
    }
    /// The solutions that the source gives.
    pub fn solutions(&self) -> &[EmbeddedSolution] {
        &self.solutions
    }
    /// Whether two levels have the same squares, whatever they are called.
    pub fn same_board(&self, other: &Self) -> bool {
        (self.rows, self.columns, self.edge_is_wall, &self.tiles)
            == (other.rows, other.columns, other.edge_is_wall, &other.tiles)
    }
}

impl fmt::Display for Level {
    /// XSB rows. Read again in the same way, they make the same board: where the edge is wall, floor
    /// is written `-`, since a blank at the end of a row is easily lost.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.tiles.chunks(self.columns) {
            let line: String = row.iter().map(|tile| tile.xsb()).collect();
            if self.edge_is_wall {
                writeln!(f, "{}", line.replace(' ', "-"))?;
            } else {
                // An empty line would end the board.
                let line = line.trim_end();
                writeln!(f, "{}", if line.is_empty() { "-" } else { line })?;
            }
        }
        Ok(())
    }
}
