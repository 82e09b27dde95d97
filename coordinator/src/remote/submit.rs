//! `sokohive submit`: gives boards to a coordinator.

use std::io::{self, Write};

use sokohive_proto::{JobKey, JobNumber, Submission};

use super::Coordinator;
use super::search::options;
use super::watch::{Output, follow};
use crate::board::Board;
use crate::cluster::{Client, task};
use crate::event::{Event, Settings};
use crate::exit::{Exit, Failure};
use crate::report::Reporter;
use crate::solve::{All, SearchArgs};
use crate::source::{Boards, Found};

/// What to submit, and whether to wait for it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    boards: Boards,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    all: All,
    #[command(flatten)]
    coordinator: Coordinator,
    /// Wait for the results and print them like `solve`
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    output: Output,
}

/// Queues every board that can be read, in order.
pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let reporter = Reporter::standard(args.output.style());
    args.search.check()?;
    args.search.check_for_workers("submit")?;
    if let Some(problem) = args.search.for_this_process() {
        return Err(Failure::Usage(problem.to_owned()));
    }
    let client = args.coordinator.client()?;
    let Found { boards, remarks } = args.boards.find();
    for remark in &remarks {
        reporter.emit(&Event::Remarked(remark))?;
    }
    let mut exit = Exit::Success;
    let mut jobs = Vec::new();
    for board in boards {
        match board {
            Ok(board) => {
                let number = submit(&client, args, &board)?;
                jobs.push(number);
                if !args.watch {
                    writeln!(io::stdout(), "SUBMITTED {} job={number}", board.id)?;
                }
            }
            Err(refusal) => {
                exit = exit.worst(Exit::BadInput);
                reporter.emit(&Event::Refused(&refusal))?;
            }
        }
    }
    if args.watch {
        for number in jobs {
            exit = exit.worst(follow(&client, number, &reporter)?);
        }
    }
    Ok(exit)
}

fn submit(client: &Client, args: &Args, board: &Board) -> Result<JobNumber, Failure> {
    let all = args.all.optimal(false);
    let settings = Settings { all, ..args.search.cluster_settings(board, &[]) };
    let options = options(&settings);
    let submission = Submission {
        key: JobKey::random(),
        name: board.id.clone(),
        task: task(&board.level, &options),
        timeout: settings.timeout,
        expansions: options.expansions,
    };
    Ok(client.submit(submission)?)
}
