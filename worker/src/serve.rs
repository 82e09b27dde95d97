//! Running a worker on a bound listener until told to stop.

use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sokohive_host::serve_metrics;
use sokohive_proto::wire::worker_control_server::WorkerControlServer;
use sokohive_proto::wire::worker_data_server::WorkerDataServer;
use sokohive_proto::{
    DESCRIPTORS, Incarnation, PROTOCOL, Registration, Security, Token, control_server, data_server,
};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tonic::transport::server::TcpIncoming;
use tracing::{info, warn};

use crate::epoch_file;
use crate::footprint;
use crate::foundry::Foundry;
use crate::metrics::Watched;
use crate::protocol::Identity;
use crate::register::{RegisterError, register};
use crate::service::{Control, Data, Node};

/// How long calls under way may take to end once the worker is told to stop. Bounded: graceful
/// shutdown alone would wait for ever for a peer that keeps a stream open.
const GRACE: Duration = Duration::from_secs(3);

/// How long a worker that is told to stop waits for its coordinator to write a checkpoint and to
/// release it.
const LEAVING: Duration = Duration::from_secs(10);

/// What a worker is told when it is started.
#[derive(Clone, Debug)]
pub struct Options {
    /// Host and port that others reach it at.
    pub advertise: String,
    /// Bytes that its shard may use.
    pub memory: u64,
    /// Threads that it searches on.
    pub threads: u32,
    /// Where it keeps what must outlive it.
    pub data_dir: Option<PathBuf>,
    /// The coordinator that it registers with.
    pub coordinator: Option<String>,
    /// How its connections are secured.
    pub security: Security,
    /// What the coordinator is shown.
    pub token: Option<Token>,
    /// Where figures are to be had.
    pub metrics: Option<Arc<TcpListener>>,
}

/// Why a worker cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// What has been kept in the data directory cannot be read.
    #[error("data directory: {0}")]
    DataDir(#[source] io::Error),
    /// The services cannot be offered.
    #[error("serving: {0}")]
    Transport(#[from] tonic::transport::Error),
    /// The coordinator cannot be registered with.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// The reflection service has no use for our descriptors.
    #[error("reflection: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
}

/// Serves until `shutdown`, and on until the job at hand has released the worker, or 10 seconds have
/// passed. Then ends calls under way and returns, some seconds later at the latest.
///
/// # Errors
///
/// If the worker cannot start, or cannot go on.
pub async fn serve<F: Foundry>(
    listener: TcpListener,
    foundry: F,
    options: Options,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let last_epoch = match &options.data_dir {
        Some(directory) => epoch_file::read(directory).map_err(ServeError::DataDir)?,
        None => 0,
    };
    let identity = Identity {
        incarnation: Incarnation::random(),
        memory: options.memory,
        threads: options.threads,
        keeps_journal: foundry.keeps_journal(),
    };
    let registration = Registration {
        protocol: PROTOCOL,
        address: options.advertise,
        incarnation: identity.incarnation,
        memory: identity.memory,
        threads: identity.threads,
    };
    info!("incarnation {} serves at {}", identity.incarnation, registration.address);
    footprint::check(identity.memory, identity.threads, 0);
    let security = options.security;
    let node = Node::new(foundry, identity, last_epoch, options.data_dir, security.clone());

    let (health, health_service) = tonic_health::server::health_reporter();
    health.set_serving::<WorkerControlServer<Control<F>>>().await;
    health.set_serving::<WorkerDataServer<Data<F>>>().await;
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .build_v1()?;
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = security
        .server()?
        .add_service(health_service)
        .add_service(reflection)
        .add_service(control_server(Control(node.clone())))
        .add_service(data_server(Data(node.clone())))
        .serve_with_incoming_shutdown(
            // Tonic's own switch does nothing for listeners that it has not bound.
            TcpIncoming::from(listener).with_nodelay(Some(true)),
            async {
                let _ = stopped.await;
            },
        );
    let registering = async {
        match &options.coordinator {
            Some(coordinator) => {
                register(coordinator, registration, &security, options.token.as_ref()).await
            }
            None => std::future::pending().await,
        }
    };
    let watched = async {
        match &options.metrics {
            Some(listener) => serve_metrics(listener, Arc::new(Watched(node.clone()))).await,
            None => std::future::pending().await,
        }
    };
    tokio::pin!(serving, watched);
    let watching = tokio::spawn(node.clone().watch_over());
    let result = tokio::select! {
        result = &mut serving => return result.map_err(Into::into),
        result = registering => result,
        () = &mut watched => Ok(()),
        () = shutdown => Ok(()),
    };
    info!("stopping");
    health.set_not_serving::<WorkerControlServer<Control<F>>>().await;
    health.set_not_serving::<WorkerDataServer<Data<F>>>().await;
    tokio::select! {
        result = &mut serving => return result.map_err(Into::into),
        released = timeout(LEAVING, node.clone().leave()) => {
            if released.is_err() {
                warn!("not released in {} s", LEAVING.as_secs());
            }
        }
    }
    watching.abort();
    node.close();
    node.abandon();
    let _ = stop.send(());
    // Until the end there are figures, and everybody is told that it comes.
    let ending = async {
        tokio::select! {
            ended = serving => ended,
            () = watched => Ok(()),
        }
    };
    match timeout(GRACE, ending).await {
        Ok(ended) => ended?,
        Err(_) => warn!("some calls did not end in {} s", GRACE.as_secs()),
    }
    result.map_err(Into::into)
}
