//! The command line: which subcommands there are. Each one's flags stand beside its code.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

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
    #[command(mut_arg("checkpoint_every", |arg| arg.requires("checkpoint")))]
    #[command(mut_arg("give_up_after", |arg| arg.requires_all(["checkpoint", "workers"])))]
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

impl Cli {
    /// Reads the command line, the program's name first.
    ///
    /// # Errors
    ///
    /// If it is not one; and as clap has it, if it asks for help or the version.
    pub(crate) fn read(args: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let mut matches = command().try_get_matches_from(args).map_err(with_hint)?;
        if let Some(("solve", solve)) = matches.subcommand() {
            check_tls(solve)?;
        }
        Self::from_arg_matches_mut(&mut matches)
    }
}

/// Refuses flags of TLS where nothing goes over the network. Variables are for all commands alike.
fn check_tls(solve: &ArgMatches) -> Result<(), clap::Error> {
    let typed = |&id: &&str| solve.value_source(id) == Some(ValueSource::CommandLine);
    let Some(id) = ["tls_ca", "tls_cert", "tls_key", "tls_name"].into_iter().find(typed) else {
        return Ok(());
    };
    if solve.contains_id("workers") {
        return Ok(());
    }
    let flag = id.replace('_', "-");
    let problem = format!("--{flag} is for connections to workers, expected --workers with it");
    Err(command().error(ErrorKind::MissingRequiredArgument, problem))
}

/// Says of flags that `resume` has no use for where they come from.
fn with_hint(mut error: clap::Error) -> clap::Error {
    const KEPT: [&str; 7] = [
        "--rule",
        "--objective",
        "--search",
        "--estimate",
        "--entry-width",
        "--no-dominance",
        "--no-deadlock-tables",
    ];
    let is_kept = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(flag)) => KEPT.contains(&flag.as_str()),
        _ => false,
    };
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    if error.kind() == ErrorKind::UnknownArgument && is_kept && usage.contains("sokohive resume") {
        let hint = "rule, objective and the way of searching are those of the checkpoint";
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
    }
    error
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

    fn refused(words: &str) -> String {
        let args = words.split(' ').map(OsString::from);
        Cli::read(args).expect_err("it should be refused").to_string()
    }

    #[test]
    fn flags_that_would_do_nothing_are_refused() {
        for words in [
            "sokohive solve p1 --checkpoint-every 5s",
            "sokohive solve p1 --give-up-after 5s",
            "sokohive solve p1 --give-up-after 5s --checkpoint kept",
            "sokohive solve p1 --tls-name a",
            "sokohive solve p1 --tls-ca a --tls-cert b --tls-key c",
        ] {
            let flag = words.split(' ').find(|word| word.starts_with("--")).expect("there is one");
            let error = refused(words);
            assert!(error.contains("required") || error.contains(flag), "{words}: {error}");
        }
        for words in [
            "sokohive solve p1 --checkpoint kept --checkpoint-every 5s",
            "sokohive solve p1 --checkpoint kept --give-up-after 5s --workers a:1",
            "sokohive solve p1 --workers a:1 --tls-name a",
            "sokohive resume kept --checkpoint-every 5s --give-up-after 5s --tls-name a",
        ] {
            let read = Cli::read(words.split(' ').map(OsString::from));
            assert!(read.is_ok(), "{words}: {read:?}");
        }
    }

    #[test]
    fn what_the_checkpoint_says_is_no_flag_of_resume() {
        for flag in ["--objective", "--rule", "--no-dominance"] {
            let error = refused(&format!("sokohive resume kept {flag} pushes"));
            assert!(error.contains("are those of the checkpoint"), "{error}");
        }
        let error = refused("sokohive resume kept --nonsense");
        assert!(!error.contains("are those of the checkpoint"), "{error}");
        let error = refused("sokohive bench --objective pushes");
        assert!(!error.contains("are those of the checkpoint"), "{error}");
    }
}
