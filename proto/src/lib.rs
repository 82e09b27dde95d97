//! The wire format of Sokohive.
