//! The `sokohive` command.

pub mod cluster;
