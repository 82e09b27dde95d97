//! The `sokohive` command.
