//! Workers and coordinators as processes of their own.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Scratch, binary, signal};

/// A worker or a coordinator on a free port of this machine; killed when dropped.
#[derive(Debug)]
pub struct Server {
    child: Child,
    address: String,
    metrics: Option<String>,
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
        let mut stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let mut place = |what: &str| {
            let mut line = String::new();
            stdout.read_line(&mut line).expect("the server says where it listens");
            let place = line.trim().strip_prefix(what);
            place.unwrap_or_else(|| panic!("no address in {line:?}")).to_owned()
        };
        let address = place("listening on ");
        let has_metrics = command.get_args().any(|arg| arg == "--metrics");
        let metrics = has_metrics.then(|| place("metrics on "));
        Self { child, address, metrics, _scratch: scratch }
    }

    /// Host and port.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The answer to a request for a path at the port of `--metrics`: status code, and body.
    ///
    /// # Panics
    ///
    /// If it has no such port, or does not answer.
    pub fn get(&self, path: &str) -> (u16, String) {
        let metrics = self.metrics.as_ref().expect("started with --metrics");
        let mut stream = TcpStream::connect(metrics).expect("it listens for --metrics");
        let request = format!("GET {path} HTTP/1.1\r\nHost: {metrics}\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("it takes a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers in UTF-8");
        let code = answer.split(' ').nth(1).and_then(|code| code.parse().ok());
        let (_, body) = answer.split_once("\r\n\r\n").expect("headers have an end");
        (code.expect("an answer has a code"), body.to_owned())
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
