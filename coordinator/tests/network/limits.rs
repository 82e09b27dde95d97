//! What there is too much of, and what a peer names that must stay a name.

use std::fs;
use std::path::Path;
use std::time::Duration;

use sokohive_engine::{EstimateChoice, Objective, Rule, SearchChoice};
use sokohive_proto::wire::coordinator_client::CoordinatorClient;
use sokohive_proto::{
    AllOptimal, CoordinatorCalls, JobKey, Owners, PROTOCOL, Quantity, Refusal, Security,
    Submission, Task, control_client, coordinator_client, endpoint, wire,
};
use tonic::Code;

use crate::authority::Authority;
use crate::coordinator::Coordinator;
use crate::fixture::Worker;

const TINY: &str = "#####\n#@$.#\n#####\n";

fn submission(name: &str, board: &str) -> Submission {
    let task = Task {
        board: board.to_owned(),
        edge_is_wall: false,
        rule: Rule::Classic,
        objective: Objective::Moves,
        search: SearchChoice::Auto,
        estimate: EstimateChoice::Auto,
        dominance: true,
        deadlock_tables: true,
        memory: None,
        all: AllOptimal::default(),
    };
    let (timeout, expansions) = (None, None);
    Submission { key: JobKey::random(), name: name.to_owned(), task, timeout, expansions }
}

async fn client(
    coordinator: &Coordinator,
    security: &Security,
) -> CoordinatorClient<CoordinatorCalls> {
    let channel = security.endpoint(&coordinator.address).unwrap().connect().await.unwrap();
    coordinator_client(channel, None)
}

async fn submit(
    client: &mut CoordinatorClient<CoordinatorCalls>,
    name: &str,
    board: &str,
) -> Result<u64, (Code, Option<Refusal>)> {
    let request = wire::SubmitRequest::from(submission(name, board));
    match client.submit(request).await {
        Ok(response) => Ok(response.into_inner().id),
        Err(status) => Err((status.code(), Refusal::from_status(&status))),
    }
}

