//! Results and messages as lines of text.

use std::io::{self, Write};

use sokohive_engine::{Limit, Objective, SearchChoice, Solution, Statistics};

use super::Verbosity;
use crate::event::{AllOptimal, Cluster, Ending, Event, Report, Settings};
use crate::summary::Summary;
use crate::units::{Bytes, Count, counted, counted_in_short, ratio};
use crate::watch::per_second;

/// The word that stands for a limit in place of an optimum.
pub(crate) fn limit_word(limit: Limit) -> &'static str {
    match limit {
        Limit::Time => "TIMEOUT",
        Limit::Memory => "MEMORY",
        Limit::Disk => "DISK",
        Limit::Expansions => "LIMIT",
        Limit::Interrupted => "INTERRUPTED",
    }
}

/// Writes the lines that scripts read: `RESULT`, if asked for `SOLUTION` or `BEST_FOUND`, and `SUMMARY`.
pub(super) fn write_results(
    event: &Event<'_>,
    with_solution: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let report = match event {
        Event::Finished(report) => report,
        Event::Summed(summary) => return write_sum(summary, out),
        _ => return Ok(()),
    };
    let Report { id, ending, objective, .. } = report;
    write!(out, "RESULT {id} ")?;
    match ending {
        Ending::Optimal(solution) => {
            let Solution { moves, .. } = solution;
            let cost = solution.cost(*objective);
            write!(out, "optimal={cost} moves={} pushes={}", moves.len(), moves.pushes())?;
        }
        Ending::Unsolvable(_) => write!(out, "optimal=UNSOLVABLE")?,
        Ending::Unsupported(_) => write!(out, "optimal=UNSUPPORTED")?,
        Ending::Failed(failure) => {
            let worker = failure.worker.as_deref().unwrap_or("none");
            write!(out, "optimal=FAILED worker={worker} level={}", failure.level)?;
        }
        Ending::Limit { limit, lower_bound, best } => {
            write!(out, "optimal={} lower_bound={lower_bound} best_found=", limit_word(*limit))?;
            match best {
                Some(solution) => write!(out, "{}", solution.cost(*objective))?,
                None => write!(out, "none")?,
            }
        }
    }
    write_statistics(&report.statistics, out)?;
    write!(out, " seconds={:.3} threads={}", report.elapsed.as_secs_f64(), report.threads)?;
    if *objective != Objective::default() {
        write!(out, " objective={objective}")?;
    }
    if let Ending::Optimal(solution) = ending {
        write_all_optimal(report.all, solution, out)?;
    }
    match ending {
        Ending::Unsolvable(why) => write!(out, " reason=\"{why}\"")?,
        Ending::Unsupported(why) => write!(out, " reason=\"{why}\"")?,
        Ending::Failed(failure) => {
            write!(out, " reason=\"{}\"", failure.reason.replace('"', "'"))?;
        }
        Ending::Optimal(_) | Ending::Limit { .. } => {}
    }
    if let Some(fault) = &report.disk_fault {
        write!(out, " reason=\"{}\"", fault.replace('"', "'"))?;
    }
    writeln!(out)?;
    if with_solution {
        match ending {
            Ending::Optimal(solution) => write_solution("SOLUTION", id, solution, out)?,
            Ending::Limit { best: Some(solution), .. } => {
                write_solution("BEST_FOUND", id, solution, out)?;
            }
            _ => {}
        }
    }
    // Whoever reads a pipe wants the line now, not when the next board is done.
    out.flush()
}

fn write_sum(summary: &Summary, out: &mut impl Write) -> io::Result<()> {
    write!(out, "SUMMARY")?;
    for (name, number) in summary.numbers() {
        write!(out, " {name}={number}")?;
    }
    writeln!(out)?;
    out.flush()
}

fn write_statistics(statistics: &Statistics, out: &mut impl Write) -> io::Result<()> {
    let Statistics {
        expanded,
        dominated,
        stale,
        attempts,
        generated,
        dead,
        reopened,
        transferred,
        filtered,
        states,
        levels,
        peak_bytes,
        spilled_bytes,
    } = statistics;
    write!(
        out,
        " expanded={expanded} generated={generated} attempts={attempts} states={states} \
         dominated={dominated} stale={stale} dead={dead} reopened={reopened} levels={levels} \
         peak_bytes={peak_bytes}"
    )?;
    // Only shards on several machines have anybody to send to.
    if transferred + filtered > 0 {
        write!(out, " transferred={transferred} filtered={filtered}")?;
    }
    if *spilled_bytes > 0 {
        write!(out, " spilled_bytes={spilled_bytes}")?;
    }
    Ok(())
}

/// What is known of the solution among all optimal ones and, where it was asked for, how many these are.
fn write_all_optimal(all: AllOptimal, solution: &Solution, out: &mut impl Write) -> io::Result<()> {
    write!(out, " tie={}", solution.tie)?;
    match solution.count {
        _ if !all.count => Ok(()),
        Some(u64::MAX) => write!(out, " solutions={}+", u64::MAX),
        Some(count) => write!(out, " solutions={count}"),
        None => write!(out, " solutions=unknown"),
    }
}

