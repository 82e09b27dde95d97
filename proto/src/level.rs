//! One level of the search.

use std::fmt;

use sokohive_engine::Side;

use crate::bad_field::{moves_from_field, required};
use crate::{BadField, wire};

/// One level of the search: a side and an f, opened once in an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Level {
    /// Counts the levels opened in the epoch, from 1.
    pub ordinal: u32,
    /// The side that is searched.
    pub side: Side,
    /// The f value, in moves.
    pub f: u32,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.side {
            Side::Forward => write!(f, "{}", self.f),
            Side::Backward => write!(f, "{} backward", self.f),
        }
    }
}

impl From<Side> for wire::Side {
    fn from(side: Side) -> Self {
        match side {
            Side::Forward => Self::Forward,
            Side::Backward => Self::Backward,
        }
    }
}

/// Reads a side from a field of a message.
pub(crate) fn side_from_field(field: &'static str, side: i32) -> Result<Side, BadField> {
    match wire::Side::try_from(side) {
        Ok(wire::Side::Forward) => Ok(Side::Forward),
        Ok(wire::Side::Backward) => Ok(Side::Backward),
        _ => Err(BadField::new(field, format_args!("{side} is not a side"))),
    }
}

impl From<Level> for wire::Level {
    fn from(level: Level) -> Self {
        Self { ordinal: level.ordinal, side: wire::Side::from(level.side).into(), f: level.f }
    }
}

impl TryFrom<wire::Level> for Level {
    type Error = BadField;

    fn try_from(level: wire::Level) -> Result<Self, BadField> {
        if level.ordinal == 0 {
            return Err(BadField::new("level.ordinal", "must not be 0"));
        }
        Ok(Self {
            ordinal: level.ordinal,
            side: side_from_field("level.side", level.side)?,
            f: moves_from_field("level.f", level.f)?,
        })
    }
}

impl Level {
    /// Reads the field `level` of a message.
    pub(crate) fn from_field(level: Option<wire::Level>) -> Result<Self, BadField> {
        required("level", level)?.try_into()
    }
}
