//! The coordinator's service.

use std::sync::Arc;

use sokohive_proto::wire::{self, coordinator_server::Coordinator};
use sokohive_proto::{JobEvent, JobNumber, JobState, PROTOCOL, Refusal, Registration, Submission};
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};

use super::caller::Caller;
use super::counters::Counters;
use super::jobs::{Jobs, SubmitError};
use super::registry::{LEASE, Registry};

/// Serves workers and clients.
pub(super) struct Service {
    jobs: Arc<Jobs>,
    registry: Arc<Registry>,
    counters: Arc<Counters>,
}

impl Service {
    pub(super) fn new(jobs: Arc<Jobs>, registry: Arc<Registry>, counters: Arc<Counters>) -> Self {
        Self { jobs, registry, counters }
    }

    /// Takes note of a refusal.
    fn count<T>(&self, result: Result<T, Refusal>) -> Result<T, Status> {
        result.map_err(|refusal| self.counters.refused(refusal).into())
    }

    fn follow(&self, id: u64) -> Result<watch::Receiver<JobEvent>, Refusal> {
        JobNumber::new(id).and_then(|number| self.jobs.watch(number)).ok_or(Refusal::UnknownJob(id))
    }
}

#[tonic::async_trait]
impl Coordinator for Service {
    async fn register(
        &self,
        request: Request<wire::RegisterRequest>,
    ) -> Result<Response<wire::RegisterResponse>, Status> {
        let request = request.into_inner();
        // First of all: another version may mean other things by the other fields.
        if request.protocol != PROTOCOL {
            let (expected, found) = (PROTOCOL, request.protocol);
            return self.count(Err(Refusal::ProtocolVersion { expected, found }));
        }
        let registration = Registration::try_from(request).map_err(Refusal::from);
        self.count(registration.and_then(|registration| self.registry.register(registration)))?;
        // A few seconds.
        let lease_ms = u32::try_from(LEASE.as_millis()).unwrap_or(u32::MAX);
        Ok(Response::new(wire::RegisterResponse { lease_ms }))
    }

    async fn submit(
        &self,
        request: Request<wire::SubmitRequest>,
    ) -> Result<Response<wire::SubmitResponse>, Status> {
        let caller = Caller::from(&request);
        let submission = Submission::try_from(request.into_inner()).map_err(Refusal::from);
        let submission = self.count(submission)?;
        // What cannot be searched is told at once, not when its turn has come.
        self.count(submission.task.level())?;
        let jobs = Arc::clone(&self.jobs);
        let submitted = tokio::task::spawn_blocking(move || jobs.submit(submission, caller))
            .await
            .map_err(|error| Status::internal(format!("queueing the job: {error}")))?;
        match submitted {
            Ok(number) => Ok(Response::new(wire::SubmitResponse { id: number.get() })),
            Err(SubmitError::Refused(refusal)) => self.count(Err(refusal)),
            Err(error @ SubmitError::Store(_)) => Err(Status::internal(error.to_string())),
        }
    }

    type WatchStream = ReceiverStream<Result<wire::JobEvent, Status>>;

    async fn watch(
        &self,
        request: Request<wire::WatchRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let mut events = self.count(self.follow(request.into_inner().id))?;
        // One event in the pipe: a slow reader sees fewer states, never old ones.
        let (sender, receiver) = mpsc::channel(1);
        tokio::spawn(async move {
            loop {
                let event = events.borrow_and_update().clone();
                let over = matches!(event.state, JobState::Ended(_));
                if sender.send(Ok(event.into())).await.is_err() || over {
                    return;
                }
                tokio::select! {
                    changed = events.changed() => if changed.is_err() { return },
                    () = sender.closed() => return,
                }
            }
        });
        Ok(Response::new(ReceiverStream::new(receiver)))
    }

    async fn cancel(
        &self,
        request: Request<wire::CancelRequest>,
    ) -> Result<Response<wire::CancelResponse>, Status> {
        let id = request.into_inner().id;
        let jobs = Arc::clone(&self.jobs);
        let cancelled = tokio::task::spawn_blocking(move || {
            JobNumber::new(id).and_then(|number| jobs.cancel(number))
        })
        .await
        .map_err(|error| Status::internal(format!("cancelling the job: {error}")))?
        .ok_or(Refusal::UnknownJob(id));
        let cancelled = self.count(cancelled)?;
        Ok(Response::new(wire::CancelResponse { cancelled }))
    }

    async fn status(
        &self,
        _: Request<wire::StatusRequest>,
    ) -> Result<Response<wire::StatusResponse>, Status> {
        let without_result = |event: JobEvent| {
            let mut event = wire::JobEvent::from(event);
            event.result = None;
            event
        };
        let jobs = self.jobs.list().into_iter().map(without_result).collect();
        Ok(Response::new(wire::StatusResponse { workers: self.registry.status(), jobs }))
    }

    async fn result(
        &self,
        request: Request<wire::ResultRequest>,
    ) -> Result<Response<wire::JobEvent>, Status> {
        let event = self.count(self.follow(request.into_inner().id))?.borrow().clone();
        if matches!(event.state, JobState::Ended(_)) {
            Ok(Response::new(event.into()))
        } else {
            Err(Refusal::NotReady.into())
        }
    }
}
