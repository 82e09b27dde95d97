//! A registered worker, as its coordinator sees it.

use std::time::Duration;

use crate::wire;

impl wire::WorkerStatus {
    /// Time since it last registered.
    pub fn silent(&self) -> Duration {
        Duration::from_millis(self.silent_ms)
    }
}
