//! What logs are told with: the job, the epoch, and the level where one is open.

use sokohive_proto::{Fence, Level};
use tracing::{Span, info_span};

/// The span of what concerns a job as a whole.
pub(super) fn of_job(fence: Fence) -> Span {
    info_span!("job", job = %fence.job, epoch = %fence.epoch)
}

/// The span of what concerns one level of a job.
pub(super) fn of_level(fence: Fence, level: Level) -> Span {
    info_span!("level", job = %fence.job, epoch = %fence.epoch, level = level.ordinal)
}
