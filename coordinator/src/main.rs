//! Entry point of the `sokohive` command.

fn main() {}
