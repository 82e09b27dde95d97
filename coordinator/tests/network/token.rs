//! The job token: who is served with it, and what everybody else gets to hear.

use std::time::{Duration, Instant};

use sokohive::cluster::ClientError;
use sokohive_engine::{EstimateChoice, Objective, Rule, SearchChoice};
use sokohive_proto::{
    AllOptimal, JobKey, JobNumber, Refusal, Security, Submission, Task, Token, coordinator_client,
    endpoint, wire,
};
use tonic::Code;

use crate::coordinator::Coordinator;
use crate::fixture::Worker;

fn token(text: &str) -> Option<Token> {
    Some(Token::new(text).unwrap())
}

fn right() -> Option<Token> {
    token("the-right-token-of-this-test")
}

fn submission() -> Submission {
    let task = Task {
        board: "#####\n#@$.#\n#####\n".to_owned(),
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
    Submission { key: JobKey::random(), name: "tiny".to_owned(), task, timeout, expansions }
}

fn assert_unauthenticated<T>(answer: Result<T, ClientError>, says: &str) {
    match answer {
        Err(ClientError::Refused(Refusal::Unauthenticated(text))) => assert_eq!(text, says),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it was served"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_takes_the_right_token() {
    let coordinator = Coordinator::start(Security::none(), right()).await;
    let job = JobNumber::new(1).unwrap();
    for (shown, says) in [
        (None, "a job token is missing"),
        (token("another-token-of-this-test"), "the job token is another one"),
    ] {
        let none = Security::none();
        let since = Instant::now();
        let ask = |ask: fn(sokohive::cluster::Client) -> Result<(), ClientError>| {
            coordinator.ask(&none, shown.clone(), ask)
        };
        assert_unauthenticated(ask(|client| client.status().map(drop)).await, says);
        assert_unauthenticated(ask(|client| client.submit(submission()).map(drop)).await, says);
        let watch = coordinator.ask(&none, shown.clone(), move |client| client.watch(job, |_| {}));
        assert_unauthenticated(watch.await, says);
        let cancel = coordinator.ask(&none, shown.clone(), move |client| client.cancel(job));
        assert_unauthenticated(cancel.await, says);
        assert!(since.elapsed() < Duration::from_secs(5), "a refusal is final");
    }
    let none = Security::none();
    let number = coordinator.ask(&none, right(), |client| client.submit(submission())).await;
    assert_eq!(number.unwrap(), job);
    assert!(coordinator.ask(&none, right(), move |client| client.cancel(job)).await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_status_code_is_unauthenticated() {
    let coordinator = Coordinator::start(Security::none(), right()).await;
    let channel = endpoint(&coordinator.address).unwrap().connect().await.unwrap();
    let mut client = coordinator_client(channel, None);
    let status = client.status(wire::StatusRequest {}).await.unwrap_err();
    assert_eq!(status.code(), Code::Unauthenticated);
    assert_eq!(status.message(), "a job token is missing");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_show_it_to_register() {
    let coordinator = Coordinator::start(Security::none(), right()).await;
    let _stranger = Worker::start_registering(&coordinator.address, None).await;
    let worker = Worker::start_registering(&coordinator.address, right()).await;
    let since = Instant::now();
    loop {
        let status = coordinator.ask(&Security::none(), right(), |client| client.status()).await;
        let workers = status.unwrap().workers;
        if let [registered] = &workers[..] {
            assert_eq!(registered.address, worker.address.to_string());
            break;
        }
        assert!(workers.is_empty(), "{workers:?}");
        assert!(since.elapsed() < Duration::from_secs(10));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // The stranger tries again and again, in vain.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let status = coordinator.ask(&Security::none(), right(), |client| client.status()).await;
    assert_eq!(status.unwrap().workers.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_coordinator_without_a_token_asks_for_none() {
    let coordinator = Coordinator::start(Security::none(), None).await;
    for shown in [None, right()] {
        let status = coordinator.ask(&Security::none(), shown, |client| client.status()).await;
        assert!(status.is_ok());
    }
}
