//! What a search counts.

use sokohive_engine::Statistics;

use crate::wire;

impl From<Statistics> for wire::Statistics {
    fn from(counted: Statistics) -> Self {
        Self {
            expanded: counted.expanded,
            dominated: counted.dominated,
            stale: counted.stale,
            attempts: counted.attempts,
            generated: counted.generated,
            dead: counted.dead,
            reopened: counted.reopened,
            states: counted.states,
            levels: counted.levels,
            peak_bytes: counted.peak_bytes,
            transferred: counted.transferred,
            filtered: counted.filtered,
            spilled_bytes: counted.spilled_bytes,
        }
    }
}

impl From<wire::Statistics> for Statistics {
    fn from(counted: wire::Statistics) -> Self {
        Self {
            expanded: counted.expanded,
            dominated: counted.dominated,
            stale: counted.stale,
            attempts: counted.attempts,
            generated: counted.generated,
            dead: counted.dead,
            reopened: counted.reopened,
            states: counted.states,
            levels: counted.levels,
            peak_bytes: counted.peak_bytes,
            transferred: counted.transferred,
            filtered: counted.filtered,
            spilled_bytes: counted.spilled_bytes,
        }
    }
}
