//! Mutual TLS: what works with good certificates, and what every bad one gets to hear.

use std::fs;
use std::time::{Duration, Instant};

use sokohive::cluster::{ClientError, CoordinatorStatus};
use sokohive_proto::{JobEnding, Security, TlsError, TlsFiles};
use sokohive_worker::probe;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint};

use crate::authority::Authority;
use crate::coordinator::Coordinator;
use crate::fixture::{Worker, addresses, drive, graph};

/// Longest that anything here may take to say what is wrong.
const IN_TIME: Duration = Duration::from_secs(14);

/// What clients hear whose certificate is not accepted: it depends on who is faster to close.
const NOT_ACCEPTED: [&str; 2] =
    ["our certificate is not accepted there", "as it does on a certificate that is not accepted"];

/// What clients in the clear hear, by who is faster to close.
const WANTS_TLS: [&str; 2] =
    ["the other side does not speak without TLS", "closed the connection; perhaps it wants TLS"];

/// A seed whose graph has a solution.
fn solvable() -> u64 {
    (0..).find(|&seed| graph(seed).optimum.is_some()).unwrap()
}

async fn workers(count: usize, security: &Security) -> Vec<Worker> {
    let mut workers = Vec::new();
    for _ in 0..count {
        workers.push(Worker::start_secured(Duration::ZERO, security.clone()).await);
    }
    workers
}

/// Asks a coordinator for its workers and jobs.
async fn status(
    coordinator: &Coordinator,
    security: &Security,
) -> Result<CoordinatorStatus, ClientError> {
    coordinator.ask(security, None, |client| client.status()).await
}

