//! What is wrong with a message.

use std::fmt::Display;

/// A field of a message that is missing or makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("field {field}: {problem}")]
pub struct BadField {
    field: &'static str,
    problem: String,
}

impl BadField {
    /// `field` as a path from the message down, `problem` as a fragment of a sentence.
    pub(crate) fn new(field: &'static str, problem: impl Display) -> Self {
        Self { field, problem: problem.to_string() }
    }

    /// The field's path, from the message down.
    pub fn field(&self) -> &'static str {
        self.field
    }
}

/// The value of a field that must be there.
pub(crate) fn required<T>(field: &'static str, value: Option<T>) -> Result<T, BadField> {
    value.ok_or_else(|| BadField::new(field, "missing"))
}

/// More moves than any solution takes. Costs and levels beyond are refused wherever they come from, so
/// that sums of two cannot overflow.
pub const MAX_MOVES: u32 = 1 << 30;

/// A number of moves: a cost, a level or a bound.
pub(crate) fn moves_from_field(field: &'static str, moves: u32) -> Result<u32, BadField> {
    if moves > MAX_MOVES {
        return Err(BadField::new(field, format_args!("{moves} is beyond {MAX_MOVES}")));
    }
    Ok(moves)
}

/// A number that must not be 0.
pub(crate) fn nonzero<T: Default + PartialEq>(
    field: &'static str,
    value: T,
) -> Result<T, BadField> {
    if value == T::default() { Err(BadField::new(field, "must not be 0")) } else { Ok(value) }
}
