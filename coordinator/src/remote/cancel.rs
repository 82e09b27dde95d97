//! `sokohive cancel`: takes a job off the queue, or interrupts it.

use std::io::{self, Write};

use sokohive_proto::JobNumber;

use super::Coordinator;
use super::watch::job_number;
use crate::exit::{Exit, Failure};

/// Which job.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Number of the job
    #[arg(value_parser = job_number)]
    job: JobNumber,
    #[command(flatten)]
    coordinator: Coordinator,
}

/// Cancels the job.
pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let cancelled = args.coordinator.client()?.cancel(args.job)?;
    let word = if cancelled { "cancelled" } else { "over-already" };
    writeln!(io::stdout(), "CANCEL job={} {word}", args.job)?;
    Ok(Exit::Success)
}
