//! `sokohive status`: lists workers and jobs.

use std::io::{self, Write};

use super::Coordinator;
use crate::exit::{Exit, Failure};

/// Of which coordinator.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    coordinator: Coordinator,
}

/// Lists workers and jobs, one a line.
pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let status = args.coordinator.client()?.status()?;
    let mut out = io::stdout().lock();
    for worker in &status.workers {
        writeln!(
            out,
            "WORKER {} incarnation={:016x} threads={} memory_bytes={} silent_ms={}",
            worker.address,
            worker.incarnation,
            worker.threads,
            worker.memory_bytes,
            worker.silent_ms
        )?;
    }
    for job in &status.jobs {
        writeln!(out, "JOB {} name={} state={}", job.id, job.name, job.state)?;
    }
    out.flush()?;
    Ok(Exit::Success)
}
