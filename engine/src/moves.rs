//! Move strings in the LURD notation: lower case walks, upper case pushes.

use std::fmt;

use crate::Direction;

/// One step of the keeper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// Where the keeper steps.
    pub direction: Direction,
    /// Whether a box stands there and is pushed on.
    pub push: bool,
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
