//! Entry point of the `sokohive-worker` command.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use sokohive_worker::{Cli, EngineFoundry, probe, serve};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tracing::info;
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let filter = EnvFilter::try_from_env("SOKOHIVE_LOG").unwrap_or_else(|_| "info".into());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
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
        return probe(address).await.with_context(|| address.clone());
    }
    let mut terminate = signal(SignalKind::terminate()).context("waiting for SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("waiting for SIGINT")?;
    let listener = TcpListener::bind(cli.listen)
        .await
        .with_context(|| format!("listening on {}", cli.listen))?;
    let bound = listener.local_addr().context("listening")?;
    // On standard output, for whoever has asked for port 0.
    println!("listening on {bound}");
    let shutdown = async {
        tokio::select! {
            _ = terminate.recv() => info!("SIGTERM"),
            _ = interrupt.recv() => info!("SIGINT"),
        }
    };
    serve(listener, EngineFoundry, cli.options(bound), shutdown).await?;
    Ok(())
}
