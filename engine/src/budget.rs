//! The bytes a search may hold.

use std::sync::atomic::{AtomicU64, Ordering};

/// Accounts for what a search allocates. Whatever grows with the search asks here first.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: u64,
    used: AtomicU64,
    peak: AtomicU64,
}

impl Budget {
    pub(crate) fn new(limit: u64) -> Self {
        Self { limit, used: AtomicU64::new(0), peak: AtomicU64::new(0) }
    }

    /// Takes `bytes`, unless that would pass the limit.
    #[must_use]
    pub(crate) fn take(&self, bytes: u64) -> bool {
        // Relaxed throughout: the counters guard no other memory.
        let taken = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
            used.checked_add(bytes).filter(|&used| used <= self.limit)
        });
        if let Ok(before) = taken {
            self.peak.fetch_max(before + bytes, Ordering::Relaxed);
        }
        taken.is_ok()
    }

    /// Gives back what was taken.
    pub(crate) fn give_back(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// What may still be taken.
    pub(crate) fn left(&self) -> u64 {
        self.limit - self.used().min(self.limit)
    }

    pub(crate) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    pub(crate) fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }
}
