//! Ctrl-C and SIGTERM: the first ends the search with its bounds, the second ends the process at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

use crate::exit;

/// Lets a write beyond the largest file size allowed fail like one to a full disk, in place of ending the process.
///
/// # Errors
///
/// If the system refuses a handler.
pub(crate) fn outlive_file_size_limits() -> io::Result<()> {
    flag::register(SIGXFSZ, Arc::default()).map(drop)
}

/// Whether somebody asked to stop. Cheap to clone, shared by all clones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Starts listening to the signals.
    ///
    /// # Errors
    ///
    /// If the system refuses a handler.
    pub(crate) fn install() -> io::Result<Self> {
        let interrupt = Self::default();
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds the flag unset and sets it, the second finds it set.
            flag::register_conditional_shutdown(
                signal,
                exit::LIMIT.into(),
                Arc::clone(&interrupt.0),
            )?;
            flag::register(signal, Arc::clone(&interrupt.0))?;
        }
        Ok(interrupt)
    }

    /// Whether a signal has come.
    pub(crate) fn raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
