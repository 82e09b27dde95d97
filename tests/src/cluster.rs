//! Workers and coordinators as processes of their own.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Scratch, binary, signal};

/// A worker or a coordinator on a free port of this machine; killed when dropped.
#[derive(Debug)]
pub struct Server {
    child: Child,
    address: String,
    /// Its data, where it has any.
    _scratch: Option<Scratch>,
}

impl Server {
    /// Starts a worker with one thread and these further arguments.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn worker(args: &[&str]) -> Self {
        Self::worker_at("127.0.0.1:0", args)
    }

    /// Starts a worker at an address.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn worker_at(address: &str, args: &[&str]) -> Self {
        let scratch = Scratch::new();
        let mut command = Command::new(binary("sokohive-worker"));
        command.args(["--listen", address, "--threads", "1"]).arg("--data-dir");
        command.arg(scratch.path()).args(args);
        Self::start(command, Some(scratch))
    }

    /// Starts a coordinator with these arguments.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn coordinator(args: &[&str]) -> Self {
        let mut command = Command::new(binary("sokohive"));
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(args);
        Self::start(command, None)
    }

    fn start(mut command: Command, scratch: Option<Scratch>) -> Self {
        let mut child = command
            .env("SOKOHIVE_LOG", "warn")
            .env_remove("RUST_BACKTRACE")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("stdout is piped");
        BufReader::new(stdout).read_line(&mut line).expect("the server says where it listens");
        let address = line.trim().strip_prefix("listening on ");
        let address = address.unwrap_or_else(|| panic!("no address in {line:?}")).to_owned();
        Self { child, address, _scratch: scratch }
    }

    /// Host and port.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Sends a signal such as `STOP`.
    pub fn signal(&self, name: &str) {
        signal(&self.child, name);
    }

    /// Ends it without a warning.
    ///
    /// # Panics
    ///
    /// If it cannot be waited for.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        self.child.wait().expect("a killed process ends");
    }

    /// Waits until it has ended by itself; its exit code.
    ///
    /// # Panics
    ///
    /// If that takes longer than it may.
    pub fn wait(&mut self, longest: Duration) -> Option<i32> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                return status.code();
            }
            assert!(start.elapsed() < longest, "still runs after {longest:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts workers that are all alike.
pub fn workers(count: usize, args: &[&str]) -> Vec<Server> {
    (0..count).map(|_| Server::worker(args)).collect()
}

/// The value of `--workers` for these.
pub fn list(workers: &[Server]) -> String {
    workers.iter().map(Server::address).collect::<Vec<_>>().join(",")
}
