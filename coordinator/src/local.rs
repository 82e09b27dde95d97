//! Single-node mode: one board searched in this process.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use sokohive_engine::{
    Control, DurableError, Ending, Limit, Outcome, Reached, Rule, SearchChoice, Solution, Solver,
    Statistics, verify_strict,
};
use sokohive_proto::{Checkpoint, Epoch, JobKey};

use crate::board::Board;
use crate::checkpoint::{Keeper, forget, tidy, to_engine};
use crate::cluster::task;
use crate::event::{self, Event, Report, Settings};
use crate::exit::Failure;
use crate::interrupt::Interrupt;
use crate::remote;
use crate::report::Reporter;
use crate::watch::{Glance, watched};

/// Searches `board`, shows the search as it goes, and returns its end, unless nobody can read it.
///
/// Every solution in the report has been replayed on the board by the engine's independent checker,
/// which shares nothing with the search but the board.
pub(crate) fn search(
    board: &Board,
    settings: &Settings,
    durable: Option<&LocalSafety>,
    interrupt: &Interrupt,
    reporter: &Reporter<impl Write + Send, impl Write + Send>,
) -> Result<Report, Failure> {
    let start = Instant::now();
    reporter.emit(&Event::Started(board, settings))?;
    let control = Control::new();
    let mut solver = Solver::new(&board.level)
        .rule(settings.rule)
        .objective(settings.objective)
        .search(settings.search)
        .estimate(settings.estimate)
        .threads(settings.threads)
        .memory(settings.memory)
        .expansions(settings.expansions)
        .dominance(settings.dominance)
        .deadlocks(settings.deadlocks)
        .count(settings.all.count)
        .break_ties(settings.all.break_ties)
        .scout(settings.scout)
        .control(control.clone());
    if let Some(width) = settings.entry_width {
        solver = solver.entry_width(width);
    }
    if let Some(place) = &settings.spill {
        solver = solver.spill(place.clone());
    }
    let chosen = solver.chosen_search();
    // Progress comes from the watcher's thread; its failure is kept for this one.
    let failure = Mutex::new(None);
    let show = |glance: Glance| {
        if let Err(error) = reporter.emit(&Event::Progress(&board.id, glance)) {
            *failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
        }
    };
    let outcome = {
        let look = || control.progress();
        let note = |text: String| {
            // Nobody reads it: the result will tell that the reader has gone.
            let _ = reporter.emit(&Event::Noted(&board.id, &text));
        };
        let search = || match durable {
            Some(safety) => safety.solve(board, settings, chosen, solver, &note),
            None => Ok(solver.solve()),
        };
        watched(&control, settings.timeout, interrupt, look, show, search)
    };
    if let Some(error) = failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        return Err(error.into());
    }
    let outcome = outcome?;
    if let Ending::Optimal(solution) | Ending::Limit { best: Some(solution), .. } = &outcome.ending
    {
        replay(board, settings.rule, solution)?;
    }
    Ok(Report {
        id: board.id.clone(),
        title: board.level.name().map(str::to_owned),
        file: board.file.clone(),
        rule: settings.rule,
        objective: settings.objective,
        all: settings.all,
        search: chosen,
        ending: outcome.ending.into(),
        disk_fault: outcome.disk_fault,
        statistics: outcome.statistics,
        elapsed: start.elapsed(),
        threads: settings.threads,
        cluster: None,
    })
}

/// What makes a search in this process durable.
#[derive(Clone, Debug)]
pub(crate) struct LocalSafety {
    /// Where its segments and its manifest are kept.
    folder: PathBuf,
    /// What their names begin with.
    job: JobKey,
    /// Time between two checkpoints.
    every: Duration,
    /// The checkpoint to go on from.
    checkpoint: Option<Checkpoint>,
}

impl LocalSafety {
    /// Of a search that begins, or goes on from a checkpoint in the folder.
    pub(crate) fn new(folder: PathBuf, every: Duration, checkpoint: Option<Checkpoint>) -> Self {
        let job = checkpoint.as_ref().map_or_else(JobKey::random, |checkpoint| checkpoint.job);
        Self { folder, job, every, checkpoint }
    }

    fn solve(
        &self,
        board: &Board,
        settings: &Settings,
        chosen: SearchChoice,
        solver: Solver<'_>,
        note: &(dyn Fn(String) + Sync),
    ) -> Result<Outcome, Failure> {
        let start = || Checkpoint {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            job: self.job,
            epoch: Epoch::after(0),
            name: board.id.clone(),
            task: task(&board.level, &remote::options(settings)),
            search: chosen,
            reached: Reached::default(),
            best: None,
            statistics: Statistics::default(),
            segments: Vec::new(),
            workers: Vec::new(),
            result: None,
        };
        let common = self.checkpoint.clone().unwrap_or_else(start);
        let resume = self.checkpoint.as_ref().map(to_engine);
        let no_thread = |error| Failure::Network(format!("a thread for checkpoints: {error}"));
        let mut keeper =
            Keeper::new(&self.folder, self.every, common.clone(), note).map_err(no_thread)?;
        let place = keeper.place();
        let outcome = {
            let mut durable = solver.durable(place, |edge| keeper.at_edge(edge));
            if let Some(checkpoint) = resume {
                durable = durable.resume(checkpoint);
            }
            durable.solve()
        };
        match outcome {
            Ok(outcome) => {
                keeper.finish();
                Ok(outcome)
            }
            Err(error) if is_full(&error) => {
                let lower_bound = common.reached.lower_bound;
                let ending = Ending::Limit { limit: Limit::Disk, lower_bound, best: None };
                let (statistics, disk_fault) = (common.statistics, Some(error.to_string()));
                Ok(Outcome { ending, statistics, disk_fault })
            }
            Err(error) => Err(Failure::Usage(error.to_string())),
        }
    }

    /// Deletes what is not needed any more now that the ending has been printed: with a proof everything.
    pub(crate) fn clean_up(&self, ending: &event::Ending) -> io::Result<()> {
        use event::Ending::{Failed, Limit, Optimal, Unsolvable, Unsupported};
        match ending {
            Optimal(_) | Unsolvable(_) | Unsupported(_) => forget(&self.folder, self.job),
            Limit { .. } | Failed(_) => tidy(&self.folder, self.job),
        }
    }
}

/// Whether there is no room on the disk, which may pass.
fn is_full(error: &DurableError) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    let kinds = [FileTooLarge, QuotaExceeded, StorageFull];
    matches!(error, DurableError::Journal { error, .. } if kinds.contains(&error.kind()))
}

pub(crate) fn replay(board: &Board, rule: Rule, solution: &Solution) -> Result<(), Failure> {
    match verify_strict(&board.level, rule, &solution.moves) {
        Ok(_) => Ok(()),
        Err(fault) => Err(Failure::Internal(format!(
            "the solution found for {} does not replay: {fault}",
            board.id
        ))),
    }
}
