//! The call that reads a checkpoint back into the tables.

use std::time::Duration;

use crate::bad_field::moves_from_field;
use crate::prepare::to_ms;
use crate::{BadField, Fence, Level, Segment, wire};

/// Reads segments of journals back into the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restore {
    /// The job and epoch.
    pub fence: Fence,
    /// Stands for the levels that are over.
    pub level: Level,
    /// What the callee reads.
    pub segments: Vec<Segment>,
    /// The f of the last level that is over, forward and backward.
    pub closed: [Option<u32>; 2],
    /// Cost of the best solution known, in moves.
    pub incumbent: Option<u32>,
    /// How long the callee may wait for something worth reporting.
    pub wait: Duration,
}

impl From<Restore> for wire::RestoreRequest {
    fn from(restore: Restore) -> Self {
        let [closed_forward, closed_backward] = restore.closed;
        Self {
            fence: Some(restore.fence.into()),
            level: Some(restore.level.into()),
            segments: restore.segments.into_iter().map(Into::into).collect(),
            closed_forward,
            closed_backward,
            incumbent: restore.incumbent,
            wait_ms: to_ms(restore.wait),
        }
    }
}

impl TryFrom<wire::RestoreRequest> for Restore {
    type Error = BadField;

    fn try_from(restore: wire::RestoreRequest) -> Result<Self, BadField> {
        let closed = |field, f: Option<u32>| f.map(|f| moves_from_field(field, f)).transpose();
        Ok(Self {
            fence: Fence::from_field(restore.fence)?,
            level: Level::from_field(restore.level)?,
            segments: Segment::list(restore.segments)?,
            closed: [
                closed("closed_forward", restore.closed_forward)?,
                closed("closed_backward", restore.closed_backward)?,
            ],
            incumbent: restore.incumbent,
            wait: Duration::from_millis(restore.wait_ms.into()),
        })
    }
}
