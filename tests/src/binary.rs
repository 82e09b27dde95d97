//! The workspace's binaries, up to date and of the same profile as the tests.

use std::collections::HashMap;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// Where each binary of the workspace is; building is left to cargo, which knows what is stale.
static BINARIES: LazyLock<HashMap<String, PathBuf>> = LazyLock::new(build);

/// The path of the workspace's binary `name`.
///
/// # Panics
///
/// If the workspace does not build or has no such binary: the test cannot go on.
pub fn binary(name: &str) -> &'static Path {
    BINARIES.get(name).unwrap_or_else(|| panic!("the workspace has no binary {name}"))
}

fn build() -> HashMap<String, PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // With the tests, as `cargo test --workspace` builds them: their dependencies turn on features of
    // others, and without them nearly everything would be built again.
    let mut command = Command::new(cargo);
    // What cargo tells a test about its package would reach build scripts, and those that look at it run
    // again; what depends on them is built anew.
    let of_package = |name: &OsStr| {
        let name = name.to_string_lossy();
        ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"].iter().any(|kind| name.starts_with(kind))
    };
    for (name, _) in env::vars_os().filter(|(name, _)| of_package(name)) {
        command.env_remove(name);
    }
    let output = command
        .args([
            "build",
            "--workspace",
            "--bins",
            "--tests",
            "--message-format=json-render-diagnostics",
        ])
        .args(profile())
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "the binaries do not build");
    let text = String::from_utf8(output.stdout).expect("cargo speaks UTF-8");
    let executables = text.lines().filter_map(executable);
    executables.collect()
}

/// Name and path in one of cargo's messages, if it is about a binary. Its own tests have its name too.
fn executable(message: &str) -> Option<(String, PathBuf)> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    if message["profile"]["test"] != false {
        return None;
    }
    let path = PathBuf::from(message["executable"].as_str()?);
    Some((message["target"]["name"].as_str()?.to_owned(), path))
}

/// Cargo's flags for the profile that this test was built with: it runs in `target/<profile>/deps`.
fn profile() -> Vec<String> {
    let test = env::current_exe().expect("the test knows its own path");
    let folder = test.ancestors().nth(2).and_then(Path::file_name).and_then(OsStr::to_str);
    match folder {
        Some("debug") | None => Vec::new(),
        Some(profile) => vec!["--profile".to_owned(), profile.to_owned()],
    }
}
