//! The `sokohive` command.
//!
//! # Layout
//!
//! `cli` names the subcommands; each stands in a file of its own (`solve`, `boards`, `inspect`,
//! `verify`, `bench`, `completions`) with its flags beside its code. `source` finds the boards,
//! `local` runs one search in this process with `watch` beside it, and what happens becomes an
//! `event` that `report` turns into text, JSON and progress. `exit` says how it all ended.
//! `record` keeps files of results.
//!
//! [`checkpoint`] is what is written down of a search. [`cluster`] runs a search on workers; `remote` has the commands for that (`serve`, `submit`,
//! `watch`, `cancel`, `status`) and the counterpart of `local`.
//!
//! ```
//! let words = ["sokohive", "solve", "p15", "--timeout", "10s"];
//! assert!(sokohive::command().try_get_matches_from(words).is_ok());
//! ```

mod bench;
mod board;
mod boards;
pub mod checkpoint;
mod cli;
pub mod cluster;
mod completions;
mod event;
pub mod exit;
mod inspect;
mod interrupt;
mod keep;
mod local;
mod outcome;
mod record;
mod remote;
mod report;
mod resume;
mod solve;
mod source;
mod summary;
mod units;
mod verify;
mod watch;

use std::ffi::OsString;
use std::io;
use std::panic;
use std::process::ExitCode;

pub use cli::command;
use cli::{Cli, Command};
use exit::{Exit, Failure};

/// Runs the command line `args`, the program's name first, and says how the process should end.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::read(args) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to standard output, usage errors to standard error.
            let code = if error.use_stderr() { Exit::BadInput } else { Exit::Success };
            return match error.print() {
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Exit::OutputFailed,
                _ => code,
            }
            .into();
        }
    };
    // Without a handler such a limit ends the process, as it would have without this.
    let _ = interrupt::outlive_file_size_limits();
    // The panic's own message has been printed when this returns.
    match panic::catch_unwind(|| run(&cli.command)) {
        Ok(Ok(exit)) => exit,
        Ok(Err(failure)) => failed(&failure),
        Err(_) => Exit::Internal,
    }
    .into()
}

fn run(command: &Command) -> Result<Exit, Failure> {
    match command {
        Command::Solve(args) => solve::run(args),
        Command::Resume(args) => resume::run(args),
        Command::Boards(args) => boards::run(args),
        Command::Inspect(args) => inspect::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Completions(args) => completions::run(args),
        Command::Serve(args) => remote::serve(args),
        Command::Submit(args) => remote::submit(args),
        Command::Watch(args) => remote::watch(args),
        Command::Cancel(args) => remote::cancel(args),
        Command::Status(args) => remote::status(args),
    }
}

/// Says on standard error why the command could not do its work.
fn failed(failure: &Failure) -> Exit {
    if !failure.is_broken_pipe() {
        // Where nobody can be told, the exit code has to do.
        let _ = report::message(failure, &mut io::stderr());
    }
    failure.exit()
}
