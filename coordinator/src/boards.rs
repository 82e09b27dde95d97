//! `sokohive boards`: the built-in boards.

use std::io::{self, Write};

use serde::Serialize;
use sokohive_engine::builtin::{self, Builtin};

use crate::board::Census;
use crate::exit::{Exit, Failure};
use crate::report::Format;

/// How to list.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How to print the list
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What is said of a built-in board.
#[derive(Debug, Serialize)]
struct Row {
    id: &'static str,
    rule: String,
    rows: usize,
    columns: usize,
    boxes: usize,
    goals: usize,
    /// Fewest moves, proven.
    moves: u32,
    /// Fewest pushes, proven, where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pushes: Option<u32>,
}

impl From<&Builtin> for Row {
    fn from(builtin: &Builtin) -> Self {
        let level = &builtin.level;
        let Census { boxes, goals } = Census::of(level);
        Self {
            id: builtin.id,
            rule: level.rule().to_string(),
            rows: level.rows(),
            columns: level.columns(),
            boxes,
            goals,
            moves: builtin.moves,
            pushes: builtin.pushes,
        }
    }
}

/// Lists the boards on standard output.
pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let rows = builtin::all().iter().map(Row::from);
    let mut out = io::stdout().lock();
    match args.format {
        Format::Text => write_table(rows, &mut out)?,
        Format::Json => {
            for row in rows {
                serde_json::to_writer(&mut out, &row).map_err(io::Error::from)?;
                writeln!(out)?;
            }
        }
    }
    out.flush()?;
    Ok(Exit::Success)
}

fn write_table(rows: impl Iterator<Item = Row>, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "id      rule            size   boxes  goals  optimal moves  optimal pushes")?;
    for row in rows {
        let size = format!("{}x{}", row.rows, row.columns);
        let pushes = row.pushes.map_or_else(|| "-".to_owned(), |pushes| pushes.to_string());
        writeln!(
            out,
            "{:<7} {:<15} {size:<6} {:>5}  {:>5}  {:>13}  {pushes:>14}",
            row.id, row.rule, row.boxes, row.goals, row.moves
        )?;
    }
    Ok(())
}