fn too_much(quantity: Quantity, limit: u64, found: u64) -> Option<Refusal> {
    Some(Refusal::TooMuch { quantity, limit, found })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_and_boards_that_are_too_large_are_refused_with_both_numbers() {
    let coordinator = Coordinator::start(Security::none(), None).await;
    let mut client = client(&coordinator, &Security::none()).await;
    let invalid = Code::InvalidArgument;
    assert_eq!(submit(&mut client, &"n".repeat(300), TINY).await, Ok(1));
    let answer = submit(&mut client, &"n".repeat(301), TINY).await;
    assert_eq!(answer, Err((invalid, too_much(Quantity::NameBytes, 300, 301))));
    let answer = submit(&mut client, "long", &"#".repeat(65_537)).await;
    assert_eq!(answer, Err((invalid, too_much(Quantity::BoardBytes, 65_536, 65_537))));
    let wide = format!("{0}\n#@$.{1}#\n{0}\n", "#".repeat(6_000), " ".repeat(5_995));
    let answer = submit(&mut client, "wide", &wide).await;
    assert_eq!(answer, Err((invalid, too_much(Quantity::BoardSquares, 16_384, 18_000))));
    let (code, refusal) = submit(&mut client, "prose", "no board at all").await.unwrap_err();
    assert_eq!(code, invalid);
    assert!(matches!(refusal, Some(Refusal::BadBoard(_))), "{refusal:?}");
    let status = client.status(wire::StatusRequest {}).await.unwrap().into_inner();
    assert_eq!(status.jobs.len(), 1, "nothing that is refused is queued");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_is_too_large_is_refused_before_it_is_read() {
    let coordinator = Coordinator::start(Security::none(), None).await;
    let channel = endpoint(&coordinator.address).unwrap().connect().await.unwrap();
    // A client without the limit that ours has on its own side.
    let mut client = CoordinatorClient::new(channel);
    let request = wire::SubmitRequest::from(submission("huge", &"#".repeat(1 << 20)));
    let status = client.submit(request).await.unwrap_err();
    assert_eq!(status.code(), Code::OutOfRange, "{status}");
    let text = status.message();
    assert!(text.contains("262144") && text.contains("1048"), "limit and find: {text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_are_told_apart_by_their_certificates_and_each_has_a_share() {
    let authority = Authority::new("test");
    let coordinator = Coordinator::start(authority.security(), None).await;
    let mut first = client(&coordinator, &authority.security()).await;
    for job in 1..=2_000 {
        assert_eq!(submit(&mut first, "tiny", TINY).await, Ok(job));
        if job == 1 {
            // It runs, and so waits no more, though there are no workers for it.
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
    assert_eq!(submit(&mut first, "tiny", TINY).await, Ok(2_001));
    let exhausted = Code::ResourceExhausted;
    let answer = submit(&mut first, "tiny", TINY).await;
    let refusal = too_much(Quantity::WaitingJobsOfClient, 2_000, 2_001);
    assert_eq!(answer, Err((exhausted, refusal)));
    let other = authority.sign(&["other"], false).security(None);
    let mut second = client(&coordinator, &other).await;
    assert_eq!(submit(&mut second, "tiny", TINY).await, Ok(2_002));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_tls_clients_are_told_apart_by_their_addresses() {
    let coordinator = Coordinator::start(Security::none(), None).await;
    let mut first = client(&coordinator, &Security::none()).await;
    assert_eq!(submit(&mut first, "tiny", TINY).await, Ok(1));
    tokio::time::sleep(Duration::from_millis(200)).await;
    for job in 2..=2_001 {
        assert_eq!(submit(&mut first, "tiny", TINY).await, Ok(job));
    }
    // Another connection is no other client.
    let mut second = client(&coordinator, &Security::none()).await;
    let refusal = too_much(Quantity::WaitingJobsOfClient, 2_000, 2_001);
    let answer = submit(&mut second, "tiny", TINY).await;
    assert_eq!(answer, Err((Code::ResourceExhausted, refusal)));
}

/// All files below a folder, by their paths in it.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(folder).unwrap().display().to_string());
            }
        }
    }
    found.sort();
    found
}

/// Whatever a peer says, the worker writes where it was told to when it was started, and nowhere else.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_field_of_a_request_becomes_a_path() {
    let scratch = std::env::temp_dir().join(format!("sokohive-paths-{}", std::process::id()));
    let data = scratch.join("a/b/data");
    fs::create_dir_all(&data).unwrap();
    let evil = scratch.join("evil").display().to_string();
    let state = scratch.join("a/b/state");
    let worker = Worker::start_keeping(&data).await;
    let channel = endpoint(&worker.address.to_string()).unwrap().connect().await.unwrap();
    let mut control = control_client(channel);
    let hello = control
        .hello(wire::HelloRequest { protocol: PROTOCOL, segments: Vec::new() })
        .await
        .unwrap();
    let incarnation = hello.into_inner().incarnation;
    let peer = |address: &str| wire::Peer { address: address.to_owned(), incarnation };
    for (epoch, text) in [(1, "../evil"), (2, "../../../evil"), (3, evil.as_str())] {
        let request = wire::PrepareRequest {
            fence: Some(wire::Fence { job: 7, epoch }),
            index: 0,
            peers: vec![peer(text), peer(text)],
            owners: Owners::even(2).as_slice().iter().map(|&owner| owner.into()).collect(),
            task: Some(submission("", text).task.into()),
            wait_ms: 500,
            ..wire::PrepareRequest::default()
        };
        // Names of files are held against a form that no path has.
        let keep = wire::PrepareRequest { keep: vec![text.to_owned()], ..request.clone() };
        let status = control.prepare(keep).await.unwrap_err();
        assert!(matches!(Refusal::from_status(&status), Some(Refusal::BadField(_))), "{status}");
        let _ = control.prepare(request).await;
        let fence = Some(wire::Fence { job: 7, epoch });
        let segment = wire::Segment { name: text.to_owned(), bytes: 1, records: 1 };
        let level = Some(wire::Level { ordinal: 1, side: wire::Side::Forward.into(), f: 0 });
        let segments = vec![segment];
        let restore = wire::RestoreRequest { fence, level, segments, ..Default::default() };
        let status = control.restore(restore).await.unwrap_err();
        assert!(matches!(Refusal::from_status(&status), Some(Refusal::BadField(_))), "{status}");
        let upkeep = wire::Upkeep { retire: vec![text.to_owned()], ..Default::default() };
        let poll = wire::PollRequest { fence, upkeep: Some(upkeep), ..Default::default() };
        let status = control.poll(poll).await.unwrap_err();
        assert!(matches!(Refusal::from_status(&status), Some(Refusal::BadField(_))), "{status}");
        let _ = control.release(wire::ReleaseRequest { fence, discard: true }).await;
    }
    let coordinator = Coordinator::start_keeping(&state).await;
    let mut client = client(&coordinator, &Security::none()).await;
    submit(&mut client, &evil, TINY).await.unwrap();
    let written = files(&scratch);
    let _ = fs::remove_dir_all(&scratch);
    let (kept, rest): (Vec<_>, Vec<_>) =
        written.into_iter().partition(|path| path.starts_with("a/b/state/"));
    assert_eq!(rest, ["a/b/data/epoch"]);
    assert!(kept.iter().all(|path| !path.contains("evil")), "{kept:?}");
    assert!(!Path::new("../evil").exists() && !Path::new("evil").exists());
}
