//! Sends batches to one peer.

use std::sync::{Arc, Weak};
use std::time::Duration;

use sokohive_proto::wire::worker_data_client::WorkerDataClient;
use sokohive_proto::{Fence, Level, Push, Refusal, Security, data_client, wire};
use tokio::sync::{Notify, watch};
use tokio::time::{sleep, timeout};
use tonic::transport::Channel;
use tracing::{Instrument, debug, warn};

use super::{Node, span};
use crate::foundry::Foundry;
use crate::protocol::{Layout, PushError, Retry};
use crate::shard::{Sealed, Shard};

/// Longest time to wait for an acknowledgement before the batch is sent again.
const DEADLINE: Duration = Duration::from_secs(3);

/// Sends batches to one peer, for one job. On a connection of its own, so that control messages
/// and the batches for other peers never wait behind it.
pub(super) struct Sender<F: Foundry> {
    node: Weak<Node<F>>,
    shard: Arc<F::Shard>,
    route: Route,
    changes: watch::Receiver<()>,
    /// Told when a batch has been acknowledged or has failed for good, as there is room then.
    room: Arc<Notify>,
}

/// From whom to whom, and how.
#[derive(Clone)]
struct Route {
    fence: Fence,
    me: u16,
    peer: u16,
    client: Result<WorkerDataClient<Channel>, String>,
    security: Security,
}

impl<F: Foundry> Sender<F> {
    pub(super) fn new(
        node: &Arc<Node<F>>,
        layout: &Layout,
        peer: u16,
        address: &str,
        shard: &Arc<F::Shard>,
    ) -> Self {
        let client = {
            // A lazy channel needs a runtime around it, and connects when it is first used.
            let _runtime = node.runtime.enter();
            let endpoint = node.security.endpoint(address);
            endpoint.map(|endpoint| data_client(endpoint.connect_lazy()))
        };
        if let Err(error) = &client {
            warn!("worker number {peer}: {error}");
        }
        let client = client.map_err(|error| error.to_string());
        Self {
            node: Arc::downgrade(node),
            shard: Arc::clone(shard),
            route: Route {
                fence: layout.fence,
                me: layout.index,
                peer,
                client,
                security: node.security.clone(),
            },
            changes: node.changes(),
            room: Arc::default(),
        }
    }

    /// Sends until the job is over.
    pub(super) async fn run(mut self) {
        loop {
            self.changes.borrow_and_update();
            if !self.send_all() {
                return;
            }
            tokio::select! {
                changed = self.changes.changed() => if changed.is_err() { return },
                () = self.room.notified() => {}
            }
        }
    }

    /// Sends what there is, as far as there is room. False once the job is over.
    fn send_all(&self) -> bool {
        let Some(node) = self.node.upgrade() else {
            return false;
        };
        loop {
            let mut protocol = node.protocol();
            let Some(outgoing) = protocol.outgoing(self.route.fence, self.route.peer) else {
                return false;
            };
            if !outgoing.has_room() {
                return true;
            }
            let Some(Sealed { level, bytes, records }) = self.shard.take(self.route.peer) else {
                return true;
            };
            let sequence = outgoing.send(node.now(), bytes.len());
            drop(protocol);
            let batch = Batch { level, sequence, bytes, records };
            let (node, route) = (Weak::clone(&self.node), self.route.clone());
            let span = span::of_level(route.fence, level);
            let delivery = deliver(node, route, batch, Arc::clone(&self.room));
            tokio::spawn(delivery.instrument(span));
        }
    }
}

/// A numbered batch.
struct Batch {
    level: Level,
    sequence: u64,
    bytes: Vec<u8>,
    records: u64,
}

/// Sends a batch again and again until it is acknowledged or refused for good.
async fn deliver<F: Foundry>(node: Weak<Node<F>>, route: Route, batch: Batch, room: Arc<Notify>) {
    let mut failures = 0;
    loop {
        let result = push(&route, &batch).await;
        let pause = {
            let Some(node) = node.upgrade() else {
                return;
            };
            let now = node.now();
            let mut protocol = node.protocol();
            let Some(outgoing) = protocol.outgoing(route.fence, route.peer) else {
                break;
            };
            match result {
                Ok(()) => {
                    outgoing.acknowledged(now, batch.sequence, batch.records);
                    break;
                }
                Err(error) => {
                    failures += 1;
                    debug!(batch.sequence, route.peer, failures, ?error, "push failed");
                    match outgoing.failed(now, failures, error) {
                        Retry::After(pause) => pause,
                        Retry::Never => break,
                    }
                }
            }
        };
        sleep(pause).await;
    }
    room.notify_one();
}

async fn push(route: &Route, batch: &Batch) -> Result<(), PushError> {
    let push = Push {
        fence: route.fence,
        level: batch.level,
        source: route.me,
        sequence: batch.sequence,
        batch: batch.bytes.clone(),
    };
    let mut client = route.client.clone().map_err(PushError::Unreachable)?;
    match timeout(DEADLINE, client.push(wire::PushRequest::from(push))).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(status)) => Err(match Refusal::from_status(&status) {
            Some(refusal) => PushError::Refused(refusal),
            None => PushError::Unreachable(route.security.cause(&status)),
        }),
        Err(_) => Err(PushError::Unreachable("no answer in time".to_owned())),
    }
}
