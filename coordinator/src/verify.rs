//! `sokohive verify`: replays a solution step by step.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};

use clap::ValueHint;
use sokohive_engine::{Moves, MovesError, Replay, Rule, verify};

use crate::board::Board;
use crate::exit::{Exit, Failure};
use crate::source::Reading;

/// What to replay on which board.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A built-in id, a file, or - for standard input
    #[arg(value_name = "BOARD", value_hint = ValueHint::FilePath)]
    board: OsString,
    /// The moves (udlr walk, UDLR push, 3r is rrr), a file that holds them, or - for standard input
    ///
    /// A file may be the output of `sokohive solve --solution`: the SOLUTION line of the board is
    /// taken, other lines are passed over.
    #[arg(value_name = "SOLUTION", value_hint = ValueHint::FilePath)]
    solution: OsString,
    /// When the board is solved [default: keeper-on-goal for digit boards, classic for XSB]
    #[arg(long)]
    rule: Option<Rule>,
    #[command(flatten)]
    reading: Reading,
}

/// Says whether the moves solve the board, and if not, at which step they fail.
pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    if args.board == "-" && args.solution == "-" {
        let both = "the board and the solution cannot both come from standard input";
        return Err(Failure::Usage(both.to_owned()));
    }
    let board = args.reading.find_one(&args.board).map_err(Failure::Refused)?;
    let (text, typed) = read_solution(&args.solution).map_err(|error| {
        let error = match error.kind() {
            io::ErrorKind::InvalidData => "not text".to_owned(),
            _ => error.to_string(),
        };
        Failure::Usage(format!("{}: {error}", args.solution.to_string_lossy()))
    })?;
    let moves: Moves = pick(&board, &text)?.parse().map_err(|error: MovesError| {
        let hint = if typed { "\n  hint: nor is there a file of that name" } else { "" };
        Failure::Usage(format!("not a move string: {error}{hint}"))
    })?;
    let rule = args.rule.unwrap_or_else(|| board.level.rule());
    let mut out = io::stdout().lock();
    let exit = match verify(&board.level, rule, &moves) {
        Ok(replay) => {
            let Replay { moves, pushes, .. } = replay;
            writeln!(out, "VERIFY {} ok moves={moves} pushes={pushes} rule={rule}", board.id)?;
            Exit::Success
        }
        Err(fault) => {
            writeln!(out, "VERIFY {} wrong rule={rule} reason=\"{fault}\"", board.id)?;
            Exit::Unsolvable
        }
    };
    out.flush()?;
    Ok(exit)
}

/// What the file or standard input that the word names holds, or else the word itself; the second value says that it
/// is the word.
fn read_solution(word: &OsStr) -> io::Result<(String, bool)> {
    if word == "-" {
        return Ok((io::read_to_string(io::stdin())?, false));
    }
    match fs::metadata(word) {
        // A pipe is as good as a file.
        Ok(metadata) if !metadata.is_dir() => Ok((fs::read_to_string(word)?, false)),
        _ => Ok((word.to_string_lossy().into_owned(), true)),
    }
}

/// The moves in `text`: in the output of `solve`, those of the board's line, else all of it.
fn pick<'a>(board: &Board, text: &'a str) -> Result<&'a str, Failure> {
    let of_board = |line: &'a str| {
        let mut words = line.split_whitespace();
        let word = words.next()?;
        let mine = matches!(word, "SOLUTION" | "BEST_FOUND") && words.next()? == board.id;
        // After the count there may be no moves at all, on a board that is solved at the start.
        (mine && words.next()?.starts_with("moves=")).then(|| words.next().unwrap_or(""))
    };
    match text.lines().find_map(of_board) {
        Some(moves) => Ok(moves),
        None if text.trim_start().starts_with("RESULT ") => {
            let id = &board.id;
            Err(Failure::Usage(format!("found results, but no SOLUTION line for {id}")))
        }
        None => Ok(text),
    }
}
