//! `sokohive resume`: goes on from a checkpoint.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueHint;
use sokohive_engine::{Level, ReadOptions};
use sokohive_host::{TlsArgs, memory};
use sokohive_proto::{Checkpoint, Security};

use crate::board::Board;
use crate::checkpoint;
use crate::cluster::{Safety, clean_up};
use crate::event::{AllOptimal, Ending, Event, Settings};
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::keep::{Keep, hold, manifest};
use crate::local::{self, LocalSafety};
use crate::remote;
use crate::report::{Format, Reporter, Style, Verbosity};
use crate::solve::{Spill, address, all_cores, check_workers};
use crate::units::{Bytes, Span, Threads};

/// What to go on with, on what, and what to print.
///
/// Board, rule and the way of searching are those of the checkpoint.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder that `--checkpoint` named
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// Go on with these workers [default: those of before, or this process if there were none]
    ///
    /// As many as you like: each part of the checkpoint is read by a worker that has it.
    #[arg(long, value_name = "HOST:PORT", value_delimiter = ',', value_parser = address)]
    workers: Vec<String>,
    #[command(flatten)]
    tls: TlsArgs,
    /// Searching threads of a search in this process [default: all cores]
    #[arg(long, short, value_name = "N", conflicts_with = "workers")]
    threads: Option<Threads>,
    /// Most memory for the search, on a cluster for each worker [default: as before]
    #[arg(long, short, value_name = "SIZE")]
    memory: Option<Bytes>,
    /// Time given from now on, such as 10, 10s, 500ms, 2m [default: no limit]
    #[arg(long, value_name = "TIME")]
    timeout: Option<Span>,
    /// Rows to expand before giving up, those before the checkpoint included [default: no limit]
    #[arg(long, value_name = "N")]
    max_expansions: Option<u64>,
    #[command(flatten)]
    spill: Spill,
    #[command(flatten)]
    keep: Keep,
    /// Print the moves too: as SOLUTION if proven shortest, else as BEST_FOUND
    #[arg(long)]
    solution: bool,
    /// How to print results
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// No progress, errors only
    #[arg(long, short, conflicts_with = "verbose")]
    quiet: bool,
    /// Say what the board is searched with, and every counter at its end
    #[arg(long, short)]
    verbose: bool,
}

/// Goes on to the end, and deletes the checkpoint once the proof has been printed.
pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    check_workers(&args.workers)?;
    args.spill.check()?;
    let path = manifest(&args.folder);
    let _held = args.folder.is_dir().then(|| hold(&args.folder)).transpose()?;
    let checkpoint = checkpoint::read(&path).map_err(|error| match error.is_not_found() {
        true => Failure::Usage(format!("{}: there is no checkpoint", args.folder.display())),
        false => Failure::Usage(error.to_string()),
    })?;
    let verbosity = match (args.quiet, args.verbose) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Normal,
    };
    let style = Style { format: args.format, verbosity, solution: args.solution };
    match go_on(args, &path, checkpoint, &Reporter::standard(style)) {
        Err(failure) if failure.is_broken_pipe() => Ok(Exit::Success),
        other => other,
    }
}

fn go_on(
    args: &Args,
    path: &Path,
    checkpoint: Checkpoint,
    reporter: &Reporter<impl Write + Send, impl Write + Send>,
) -> Result<Exit, Failure> {
    let board = board(path, &checkpoint)?;
    let settings = settings(args, &checkpoint);
    let security = match settings.workers.is_empty() {
        true => Security::none(),
        false => args.tls.security()?,
    };
    let interrupt = Interrupt::install()?;
    let report = if let Some(result) = checkpoint.result.clone() {
        clean_up(&checkpoint, &security);
        remote::finished(&board, &settings, result)?
    } else if settings.workers.is_empty() {
        let folder = args.folder.clone();
        let checkpoint = Some(checkpoint);
        let safety = LocalSafety::new(folder, args.keep.every(), checkpoint);
        let report = local::search(&board, &settings, Some(&safety), &interrupt, reporter)?;
        reporter.emit(&Event::Finished(&report))?;
        safety.clean_up(&report.ending)?;
        return Ok(Exit::from(&report.ending));
    } else {
        let safety = Safety {
            manifest: path.to_owned(),
            every: args.keep.every(),
            give_up_after: args.keep.give_up_after(),
            checkpoint: Some(Arc::new(checkpoint)),
        };
        remote::search(&board, &settings, &security, Some(safety), &interrupt, reporter)?
    };
    reporter.emit(&Event::Finished(&report))?;
    forget(path, &report.ending, &security)?;
    Ok(Exit::from(&report.ending))
}

/// Deletes the checkpoint of a search on a cluster whose proof has been printed.
pub(crate) fn forget(path: &Path, ending: &Ending, security: &Security) -> Result<(), Failure> {
    match ending {
        Ending::Optimal(_) | Ending::Unsolvable(_) => {
            // Where the result could not be written down, the workers have kept everything.
            let kept = checkpoint::read(path).ok().filter(|found| found.result.is_none());
            checkpoint::remove(path)?;
            if let Some(checkpoint) = kept {
                clean_up(&checkpoint, security);
            }
            Ok(())
        }
        Ending::Unsupported(_) | Ending::Limit { .. } | Ending::Failed(_) => Ok(()),
    }
}

/// The board of a checkpoint.
fn board(path: &Path, checkpoint: &Checkpoint) -> Result<Board, Failure> {
    let task = &checkpoint.task;
    let options = ReadOptions::default().edge_is_wall(task.edge_is_wall);
    let level = Level::read(task.board.as_bytes(), options)
        .map_err(|error| Failure::Usage(format!("{}: its board: {error}", path.display())))?;
    Ok(Board { id: checkpoint.name.clone(), file: None, level, known: None })
}

fn settings(args: &Args, checkpoint: &Checkpoint) -> Settings {
    let task = &checkpoint.task;
    let workers =
        if args.workers.is_empty() { checkpoint.workers.clone() } else { args.workers.clone() };
    let mut memory = args.memory.map(|Bytes(bytes)| bytes).or(task.memory);
    if workers.is_empty() {
        memory = memory.or_else(|| Some(memory::default_limit()));
    }
    let memory = memory.unwrap_or(u64::MAX);
    Settings {
        rule: task.rule,
        objective: task.objective,
        search: task.search,
        estimate: task.estimate,
        threads: args.threads.map_or_else(all_cores, |Threads(number)| number),
        memory,
        timeout: args.timeout.map(|Span(time)| time),
        expansions: args.max_expansions.unwrap_or(u64::MAX),
        dominance: task.dominance,
        deadlocks: task.deadlock_tables,
        workers,
        entry_width: None,
        spill: args.spill.place(memory),
        scout: false,
        all: AllOptimal::default(),
    }
}
