//! One batch on its way.

use crate::{BadField, Fence, Level, wire};

/// Largest payload of a batch, in bytes.
pub const MAX_BATCH_BYTES: usize = 1 << 20;

/// One batch of successors from a worker to the owner of their rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// The job and epoch of the sender.
    pub fence: Fence,
    /// The level that the batch was generated in.
    pub level: Level,
    /// Index of the sender.
    pub source: u16,
    /// Counts the batches from this sender to this receiver in this epoch, from 1.
    pub sequence: u64,
    /// The successors, in the engine's format; at most [`MAX_BATCH_BYTES`].
    pub batch: Vec<u8>,
}

impl From<Push> for wire::PushRequest {
    fn from(push: Push) -> Self {
        Self {
            fence: Some(push.fence.into()),
            level: Some(push.level.into()),
            source: push.source.into(),
            sequence: push.sequence,
            batch: push.batch,
        }
    }
}

impl TryFrom<wire::PushRequest> for Push {
    type Error = BadField;

    fn try_from(push: wire::PushRequest) -> Result<Self, BadField> {
        let fence = Fence::from_field(push.fence)?;
        let level = Level::from_field(push.level)?;
        let Ok(source) = u16::try_from(push.source) else {
            let problem = format!("{} is no index of a worker", push.source);
            return Err(BadField::new("source", problem));
        };
        if push.sequence == 0 {
            return Err(BadField::new("sequence", "must not be 0"));
        }
        if push.batch.is_empty() || push.batch.len() > MAX_BATCH_BYTES {
            let problem = format!("{} bytes, expected 1 to {MAX_BATCH_BYTES}", push.batch.len());
            return Err(BadField::new("batch", problem));
        }
        Ok(Self { fence, level, source, sequence: push.sequence, batch: push.batch })
    }
}
