//! The call that asks how things go.

use std::time::Duration;

use crate::prepare::to_ms;
use crate::{BadField, Fence, Level, Upkeep, wire};

/// Asks a worker for a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poll {
    /// The job and epoch.
    pub fence: Fence,
    /// The level asked about; `None` before the first.
    pub level: Option<Level>,
    /// Cost of the best solution known, in moves.
    pub incumbent: Option<u32>,
    /// How long the callee may wait for something worth reporting.
    pub wait: Duration,
    /// What is to be done for the journal.
    pub upkeep: Upkeep,
}

impl From<Poll> for wire::PollRequest {
    fn from(poll: Poll) -> Self {
        Self {
            fence: Some(poll.fence.into()),
            level: poll.level.map(Into::into),
            incumbent: poll.incumbent,
            wait_ms: to_ms(poll.wait),
            upkeep: poll.upkeep.into_field(),
        }
    }
}

impl TryFrom<wire::PollRequest> for Poll {
    type Error = BadField;

    fn try_from(poll: wire::PollRequest) -> Result<Self, BadField> {
        Ok(Self {
            fence: Fence::from_field(poll.fence)?,
            level: poll.level.map(Level::try_from).transpose()?,
            incumbent: poll.incumbent,
            wait: Duration::from_millis(poll.wait_ms.into()),
            upkeep: Upkeep::from_field(poll.upkeep)?,
        })
    }
}