fn write_solution(
    word: &str,
    id: &str,
    Solution { moves, .. }: &Solution,
    out: &mut impl Write,
) -> io::Result<()> {
    write!(out, "{word} {id} moves={}", moves.len())?;
    if moves.is_empty() { writeln!(out) } else { writeln!(out, " {moves}") }
}

/// Writes what people read beside the results.
pub(super) fn write_messages(
    event: &Event<'_>,
    verbosity: Verbosity,
    out: &mut impl Write,
) -> io::Result<()> {
    match event {
        Event::Refused(refusal) => message(refusal, out),
        Event::Remarked(remark) if verbosity != Verbosity::Quiet => {
            writeln!(out, "note: {remark}")
        }
        Event::Noted(id, text) if verbosity != Verbosity::Quiet => {
            writeln!(out, "note: {id}: {text}")
        }
        Event::Skipped(boards) if verbosity != Verbosity::Quiet => {
            let boards = counted(*boards, "more board", "more boards");
            writeln!(out, "interrupted: {boards} not begun")
        }
        Event::Started(board, settings) if verbosity == Verbosity::Verbose => {
            writeln!(out, "{}: {}", board.id, board.describe(settings.rule))?;
            write_settings(&board.id, settings, out)
        }
        Event::Finished(report) => {
            if let Ending::Failed(failure) = &report.ending {
                message(&format_args!("{}: the cluster failed: {failure}", report.id), out)?;
            }
            if verbosity == Verbosity::Verbose { write_summary(report, out) } else { Ok(()) }
        }
        _ => Ok(()),
    }
}

/// Writes an error the way all of them are written.
pub(crate) fn message(error: &impl std::fmt::Display, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "error: {error}")
}

fn write_settings(id: &str, settings: &Settings, out: &mut impl Write) -> io::Result<()> {
    let Settings { objective, search, estimate, threads, memory, timeout, .. } = settings;
    write!(
        out,
        "{id}: fewest {objective}, search {search}, estimate {estimate}, {}",
        counted(*threads, "thread", "threads")
    )?;
    match *memory {
        u64::MAX => write!(out, ", no memory limit")?,
        bytes => write!(out, ", at most {}", Bytes(bytes))?,
    }
    if let Some(timeout) = timeout {
        write!(out, ", at most {} s", timeout.as_secs_f64())?;
    }
    if settings.expansions != u64::MAX {
        write!(out, ", at most {} expansions", settings.expansions)?;
    }
    if !settings.dominance {
        write!(out, ", without dominance")?;
    }
    if !settings.deadlocks {
        write!(out, ", without deadlock tests")?;
    }
    if let Some(width) = settings.entry_width {
        write!(out, ", entries of at least {width} bytes")?;
    }
    writeln!(out)
}

fn write_summary(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let Report { id, search, statistics, elapsed, .. } = report;
    let ((row, rows), (level, levels)) = match search {
        SearchChoice::Ida => (("state", "states"), ("iteration", "iterations")),
        _ => (("row", "rows"), ("level", "levels")),
    };
    writeln!(
        out,
        "{id}: {search} search, {} expanded, {} dominated, {} overtaken, over {}",
        counted_in_short(statistics.expanded, row, rows),
        Count(statistics.dominated),
        Count(statistics.stale),
        counted(statistics.levels as usize, level, levels),
    )?;
    writeln!(
        out,
        "{id}: {} on the table, {} generated, {} dead, {} reopened",
        counted_in_short(statistics.attempts, "attempt", "attempts"),
        Count(statistics.generated),
        Count(statistics.dead),
        Count(statistics.reopened),
    )?;
    writeln!(
        out,
        "{id}: {} stored in {:.3} s ({}/s), {} at most",
        counted_in_short(statistics.states, "state", "states"),
        elapsed.as_secs_f64(),
        Count(per_second(statistics.states, *elapsed)),
        Bytes(statistics.peak_bytes),
    )?;
    if statistics.spilled_bytes > 0 {
        writeln!(
            out,
            "{id}: {} of the open list written to disk",
            Bytes(statistics.spilled_bytes)
        )?;
    }
    report.cluster.as_ref().map_or(Ok(()), |cluster| write_cluster(report, cluster, out))
}

fn write_cluster(report: &Report, cluster: &Cluster, out: &mut impl Write) -> io::Result<()> {
    let (id, traffic) = (&report.id, &cluster.traffic);
    writeln!(
        out,
        "{id}: {}: {} sent in {}, {:.2} bytes a state, {:.3} sent a state \
         generated, {} dropped as duplicates before, fullest share {:.3} times the mean",
        counted(cluster.states.len(), "worker", "workers"),
        counted_in_short(traffic.states_sent, "state", "states"),
        counted_in_short(traffic.batches_sent, "batch", "batches"),
        ratio(traffic.bytes_sent, traffic.states_sent),
        ratio(traffic.states_sent, report.statistics.generated),
        Count(report.statistics.filtered),
        cluster.imbalance(),
    )
}
