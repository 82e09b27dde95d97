//! `sokohive solve`: proves boards, one after the other.

use std::io::Write;
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;

use clap::ValueHint;
use clap::builder::{OsStringValueParser, TypedValueParser};
use sokohive_engine::{
    EntryWidth, EstimateChoice, IDA_MEMORY, Objective, Rule, SearchChoice, SpillPlace,
};
use sokohive_host::{TlsArgs, check_folder, memory};
use sokohive_proto::{AddressError, Security, check_address};

use crate::board::Board;
use crate::cluster::Safety;
use crate::event::{AllOptimal, Event, Settings};
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::keep::{Folder, Keep, check_vacant, hold, manifest};
use crate::local::{self, LocalSafety};
use crate::record::{OutputFile, Record};
use crate::remote;
use crate::report::{Format, Reporter, Style, Verbosity};
use crate::resume::forget;
use crate::source::{Boards, Found};
use crate::units::{Bytes, Span, Threads};

/// What to solve, how, and what to print.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    boards: Boards,
    #[command(flatten)]
    search: SearchArgs,
    /// Search on these workers instead of in this process
    ///
    /// What --memory says is then meant for each of them.
    #[arg(long, value_name = "HOST:PORT", value_delimiter = ',', value_parser = address)]
    #[arg(conflicts_with_all = ["threads", "entry_width", "spill_dir", "no_scout"])]
    workers: Vec<String>,
    #[command(flatten)]
    tls: TlsArgs,
    #[command(flatten)]
    folder: Folder,
    #[command(flatten)]
    keep: Keep,
    #[command(flatten)]
    all: All,
    /// Write what comes of each board to this file, as soon as it is known: .csv, .json or .sok
    ///
    /// The same command, run again, goes on from the file. Boards are passed over whose row is proven, unsolvable or
    /// unsupported, or ended by a limit with at least the --budget and --memory of now; others are searched again, and
    /// their rows replaced. A proven row is enough whatever its tie; without --memory any memory is. A board that comes twice has one row, one that cannot be read has none, nor has one whose
    /// search was interrupted.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(value_parser = OsStringValueParser::new().try_map(OutputFile::try_from))]
    #[arg(conflicts_with_all = ["checkpoint", "count"])]
    output: Option<OutputFile>,
    /// Print the moves too: as SOLUTION if proven shortest, else as BEST_FOUND
    #[arg(long)]
    solution: bool,
    /// How to print results
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// No progress, errors only
    #[arg(long, short, conflicts_with = "verbose")]
    quiet: bool,
    /// Say what each board is searched with, and every counter at its end
    #[arg(long, short)]
    verbose: bool,
}

/// How to search a board.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SearchArgs {
    /// When a board is solved: classic or keeper-on-goal [default: by notation]
    ///
    /// classic: every box on a goal; the default for XSB boards. keeper-on-goal: and the keeper on a
    /// goal that no box stands on; the default for digit boards.
    #[arg(long)]
    rule: Option<Rule>,
    /// What the solution has fewest of: moves or pushes
    ///
    /// moves: steps of the keeper, pushes included. pushes: pushes alone; walks cost nothing.
    #[arg(long, default_value_t)]
    objective: Objective,
    /// The ends to search from: auto, forward, backward or two-sided; or ida
    ///
    /// With auto it is both ends, but forward where moves count and an estimate is asked for, or where
    /// the boxes can stand on the goals in more than a million ways. ida is iterative deepening from
    /// the start, which takes more time and little memory.
    #[arg(long, default_value_t)]
    search: SearchChoice,
    /// The lower bound that leads the search: auto, nearest, matching, walk or none
    ///
    /// walk is matching and the keeper's ways back for the next box, for fewest moves. auto: walk for fewest moves
    /// by ida, else matching for a search forward or by ida, and for one from both ends that is left to us and
    /// counts pushes; else none. Backward there is none.
    #[arg(long, default_value_t)]
    estimate: EstimateChoice,
    /// Searching threads [default: all cores]
    #[arg(long, short, value_name = "N")]
    threads: Option<Threads>,
    /// Most memory for the search, such as 512M or 4G [default: 80 % of what is free; with ida, 64M]
    #[arg(long, short, value_name = "SIZE")]
    memory: Option<Bytes>,
    #[command(flatten)]
    spill: Spill,
    /// Time given to each board, such as 10, 10s, 500ms, 2m [default: no limit]
    #[arg(long, visible_alias = "budget", value_name = "TIME")]
    timeout: Option<Span>,
    /// Rows to expand on each board before giving up [default: no limit]
    ///
    /// Every thread finishes the portion it is at, so it may become some hundreds more.
    #[arg(long, value_name = "N")]
    max_expansions: Option<u64>,
    /// Keep states that another state of the same boxes makes useless
    #[arg(long)]
    no_dominance: bool,
    /// Do not refuse pushes into deadlocks: frozen boxes, dead pairs and triples
    #[arg(long)]
    no_deadlock_tables: bool,
    /// Do not look for a solution before the proof
    ///
    /// Without it, one process that keeps no checkpoints gives a part of one thread's time to finding one, good
    /// but not proven: a third where pushes count, else a seventeenth. It spares the proof work, and is there to be shown
    /// when a limit comes first.
    #[arg(long)]
    no_scout: bool,
    /// Least bytes of a table entry: 8, 16 or 32 [default: what the board needs]
    #[arg(long, value_name = "BYTES", hide_short_help = true)]
    entry_width: Option<EntryWidth>,
}

