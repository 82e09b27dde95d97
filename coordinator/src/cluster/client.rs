//! Talking to a coordinator that serves.

use std::time::Duration;

use sokohive_proto::wire::coordinator_client::CoordinatorClient;
use sokohive_proto::{
    AddressError, BadField, CONNECT_FIRST_PAUSE, CONNECT_LONGEST_PAUSE, CoordinatorCalls, JobEvent,
    JobNumber, JobResult, JobState, Refusal, Security, Submission, Token, coordinator_client, wire,
};
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, sleep, timeout};
use tonic::{Code, Status};

/// How long a coordinator that cannot be reached is tried again.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a coordinator is tried again that has gone while a job was followed: it may have been
/// started again, and know the job still.
const PATIENCE_TO_WATCH: Duration = Duration::from_secs(120);

/// Longest time to wait for the answer to a call.
const DEADLINE: Duration = Duration::from_secs(10);

/// A client of a coordinator, for callers without a runtime of their own.
#[derive(Debug)]
pub struct Client {
    runtime: Runtime,
    client: CoordinatorClient<CoordinatorCalls>,
    address: String,
    security: Security,
}

/// Why a coordinator did not do what was asked of it.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The address cannot be read.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// There is no runtime to be had.
    #[error("starting the network runtime: {0}")]
    Runtime(#[source] std::io::Error),
    /// It said no.
    #[error("the coordinator refused: {0}")]
    Refused(Refusal),
    /// It cannot be reached, or the connection broke.
    #[error("coordinator {address}: {reason}")]
    Unreachable {
        /// Host and port.
        address: String,
        /// What went wrong.
        reason: String,
    },
    /// What it answered makes no sense.
    #[error("the coordinator's answer: {0}")]
    BadAnswer(#[from] BadField),
}

/// Workers and jobs of a coordinator.
#[derive(Clone, Debug)]
pub struct CoordinatorStatus {
    /// Workers whose registration holds, by address.
    pub workers: Vec<wire::WorkerStatus>,
    /// All jobs by number: name, and what they are doing, in words.
    pub jobs: Vec<JobLine>,
}

/// One job in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobLine {
    /// Its number.
    pub id: u64,
    /// What results are printed under.
    pub name: String,
    /// `queued`, `running` or `ended`.
    pub state: &'static str,
}

impl Client {
    /// A client of the coordinator at `address`, `host:port`, that shows it `token`. Connects with the
    /// first call.
    ///
    /// # Errors
    ///
    /// If the address cannot be read.
    pub fn new(
        address: &str,
        security: &Security,
        token: Option<&Token>,
    ) -> Result<Self, ClientError> {
        let endpoint = security.endpoint(address)?;
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(ClientError::Runtime)?;
        let client = {
            let _entered = runtime.enter();
            coordinator_client(endpoint.connect_lazy(), token)
        };
        Ok(Self { runtime, client, address: address.to_owned(), security: security.clone() })
    }

    /// Queues a job.
    ///
    /// # Errors
    ///
    /// If the coordinator refuses, or cannot be reached in some seconds.
    pub fn submit(&self, submission: Submission) -> Result<JobNumber, ClientError> {
        let request = wire::SubmitRequest::from(submission);
        let response = self.call(|mut client| {
            let request = request.clone();
            async move { client.submit(request).await }
        })?;
        // 0 is no number of a job.
        JobNumber::new(response.id).ok_or_else(|| self.unreachable("it gave no job number"))
    }

