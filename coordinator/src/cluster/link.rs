//! The control connection to one worker.

use std::time::Duration;

use sokohive_proto::wire::worker_control_client::WorkerControlClient;
use sokohive_proto::{
    AddressError, BadField, Hello, Refusal, Report, Security, control_client, wire,
};
use tokio::time::timeout;
use tonic::transport::Channel;
use tonic::{Code, Status};

use super::job::{CallError, Reply, Request};
use super::knock::wants_tls;

/// Longest time to wait for an answer, beside the time that the request lets the worker wait.
const DEADLINE: Duration = Duration::from_secs(3);

/// The control connection to one worker; batches never travel on it. Connects when it is first
/// used, and again whenever the connection is lost.
#[derive(Clone, Debug)]
pub(super) struct Link {
    address: String,
    client: WorkerControlClient<Channel>,
    security: Security,
}

impl Link {
    /// Must be called within a runtime.
    pub(super) fn new(address: &str, security: &Security) -> Result<Self, AddressError> {
        let client = control_client(security.endpoint(address)?.connect_lazy());
        Ok(Self { address: address.to_owned(), client, security: security.clone() })
    }

    /// Makes one call, once.
    pub(super) async fn call(mut self, request: Request) -> Result<Reply, CallError> {
        let deadline = DEADLINE + waiting_time(&request);
        match timeout(deadline, self.ask(request)).await {
            Ok(result) => result,
            Err(_) => Err(CallError::Unreachable("no answer in time".to_owned())),
        }
    }

    async fn ask(&mut self, request: Request) -> Result<Reply, CallError> {
        let Self { address, client, security } = self;
        let error = |status| error(security, &status);
        match request {
            Request::Hello(segments) => {
                let request = wire::HelloRequest::new(&segments);
                let hello = match client.hello(request).await {
                    Ok(hello) => hello.into_inner(),
                    Err(status) => return Err(first_error(address, security, &status).await),
                };
                Hello::try_from(hello).map(Reply::Hello).map_err(|field| bad(&field))
            }
            Request::Prepare(prepare) => {
                let request = wire::PrepareRequest::from(*prepare);
                let ready = client.prepare(request).await.map_err(error)?.into_inner().ready;
                Ok(Reply::Prepared { ready })
            }
            Request::Restore(restore) => {
                let request = wire::RestoreRequest::from(*restore);
                report(client.restore(request).await.map_err(error)?.into_inner())
            }
            Request::OpenLevel(open) => {
                let request = wire::OpenLevelRequest::from(open);
                report(client.open_level(request).await.map_err(error)?.into_inner())
            }
            Request::Poll(poll) => {
                let request = wire::PollRequest::from(poll);
                report(client.poll(request).await.map_err(error)?.into_inner())
            }
            Request::Rows(fence, ranks) => {
                let request = wire::RowsRequest::new(fence, &ranks);
                let rows = client.rows(request).await.map_err(error)?.into_inner();
                rows.rows(ranks.len()).map(Reply::Rows).map_err(|field| bad(&field))
            }
            Request::Ends(ask) => {
                let ends = client.ends(wire::EndsRequest::from(ask)).await.map_err(error)?;
                ends.into_inner().ends(ask.after).map(Reply::Ends).map_err(|field| bad(&field))
            }
            Request::Release { fence, discard } => {
                let request = wire::ReleaseRequest::new(fence, discard);
                client.release(request).await.map_err(error)?;
                Ok(Reply::Released)
            }
        }
    }
}

fn report(report: wire::Report) -> Result<Reply, CallError> {
    Report::try_from(report)
        .map(|report| Reply::Report(Box::new(report)))
        .map_err(|field| bad(&field))
}

/// An answer that makes no sense is as final as a refusal.
fn bad(bad: &BadField) -> CallError {
    CallError::Refused(Refusal::BadField(format!("answer: {bad}")))
}

fn error(security: &Security, status: &Status) -> CallError {
    match Refusal::from_status(status) {
        Some(refusal) => CallError::Refused(refusal),
        None => unanswered(security, security.cause(status)),
    }
}

/// Why the first call to a worker brought no answer.
async fn first_error(address: &str, security: &Security, status: &Status) -> CallError {
    if let Some(refusal) = Refusal::from_status(status) {
        return CallError::Refused(refusal);
    }
    let cause = security.first_cause(status);
    match unanswered(security, cause) {
        // There was a connection, so there is somebody to ask.
        CallError::Unreachable(_)
            if !security.is_on()
                && status.code() != Code::Unavailable
                && wants_tls(address).await =>
        {
            CallError::Mismatch("the other side does not speak without TLS".to_owned())
        }
        other => other,
    }
}

fn unanswered(security: &Security, cause: String) -> CallError {
    match security.is_mismatch(&cause) {
        true => CallError::Mismatch(cause),
        false => CallError::Unreachable(cause),
    }
}

/// How long the worker may hold its answer back.
fn waiting_time(request: &Request) -> Duration {
    match request {
        Request::Prepare(prepare) => prepare.wait,
        Request::OpenLevel(open) => open.wait,
        Request::Poll(poll) => poll.wait,
        Request::Restore(restore) => restore.wait,
        Request::Hello(_) | Request::Rows(..) | Request::Ends(_) | Request::Release { .. } => {
            Duration::ZERO
        }
    }
}
