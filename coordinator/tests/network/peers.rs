//! What wrong peers get to hear. None of it may make a worker panic, or leave a trace in the search.

use std::time::Duration;

use sokohive_engine::Side;
use sokohive_proto::wire::worker_control_client::WorkerControlClient;
use sokohive_proto::wire::worker_data_client::WorkerDataClient;
use sokohive_proto::{
    Epoch, Fence, Hello, JobEnding, JobKey, Level, MAX_BATCH_BYTES, Owners, PROTOCOL, Peer,
    Prepare, Push, Refusal, control_client, data_client, endpoint, wire,
};
use tonic::Code;
use tonic::transport::Channel;

use crate::fixture::{Worker, addresses, run, start_workers, task};

async fn clients(worker: &Worker) -> (WorkerControlClient<Channel>, WorkerDataClient<Channel>) {
    let connect =
        || async { endpoint(&worker.address.to_string()).unwrap().connect().await.unwrap() };
    (control_client(connect().await), data_client(connect().await))
}

fn fence(epoch: u64) -> Fence {
    Fence { job: JobKey::new(77), epoch: Epoch::after(epoch - 1) }
}

/// The call of a worker into a job, with a peer that does not exist.
async fn prepare(worker: &Worker, fence: Fence) -> wire::PrepareRequest {
    let (mut control, _) = clients(worker).await;
    let hello = control.hello(wire::HelloRequest::new(&[])).await.unwrap();
    let hello = Hello::try_from(hello.into_inner()).unwrap();
    let me = Peer { address: worker.address.to_string(), incarnation: hello.incarnation };
    Prepare {
        fence,
        index: 0,
        peers: vec![me.clone(), Peer { address: "127.0.0.1:1".to_owned(), ..me }],
        owners: Owners::even(2),
        task: task(1),
        wait: Duration::from_secs(2),
        journal: false,
        restores: false,
        keep: Vec::new(),
    }
    .into()
}

/// Calls a worker into a job, with a peer that does not exist.
async fn prepared(worker: &Worker, fence: Fence) -> WorkerControlClient<Channel> {
    let (mut control, _) = clients(worker).await;
    let ready = control.prepare(prepare(worker, fence).await).await.unwrap();
    assert!(ready.into_inner().ready);
    control
}