/// What a client gets to hear that is not served, and that it does so in time.
async fn refused(coordinator: &Coordinator, security: &Security) -> String {
    let since = Instant::now();
    let error = status(coordinator, security).await.expect_err("it should not be served");
    assert!(since.elapsed() < IN_TIME, "{:?}", since.elapsed());
    let text = error.to_string();
    assert!(text.contains(&coordinator.address), "{text}");
    text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_on_two_workers_ends_well() {
    let authority = Authority::new("test");
    let security = authority.security();
    let workers = workers(2, &security).await;
    let (mut job, _stop, walked) = drive(solvable(), addresses(&workers));
    job.security = security;
    let result = job.run(|_| {}, |_| {}).await;
    assert!(matches!(result.ending, JobEnding::Optimal(_)), "{result:?}");
    assert_eq!(*walked.lock().unwrap(), graph(solvable()).optimum);
    assert!(result.traffic.batches_received > 0, "the workers have talked: {result:?}");
    assert_eq!(result.traffic.batches_refused, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_answer_probes_and_clients_with_good_certificates() {
    let authority = Authority::new("test");
    let security = authority.security();
    let worker = Worker::start_secured(Duration::ZERO, security.clone()).await;
    probe(&worker.address.to_string(), &security).await.unwrap();
    let coordinator = Coordinator::start(security.clone(), None).await;
    probe(&coordinator.address, &security).await.unwrap();
    assert!(status(&coordinator, &security).await.unwrap().workers.is_empty());
    let client = authority.sign(&["somebody"], false).security(None);
    assert!(status(&coordinator, &client).await.is_ok(), "clients need no known name");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_name_counts_and_can_be_given() {
    let authority = Authority::new("test");
    let named = authority.sign(&["sokohive"], false);
    let coordinator = Coordinator::start(named.security(None), None).await;
    let text = refused(&coordinator, &named.security(None)).await;
    assert!(text.contains("the other side's certificate is not accepted here"), "{text}");
    assert!(text.contains("not valid for name"), "{text}");
    let text = refused(&coordinator, &named.security(Some("another"))).await;
    assert!(text.contains("not valid for name"), "{text}");
    assert!(status(&coordinator, &named.security(Some("sokohive"))).await.is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_of_an_unknown_authority_is_not_believed() {
    let (ours, theirs) = (Authority::new("ours"), Authority::new("theirs"));
    let coordinator = Coordinator::start(theirs.security(), None).await;
    let text = refused(&coordinator, &ours.security()).await;
    assert!(text.contains("invalid peer certificate: UnknownIssuer"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_certificate_has_run_out_is_not_believed() {
    let authority = Authority::new("test");
    let old = authority.sign(&["127.0.0.1"], true);
    let coordinator = Coordinator::start(old.security(None), None).await;
    let text = refused(&coordinator, &authority.security()).await;
    assert!(text.contains("certificate expired"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_whose_certificate_has_run_out_is_not_served() {
    let authority = Authority::new("test");
    let coordinator = Coordinator::start(authority.security(), None).await;
    let old = authority.sign(&["somebody"], true).security(None);
    let text = refused(&coordinator, &old).await;
    assert!(NOT_ACCEPTED.iter().any(|words| text.contains(words)), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_of_an_unknown_authority_is_not_served() {
    let (ours, theirs) = (Authority::new("ours"), Authority::new("theirs"));
    let coordinator = Coordinator::start(ours.security(), None).await;
    let foreign = theirs.sign(&["somebody"], false).believing(&ours).security(None);
    let text = refused(&coordinator, &foreign).await;
    assert!(NOT_ACCEPTED.iter().any(|words| text.contains(words)), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_without_a_certificate_is_not_served() {
    use tonic_health::pb::HealthCheckRequest;
    use tonic_health::pb::health_client::HealthClient;
    let authority = Authority::new("test");
    let worker = Worker::start_secured(Duration::ZERO, authority.security()).await;
    let tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(authority.pem()));
    let endpoint = Endpoint::from_shared(format!("https://{}", worker.address)).unwrap();
    let channel = endpoint.tls_config(tls).unwrap().connect_lazy();
    // Not even the health service is open to it.
    let request = HealthCheckRequest { service: String::new() };
    let status = HealthClient::new(channel).check(request).await.unwrap_err();
    let cause = authority.security().cause(&status);
    assert!(NOT_ACCEPTED.iter().any(|words| cause.contains(words)), "{cause}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_in_the_clear_is_not_served() {
    let authority = Authority::new("test");
    let coordinator = Coordinator::start(authority.security(), None).await;
    let text = refused(&coordinator, &Security::none()).await;
    assert!(WANTS_TLS.iter().any(|words| text.contains(words)), "{text}");
    let worker = Worker::start_secured(Duration::ZERO, authority.security()).await;
    let error = probe(&worker.address.to_string(), &Security::none()).await.unwrap_err();
    let text = error.to_string();
    assert!(WANTS_TLS.iter().any(|words| text.contains(words)), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_in_the_clear_is_told_from_a_broken_one() {
    let authority = Authority::new("test");
    let coordinator = Coordinator::start(Security::none(), None).await;
    let text = refused(&coordinator, &authority.security()).await;
    assert!(text.contains("the other side does not speak TLS"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_names_the_worker_and_what_is_wrong_with_its_certificate() {
    let (ours, theirs) = (Authority::new("ours"), Authority::new("theirs"));
    let workers = workers(2, &theirs.security()).await;
    let (mut job, _stop, _) = drive(solvable(), addresses(&workers));
    job.security = ours.security();
    let start = Instant::now();
    let result = job.run(|_| {}, |_| {}).await;
    // A worker that has never answered would get a minute.
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    let JobEnding::Failed(failure) = result.ending else {
        panic!("{result:?}");
    };
    let named = |worker: &Worker| failure.worker == Some(worker.address.to_string());
    assert!(workers.iter().any(named), "{failure}");
    assert!(failure.reason.contains("UnknownIssuer"), "{failure}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_whose_connections_are_secured_another_way_ends_and_says_so() {
    let (ours, theirs) = (Authority::new("ours"), Authority::new("theirs"));
    let foreign = theirs.sign(&["127.0.0.1"], false).believing(&ours).security(None);
    for (server, client, says) in [
        (ours.security(), foreign, &NOT_ACCEPTED[..]),
        (ours.security(), Security::none(), &WANTS_TLS[..1]),
        (Security::none(), ours.security(), &["the other side does not speak TLS"][..]),
    ] {
        let workers = workers(1, &server).await;
        let (mut job, _stop, _) = drive(solvable(), addresses(&workers));
        job.security = client;
        let result = job.run(|_| {}, |_| {}).await;
        let JobEnding::Failed(failure) = result.ending else {
            panic!("{result:?}");
        };
        assert_eq!(failure.worker, Some(workers[0].address.to_string()), "{failure}");
        assert!(says.iter().any(|words| failure.reason.contains(words)), "{failure}");
        assert!(!failure.retryable && !failure.reason.contains("no answer for"), "{failure}");
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_file_is_said_with_the_file() {
    let authority = Authority::new("test");
    let good = authority.sign(&["a"], false);
    let other = authority.sign(&["b"], false);
    let broken = |files: TlsFiles<'_>| Security::read(files, None).unwrap_err();
    // A key where a certificate should be, and the other way round.
    let error = broken(TlsFiles { cert: &good.key, ..good.files() });
    assert!(matches!(error, TlsError::Content { flag: "--tls-cert", .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("found 'PRIVATE KEY' in line 1, expected a certificate"), "{text}");
    let error = broken(TlsFiles { key: &good.cert, ..good.files() });
    assert!(matches!(error, TlsError::Content { flag: "--tls-key", .. }), "{error}");
    // The key of another certificate.
    let error = broken(TlsFiles { key: &other.key, ..good.files() });
    assert!(matches!(error, TlsError::Identity { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains(other.key.to_str().unwrap()), "{text}");
    // Nothing, nonsense, and nonsense in a good form.
    let file = authority.folder().join("broken.pem");
    for (contents, expected) in [
        ("", "an empty file"),
        ("hello\n", "no line '-----BEGIN …-----'"),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "authority"),
    ] {
        fs::write(&file, contents).unwrap();
        let error = broken(TlsFiles { ca: &file, ..good.files() }).to_string();
        assert!(error.contains(expected) && error.contains("broken.pem"), "{error}");
    }
    let error = Security::read(good.files(), Some("no name")).unwrap_err();
    assert!(matches!(error, TlsError::Name(_)), "{error}");
}
