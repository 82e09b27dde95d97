//! The long-running coordinator: workers register with it, clients give it jobs; one job runs at a
//! time, results are kept.

mod caller;
mod counters;
mod jobs;
mod limits;
mod metrics;
mod registry;
mod runner;
mod service;
mod store;

use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sokohive_host::serve_metrics;
use sokohive_proto::wire::coordinator_server::CoordinatorServer;
use sokohive_proto::{DESCRIPTORS, Security, Token, coordinator_server};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Status};
use tracing::{info, warn};

use counters::Counters;
use jobs::Jobs;
use metrics::Watched;
use registry::Registry;
use service::Service;
use store::Store;
pub use store::StoreError;

/// How long calls under way may take to end once the coordinator is told to stop. Watchers of jobs
/// would otherwise keep it for as long as they like.
const GRACE: Duration = Duration::from_secs(3);

/// How long an interrupted job may take to write its checkpoint and to release its workers.
const LAST_JOB: Duration = Duration::from_secs(8);

/// What a coordinator is told when it is started.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Workers that must have registered before a job starts; at least 1. A job takes all that are
    /// there.
    pub workers: usize,
    /// How connections are secured.
    pub security: Security,
    /// What clients and workers have to show.
    pub token: Option<Token>,
    /// Where figures are to be had.
    pub metrics: Option<Arc<TcpListener>>,
    /// Where jobs, results and the checkpoint of the running job are kept over restarts; nowhere if
    /// there is none.
    pub state_dir: Option<PathBuf>,
    /// How often a checkpoint is taken, where they are kept.
    pub every: Duration,
    /// A job is given up when no attempt at it has got further for so long, where checkpoints are kept.
    pub give_up_after: Duration,
}

/// Why a coordinator cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The services cannot be offered.
    #[error("serving: {0}")]
    Transport(#[from] tonic::transport::Error),
    /// What was kept cannot be read.
    #[error("state folder: {0}")]
    Store(#[from] StoreError),
    /// Nobody could be told that it begins.
    #[error("{0}")]
    Ready(io::Error),
    /// The reflection service has no use for our descriptors.
    #[error("reflection: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
}

/// Serves until `shutdown`, and calls `ready` when it is about to begin; a running job is interrupted then, and its workers are released. With a
/// folder for its state it goes on after a restart.
///
/// # Errors
///
/// If the coordinator cannot start, or cannot go on.
pub async fn serve(
    listener: TcpListener,
    options: ServeOptions,
    ready: impl FnOnce() -> io::Result<()>,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let counters = Arc::new(Counters::default());
    let counts = Arc::clone(&counters);
    let jobs = Arc::new(match &options.state_dir {
        Some(folder) => {
            let (store, kept) = Store::open(folder)?;
            Jobs::kept(store, kept, counts)
        }
        None => Jobs::new(counts),
    });
    let registry = Arc::new(Registry::default());
    let (health, health_service) = tonic_health::server::health_reporter();
    health.set_serving::<CoordinatorServer<Service>>().await;
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .build_v1()?;
    let (stop, stopped) = oneshot::channel::<()>();
    if let Ok(address) = listener.local_addr() {
        info!("coordinator at {address}");
    }
    let token = options.token.clone();
    let counts = Arc::clone(&counters);
    let guard = move |request: Request<()>| match &token {
        Some(token) => match token.check(request.metadata()) {
            Ok(()) => Ok(request),
            Err(refusal) => Err(Status::from(counts.refused(refusal))),
        },
        None => Ok(request),
    };
    let service = Service::new(jobs.clone(), registry.clone(), Arc::clone(&counters));
    let service = coordinator_server(service);
    let least = options.workers.max(1);
    let source = Watched { jobs: jobs.clone(), registry: registry.clone(), counters, least };
    let metrics = options.metrics.clone();
    let watched = async {
        match &metrics {
            Some(listener) => serve_metrics(listener, Arc::new(source)).await,
            None => std::future::pending().await,
        }
    };
    let serving = options
        .security
        .server()?
        .add_service(health_service)
        .add_service(reflection)
        .add_service(InterceptedService::new(service, guard))
        .serve_with_incoming_shutdown(
            // Tonic's own switch does nothing for listeners that it has not bound.
            TcpIncoming::from(listener).with_nodelay(Some(true)),
            async {
                let _ = stopped.await;
            },
        );
    tokio::pin!(serving, watched);
    ready().map_err(ServeError::Ready)?;
    let mut running = tokio::spawn(runner::run(jobs.clone(), registry, options));
    tokio::select! {
        result = &mut serving => return result.map_err(Into::into),
        () = &mut watched => {}
        () = shutdown => {}
    }
    info!("stopping");
    health.set_not_serving::<CoordinatorServer<Service>>().await;
    jobs.close();
    let ending = async {
        if timeout(LAST_JOB, &mut running).await.is_err() {
            running.abort();
        }
        let _ = stop.send(());
        match timeout(GRACE, serving).await {
            Ok(ended) => ended?,
            Err(_) => warn!("some calls did not end in {} s", GRACE.as_secs()),
        }
        Ok(())
    };
    // Until the end there are figures, and everybody is told that it comes.
    tokio::select! {
        ended = ending => ended,
        () = watched => Ok(()),
    }
}
