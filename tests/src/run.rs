//! Running `sokohive` and keeping what it said.

use std::io::Write;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::binary;

/// What one run of the command said.
#[derive(Clone, Debug)]
pub struct Run {
    /// The exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Wall time.
    pub elapsed: Duration,
}

/// `sokohive` with `args`, without input.
pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(binary("sokohive"));
    // A backtrace of the outer test run must not end up in the messages under test.
    command.args(args).stdin(Stdio::null()).env_remove("RUST_BACKTRACE");
    command
}

/// `sokohive` with `args`, where no file may get longer than so many blocks of 512 bytes: like a disk that is
/// full, but for this process alone. Blocks may be of 1,024 bytes, that is for the shell to say.
pub fn command_on_full_disk(blocks: u64, args: &[&str]) -> Command {
    let script = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).arg(binary("sokohive")).args(args);
    command.stdin(Stdio::null()).env_remove("RUST_BACKTRACE");
    command
}

/// Runs `sokohive` with `args` to its end.
///
/// # Panics
///
/// If it does not start.
pub fn run(args: &[&str]) -> Run {
    let start = Instant::now();
    let output = command(args).output().expect("sokohive starts");
    Run::new(&output, start.elapsed())
}

/// Runs `sokohive` with `args` and `input` on its standard input.
///
/// # Panics
///
/// If it does not start, or does not take the input.
pub fn run_with_input(args: &[&str], input: &[u8]) -> Run {
    let start = Instant::now();
    let mut child = command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("sokohive starts");
    child.stdin.take().expect("stdin is piped").write_all(input).expect("sokohive reads");
    let output = child.wait_with_output().expect("sokohive ends");
    Run::new(&output, start.elapsed())
}

/// Sends a signal such as `INT` to a child.
///
/// # Panics
///
/// If it cannot be sent.
pub fn signal(child: &Child, name: &str) {
    let kill = format!("kill -{name} {}", child.id());
    let status = Command::new("sh").args(["-c", &kill]).status().expect("sh starts");
    assert!(status.success(), "{kill}");
}

impl Run {
    /// What a finished process left.
    ///
    /// # Panics
    ///
    /// If it wrote something else than UTF-8.
    pub fn new(output: &Output, elapsed: Duration) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
        Self {
            code: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
            elapsed,
        }
    }

    /// The value of the first `name=value` word on standard output.
    ///
    /// # Panics
    ///
    /// If there is none.
    #[track_caller]
    pub fn value(&self, name: &str) -> &str {
        self.stdout
            .split_whitespace()
            .find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
            .unwrap_or_else(|| panic!("no {name}= in {self:?}"))
    }

    /// The first line of standard output that starts with `word`.
    ///
    /// # Panics
    ///
    /// If there is none.
    #[track_caller]
    pub fn line(&self, word: &str) -> &str {
        let starts = |line: &&str| line.split(' ').next() == Some(word);
        self.stdout.lines().find(starts).unwrap_or_else(|| panic!("no {word} line in {self:?}"))
    }

    /// Checks the exit code, and shows everything if it is another one.
    ///
    /// # Panics
    ///
    /// If it is another one.
    #[track_caller]
    pub fn expect(self, code: u8) -> Self {
        assert_eq!(self.code, Some(i32::from(code)), "{self:#?}");
        self
    }
}
