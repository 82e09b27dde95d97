//! What is wrong with a message.

use std::fmt::Display;

use crate::Quantity;

/// A field of a message that is missing or makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("field {field}: {problem}")]
pub struct BadField {
    field: &'static str,
    problem: String,
    excess: Option<Excess>,
}

/// More of something than is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Excess {
    pub(crate) quantity: Quantity,
    pub(crate) limit: u64,
    pub(crate) found: u64,
}

impl BadField {
    /// `field` as a path from the message down, `problem` as a fragment of a sentence.
    pub(crate) fn new(field: &'static str, problem: impl Display) -> Self {
        Self { field, problem: problem.to_string(), excess: None }
    }

    /// Holds a field against a limit.
    pub(crate) fn at_most(
        field: &'static str,
        quantity: Quantity,
        limit: usize,
        found: usize,
    ) -> Result<(), Self> {
        if found <= limit {
            return Ok(());
        }
        let problem = format!("{found} {quantity}, expected at most {limit}");
        let excess = Excess { quantity, limit: limit as u64, found: found as u64 };
        Err(Self { field, problem, excess: Some(excess) })
    }

    /// What there is too much of, if that is what is wrong.
    pub(crate) fn excess(&self) -> Option<Excess> {
        self.excess
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

/// Longest address taken, in bytes.
const MAX_ADDRESS_BYTES: usize = 300;

/// An address that a peer names; whether anybody is there is another question.
pub(crate) fn address(field: &'static str, address: String) -> Result<String, BadField> {
    if address.is_empty() || address.len() > MAX_ADDRESS_BYTES {
        let problem = format!("{} bytes, expected 1 to {MAX_ADDRESS_BYTES}", address.len());
        return Err(BadField::new(field, problem));
    }
    Ok(address)
}
