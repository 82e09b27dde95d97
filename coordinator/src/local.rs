//! Single-node mode: one board searched in this process.

use std::io::Write;
use std::sync::Mutex;
use std::time::Instant;

use sokohive_engine::{Control, Ending, Rule, Solution, Solver, verify_strict};

use crate::board::Board;
use crate::event::{Event, Report, Settings};
use crate::exit::Failure;
use crate::interrupt::Interrupt;
use crate::report::Reporter;
use crate::watch::{Glance, watched};

/// Searches `board`, shows the search as it goes, and returns its end, unless nobody can read it.
///
/// Every solution in the report has been replayed on the board by the engine's independent checker,
/// which shares nothing with the search but the board.
pub(crate) fn search(
    board: &Board,
    settings: &Settings,
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
        watched(&control, settings.timeout, interrupt, look, show, || solver.solve())
    };
    if let Some(error) = failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        return Err(error.into());
    }
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
        search: chosen,
        ending: outcome.ending.into(),
        statistics: outcome.statistics,
        elapsed: start.elapsed(),
        threads: settings.threads,
        cluster: None,
    })
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
