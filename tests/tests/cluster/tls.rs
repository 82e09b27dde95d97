//! The real commands with the certificates that `deploy/certificates.sh` makes.

use std::process::{Command, Stdio};

use sokohive::exit;
use sokohive_tests::cluster::Server;
use sokohive_tests::{Run, Scratch, binary, command, run};

/// Certificates and a token, in a folder of their own.
struct Secrets(Scratch);

impl Secrets {
    /// `None`, said so, where there is no openssl.
    fn new() -> Option<Self> {
        let scratch = Scratch::new();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/certificates.sh");
        if Command::new("openssl").arg("version").stdout(Stdio::null()).status().is_err() {
            println!("skipped: openssl cannot be run");
            return None;
        }
        let status = Command::new(script).arg(scratch.path()).status().expect("the script runs");
        assert!(status.success());
        // A second run changes nothing.
        let ca = std::fs::read(scratch.path().join("ca.pem")).unwrap();
        assert!(Command::new(script).arg(scratch.path()).status().unwrap().success());
        assert_eq!(std::fs::read(scratch.path().join("ca.pem")).unwrap(), ca);
        Some(Self(scratch))
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// The flags of TLS for a certificate, and of the token.
    fn flags(&self, name: &str) -> Vec<String> {
        let files = ["ca.pem".to_owned(), format!("{name}.pem"), format!("{name}.key")];
        let flags = ["--tls-ca", "--tls-cert", "--tls-key"].map(str::to_owned);
        flags.into_iter().zip(files).flat_map(|(flag, file)| [flag, self.path(&file)]).collect()
    }

    fn token(&self) -> Vec<String> {
        vec!["--job-token-file".to_owned(), self.path("job-token")]
    }
}

fn strs(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

fn probe(address: &str, flags: &[String]) -> Run {
    let start = std::time::Instant::now();
    let mut command = Command::new(binary("sokohive-worker"));
    let output = command.args(["--probe", address]).args(flags).output().expect("it starts");
    Run::new(&output, start.elapsed())
}

#[test]
fn workers_and_their_client_know_each_other() {
    let Some(secrets) = Secrets::new() else { return };
    let own = secrets.flags("worker");
    let workers = [Server::worker(&strs(&own)), Server::worker(&strs(&own))];
    let list = workers.each_ref().map(Server::address).join(",");
    let mut args = vec!["solve", "p1", "--workers", list.as_str()];
    let client = secrets.flags("client");
    args.extend(strs(&client));
    let answer = run(&args).expect(exit::SUCCESS);
    assert_eq!(answer.value("threads"), "2");
    // With checkpoints there are calls of other kinds, to look who is there and to clean up.
    let folder = secrets.path("checkpoint");
    let mut args = vec!["solve", "p2", "--workers", list.as_str(), "--checkpoint", &folder];
    args.extend(strs(&client));
    run(&args).expect(exit::SUCCESS);
    for worker in &workers {
        let kept = worker.data().expect("it has a folder").join("journal");
        let left = std::fs::read_dir(kept).map_or(0, Iterator::count);
        assert_eq!(left, 0, "the workers were told to clean up");
    }
    assert_eq!(probe(workers[0].address(), &client).code, Some(0));
    let refused = probe(workers[0].address(), &[]);
    assert_eq!(refused.code, Some(1));
    // By who is faster to close.
    let says = ["does not speak without TLS", "perhaps it wants TLS"];
    assert!(says.iter().any(|words| refused.stderr.contains(words)), "{refused:?}");
}

#[test]
fn forgotten_certificates_end_a_search_and_leave_its_checkpoint() {
    let Some(secrets) = Secrets::new() else { return };
    let worker = Server::worker(&strs(&secrets.flags("worker")));
    let (folder, client) = (secrets.path("kept"), secrets.flags("client"));
    let mut args = vec!["solve", "level1", "--workers", worker.address(), "--checkpoint", &folder];
    args.extend(["--max-expansions", "50000", "--quiet"]);
    args.extend(strs(&client));
    run(&args).expect(exit::LIMIT);
    let refused = run(&["resume", &folder, "--quiet"]).expect(exit::CLUSTER_FAILED);
    assert_eq!(refused.value("worker"), worker.address(), "{refused:?}");
    assert!(refused.stderr.contains("the other side does not speak without TLS"), "{refused:?}");
    assert!(!refused.stdout.contains("no answer for"), "{refused:?}");
    let mut args = vec!["resume", &folder, "--max-expansions", "0", "--quiet"];
    args.extend(strs(&client));
    run(&args).expect(exit::LIMIT);
}

#[test]
fn a_client_cannot_pass_for_a_server() {
    let Some(secrets) = Secrets::new() else { return };
    let worker = Server::worker(&strs(&secrets.flags("client")));
    let mut flags = secrets.flags("coordinator");
    flags.extend(["--tls-name".to_owned(), "sokohive".to_owned()]);
    let refused = probe(worker.address(), &flags);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("certificate is not accepted here"), "{refused:?}");
}

#[test]
fn jobs_take_a_certificate_and_a_token() {
    let Some(secrets) = Secrets::new() else { return };
    let (token, mut own) = (secrets.token(), secrets.flags("coordinator"));
    own.extend(token.clone());
    let coordinator = Server::coordinator(&strs(&own));
    let to = ["--coordinator".to_owned(), coordinator.address().to_owned()];
    let mut own = secrets.flags("worker");
    own.extend(to.iter().chain(&token).cloned());
    let _worker = Server::worker(&strs(&own));
    let mut client = secrets.flags("client");
    client.extend(to.iter().cloned());
    let with = |words: &[&str], more: &[String]| {
        let mut args = words.to_vec();
        args.extend(strs(&client));
        args.extend(strs(more));
        run(&args)
    };
    with(&["submit", "p1", "--watch"], &token).expect(exit::SUCCESS);
    for words in [&["submit", "p1"][..], &["watch", "1"], &["cancel", "1"], &["status"]] {
        let refused = with(words, &[]).expect(exit::BAD_INPUT);
        assert!(refused.stderr.contains("refused: a job token is missing"), "{refused:?}");
    }
    let other = secrets.0.file("other", "another-token-of-this-test");
    let refused = with(&["status"], &["--job-token-file".to_owned(), other]);
    assert!(refused.expect(exit::BAD_INPUT).stderr.contains("the job token is another one"));
    // By a variable.
    let secret = std::fs::read_to_string(secrets.path("job-token")).unwrap();
    let mut args = vec!["status"];
    args.extend(strs(&client));
    let output = command(&args).env("SOKOHIVE_JOB_TOKEN", secret).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn flags_that_do_not_go_together_are_told() {
    let run = run(&["status", "--tls-ca", "ca.pem"]).expect(exit::BAD_INPUT);
    assert!(run.stderr.contains("missing --tls-cert and --tls-key"), "{run:?}");
    let scratch = Scratch::new();
    let file = scratch.file("ca.pem", "hello");
    let args = ["status", "--tls-ca", &file, "--tls-cert", &file, "--tls-key", &file];
    let run = sokohive_tests::run(&args).expect(exit::BAD_INPUT);
    assert!(run.stderr.contains("--tls-ca") && run.stderr.contains("ca.pem: found"), "{run:?}");
    // A worker says the same, once, and before it says where it listens.
    let start = std::time::Instant::now();
    let output = Command::new(binary("sokohive-worker"))
        .args(["--listen", "127.0.0.1:0", "--job-token-file", "/nowhere/token"])
        .output()
        .expect("it starts");
    let worker = Run::new(&output, start.elapsed()).expect(exit::BAD_INPUT);
    assert!(worker.stdout.is_empty(), "{worker:?}");
    assert_eq!(worker.stderr.matches("/nowhere/token").count(), 1, "{worker:?}");
    assert_eq!(worker.stderr.matches("No such file").count(), 1, "{worker:?}");
    let short = scratch.file("token", "short");
    let run = sokohive_tests::run(&["status", "--job-token-file", &short]);
    let run = run.expect(exit::BAD_INPUT);
    assert!(run.stderr.contains("a token of 5 characters, expected 16 to 1024"), "{run:?}");
    let nowhere = sokohive_tests::run(&["status", "--job-token-file", "/nowhere/token"]);
    assert!(nowhere.expect(exit::BAD_INPUT).stderr.contains("--job-token-file /nowhere/token: "));
}
