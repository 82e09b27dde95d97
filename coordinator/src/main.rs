//! Entry point of the `sokohive` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    sokohive::main(std::env::args_os())
}
