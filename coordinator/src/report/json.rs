//! Results as JSON: one object a board, one line an object.

use std::io::{self, Write};

use serde::Serialize;
use sokohive_engine::{Objective, Solution, Statistics};

use crate::board::Refusal;
use crate::event::{Cluster, Ending, Event, Report};
use crate::outcome::Outcome;
use crate::summary::Summary;
use crate::units::ratio;

/// One line. Fields that do not apply to the ending are left out.
#[derive(Debug, Default, Serialize)]
struct Record<'a> {
    id: &'a str,
    ending: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Position of bad input in the file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    objective: Option<String>,
    /// The ends it was searched from.
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<String>,
    /// The proven optimum under the objective.
    #[serde(skip_serializing_if = "Option::is_none")]
    optimal: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pushes: Option<usize>,
    /// What is proven of the solution among all optimal ones: `fewest-pushes`, `fewest-moves` or `any`.
    #[serde(skip_serializing_if = "Option::is_none")]
    tie: Option<String>,
    /// Optimal solutions, 2^64 - 1 for so many or more; absent where unknown or not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    solutions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    solution: Option<String>,
    /// Proven: every solution costs at least this much.
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_bound: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    best_found: Option<Best>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// What can be done about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    statistics: Option<Counters>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<usize>,
    /// The worker for which a cluster failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    worker: Option<&'a str>,
    /// The level at which a cluster failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster: Option<Exchange<'a>>,
}

/// What the workers of a cluster exchanged.
#[derive(Debug, Serialize)]
struct Exchange<'a> {
    workers: usize,
    batches: u64,
    transferred: u64,
    bytes: u64,
    filtered: u64,
    repeated: u64,
    refused: u64,
    bytes_per_state: f64,
    transferred_per_generated: f64,
    max_over_mean: f64,
    states_per_worker: &'a [u64],
}

/// A solution that is not proven best; `null` where a limit came before any solution.
#[derive(Debug, Serialize)]
#[serde(transparent)]
struct Best(Option<BestFound>);

#[derive(Debug, Serialize)]
struct BestFound {
    cost: usize,
    moves: usize,
    pushes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    solution: Option<String>,
}

#[derive(Debug, Serialize)]
struct Counters {
    expanded: u64,
    dominated: u64,
    stale: u64,
    attempts: u64,
    generated: u64,
    dead: u64,
    reopened: u64,
    transferred: u64,
    filtered: u64,
    states: u64,
    levels: u64,
    peak_bytes: u64,
    spilled_bytes: u64,
}

/// The line that ends many boards.
#[derive(Debug, Serialize)]
struct Sum<'a> {
    summary: &'a Summary,
}

/// Writes the object of a board that is done or refused, or of all boards.
pub(super) fn write_results(
    event: &Event<'_>,
    with_solution: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    match event {
        Event::Finished(report) => {
            serde_json::to_writer(&mut *out, &finished(report, with_solution))?;
        }
        Event::Refused(refusal) => serde_json::to_writer(&mut *out, &refused(refusal))?,
        Event::Summed(summary) => serde_json::to_writer(&mut *out, &Sum { summary })?,
        Event::Started(..)
        | Event::Progress(..)
        | Event::Remarked(_)
        | Event::Noted(..)
        | Event::Skipped(_) => {
            return Ok(());
        }
    }
    writeln!(out)?;
    out.flush()
}

fn finished(report: &Report, with_solution: bool) -> Record<'_> {
    let mut record = Record {
        id: &report.id,
        ending: Outcome::from(&report.ending).word(),
        title: report.title.as_deref(),
        file: report.file.as_ref().map(|path| path.display().to_string()),
        rule: Some(report.rule.to_string()),
        objective: Some(report.objective.to_string()),
        search: Some(report.search.to_string()),
        statistics: Some(Counters::from(&report.statistics)),
        seconds: Some((report.elapsed.as_secs_f64() * 1e6).round() / 1e6),
        threads: Some(report.threads),
        cluster: report.cluster.as_ref().map(|cluster| Exchange::new(report, cluster)),
        ..Record::default()
    };
    match &report.ending {
        Ending::Optimal(solution) => {
            let Solution { moves, count, tie, .. } = solution;
            record.tie = Some(tie.to_string());
            record.solutions = count.filter(|_| report.all.count);
            record.optimal = Some(solution.cost(report.objective));
            record.moves = Some(moves.len());
            record.pushes = Some(moves.pushes());
            record.solution = with_solution.then(|| moves.to_string());
        }
        Ending::Unsolvable(why) => {
            record.reason = Some(why.clone());
        }
        Ending::Unsupported(why) => {
            record.reason = Some(why.clone());
        }
        Ending::Failed(failure) => {
            record.worker = failure.worker.as_deref();
            record.level = Some(failure.level);
            record.reason = Some(failure.reason.clone());
        }
        Ending::Limit { lower_bound, best, .. } => {
            record.reason = report.disk_fault.clone();
            record.lower_bound = Some(*lower_bound);
            let found = |solution| BestFound::new(solution, report.objective, with_solution);
            record.best_found = Some(Best(best.as_ref().map(found)));
        }
    }
    record
}

fn refused(refusal: &Refusal) -> Record<'_> {
    Record {
        id: &refusal.id,
        ending: Outcome::BadInput.word(),
        file: refusal.file.as_ref().map(|path| path.display().to_string()),
        line: refusal.line,
        column: refusal.column,
        reason: Some(refusal.reason.clone()),
        hint: refusal.hint,
        ..Record::default()
    }
}

impl<'a> Exchange<'a> {
    fn new(report: &Report, cluster: &'a Cluster) -> Self {
        let traffic = &cluster.traffic;
        let rounded = |value: f64| (value * 1e4).round() / 1e4;
        Self {
            workers: cluster.states.len(),
            batches: traffic.batches_sent,
            transferred: traffic.states_sent,
            bytes: traffic.bytes_sent,
            filtered: report.statistics.filtered,
            repeated: traffic.batches_repeated,
            refused: traffic.batches_refused,
            bytes_per_state: rounded(ratio(traffic.bytes_sent, traffic.states_sent)),
            transferred_per_generated: rounded(ratio(
                traffic.states_sent,
                report.statistics.generated,
            )),
            max_over_mean: rounded(cluster.imbalance()),
            states_per_worker: &cluster.states,
        }
    }
}

impl BestFound {
    fn new(solution: &Solution, objective: Objective, with_solution: bool) -> Self {
        let Solution { moves, .. } = solution;
        Self {
            cost: solution.cost(objective),
            moves: moves.len(),
            pushes: moves.pushes(),
            solution: with_solution.then(|| moves.to_string()),
        }
    }
}

impl From<&Statistics> for Counters {
    fn from(statistics: &Statistics) -> Self {
        let &Statistics {
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
        Self {
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
        }
    }
}
