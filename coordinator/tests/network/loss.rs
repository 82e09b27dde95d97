//! Workers that go away, come late, or belong to somebody else.

use std::time::{Duration, Instant};

use sokohive_proto::JobEnding;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};

use crate::fixture::{Worker, addresses, drive, graph, run, start_workers};

fn long_search() -> u64 {
    (0..).find(|&seed| graph(seed).optimum.is_some_and(|cost| cost > 15)).unwrap()
}

/// A way to a worker that can be cut: what is on it then is lost without a word.
async fn cuttable(to: String) -> (String, tokio::sync::watch::Sender<bool>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (cut, is_cut) = tokio::sync::watch::channel(false);
    tokio::spawn(async move {
        while let Ok((mut inside, _)) = listener.accept().await {
            let (to, mut is_cut) = (to.clone(), is_cut.clone());
            tokio::spawn(async move {
                let Ok(mut outside) = TcpStream::connect(to).await else { return };
                let cut = async { drop(is_cut.wait_for(|&cut| cut).await) };
                tokio::select! {
                    _ = copy_bidirectional(&mut inside, &mut outside) => return,
                    () = cut => {}
                }
                // Both ends stay open, and nothing moves any more.
                std::future::pending::<()>().await;
            });
        }
    });
    (address, cut)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_stops_is_named_and_the_next_job_runs() {
    let mut workers = start_workers(3, Duration::from_millis(50)).await;
    let (job, _stop, _) = drive(long_search(), addresses(&workers));
    let job = tokio::spawn(job.run(|_| {}, |_| {}));
    tokio::time::sleep(Duration::from_millis(400)).await;
    let lost = workers.remove(1);
    let address = lost.address;
    let since = Instant::now();
    lost.stop().await;
    let result = job.await.unwrap();
    let JobEnding::Failed(failure) = result.ending else {
        panic!("{result:?}");
    };
    assert_eq!(failure.worker, Some(address.to_string()), "{failure}");
    assert!(since.elapsed() < Duration::from_secs(15));
    workers.insert(1, Worker::start_at(address, Duration::ZERO).await);
    let (result, _) = run(1, addresses(&workers)).await;
    assert!(!matches!(result.ending, JobEnding::Failed(_)), "{result:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_is_cut_off_is_named_in_time() {
    let workers = start_workers(3, Duration::from_millis(50)).await;
    let mut ways = addresses(&workers);
    let (way, cut) = cuttable(ways[2].clone()).await;
    ways[2] = way.clone();
    let (job, _stop, _) = drive(long_search(), ways);
    let job = tokio::spawn(job.run(|_| {}, |_| {}));
    tokio::time::sleep(Duration::from_millis(400)).await;
    let since = Instant::now();
    cut.send_replace(true);
    let result = job.await.unwrap();
    let JobEnding::Failed(failure) = result.ending else {
        panic!("{result:?}");
    };
    assert_eq!(failure.worker, Some(way), "{failure}");
    assert!(since.elapsed() < Duration::from_secs(15), "{:?}", since.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_may_come_late() {
    let reserved = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = reserved.local_addr().unwrap();
    drop(reserved);
    let first = Worker::start(Duration::ZERO).await;
    let names = vec![first.address.to_string(), address.to_string()];
    let job = tokio::spawn(run(1, names));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let second = Worker::start_at(address, Duration::ZERO).await;
    let (result, _) = job.await.unwrap();
    assert!(!matches!(result.ending, JobEnding::Failed(_)), "{result:?}");
    first.stop().await;
    second.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_is_taken_is_waited_for() {
    let workers = start_workers(2, Duration::from_millis(5)).await;
    let first = tokio::spawn(run(long_search(), addresses(&workers)));
    tokio::time::sleep(Duration::from_millis(100)).await;
    let (second, _) = run(1, addresses(&workers)).await;
    let (first, _) = first.await.unwrap();
    assert!(!matches!(first.ending, JobEnding::Failed(_)), "{first:?}");
    assert!(!matches!(second.ending, JobEnding::Failed(_)), "{second:?}");
}
