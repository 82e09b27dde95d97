//! Move strings in the LURD notation: lower case walks, upper case pushes.
//!
//! A count repeats the next letter (`10rR` is ten walks and a push). Blanks, tabs and line ends may
//! stand between letters, but not between a count and its letter.

use std::fmt;
use std::str::FromStr;

use crate::{Direction, Place};

/// One step of the keeper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// Where the keeper steps.
    pub direction: Direction,
    /// Whether a box stands there and is pushed on.
    pub push: bool,
}

impl Move {
    /// The step that a letter stands for.
    fn from_letter(letter: char) -> Option<Self> {
        let direction = match letter.to_ascii_lowercase() {
            'u' => Direction::Up,
            'd' => Direction::Down,
            'l' => Direction::Left,
            'r' => Direction::Right,
            _ => return None,
        };
        Some(Self { direction, push: letter.is_ascii_uppercase() })
    }
}

/// A sequence of keeper steps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Moves(Vec<Move>);

impl Moves {
    /// Number of steps, pushes included.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no step at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of steps that push a box.
    pub fn pushes(&self) -> usize {
        self.0.iter().filter(|step| step.push).count()
    }

    /// The steps in order.
    pub fn iter(&self) -> impl Iterator<Item = Move> + '_ {
        self.0.iter().copied()
    }
}

/// Steps a move string may have: far beyond any solution, and small enough that a count of a few
/// digits cannot eat the memory.
pub const MAX_MOVES: usize = 1 << 24;

impl FromStr for Moves {
    type Err = MovesError;

    /// Reads plain or run-length LURD. Each step keeps the case it is written in; whether a box
    /// is pushed there only a replay can tell.
    fn from_str(text: &str) -> Result<Self, MovesError> {
        let mut steps = Vec::with_capacity(text.len().min(MAX_MOVES));
        // The count being read, and where it began.
        let mut count: Option<(usize, Place)> = None;
        let mut at = Place { line: 1, column: 1 };
        let mut after_return = false;
        for found in text.chars() {
            let fail = |at, kind| Err(MovesError { at, kind });
            if let Some(digit) = found.to_digit(10) {
                let (value, from) = count.unwrap_or((0, at));
                let value = value.saturating_mul(10).saturating_add(digit as usize);
                count = Some((value, from));
            } else if let Some(step) = Move::from_letter(found) {
                let times = match count.take() {
                    Some((0, from)) => return fail(from, MovesErrorKind::ZeroCount),
                    Some((times, _)) => times,
                    None => 1,
                };
                if times > MAX_MOVES - steps.len() {
                    return fail(at, MovesErrorKind::TooMany);
                }
                steps.resize(steps.len() + times, step);
            } else if let Some((_, from)) = count {
                return fail(from, MovesErrorKind::CountWithoutLetter);
            } else if !matches!(found, ' ' | '\t' | '\r' | '\n') {
                return fail(at, MovesErrorKind::UnknownLetter { found });
            }
            match found {
                '\n' if after_return => (),
                '\n' | '\r' => at = Place { line: at.line + 1, column: 1 },
                _ => at.column += 1,
            }
            after_return = found == '\r';
        }
        match count {
            Some((_, at)) => Err(MovesError { at, kind: MovesErrorKind::CountWithoutLetter }),
            None => Ok(Self(steps)),
        }
    }
}

/// Text that is no move string: where, what was found and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {kind}")]
pub struct MovesError {
    at: Place,
    kind: MovesErrorKind,
}

impl MovesError {
    /// Where in the text.
    pub fn place(&self) -> Place {
        self.at
    }
    /// What was found and expected.
    pub fn kind(&self) -> &MovesErrorKind {
        &self.kind
    }
}

/// What is wrong with a move string.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MovesErrorKind {
    /// Not a letter of the notation.
    #[error("found {found:?}, expected one of u, d, l, r, U, D, L, R, or a count")]
    UnknownLetter {
        /// What stands there.
        found: char,
    },
    /// A count with nothing to repeat.
    #[error("found a count with no letter right after it, expected one of u, d, l, r, U, D, L, R")]
    CountWithoutLetter,
    /// A step that is not taken.
    #[error("found a count of 0, expected a count from 1")]
    ZeroCount,
    /// More steps than anybody means.
    #[error("found more than {MAX_MOVES} steps, expected no more")]
    TooMany,
}

impl FromIterator<Move> for Moves {
    fn from_iter<I: IntoIterator<Item = Move>>(steps: I) -> Self {
        Self(steps.into_iter().collect())
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (walk, push) = match self.direction {
            Direction::Up => ("u", "U"),
            Direction::Down => ("d", "D"),
            Direction::Left => ("l", "L"),
            Direction::Right => ("r", "R"),
        };
        f.write_str(if self.push { push } else { walk })
    }
}

impl fmt::Display for Moves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|step| step.fmt(f))
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_MOVES, Moves, MovesErrorKind as Kind};
    use crate::Place;

    fn read(text: &str) -> Moves {
        text.parse().unwrap_or_else(|error| panic!("{text:?}: {error}"))
    }

    fn refused(text: &str) -> (usize, usize, Kind) {
        let error = text.parse::<Moves>().expect_err(text);
        let Place { line, column } = error.place();
        (line, column, error.kind().clone())
    }

    #[test]
    fn c46_the_written_case_is_kept() {
        for text in ["rR", "rr", "RR", "Rr"] {
            assert_eq!(read(text).to_string(), text);
        }
        assert_eq!((read("urDL").len(), read("urDL").pushes()), (4, 2));
        assert!(read(" \n").is_empty());
    }

    #[test]
    fn c47_counts_repeat_the_next_letter() {
        assert_eq!(read("10rR").to_string(), "rrrrrrrrrrR");
        assert_eq!(read("2l02U").to_string(), "llUU");
    }

    #[test]
    fn c47_blanks_and_line_ends_may_stand_between_letters() {
        assert_eq!(read(" 2r R\r\n\tu\rd\n").to_string(), "rrRud");
    }

    #[test]
    fn c47_errors_name_the_position() {
        assert_eq!(refused("10 "), (1, 1, Kind::CountWithoutLetter));
        assert_eq!(refused("r10"), (1, 2, Kind::CountWithoutLetter));
        assert_eq!(refused("0R"), (1, 1, Kind::ZeroCount));
        assert_eq!(refused("10r R!"), (1, 6, Kind::UnknownLetter { found: '!' }));
        assert_eq!(refused("10 r"), (1, 1, Kind::CountWithoutLetter));
        assert_eq!(refused("rr\r\nl\rux"), (3, 2, Kind::UnknownLetter { found: 'x' }));
        assert_eq!(refused("rü"), (1, 2, Kind::UnknownLetter { found: 'ü' }));
        assert_eq!(refused("3(r)"), (1, 1, Kind::CountWithoutLetter));
    }

    #[test]
    fn counts_are_bounded() {
        assert_eq!(refused("99999999999999999999999r"), (1, 24, Kind::TooMany));
        assert_eq!(read(&format!("{MAX_MOVES}r")).len(), MAX_MOVES);
        assert_eq!(refused(&format!("{MAX_MOVES}rr")), (1, 10, Kind::TooMany));
    }

    #[test]
    fn errors_read_well() {
        let error = "10r R!".parse::<Moves>().expect_err("'!' is no step");
        let text =
            "line 1, column 6: found '!', expected one of u, d, l, r, U, D, L, R, or a count";
        assert_eq!(error.to_string(), text);
    }
}