    /// Follows a job to its end, telling every state that is seen. Goes on if the connection breaks, or
    /// if the coordinator is started again within two minutes and still knows the job.
    ///
    /// # Errors
    ///
    /// If there is no such job, or the coordinator cannot be reached in some seconds.
    pub fn watch(
        &self,
        number: JobNumber,
        mut see: impl FnMut(&JobEvent),
    ) -> Result<JobResult, ClientError> {
        let request = wire::WatchRequest { id: number.get() };
        let mut patience = PATIENCE;
        loop {
            let watch = |mut client: CoordinatorClient<CoordinatorCalls>| async move {
                client.watch(request).await
            };
            let mut stream = self.call_for(patience, watch)?;
            patience = PATIENCE_TO_WATCH;
            loop {
                let event = match self.runtime.block_on(stream.message()) {
                    Ok(Some(event)) => JobEvent::try_from(event)?,
                    // The stream ends with the result only: anything else is a broken connection.
                    Ok(None) => break,
                    Err(status) if self.is_transient(&status) => break,
                    Err(status) => return Err(self.error(&status)),
                };
                see(&event);
                if let JobState::Ended(result) = event.state {
                    return Ok(result);
                }
            }
        }
    }

    /// Takes a job off the queue, or interrupts it. False if it was over already.
    ///
    /// # Errors
    ///
    /// If there is no such job, or the coordinator cannot be reached in some seconds.
    pub fn cancel(&self, number: JobNumber) -> Result<bool, ClientError> {
        let request = wire::CancelRequest { id: number.get() };
        let response = self.call(|mut client| async move { client.cancel(request).await })?;
        Ok(response.cancelled)
    }

    /// Lists workers and jobs.
    ///
    /// # Errors
    ///
    /// If the coordinator cannot be reached in some seconds.
    pub fn status(&self) -> Result<CoordinatorStatus, ClientError> {
        let request = wire::StatusRequest {};
        let response = self.call(|mut client| async move { client.status(request).await })?;
        let line = |job: wire::JobEvent| JobLine {
            id: job.id,
            state: match job.state() {
                wire::JobState::Unspecified => "unknown",
                wire::JobState::Queued => "queued",
                wire::JobState::Running => "running",
                wire::JobState::Ended => "ended",
            },
            name: job.name,
        };
        let jobs = response.jobs.into_iter().map(line).collect();
        Ok(CoordinatorStatus { workers: response.workers, jobs })
    }

    /// Calls until there is an answer, or patience is over.
    fn call<T, C>(
        &self,
        call: impl FnMut(CoordinatorClient<CoordinatorCalls>) -> C,
    ) -> Result<T, ClientError>
    where
        C: Future<Output = Result<tonic::Response<T>, Status>>,
    {
        self.call_for(PATIENCE, call)
    }

    fn call_for<T, C>(
        &self,
        patience: Duration,
        mut call: impl FnMut(CoordinatorClient<CoordinatorCalls>) -> C,
    ) -> Result<T, ClientError>
    where
        C: Future<Output = Result<tonic::Response<T>, Status>>,
    {
        self.runtime.block_on(async {
            let until = Instant::now() + patience;
            let mut pause = CONNECT_FIRST_PAUSE;
            loop {
                let answer = timeout(DEADLINE, call(self.client.clone())).await;
                match answer {
                    Ok(Ok(response)) => return Ok(response.into_inner()),
                    Ok(Err(status)) if self.is_transient(&status) && Instant::now() < until => {}
                    Ok(Err(status)) => return Err(self.error(&status)),
                    Err(_) => return Err(self.unreachable("no answer in time")),
                }
                sleep(pause).await;
                pause = (pause * 2).min(CONNECT_LONGEST_PAUSE);
            }
        })
    }

    fn error(&self, status: &Status) -> ClientError {
        match Refusal::from_status(status) {
            Some(refusal) => ClientError::Refused(refusal),
            None => self.unreachable(&self.security.first_cause(status)),
        }
    }

    fn unreachable(&self, reason: &str) -> ClientError {
        ClientError::Unreachable { address: self.address.clone(), reason: reason.to_owned() }
    }

    /// Whether the connection is to blame rather than the call, and may be better next time.
    fn is_transient(&self, status: &Status) -> bool {
        Refusal::from_status(status).is_none()
            && matches!(status.code(), Code::Unavailable | Code::Unknown | Code::Cancelled)
            && !self.security.is_mismatch(&self.security.cause(status))
    }
}
