//! Workers and coordinators as processes of their own.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Scratch, binary, signal};

/// A worker or a coordinator on a free port of this machine; killed when dropped.
#[derive(Debug)]
pub struct Server {
    child: Child,
    address: String,
    metrics: Option<String>,
    program: &'static str,
    /// All but where it listens.
    args: Vec<OsString>,
    /// Its data, where it has a folder of its own.
    scratch: Option<Scratch>,
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
        let data = scratch.path().as_os_str().to_owned();
        let mut server = Self::worker_with(address, &data, args);
        server.scratch = Some(scratch);
        server
    }

    /// Starts a worker at an address with this folder for its data.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn worker_with(address: &str, data: &OsStr, args: &[&str]) -> Self {
        let mut all: Vec<OsString> = ["--threads", "1", "--data-dir"].map(Into::into).to_vec();
        all.push(data.to_owned());
        all.extend(args.iter().map(Into::into));
        Self::start("sokohive-worker", address, all)
    }

    /// Starts a coordinator with these arguments.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn coordinator(args: &[&str]) -> Self {
        Self::start("sokohive", "127.0.0.1:0", args.iter().map(Into::into).collect())
    }

    fn start(program: &'static str, address: &str, args: Vec<OsString>) -> Self {
        let (child, address, metrics) = spawn(program, address, &args);
        Self { child, address, metrics, program, args, scratch: None }
    }

    /// Starts it again where it was, with the data that it has left.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn restart(&mut self) {
        self.kill();
        (self.child, self.address, self.metrics) = spawn(self.program, &self.address, &self.args);
    }

    /// Its folder, if it is its own.
    pub fn data(&self) -> Option<&Path> {
        self.scratch.as_ref().map(Scratch::path)
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

/// Starts a server; where it listens goes with it, and where it shows figures.
fn spawn(program: &str, address: &str, args: &[OsString]) -> (Child, String, Option<String>) {
    let mut command = Command::new(binary(program));
    if program == "sokohive" {
        command.arg("serve");
    }
    let mut child = command
        .args(["--listen", address])
        .args(args)
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
    let metrics = args.iter().any(|arg| arg == "--metrics").then(|| place("metrics on "));
    (child, address, metrics)
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
