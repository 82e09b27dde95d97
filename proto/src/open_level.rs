//! The call that opens a level.

use std::time::Duration;

use crate::prepare::to_ms;
use crate::{BadField, Fence, Level, Upkeep, wire};

/// Opens a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenLevel {
    /// The job and epoch.
    pub fence: Fence,
    /// The level.
    pub level: Level,
    /// Cost of the best solution known, in moves.
    pub incumbent: Option<u32>,
    /// How long the callee may wait for something worth reporting.
    pub wait: Duration,
    /// What is to be done for the journal.
    pub upkeep: Upkeep,
}

impl From<OpenLevel> for wire::OpenLevelRequest {
    fn from(open: OpenLevel) -> Self {
        Self {
            fence: Some(open.fence.into()),
            level: Some(open.level.into()),
            incumbent: open.incumbent,
            wait_ms: to_ms(open.wait),
            upkeep: open.upkeep.into_field(),
        }
    }
}

impl TryFrom<wire::OpenLevelRequest> for OpenLevel {
    type Error = BadField;

    fn try_from(open: wire::OpenLevelRequest) -> Result<Self, BadField> {
        Ok(Self {
            fence: Fence::from_field(open.fence)?,
            level: Level::from_field(open.level)?,
            incumbent: open.incumbent,
            wait: Duration::from_millis(open.wait_ms.into()),
            upkeep: Upkeep::from_field(open.upkeep)?,
        })
    }
}