/// What to say of all optimal solutions.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct All {
    /// Count the optimal solutions: strings of moves that differ
    ///
    /// Those of fewest moves or, with --objective pushes, those of fewest pushes and, among these, fewest
    /// moves. Where memory or time do not last, the count is unknown.
    #[arg(long)]
    count: bool,
    /// Be content with any solution of fewest moves, or of fewest pushes
    ///
    /// Without it, one of fewest pushes is looked for among solutions of fewest moves, and the other way
    /// round with --objective pushes; but not with --checkpoint or --search ida.
    #[arg(long, conflicts_with = "count")]
    any_tie: bool,
}

impl All {
    /// Refuses flags that a search with checkpoints could do nothing with.
    fn check(self, keeps_checkpoints: bool) -> Result<(), Failure> {
        let given = [(self.count, "--count"), (self.any_tie, "--any-tie")];
        match given.into_iter().find(|&(given, _)| given && keeps_checkpoints) {
            Some((_, flag)) => Err(Failure::Usage(format!(
                "{flag} is not for --checkpoint: what has been found before a search is cut off is not kept, so \
                 optimal solutions are not compared"
            ))),
            None => Ok(()),
        }
    }

    /// What these flags ask of a search.
    pub(crate) fn optimal(self, keeps_checkpoints: bool) -> AllOptimal {
        AllOptimal { count: self.count, break_ties: !self.any_tie && !keeps_checkpoints }
    }
}

/// Where the open list may wait.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Spill {
    /// Let the open list wait on disk, in this folder, where it takes more than an eighth of the memory
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    spill_dir: Option<PathBuf>,
    /// Most of the open list on disk, such as 20G [default: nine tenths of what is free there]
    #[arg(long, value_name = "SIZE", requires = "spill_dir")]
    spill_limit: Option<Bytes>,
}

impl Spill {
    /// Refuses a folder in which no file can be made.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let Some(folder) = &self.spill_dir else { return Ok(()) };
        check_folder(folder).map_err(|error| Failure::Usage(format!("--spill-dir {error}")))
    }

    /// The place, for a search that may hold so many bytes in memory.
    pub(crate) fn place(&self, memory: u64) -> Option<SpillPlace> {
        let directory = self.spill_dir.clone()?;
        let most_bytes = self.spill_limit.map_or(u64::MAX, |Bytes(bytes)| bytes);
        Some(SpillPlace { directory, most_bytes, share: memory / 8 })
    }
}

impl SearchArgs {
    /// Whether the flags go together, as far as clap does not know.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        check_estimate(self.search, self.estimate, self.objective)?;
        let given = [
            (self.spill.spill_dir.is_some(), "--spill-dir", "has no open list"),
            (self.entry_width.is_some(), "--entry-width", "has entries of one width"),
            (self.no_dominance, "--no-dominance", "drops no dominated states"),
            (self.no_scout, "--no-scout", "looks for none before"),
        ];
        check_ida(self.search, &given)
    }

    /// Refuses a search that workers cannot do, as they were named by `how`.
    pub(crate) fn check_for_workers(&self, how: &str) -> Result<(), Failure> {
        check_ida(self.search, &[(true, how, "runs in one process")])
    }

    /// What is wrong with a flag that says how this process searches, if one was given.
    pub(crate) fn for_this_process(&self) -> Option<&'static str> {
        match self {
            Self { threads: Some(_), .. } => Some("--threads is for each worker to say"),
            Self { spill: Spill { spill_dir: Some(_), .. }, .. } => {
                Some("--spill-dir is for each worker to say")
            }
            Self { entry_width: Some(_), .. } => Some("--entry-width is for each worker to say"),
            Self { no_scout: true, .. } => {
                Some("--no-scout would do nothing: on a cluster there is no scout")
            }
            _ => None,
        }
    }

    /// What these flags mean for `board`.
    fn settings(&self, board: &Board) -> Settings {
        let memory = memory_limit(self.memory, self.search);
        Settings {
            rule: self.rule.unwrap_or_else(|| board.level.rule()),
            objective: self.objective,
            search: self.search,
            estimate: self.estimate,
            threads: self.threads.map_or_else(all_cores, |Threads(number)| number),
            memory,
            timeout: self.timeout.map(|Span(time)| time),
            expansions: self.max_expansions.unwrap_or(u64::MAX),
            dominance: !self.no_dominance,
            deadlocks: !self.no_deadlock_tables,
            workers: Vec::new(),
            entry_width: self.entry_width,
            spill: self.spill.place(memory),
            scout: !self.no_scout,
            all: AllOptimal::default(),
        }
    }

    /// What these flags mean for `board` on a cluster: threads and memory are the workers'.
    pub(crate) fn cluster_settings(&self, board: &Board, workers: &[String]) -> Settings {
        Settings {
            memory: self.memory.map_or(u64::MAX, |Bytes(bytes)| bytes),
            workers: workers.to_vec(),
            ..self.settings(board)
        }
    }
}

