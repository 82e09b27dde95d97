//! Entry point of the `sokohive-worker` command.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use sokohive_worker::{Cli, EngineFoundry, Options, probe, serve};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tracing::info;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Whether logs go where colours are shown and wanted (<https://no-color.org>).
fn colours() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty())
}

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    let cli = Cli::read(&args).unwrap_or_else(|error| error.exit());
    let wanted = std::env::var("SOKOHIVE_LOG").ok().and_then(|text| text.parse::<Targets>().ok());
    let filter = wanted.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO));
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(colours());
    tracing_subscriber::registry().with(lines).with(filter).init();
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[tokio::main]
async fn run(cli: Cli) -> anyhow::Result<()> {
    if let Some(address) = &cli.probe {
        return probe(address, &cli.tls.security()?).await.with_context(|| address.clone());
    }
    let mut terminate = signal(SignalKind::terminate()).context("waiting for SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("waiting for SIGINT")?;
    let listener = TcpListener::bind(cli.listen)
        .await
        .with_context(|| format!("listening on {}", cli.listen))?;
    let bound = listener.local_addr().context("listening")?;
    let shutdown = async {
        tokio::select! {
            _ = terminate.recv() => info!("SIGTERM"),
            _ = interrupt.recv() => info!("SIGINT"),
        }
    };
    let metrics = match cli.metrics {
        None => None,
        Some(address) => {
            let listener = TcpListener::bind(address)
                .await
                .with_context(|| format!("listening on {address} for --metrics"))?;
            Some(Arc::new(listener))
        }
    };
    // On standard output, for whoever has asked for port 0; at once, as some read the first line only.
    let mut places = format!("listening on {bound}\n");
    if let Some(metrics) = &metrics {
        let bound = metrics.local_addr().context("listening")?;
        places += &format!("metrics on {bound}\n");
    }
    std::io::stdout().write_all(places.as_bytes()).context("saying where to listen")?;
    let foundry = EngineFoundry::new(cli.places());
    let options = Options { metrics, ..cli.options(bound)? };
    serve(listener, foundry, options, shutdown).await?;
    Ok(())
}
