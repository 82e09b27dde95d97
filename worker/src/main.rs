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

/// The flags cannot be followed: as they are, it will never start.
const BAD_USAGE: u8 = 2;

/// Why it ends, and the exit code that goes with it.
struct Failed(u8, anyhow::Error);

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    let cli = Cli::read(&args).unwrap_or_else(|error| error.exit());
    let wanted = std::env::var("SOKOHIVE_LOG").ok().and_then(|text| text.parse::<Targets>().ok());
    let filter = wanted.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO));
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(colours());
    tracing_subscriber::registry().with(lines).with(filter).init();
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failed(code, error)) => {
            let _ = writeln!(std::io::stderr(), "error: {}", told(&error));
            ExitCode::from(code)
        }
    }
}

/// An error with its causes, but for those that it tells itself.
fn told(error: &anyhow::Error) -> String {
    error.chain().skip(1).fold(error.to_string(), |text, cause| {
        let cause = cause.to_string();
        if text.contains(&cause) { text } else { format!("{text}: {cause}") }
    })
}

#[tokio::main]
async fn run(cli: Cli) -> Result<(), Failed> {
    let (usage, failure) = (|error| Failed(BAD_USAGE, error), |error| Failed(1, error));
    if let Some(address) = &cli.probe {
        let security = cli.tls.security().map_err(|error| usage(error.into()))?;
        return probe(address, &security).await.with_context(|| address.clone()).map_err(failure);
    }
    let mut terminate =
        signal(SignalKind::terminate()).context("waiting for SIGTERM").map_err(failure)?;
    let mut interrupt =
        signal(SignalKind::interrupt()).context("waiting for SIGINT").map_err(failure)?;
    let shutdown = async {
        tokio::select! {
            _ = terminate.recv() => info!("SIGTERM"),
            _ = interrupt.recv() => info!("SIGINT"),
        }
    };
    let foundry = EngineFoundry::new(cli.places());
    let (listener, options) = set_up(cli).await.map_err(usage)?;
    say_where(&listener, options.metrics.as_deref()).map_err(failure)?;
    serve(listener, foundry, options, shutdown).await.map_err(|error| failure(error.into()))
}

/// Does what the flags say.
async fn set_up(cli: Cli) -> anyhow::Result<(TcpListener, Options)> {
    let listener = TcpListener::bind(cli.listen)
        .await
        .with_context(|| format!("listening on {}", cli.listen))?;
    let bound = listener.local_addr().context("listening")?;
    let metrics = match cli.metrics {
        None => None,
        Some(address) => {
            let listener = TcpListener::bind(address)
                .await
                .with_context(|| format!("listening on {address} for --metrics"))?;
            Some(Arc::new(listener))
        }
    };
    Ok((listener, Options { metrics, ..cli.options(bound)? }))
}

/// Says on standard output where it listens, for whoever has asked for port 0; at once, as some read the
/// first line only.
fn say_where(listener: &TcpListener, metrics: Option<&TcpListener>) -> anyhow::Result<()> {
    let mut places = format!("listening on {}\n", listener.local_addr().context("listening")?);
    if let Some(metrics) = metrics {
        places += &format!("metrics on {}\n", metrics.local_addr().context("listening")?);
    }
    std::io::stdout().write_all(places.as_bytes()).context("saying where to listen")
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("file x: {source}")]
    struct Whole {
        source: io::Error,
    }

    #[test]
    fn a_cause_is_told_once() {
        let source = || io::Error::other("it is torn");
        assert_eq!(told(&Whole { source: source() }.into()), "file x: it is torn");
        let error = anyhow::Error::from(source()).context("file x");
        assert_eq!(told(&error), "file x: it is torn");
    }
}