/// Number of threads this process can run at once.
pub(crate) fn all_cores() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// A host and a port, as typed.
pub(crate) fn address(text: &str) -> Result<String, AddressError> {
    check_address(text).map(|()| text.to_owned())
}

/// Refuses a worker that is named twice, as far as the names tell: it would wait for itself.
pub(crate) fn check_workers(workers: &[String]) -> Result<(), Failure> {
    for (place, worker) in workers.iter().enumerate() {
        let same = |other: &&String| process(other) == process(worker);
        let Some(other) = workers[..place].iter().find(same) else {
            continue;
        };
        return Err(Failure::Usage(match other == worker {
            true => format!("worker {worker} is named twice"),
            false => format!("worker {other} is named twice, as {worker} too"),
        }));
    }
    Ok(())
}

/// Host and port in a form that is the same for names that are known to mean the same process.
fn process(address: &str) -> (String, Option<u16>) {
    let (host, port) = address.rsplit_once(':').unwrap_or((address, ""));
    let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    let host = match host.parse::<IpAddr>().map(|ip| ip.to_canonical()) {
        Ok(ip) if ip.is_loopback() => "localhost".to_owned(),
        Ok(ip) => ip.to_string(),
        Err(_) => host,
    };
    (host, port.parse().ok())
}

/// Refuses an estimate that would not be used.
pub(crate) fn check_estimate(
    search: SearchChoice,
    estimate: EstimateChoice,
    objective: Objective,
) -> Result<(), Failure> {
    if search == SearchChoice::Backward && estimate != EstimateChoice::Auto {
        let problem = format!("a {search} search is led by no estimate, so --estimate {estimate}");
        return Err(Failure::Usage(format!("{problem} would do nothing: leave it out")));
    }
    if estimate == EstimateChoice::Walk && objective != Objective::Moves {
        let problem =
            format!("--estimate {estimate} counts steps, of which fewest {objective} are not made");
        return Err(Failure::Usage(format!("{problem}: take --estimate matching")));
    }
    Ok(())
}

/// Refuses a flag that a search by ida cannot do anything with, if it is one and the flag was given.
fn check_ida(search: SearchChoice, given: &[(bool, &str, &str)]) -> Result<(), Failure> {
    match given.iter().find(|&&(given, ..)| given) {
        Some((_, flag, why)) if search == SearchChoice::Ida => {
            Err(Failure::Usage(format!("{flag} is not for --search {search}, which {why}")))
        }
        _ => Ok(()),
    }
}

/// Bytes that a search in this process may hold, given what was asked for.
pub(crate) fn memory_limit(asked: Option<Bytes>, search: SearchChoice) -> u64 {
    match (asked, search) {
        (Some(Bytes(bytes)), _) => bytes,
        (None, SearchChoice::Ida) => IDA_MEMORY.min(memory::default_limit()),
        (None, _) => memory::default_limit(),
    }
}

/// Solves every board; a refused one does not keep the others from running.
pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    args.search.check()?;
    if !args.workers.is_empty() {
        args.search.check_for_workers("--workers")?;
    }
    let no_states = "keeps no states to know all solutions by";
    let given = [
        (args.folder.checkpoint.is_some(), "--checkpoint", "keeps nothing to go on from"),
        (args.all.count, "--count", no_states),
    ];
    check_ida(args.search.search, &given)?;
    if args.search.no_scout && args.folder.checkpoint.is_some() {
        let problem = "--no-scout is not for --checkpoint: a search that keeps any has no scout";
        return Err(Failure::Usage(problem.to_owned()));
    }
    check_workers(&args.workers)?;
    args.all.check(args.folder.checkpoint.is_some())?;
    let all = args.all.optimal(args.folder.checkpoint.is_some());
    args.search.spill.check()?;
    if let Some(folder) = &args.folder.checkpoint {
        check_vacant(folder)?;
    }
    let verbosity = match (args.quiet, args.verbose) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Normal,
    };
    let style = Style { format: args.format, verbosity, solution: args.solution };
    let mut exit = Exit::Success;
    match solve_all(args, all, &Reporter::standard(style), &mut exit) {
        // Nobody reads on: end quietly with what was proven so far.
        Err(failure) if failure.is_broken_pipe() => Ok(exit),
        Err(failure) => Err(failure),
        Ok(()) => Ok(exit),
    }
}

