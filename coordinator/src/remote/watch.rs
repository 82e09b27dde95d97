//! `sokohive watch`: follows a coordinator's job to its end.

use std::collections::BTreeSet;
use std::io::Write;

use sokohive_proto::{JobEvent, JobNumber, JobProgress, JobState};

use super::Coordinator;
use super::report::report;
use super::search::figures;
use crate::cluster::Client;
use crate::event::Event;
use crate::exit::{Exit, Failure};
use crate::report::{Format, Reporter, Style, Verbosity};
use crate::watch::{Glance, per_second};

/// Which job, and what to print.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Number of the job
    #[arg(value_parser = job_number)]
    job: JobNumber,
    #[command(flatten)]
    coordinator: Coordinator,
    #[command(flatten)]
    output: Output,
}

/// What to print of results.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Output {
    /// Print the move string: SOLUTION if it is proven shortest, BEST_FOUND if a limit came first
    #[arg(long)]
    solution: bool,
    /// How to print results
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// No progress, errors only
    #[arg(long, short, conflicts_with = "verbose")]
    quiet: bool,
    /// Say every counter at the end
    #[arg(long, short)]
    verbose: bool,
}

impl Output {
    pub(super) fn style(&self) -> Style {
        let verbosity = match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        };
        Style { format: self.format, verbosity, solution: self.solution }
    }
}

/// The figures of a job as those of a search; the rate is the mean so far.
fn glance(job: &JobProgress) -> Glance {
    let states_per_second = per_second(job.states, job.elapsed);
    Glance { progress: figures(job), elapsed: job.elapsed, states_per_second }
}

/// Reads the number of a job.
pub(super) fn job_number(word: &str) -> Result<JobNumber, String> {
    let number = word.parse().ok().and_then(JobNumber::new);
    number.ok_or_else(|| "not the number of a job, from 1".to_owned())
}

/// Follows the job.
pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let reporter = Reporter::standard(args.output.style());
    follow(&args.coordinator.client()?, args.job, &reporter)
}

/// Follows a job, and prints its result.
pub(super) fn follow(
    client: &Client,
    number: JobNumber,
    reporter: &Reporter<impl Write + Send, impl Write + Send>,
) -> Result<Exit, Failure> {
    let mut last: Option<JobEvent> = None;
    let mut told = BTreeSet::new();
    let result = client.watch(number, |event| {
        for note in &event.notes {
            if told.insert(note.clone()) {
                let _ = reporter.emit(&Event::Noted(&event.name, note));
            }
        }
        if let JobState::Running(Some(progress)) = &event.state {
            // Nobody reads it: the result will tell that the reader has gone.
            let _ = reporter.emit(&Event::Progress(&event.name, glance(progress)));
        }
        last = Some(event.clone());
    })?;
    let Some(event) = last else {
        return Err(Failure::Internal(format!("job {number} ended before it was seen")));
    };
    let report = report(&event, result)?;
    reporter.emit(&Event::Finished(&report))?;
    Ok(Exit::from(&report.ending))
}
