//! `sokohive bench`: fixed boards, timed.

use std::io::{self, Write};
use std::time::Duration;

use sokohive_engine::{EstimateChoice, Objective, SearchChoice, Statistics, builtin};

use sokohive_host::memory;

use crate::board::Board;
use crate::event::{AllOptimal, Ending, Event, Report, Settings};
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::local;
use crate::report::{Reporter, Style, Verbosity, limit_word};
use crate::solve::{check_estimate, memory_limit};
use crate::units::{Bytes, Threads};
use crate::watch::per_second;

/// Which boards, and how.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Built-in ids [default: all of them]
    #[arg(value_name = "ID")]
    boards: Vec<String>,
    /// Searching threads; with one, the counters repeat exactly
    ///
    /// A SIGNATURE line sums them up then: a change of it is a change of behaviour.
    #[arg(long, short, value_name = "N", default_value_t = Threads(1))]
    threads: Threads,
    /// Times to run each board; the fastest counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// The ends to search from: auto, forward, backward or two-sided; or ida
    #[arg(long, default_value_t)]
    search: SearchChoice,
    /// The lower bound that leads the search: auto, nearest, matching, walk or none
    #[arg(long, default_value_t)]
    estimate: EstimateChoice,
    /// Most memory for the search [default: 80 % of what is free; with ida, 64M]
    #[arg(long, short, value_name = "SIZE")]
    memory: Option<Bytes>,
    /// No progress
    #[arg(long, short)]
    quiet: bool,
}

/// Searches each board and prints a line of counters for it, and one for all.
pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    check_estimate(args.search, args.estimate, Objective::Moves)?;
    let boards = find(&args.boards)?;
    let verbosity = if args.quiet { Verbosity::Quiet } else { Verbosity::Normal };
    // Results have a form of their own here.
    let reporter = Reporter::messages_only(Style { verbosity, ..Style::default() });
    let interrupt = Interrupt::install()?;
    let mut out = io::stdout();
    let mut exit = Exit::Success;
    let mut total = Statistics::default();
    let mut peak_bytes = 0;
    let mut elapsed = Duration::ZERO;
    for board in &boards {
        let settings = settings(args, board);
        let mut fastest: Option<Report> = None;
        for _ in 0..args.runs {
            let report = local::search(board, &settings, None, &interrupt, &reporter)?;
            reporter.emit(&Event::Finished(&report))?;
            check(board, &report)?;
            if fastest.as_ref().is_none_or(|fastest| report.elapsed < fastest.elapsed) {
                fastest = Some(report);
            }
        }
        let Some(report) = fastest else { continue };
        write_line(&report, &mut out)?;
        exit = exit.worst(Exit::from(&report.ending));
        // The boards run one after the other: the largest counts, not the sum.
        peak_bytes = peak_bytes.max(report.statistics.peak_bytes);
        total += report.statistics;
        elapsed += report.elapsed;
        if interrupt.raised() {
            return Ok(exit.worst(Exit::Limit));
        }
    }
    write!(out, "TOTAL boards={} ", boards.len())?;
    write_counters(&Statistics { peak_bytes, ..total }, elapsed, &mut out)?;
    if let Some(bytes) = memory::peak_resident() {
        write!(out, " peak_resident_bytes={bytes}")?;
    }
    writeln!(out)?;
    if args.threads == Threads(1) {
        write_signature(&total, &mut out)?;
    }
    out.flush()?;
    Ok(exit)
}

fn find(ids: &[String]) -> Result<Vec<Board>, Failure> {
    let board = |builtin: &builtin::Builtin| Board {
        id: builtin.id.to_owned(),
        file: None,
        level: builtin.level.clone(),
        known: Some(builtin.moves as usize),
    };
    if ids.is_empty() {
        return Ok(builtin::all().iter().map(board).collect());
    }
    let find = |id: &String| {
        let unknown = || Failure::Usage(format!("no built-in board '{id}'"));
        builtin::find(id).map(board).ok_or_else(unknown)
    };
    ids.iter().map(find).collect()
}

fn settings(args: &Args, board: &Board) -> Settings {
    Settings {
        rule: board.level.rule(),
        objective: Objective::Moves,
        search: args.search,
        estimate: args.estimate,
        threads: args.threads.0,
        memory: memory_limit(args.memory, args.search),
        timeout: None,
        expansions: u64::MAX,
        dominance: true,
        deadlocks: true,
        workers: Vec::new(),
        entry_width: None,
        spill: None,
        scout: false,
        all: AllOptimal::default(),
    }
}

/// A fast wrong answer is no figure to print.
fn check(board: &Board, report: &Report) -> Result<(), Failure> {
    match (&report.ending, board.known) {
        (Ending::Optimal(solution), Some(known)) if solution.moves.len() != known => {
            let (id, found) = (&board.id, solution.moves.len());
            Err(Failure::Internal(format!("{id}: found {found} moves, the optimum is {known}")))
        }
        _ => Ok(()),
    }
}

fn write_line(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let optimum = match &report.ending {
        Ending::Optimal(solution) => solution.cost(report.objective).to_string(),
        Ending::Unsolvable(_) => "UNSOLVABLE".to_owned(),
        Ending::Unsupported(_) => "UNSUPPORTED".to_owned(),
        Ending::Limit { limit, .. } => limit_word(*limit).to_owned(),
        Ending::Failed(_) => "FAILED".to_owned(),
    };
    write!(out, "BENCH {} optimal={optimum} search={} ", report.id, report.search)?;
    write_counters(&report.statistics, report.elapsed, out)?;
    writeln!(out, " threads={}", report.threads)?;
    out.flush()
}

fn write_counters(
    statistics: &Statistics,
    elapsed: Duration,
    out: &mut impl Write,
) -> io::Result<()> {
    let Statistics { expanded, dominated, attempts, generated, states, peak_bytes, .. } =
        statistics;
    write!(
        out,
        "expanded={expanded} dominated={dominated} attempts={attempts} generated={generated} \
         states={states} states_per_second={} peak_bytes={peak_bytes} seconds={:.3}",
        per_second(*states, elapsed),
        elapsed.as_secs_f64(),
    )
}

/// What one thread counts is the same in every run: a change here is a change of behaviour.
fn write_signature(total: &Statistics, out: &mut impl Write) -> io::Result<()> {
    let Statistics { expanded, attempts, states, .. } = total;
    writeln!(out, "SIGNATURE expanded={expanded} attempts={attempts} states={states}")
}
