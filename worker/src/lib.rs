//! A Sokohive cluster worker.
