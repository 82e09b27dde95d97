//! `sokohive verify`: replays a solution step by step.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

use sokohive_engine::{Moves, MovesError, Replay, Rule, verify};

use crate::board::Board;
use crate::exit::{Exit, Failure};
use crate::source::Reading;

/// What to replay on which board.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A built-in id, a file, or - for standard input
    #[arg(value_name = "BOARD")]
    board: String,
    /// The moves (udlr walk, UDLR push, 3r is rrr), a file that holds them, or - for standard input
    ///
    /// A file may be the output of `sokohive solve --solution`: the SOLUTION line of the board is
    /// taken, other lines are passed over.
    #[arg(value_name = "SOLUTION")]
    solution: String,
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
    let text = read_solution(&args.solution)
        .map_err(|error| Failure::Usage(format!("{}: {error}", args.solution)))?;
    let moves: Moves = pick(&board, &text)?
        .parse()
        .map_err(|error: MovesError| Failure::Usage(format!("not a move string: {error}")))?;
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

/// The word itself, or what the file or standard input it names holds.
fn read_solution(word: &str) -> io::Result<String> {
    if word == "-" {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text)?;
        Ok(text)
    } else if Path::new(word).is_file() {
        fs::read_to_string(word)
    } else {
        Ok(word.to_owned())
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
