//! What is to be done for the journal beside the search.

use crate::{BadField, SegmentName, wire};

/// What is to be done for a worker's journal beside the search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Upkeep {
    /// What the journal held when the level of this number was over is to be made durable; 0 for
    /// nothing.
    pub sync: u32,
    /// The journal is to be written anew from the table, once for each number; 0 for no.
    pub compact: u32,
    /// Segments of the job that nobody needs any more.
    pub retire: Vec<SegmentName>,
}

impl Upkeep {
    /// The field `upkeep` of a message.
    pub(crate) fn into_field(self) -> Option<wire::Upkeep> {
        (self != Self::default()).then(|| wire::Upkeep {
            sync: self.sync,
            compact: self.compact,
            retire: self.retire.iter().map(ToString::to_string).collect(),
        })
    }

    /// Reads the field `upkeep` of a message.
    pub(crate) fn from_field(upkeep: Option<wire::Upkeep>) -> Result<Self, BadField> {
        let wire::Upkeep { sync, compact, retire } = upkeep.unwrap_or_default();
        Ok(Self { sync, compact, retire: SegmentName::list(&retire)? })
    }
}
