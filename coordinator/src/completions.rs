//! `sokohive completions`: completion scripts, derived from the command line itself.

use std::io::{self, Write};

use clap_complete::Shell;

use crate::cli;
use crate::exit::{Exit, Failure};

/// Which shell.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell to complete in.
    shell: Shell,
}

/// Writes the script on standard output.
pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut cli::command(), "sokohive", &mut script);
    io::stdout().write_all(&script)?;
    Ok(Exit::Success)
}
