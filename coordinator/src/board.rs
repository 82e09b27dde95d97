//! A board as the command line knows it, and one that could not be read.

use std::fmt;
use std::path::PathBuf;

use sokohive_engine::{Level, LevelError, LevelErrorKind, Position, Rule, Tile};

use crate::units::counted;

/// A legal board and the word that names it.
#[derive(Clone, Debug)]
pub(crate) struct Board {
    /// Names the board in every line about it: the built-in id, or the file and, if the file has
    /// several levels, the level's number. Without blanks.
    pub(crate) id: String,
    /// The file it was read from.
    pub(crate) file: Option<PathBuf>,
    /// The board itself.
    pub(crate) level: Level,
    /// The proven optimum (moves, under the level's own rule), if the board is built in.
    pub(crate) known: Option<usize>,
}

/// A board that could not be read.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    /// What the board would have been named.
    pub(crate) id: String,
    /// The file at fault.
    pub(crate) file: Option<PathBuf>,
    /// Line in the file, from 1.
    pub(crate) line: Option<usize>,
    /// Column in the line, from 1.
    pub(crate) column: Option<usize>,
    /// What was found and what was expected.
    pub(crate) reason: String,
    /// What the user can do about it.
    pub(crate) hint: Option<&'static str>,
}

/// A remark on how a file was read.
#[derive(Clone, Debug)]
pub(crate) struct Remark {
    /// The file, or the word for standard input.
    pub(crate) source: String,
    /// Line in the file, from 1.
    pub(crate) line: usize,
    /// What was noticed there.
    pub(crate) text: &'static str,
}

impl Refusal {
    /// What the engine has to say of a board's text.
    pub(crate) fn of_level(id: String, file: Option<PathBuf>, error: &LevelError) -> Self {
        let place = error.place();
        Self {
            id,
            file,
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            reason: error.kind().to_string(),
            hint: match error.kind() {
                LevelErrorKind::NotClosed => {
                    Some("close the hole with '#', or give --edge-is-wall")
                }
                _ => error.hint(),
            },
        }
    }
}

/// Boxes and goals on a whole board, those out of reach and outside the walls included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Census {
    /// Boxes, on goals or not.
    pub(crate) boxes: usize,
    /// Goals, covered or not.
    pub(crate) goals: usize,
}

impl Census {
    pub(crate) fn of(level: &Level) -> Self {
        let count =
            |matches: fn(Tile) -> bool| tiles(level).filter(|&(_, tile)| matches(tile)).count();
        Self { boxes: count(Tile::has_box), goals: count(Tile::has_goal) }
    }
}

impl Board {
    /// Size, counts and rule in a few words.
    pub(crate) fn describe(&self, rule: Rule) -> String {
        let Census { boxes, goals } = Census::of(&self.level);
        let title = match self.level.name() {
            Some(name) if name != self.id => format!("\"{name}\", "),
            _ => String::new(),
        };
        format!(
            "{title}{}, {}, {}, {}, rule {rule}",
            counted(self.level.rows(), "row", "rows"),
            counted(self.level.columns(), "column", "columns"),
            counted(boxes, "box", "boxes"),
            counted(goals, "goal", "goals"),
        )
    }
}

/// Every square of the grid, row by row.
pub(crate) fn tiles(level: &Level) -> impl Iterator<Item = (Position, Tile)> + '_ {
    (0..level.rows()).flat_map(move |row| {
        (0..level.columns()).map(move |column| {
            let at = Position { row, column };
            (at, level.tile(at))
        })
    })
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{}:", file.display())?,
            None => write!(f, "{}:", self.id)?,
        }
        for number in [self.line, self.column].into_iter().flatten() {
            write!(f, "{number}:")?;
        }
        write!(f, " {}", self.reason)?;
        match self.hint {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.source, self.line, self.text)
    }
}