fn solve_all(
    args: &Args,
    all: AllOptimal,
    reporter: &Reporter<impl Write + Send, impl Write + Send>,
    exit: &mut Exit,
) -> Result<(), Failure> {
    let security = match args.workers.is_empty() {
        true => Security::none(),
        false => args.tls.security()?,
    };
    let Found { boards, remarks } = args.boards.find();
    for remark in &remarks {
        reporter.emit(&Event::Remarked(remark))?;
    }
    if args.folder.checkpoint.is_some() && boards.len() != 1 {
        let problem = format!("--checkpoint is for one board, found {}", boards.len());
        return Err(Failure::Usage(problem));
    }
    let _held = match &args.folder.checkpoint {
        Some(folder) => {
            check_folder(folder)
                .map_err(|error| Failure::Usage(format!("--checkpoint {error}")))?;
            let held = hold(folder)?;
            check_vacant(folder)?;
            held
        }
        None => None,
    };
    let memory = args.search.memory.map(|Bytes(bytes)| bytes);
    let mut record = Record::open(args.output.as_ref(), memory)?;
    // Only now: until here Ctrl-C may end the process as usual, say while it waits for its input.
    let interrupt = Interrupt::install()?;
    let total = boards.len();
    for (done, board) in boards.into_iter().enumerate() {
        if interrupt.raised() {
            *exit = exit.worst(Exit::Limit);
            record.leave(total - done);
            reporter.emit(&Event::Skipped(total - done))?;
            break;
        }
        match board {
            Ok(board) => {
                let settings = match args.workers.is_empty() {
                    true => args.search.settings(&board),
                    false => args.search.cluster_settings(&board, &args.workers),
                };
                let settings = Settings { all, ..settings };
                if let Some(outcome) = record.skip(&board, &settings) {
                    *exit = exit.worst(Exit::from(outcome));
                    continue;
                }
                let report = if args.workers.is_empty() {
                    let safety = args
                        .folder
                        .checkpoint
                        .clone()
                        .map(|folder| LocalSafety::new(folder, args.keep.every(), None));
                    let report =
                        local::search(&board, &settings, safety.as_ref(), &interrupt, reporter)?;
                    record.add(&board, &settings, &report)?;
                    *exit = exit.worst(Exit::from(&report.ending));
                    reporter.emit(&Event::Finished(&report))?;
                    if let Some(safety) = safety {
                        safety.clean_up(&report.ending)?;
                    }
                    continue;
                } else {
                    let safety = args.folder.checkpoint.as_deref().map(|folder| Safety {
                        manifest: manifest(folder),
                        every: args.keep.every(),
                        give_up_after: args.keep.give_up_after(),
                        checkpoint: None,
                    });
                    remote::search(&board, &settings, &security, safety, &interrupt, reporter)?
                };
                record.add(&board, &settings, &report)?;
                *exit = exit.worst(Exit::from(&report.ending));
                reporter.emit(&Event::Finished(&report))?;
                if let Some(folder) = &args.folder.checkpoint {
                    forget(&manifest(folder), &report.ending, &security)?;
                }
            }
            Err(refusal) => {
                record.refuse();
                *exit = exit.worst(Exit::BadInput);
                reporter.emit(&Event::Refused(&refusal))?;
            }
        }
    }
    if let Some(summary) = record.summary() {
        reporter.emit(&Event::Summed(summary))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_with_two_names_is_found_where_the_names_tell() {
        let twice = |one: &str, other: &str| check_workers(&[one.to_owned(), other.to_owned()]);
        for (one, other) in [
            ("a:1", "a:1"),
            ("A:1", "a:01"),
            ("localhost:7401", "127.0.0.1:7401"),
            ("[::1]:7401", "LOCALHOST:7401"),
            ("[::ffff:10.0.0.1]:1", "10.0.0.1:1"),
        ] {
            let error = twice(one, other).unwrap_err().to_string();
            assert!(error.contains(one) && error.contains("named twice"), "{error}");
        }
        for (one, other) in [("a:1", "a:2"), ("a:1", "b:1"), ("10.0.0.1:1", "10.0.0.2:1")] {
            assert!(twice(one, other).is_ok(), "{one} {other}");
        }
    }
}
