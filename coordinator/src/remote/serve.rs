//! `sokohive serve`: a coordinator for as long as it is let.

use std::io::{self, IsTerminal, Write};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use sokohive_host::{TlsArgs, TokenArgs};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tracing::level_filters::LevelFilter;
use tracing::{info, warn};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::DEFAULT_PORT;
use crate::cluster::{ServeError, ServeOptions, serve};
use crate::exit::{Exit, Failure};
use crate::units::Span;

/// Where to listen, and when to start jobs.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Address and port to listen on; port 0 takes any that is free, and prints it
    #[arg(long, value_name = "ADDRESS:PORT", env = "SOKOHIVE_LISTEN")]
    #[arg(default_value_t = SocketAddr::from(([0, 0, 0, 0], DEFAULT_PORT)))]
    listen: SocketAddr,
    /// Workers that must have registered before a job starts; it takes all that are there then
    #[arg(long, value_name = "N", env = "SOKOHIVE_MIN_WORKERS", default_value = "1")]
    min_workers: NonZeroUsize,
    /// Folder in which jobs, results and the checkpoint of the running job outlive the process
    ///
    /// Every worker needs a --data-dir then; a lost worker no longer ends a job.
    #[arg(long, value_name = "FOLDER", env = "SOKOHIVE_STATE_DIR")]
    state_dir: Option<PathBuf>,
    /// With --state-dir: time between two checkpoints; one is taken at the end of a level
    #[arg(long, value_name = "TIME", env = "SOKOHIVE_CHECKPOINT_EVERY", default_value = "60s")]
    checkpoint_every: Span,
    /// With --state-dir: give a job up when no attempt has got further for so long
    #[arg(long, value_name = "TIME", env = "SOKOHIVE_GIVE_UP_AFTER", default_value = "10m")]
    give_up_after: Span,
    /// Address and port for figures over HTTP, /metrics and /healthz [default: none]
    ///
    /// Nothing is encrypted there, and nobody is asked for a certificate or a token.
    #[arg(long, value_name = "ADDRESS:PORT", env = "SOKOHIVE_METRICS")]
    metrics: Option<SocketAddr>,
    #[command(flatten)]
    tls: TlsArgs,
    #[command(flatten)]
    token: TokenArgs,
}

/// Whether logs go where colours are shown and wanted (<https://no-color.org>).
fn colours() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty())
}

/// Serves until SIGTERM or Ctrl-C.
pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let wanted = std::env::var("SOKOHIVE_LOG").ok().and_then(|text| text.parse::<Targets>().ok());
    let filter = wanted.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO));
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(colours());
    tracing_subscriber::registry().with(lines).with(filter).init();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::Network(format!("starting the network runtime: {error}")))?;
    runtime.block_on(serve_until_told(args))?;
    Ok(Exit::Success)
}

async fn serve_until_told(args: &Args) -> Result<(), Failure> {
    let security = args.tls.security()?;
    let token = args.token.token()?;
    if token.is_some() && !security.is_on() {
        warn!("without TLS the job token goes over the network for everyone to read");
    }
    let network =
        |what: String| move |error: io::Error| Failure::Network(format!("{what}: {error}"));
    let mut terminate =
        signal(SignalKind::terminate()).map_err(network("waiting for SIGTERM".to_owned()))?;
    let mut interrupt =
        signal(SignalKind::interrupt()).map_err(network("waiting for SIGINT".to_owned()))?;
    let listener = TcpListener::bind(args.listen)
        .await
        .map_err(|error| Failure::Usage(format!("listening on {}: {error}", args.listen)))?;
    let bound = listener.local_addr().map_err(network("listening".to_owned()))?;
    let mut places = format!("listening on {bound}\n");
    let shutdown = async {
        tokio::select! {
            _ = terminate.recv() => info!("SIGTERM"),
            _ = interrupt.recv() => info!("SIGINT"),
        }
    };
    let metrics = match args.metrics {
        None => None,
        Some(address) => {
            let what = format!("listening on {address} for --metrics");
            let listener = TcpListener::bind(address).await.map_err(network(what))?;
            let bound = listener.local_addr().map_err(network("listening".to_owned()))?;
            places += &format!("metrics on {bound}\n");
            Some(Arc::new(listener))
        }
    };
    let options = ServeOptions {
        workers: args.min_workers.get(),
        security,
        token,
        metrics,
        state_dir: args.state_dir.clone(),
        every: args.checkpoint_every.0,
        give_up_after: args.give_up_after.0,
    };
    // At once, as some read the first line only.
    let ready = || io::stdout().write_all(places.as_bytes());
    serve(listener, options, ready, shutdown).await.map_err(|error| match error {
        ServeError::Store(_) => Failure::Usage(error.to_string()),
        ServeError::Ready(error) => Failure::Output(error),
        _ => Failure::Network(error.to_string()),
    })
}
