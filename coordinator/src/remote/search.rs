//! One board searched on a list of workers.

use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sokohive_engine::{Control, Progress};
use sokohive_proto::{JobProgress, JobResult, Security};

use crate::board::Board;
use crate::cluster::{ClusterOptions, ClusterSolve, Safety, solve};
use crate::event::{Cluster, Ending, Event, Report, Settings};
use crate::exit::Failure;
use crate::interrupt::Interrupt;
use crate::local::replay;
use crate::report::Reporter;
use crate::watch::{Glance, watched};

/// Searches `board` on the workers of `settings`, shows the search as it goes, and returns its end,
/// unless nobody can read it. Every solution in the report has been replayed here.
pub(crate) fn search(
    board: &Board,
    settings: &Settings,
    security: &Security,
    safety: Option<Safety>,
    interrupt: &Interrupt,
    reporter: &Reporter<impl Write + Send, impl Write + Send>,
) -> Result<Report, Failure> {
    let start = Instant::now();
    reporter.emit(&Event::Started(board, settings))?;
    let control = Control::new();
    let options = ClusterOptions { security: security.clone(), ..options(settings) };
    let newest = Mutex::new(Progress::default());
    let look = || *newest.lock().unwrap_or_else(PoisonError::into_inner);
    let note = |progress: JobProgress| {
        *newest.lock().unwrap_or_else(PoisonError::into_inner) = figures(&progress);
    };
    // Progress comes from the watcher's thread; its failure is kept for this one.
    let failure = Mutex::new(None);
    let show = |glance: Glance| {
        if let Err(error) = reporter.emit(&Event::Progress(&board.id, glance)) {
            *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
    };
    let solved = watched(&control, settings.timeout, interrupt, look, show, || {
        let remark = |text: String| {
            // Nobody reads it: the result will tell that the reader has gone.
            let _ = reporter.emit(&Event::Noted(&board.id, &text));
        };
        solve(&board.level, &board.id, &options, safety, &control, note, remark)
    });
    if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error.into());
    }
    report(board, settings, solved, start.elapsed())
}

/// The report of a search whose result was written down, and not printed before the process ended.
pub(crate) fn finished(
    board: &Board,
    settings: &Settings,
    result: JobResult,
) -> Result<Report, Failure> {
    let elapsed = result.elapsed;
    report(board, settings, result.into(), elapsed)
}

fn report(
    board: &Board,
    settings: &Settings,
    solved: ClusterSolve,
    elapsed: Duration,
) -> Result<Report, Failure> {
    let (ending, statistics) = match solved.outcome {
        Ok(outcome) => (outcome.ending.into(), outcome.statistics),
        Err(failure) => (Ending::Failed(failure), solved.statistics),
    };
    if let Ending::Optimal(solution) | Ending::Limit { best: Some(solution), .. } = &ending {
        replay(board, settings.rule, solution)?;
    }
    Ok(Report {
        id: board.id.clone(),
        title: board.level.name().map(str::to_owned),
        file: board.file.clone(),
        rule: settings.rule,
        objective: settings.objective,
        all: settings.all,
        search: solved.search,
        ending,
        disk_fault: None,
        statistics,
        elapsed,
        threads: solved.threads as usize,
        cluster: Some(Cluster { traffic: solved.traffic, states: solved.states }),
    })
}

/// What the settings mean for a cluster whose connections are in the clear.
pub(crate) fn options(settings: &Settings) -> ClusterOptions {
    ClusterOptions {
        workers: settings.workers.clone(),
        security: Security::none(),
        rule: settings.rule,
        objective: settings.objective,
        search: settings.search,
        estimate: settings.estimate,
        dominance: settings.dominance,
        deadlock_tables: settings.deadlocks,
        memory: (settings.memory != u64::MAX).then_some(settings.memory),
        expansions: (settings.expansions != u64::MAX).then_some(settings.expansions),
        all: settings.all,
    }
}

/// The figures of a job as those of a search.
pub(super) fn figures(progress: &JobProgress) -> Progress {
    Progress {
        lower_bound: progress.lower_bound,
        best: progress.best,
        expanded: progress.expanded,
        states: progress.states,
        open: 0,
        memory: progress.memory,
    }
}
