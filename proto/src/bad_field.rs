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

/// A number that must not be 0.
pub(crate) fn nonzero<T: Default + PartialEq>(
    field: &'static str,
    value: T,
) -> Result<T, BadField> {
    if value == T::default() { Err(BadField::new(field, "must not be 0")) } else { Ok(value) }
}
