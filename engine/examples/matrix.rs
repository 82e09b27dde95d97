//! Searches built-in boards in many ways, one line each, and fails if an optimum is wrong.
//!
//! `cargo run --release -p sokohive-engine --example matrix -- [--full] [--dominance on|off|both] [ID]...`
//!
//! For every search and 1, 2 and 8 threads: the usual options, and each option changed alone. With `--full` all
//! combinations. Boards that take long are not searched without dominance unless asked for. Without an id all boards
//! but `p15` are searched.

use std::process::ExitCode;
use std::time::Instant;

use sokohive_engine::builtin::{self, Builtin};

#[path = "../tests/options/mod.rs"]
mod options;

use options::{Options, SEARCHES, WIDTHS, check};

fn main() -> ExitCode {
    let mut full = false;
    let mut dominance = None;
    let mut ids = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--full" => full = true,
            "--dominance" => dominance = arguments.next(),
            id => ids.push(id.to_owned()),
        }
    }
    let dominance: Option<&[bool]> = match dominance.as_deref() {
        None => None,
        Some("on") => Some(&[true]),
        Some("off") => Some(&[false]),
        Some("both") => Some(&[true, false]),
        Some(word) => {
            eprintln!("found '{word}' after --dominance, expected on, off or both");
            return ExitCode::from(2);
        }
    };
    if ids.is_empty() {
        ids.extend(builtin::all().iter().map(|board| board.id.to_owned()));
        ids.retain(|id| id != "p15");
    }
    let mut wrong = 0;
    for id in &ids {
        let Some(board) = builtin::find(id) else {
            eprintln!("there is no built-in board '{id}'");
            return ExitCode::from(2);
        };
        let usual: &[bool] = if id == "p15" { &[true] } else { &[true, false] };
        for way in ways(full, dominance.unwrap_or(usual)) {
            wrong += u32::from(!holds(board, &way));
        }
    }
    println!("{wrong} wrong");
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The combinations to try.
fn ways(full: bool, dominances: &[bool]) -> Vec<Options> {
    let mut ways = Vec::new();
    for (search, estimate) in SEARCHES {
        for threads in [1, 2, 8] {
            for &dominance in dominances {
                for deadlocks in [true, false] {
                    for width in WIDTHS {
                        for table in [None, Some(1)] {
                            // Of the flags, the forced width and the tiny table.
                            let changed = [!deadlocks, width.is_some(), table.is_some()];
                            if full || changed.into_iter().filter(|&changed| changed).count() <= 1 {
                                ways.push(Options {
                                    search,
                                    estimate,
                                    dominance,
                                    deadlocks,
                                    width,
                                    threads,
                                    table,
                                    scout: threads == 2,
                                });
                            }
                        }
                    }
                }
            }
        }
    }
    ways
}

fn holds(board: &Builtin, way: &Options) -> bool {
    let rule = board.level.rule();
    let start = Instant::now();
    let outcome = way.solver(&board.level, rule).solve();
    let seconds = start.elapsed().as_secs_f64();
    let statistics = outcome.statistics;
    let verdict = match check(&outcome, &board.level, rule, Some(board.moves)) {
        Ok(()) => format!("ok {}", board.moves),
        Err(fault) => format!("WRONG {fault}"),
    };
    println!(
        "{} {verdict}: {way}: {seconds:.2} s, expanded {}, attempts {}, states {}, {} MB",
        board.id,
        statistics.expanded,
        statistics.attempts,
        statistics.states,
        statistics.peak_bytes >> 20
    );
    verdict.starts_with("ok")
}