fn push(fence: Fence, sequence: u64, batch: Vec<u8>) -> wire::PushRequest {
    let level = Level { ordinal: 1, side: Side::Forward, f: 3 };
    Push { fence, level, source: 1, sequence, batch }.into()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_version_is_refused_with_both_numbers() {
    let worker = Worker::start(Duration::ZERO).await;
    let (mut control, _) = clients(&worker).await;
    let status = control
        .hello(wire::HelloRequest { protocol: PROTOCOL + 7, segments: Vec::new() })
        .await
        .unwrap_err();
    let refusal = Refusal::from_status(&status);
    let (expected, found) = (PROTOCOL, PROTOCOL + 7);
    assert_eq!(refusal, Some(Refusal::ProtocolVersion { expected, found }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damaged_and_foreign_batches_are_refused_and_counted() {
    let worker = Worker::start(Duration::ZERO).await;
    let (_, mut data) = clients(&worker).await;
    let status = data.push(push(fence(1), 1, vec![0; 16])).await.unwrap_err();
    assert_eq!(Refusal::from_status(&status), Some(Refusal::NoJob));

    let mut control = prepared(&worker, fence(3)).await;
    let refused = [
        // Truncated: no whole record.
        push(fence(3), 1, vec![7; 15]),
        // Oversize.
        push(fence(3), 1, vec![7; MAX_BATCH_BYTES + 1]),
        push(fence(3), 1, Vec::new()),
        push(fence(3), 1_000_000, vec![0; 16]),
        wire::PushRequest { source: 0, ..push(fence(3), 1, vec![0; 16]) },
        wire::PushRequest { source: 99_999, ..push(fence(3), 1, vec![0; 16]) },
        wire::PushRequest { level: None, ..push(fence(3), 1, vec![0; 16]) },
        wire::PushRequest { fence: None, ..push(fence(3), 1, vec![0; 16]) },
    ];
    let count = refused.len() as u64;
    for request in refused {
        let status = data.push(request).await.unwrap_err();
        assert!(Refusal::from_status(&status).is_some(), "{status}");
    }
    let status = data.push(push(fence(2), 1, vec![0; 16])).await.unwrap_err();
    assert!(matches!(Refusal::from_status(&status), Some(Refusal::OldEpoch { .. })), "{status}");
    let other = Fence { job: JobKey::new(5), ..fence(3) };
    let status = data.push(push(other, 1, vec![0; 16])).await.unwrap_err();
    assert!(matches!(Refusal::from_status(&status), Some(Refusal::OtherJob { .. })), "{status}");

    let poll = wire::PollRequest { fence: Some(fence(3).into()), ..Default::default() };
    let report = control.poll(poll).await.unwrap().into_inner();
    assert_eq!(report.traffic.unwrap().batches_refused, count);
    assert_eq!(report.applied, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_beyond_all_limits_is_refused_by_the_transport() {
    let worker = Worker::start(Duration::ZERO).await;
    let channel = endpoint(&worker.address.to_string()).unwrap().connect().await.unwrap();
    // A client without the limit that ours has on its own side.
    let mut data = WorkerDataClient::new(channel);
    let status = data.push(push(fence(1), 1, vec![0; 20 << 20])).await.unwrap_err();
    assert!(matches!(status.code(), Code::OutOfRange | Code::Unknown | Code::Internal), "{status}");
    let (_, mut data) = clients(&worker).await;
    let status = data.push(push(fence(1), 1, vec![0; 16])).await.unwrap_err();
    assert_eq!(Refusal::from_status(&status), Some(Refusal::NoJob), "the worker lives on");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn garbage_on_the_wire_does_no_harm() {
    use tokio::io::AsyncWriteExt;
    let workers = start_workers(2, Duration::ZERO).await;
    for byte in [0_u8, 0x50, 0xff] {
        let mut stream = tokio::net::TcpStream::connect(workers[0].address).await.unwrap();
        let _ = stream.write_all(&vec![byte; 100_000]).await;
    }
    let (result, _) = run(1, addresses(&workers)).await;
    assert!(!matches!(result.ending, JobEnding::Failed(_)), "{result:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_released_worker_is_free_at_once() {
    let worker = Worker::start(Duration::ZERO).await;
    let mut control = prepared(&worker, fence(3)).await;
    let release = wire::ReleaseRequest { fence: Some(fence(3).into()), discard: false };
    control.release(release).await.unwrap();
    let other = Fence { job: JobKey::new(5), ..fence(4) };
    prepared(&worker, other).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_strangers_epoch_disables_a_worker() {
    let workers = start_workers(2, Duration::ZERO).await;
    let (mut control, _) = clients(&workers[0]).await;
    let named = |status: tonic::Status| {
        let refusal = Refusal::from_status(&status);
        let Some(Refusal::BadField(problem)) = refusal else {
            panic!("{status}");
        };
        assert!(problem.contains("fence.epoch"), "{problem}");
    };
    for epoch in [u64::MAX, u64::MAX - 1, Epoch::LAST + 1, Epoch::LAST, Epoch::MOST_AHEAD + 1] {
        let beyond = Some(wire::Fence { job: 77, epoch });
        let call = prepare(&workers[0], fence(1)).await;
        let call = wire::PrepareRequest { fence: beyond, ..call };
        named(control.prepare(call).await.unwrap_err());
        let release = wire::ReleaseRequest { fence: beyond, discard: true };
        named(control.release(release).await.unwrap_err());
    }
    // As far as one call can: the other worker is made to follow.
    let most = fence(Epoch::MOST_AHEAD);
    let mut control = prepared(&workers[0], most).await;
    let release = wire::ReleaseRequest { fence: Some(most.into()), discard: false };
    control.release(release).await.unwrap();
    let (result, _) = run(1, addresses(&workers)).await;
    assert!(!matches!(result.ending, JobEnding::Failed(_)), "{result:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_that_start_together_all_end() {
    let workers = start_workers(2, Duration::ZERO).await;
    let (ahead, mut back) = (addresses(&workers), addresses(&workers));
    back.reverse();
    let all = async { tokio::join!(run(1, ahead.clone()), run(2, back), run(3, ahead.clone())) };
    let ((first, _), (second, _), (third, _)) = all.await;
    for result in [first, second, third] {
        assert!(!matches!(result.ending, JobEnding::Failed(_)), "{result:?}");
    }
}
