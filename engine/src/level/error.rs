//! What can be wrong with a board or with the file it stands in.

use std::fmt;
use std::sync::Arc;

/// A place in a text, both counted from 1; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// A board, or a whole file, that cannot be read: where, what was found and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelError {
    pub(super) source: Option<Arc<str>>,
    pub(super) place: Option<Place>,
    pub(super) number: Option<usize>,
    pub(super) kind: LevelErrorKind,
}

impl LevelError {
    /// An error about the file as a whole.
    pub(super) fn of_file(place: Option<Place>, kind: LevelErrorKind) -> Self {
        Self { source: None, place, number: None, kind }
    }

    /// The name of the source, if it was given one.
    pub fn source_name(&self) -> Option<&str> {
        self.source.as_deref()
    }
    /// Where it was found; `None` if the file as a whole is meant.
    pub fn place(&self) -> Option<Place> {
        self.place
    }
    /// Number of the level in its source, from 1; `None` if the file as a whole is meant.
    pub fn number(&self) -> Option<usize> {
        self.number
    }
    /// What was found and expected.
    pub fn kind(&self) -> &LevelErrorKind {
        &self.kind
    }

    /// What the user can do about it, where there is something.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self.kind {
            LevelErrorKind::NotClosed => {
                "close the hole with '#', or have the edge of the text read as wall"
            }
            LevelErrorKind::UnknownSquare { .. } => {
                "other programs' alphabets are not guessed: translate the board to XSB first"
            }
            LevelErrorKind::UnknownDigit { .. } => {
                "0 floor, 1 wall, 2 box, 3 keeper, 4 goal, 5 box on goal, 6 keeper on goal"
            }
            LevelErrorKind::Foreign { .. } => "export or convert it to XSB text first",
            LevelErrorKind::SeveralLevels { .. } => "choose one by its number",
            _ => return None,
        })
    }
}

impl fmt::Display for LevelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.source, self.place) {
            (Some(source), Some(at)) => write!(f, "{source}:{}:{}: ", at.line, at.column)?,
            (Some(source), None) => write!(f, "{source}: ")?,
            (None, Some(at)) => write!(f, "{at}: ")?,
            (None, None) => (),
        }
        if let Some(number) = self.number {
            write!(f, "level {number}: ")?;
        }
        self.kind.fmt(f)
    }
}

impl std::error::Error for LevelError {}

/// What was found and what was expected instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LevelErrorKind {
    /// Nothing in the file is a board.
    #[error(
        "found no board, expected rows of '#', '@', '$', '.' and the like, or of digits 0 to 6"
    )]
    NoBoard,
    /// A board nobody can play.
    #[error("found no keeper, expected one '@' or '+' (3 or 6 in a digit board)")]
    NoKeeper,
    /// A board for two.
    #[error("found a second keeper, expected only the one at {first}")]
    SecondKeeper {
        /// Where the other one stands.
        first: Place,
    },
    /// A character that is no XSB square.
    #[error(
        "found {found:?}, expected a square: one of '# @ + $ * .', or a blank, '-' or '_' for floor"
    )]
    UnknownSquare {
        /// The character.
        found: char,
    },
    /// A character that is no digit square.
    #[error("found {found:?}, expected a digit from 0 to 6")]
    UnknownDigit {
        /// The character.
        found: char,
    },
    /// A tab has no agreed width.
    #[error("found a tab between squares, expected a blank, '-' or '_' for floor")]
    Tab,
    /// Tabs in front of one row but not of another: nobody knows how the rows line up.
    #[error("found {found} tabs in front of the row, expected {expected} as on the row above")]
    Indentation {
        /// Tabs here.
        found: usize,
        /// Tabs on the row above.
        expected: usize,
    },
    /// Run-length or row separators that mean nothing.
    #[error("found {found}, expected {expected}")]
    MalformedRun {
        /// What stands there.
        found: &'static str,
        /// What should.
        expected: &'static str,
    },
    /// The keeper can walk off the board from this square.
    #[error("the level is not closed: found nothing beyond this square, expected a wall")]
    NotClosed,
    /// Rows of a digit board that are not equally long.
    #[error("found {found} squares in row {row}, expected {expected} as in row 1")]
    Ragged {
        /// The row, from 1.
        row: usize,
        /// Squares in it.
        found: usize,
        /// Squares in the first row.
        expected: usize,
    },
    /// A board or a file of boards too large to be meant.
    #[error("found more than {limit} squares, expected no more")]
    TooLarge {
        /// Squares there may be.
        limit: usize,
    },
    /// A file format that is recognised but not read.
    #[error("found {format}, expected XSB text or digit boards")]
    Foreign {
        /// Its name.
        format: &'static str,
    },
    /// More than one board where one was asked for.
    #[error("found {found} levels, expected one")]
    SeveralLevels {
        /// How many there are.
        found: usize,
    },
}
