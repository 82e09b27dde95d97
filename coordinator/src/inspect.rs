//! `sokohive inspect`: a board as the search sees it, before any search.

use std::io::{self, Write};

use crate::board::{Board, Refusal};
use crate::exit::{Exit, Failure};
use crate::source::Boards;

/// Which boards.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    boards: Boards,
}

/// Shows each board on standard output.
pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let mut exit = Exit::Success;
    let mut out = io::stdout().lock();
    for board in args.boards.find().boards {
        match board {
            Ok(board) => write_board(&board, &mut out)?,
            Err(refusal) => {
                exit = exit.worst(Exit::BadInput);
                refuse(&refusal)?;
            }
        }
    }
    out.flush()?;
    Ok(exit)
}

fn refuse(refusal: &Refusal) -> io::Result<()> {
    crate::report::message(refusal, &mut io::stderr())
}

fn write_board(board: &Board, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}: {}", board.id, board.describe(board.level.rule()))
}
