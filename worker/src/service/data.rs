//! The data service: a sink. It queues and answers; it never sends, and never waits for a send.

use std::sync::Arc;

use sokohive_proto::wire::{self, worker_data_server::WorkerData};
use sokohive_proto::{Push, Refusal};
use tonic::{Request, Response, Status};

use super::Node;
use crate::foundry::Foundry;

/// Serves the peers.
pub(crate) struct Data<F: Foundry>(pub(crate) Arc<Node<F>>);

#[tonic::async_trait]
impl<F: Foundry> WorkerData for Data<F> {
    async fn push(
        &self,
        request: Request<wire::PushRequest>,
    ) -> Result<Response<wire::PushResponse>, Status> {
        let push = Push::try_from(request.into_inner()).map_err(Refusal::from);
        let repeated = match push {
            Ok(push) => self.0.protocol().push(push)?,
            Err(refusal) => {
                self.0.protocol().count_refused();
                return Err(refusal.into());
            }
        };
        Ok(Response::new(wire::PushResponse { repeated }))
    }
}
