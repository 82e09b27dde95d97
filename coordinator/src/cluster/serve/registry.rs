//! The workers that have registered.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sokohive_proto::{Refusal, Registration, wire};
use tokio::sync::Notify;
use tracing::info;

use super::limits;

/// How long a registration holds unless repeated. Shorter than it takes a job to give a silent
/// worker up, so that the next job does not start with it.
pub(super) const LEASE: Duration = Duration::from_secs(6);

/// The workers that have registered, by address.
#[derive(Debug, Default)]
pub(super) struct Registry {
    workers: Mutex<BTreeMap<String, (Registration, Instant)>>,
    /// Told of every worker that is new.
    pub(super) arrived: Notify,
}

impl Registry {
    /// Takes note of a worker.
    ///
    /// # Errors
    ///
    /// If there are too many.
    pub(super) fn register(&self, registration: Registration) -> Result<(), Refusal> {
        let now = Instant::now();
        let mut workers = self.lock();
        let known = workers.get(&registration.address).is_some_and(|(known, since)| {
            known.incarnation == registration.incarnation && since.elapsed() < LEASE
        });
        if !workers.contains_key(&registration.address) {
            workers.retain(|_, (_, since)| since.elapsed() < LEASE);
            limits::admit_workers(workers.len() + 1)?;
        }
        if !known {
            info!("worker {} registered", registration.address);
        }
        workers.insert(registration.address.clone(), (registration, now));
        drop(workers);
        if !known {
            self.arrived.notify_waiters();
        }
        Ok(())
    }

    /// Addresses of the workers whose registration holds, in order.
    pub(super) fn addresses(&self) -> Vec<String> {
        self.living().into_keys().collect()
    }

    /// The workers whose registration holds, as clients see them.
    pub(super) fn status(&self) -> Vec<wire::WorkerStatus> {
        let status = |(worker, since): (Registration, Instant)| wire::WorkerStatus {
            address: worker.address,
            incarnation: worker.incarnation.get(),
            memory_bytes: worker.memory,
            threads: worker.threads,
            silent_ms: u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        self.living().into_values().map(status).collect()
    }

    fn living(&self) -> BTreeMap<String, (Registration, Instant)> {
        let mut workers = self.lock();
        workers.retain(|address, (_, since)| {
            let lives = since.elapsed() < LEASE;
            if !lives {
                info!("worker {address} is gone");
            }
            lives
        });
        workers.clone()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, (Registration, Instant)>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
