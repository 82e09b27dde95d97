//! Writes manifests, one after the other, where the disk may be waited for.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc;

use sokohive_proto::Checkpoint;
use tokio::task::JoinHandle;

use crate::checkpoint::manifest;

/// What becomes of an order: nothing, or why it could not be done.
type Told = Box<dyn FnOnce(Result<(), String>) + Send>;

/// Writes manifests in the order in which it is told to.
#[derive(Debug)]
pub(super) struct Scribe {
    orders: Option<mpsc::Sender<Order>>,
    at_work: JoinHandle<Option<Arc<Checkpoint>>>,
}

struct Order {
    checkpoint: Arc<Checkpoint>,
    told: Told,
}

impl Scribe {
    /// Writes to this file; without one, every order fails. Must be called within a runtime.
    pub(super) fn new(path: Option<PathBuf>) -> Self {
        let (orders, waiting) = mpsc::channel::<Order>();
        let at_work = tokio::task::spawn_blocking(move || {
            let mut newest = None;
            for Order { checkpoint, told } in waiting {
                let written = match &path {
                    Some(path) => manifest::write(path, &checkpoint)
                        .map_err(|error| format!("{}: {error}", path.display())),
                    None => Err("there is no place for it".to_owned()),
                };
                if written.is_ok() {
                    newest = Some(checkpoint);
                }
                told(written);
            }
            newest
        });
        Self { orders: Some(orders), at_work }
    }

    /// Has a manifest written.
    pub(super) fn write(
        &self,
        checkpoint: Arc<Checkpoint>,
        told: impl FnOnce(Result<(), String>) + Send + 'static,
    ) {
        if let Some(orders) = &self.orders {
            // It is at work for as long as this end is there.
            let _ = orders.send(Order { checkpoint, told: Box::new(told) });
        }
    }

    /// Waits until all is written. The newest manifest comes back, if there is one.
    pub(super) async fn finish(mut self) -> Option<Arc<Checkpoint>> {
        self.orders = None;
        self.at_work.await.ok().flatten()
    }
}
