//! The command line: which subcommands there are. Each one's flags stand beside its code.

use clap::{CommandFactory, Parser, Subcommand};

use crate::{bench, boards, completions, inspect, remote, resume, solve, verify};

const EXIT_CODES: &str = "\
Exit codes:
   0  done; every board solved is proven optimal
   1  a board is proven unsolvable; verify: the moves do not solve the board
   2  bad usage, bad input, or an unsupported board; serve: it cannot listen there, or not read its folder
   3  a limit came first (time, memory, expansions), or an interrupt
   4  the cluster failed
  70  an internal error: a bug
  74  the results could not be written
Of several boards the worst decides: 70, 74, 4, 2, 3, 1, 0 in this order.";

/// Proves the shortest solution of Sokoban boards.
#[derive(Debug, Parser)]
#[command(name = "sokohive", version, about, after_help = EXIT_CODES)]
#[command(arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Prove the shortest solution of boards
    Solve(solve::Args),
    /// Go on from a checkpoint
    Resume(resume::Args),
    /// List the built-in boards
    Boards(boards::Args),
    /// Show what the search knows of boards before it starts
    Inspect(inspect::Args),
    /// Replay a solution, step by step
    Verify(verify::Args),
    /// Time the search on fixed boards
    Bench(bench::Args),
    /// Print a completion script for a shell
    Completions(completions::Args),
    /// Run a coordinator: workers register with it, clients give it jobs
    Serve(remote::ServeArgs),
    /// Give boards to a coordinator
    #[command(mut_arg("threads", |arg| arg.hide(true)))]
    #[command(mut_arg("spill_dir", |arg| arg.hide(true)))]
    #[command(mut_arg("spill_limit", |arg| arg.hide(true)))]
    #[command(mut_arg("entry_width", |arg| arg.hide(true)))]
    #[command(mut_arg("memory", |arg| arg.help(remote::MEMORY)))]
    #[command(mut_arg("timeout", |arg| arg.help(remote::TIMEOUT)))]
    Submit(remote::SubmitArgs),
    /// Follow a coordinator's job to its end, and print its result
    Watch(remote::WatchArgs),
    /// Take a coordinator's job off the queue, or interrupt it
    Cancel(remote::CancelArgs),
    /// List a coordinator's workers and jobs
    Status(remote::StatusArgs),
}

/// The whole command line as clap knows it, for completions and for checking manifests against it.
pub fn command() -> clap::Command {
    Cli::command()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        command().debug_assert();
    }
}
