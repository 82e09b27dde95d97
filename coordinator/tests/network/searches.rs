//! Whole searches.

use std::time::Duration;

use sokohive_engine::Limit;
use sokohive_proto::JobEnding;

use sokohive::cluster::job::StopReason;

use crate::fixture::{addresses, drive, graph, run, start_workers};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_number_of_workers_finds_the_optimum() {
    for count in 1..=4 {
        let workers = start_workers(count, Duration::ZERO).await;
        for seed in 0..8 {
            let (result, walked) = run(seed, addresses(&workers)).await;
            match graph(seed).optimum {
                Some(optimum) => {
                    assert!(matches!(result.ending, JobEnding::Optimal(_)), "{result:?}");
                    assert_eq!(walked, Some(optimum), "seed {seed}, {count} workers");
                }
                None => assert!(matches!(result.ending, JobEnding::Unsolvable(_)), "{result:?}"),
            }
            assert_eq!(result.states.len(), count);
            assert_eq!(result.threads as usize, count);
        }
        for worker in workers {
            worker.stop().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_can_be_stopped() {
    let workers = start_workers(2, Duration::from_millis(200)).await;
    let seed = (0..).find(|&seed| graph(seed).optimum.is_some_and(|cost| cost > 15)).unwrap();
    let (job, stop, _) = drive(seed, addresses(&workers));
    let job = tokio::spawn(job.run(|_| {}, |_| {}));
    tokio::time::sleep(Duration::from_millis(300)).await;
    stop.send_replace(Some(StopReason::Interrupt));
    let result = job.await.unwrap();
    let JobEnding::Limit { limit: Limit::Interrupted, .. } = result.ending else {
        panic!("{result:?}");
    };
    assert!(result.elapsed < Duration::from_secs(3), "{:?}", result.elapsed);
    // The workers are free again.
    let (result, _) = run(seed, addresses(&workers)).await;
    assert!(matches!(result.ending, JobEnding::Optimal(_)), "{result:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn time_runs_out() {
    let workers = start_workers(2, Duration::from_millis(200)).await;
    let seed = (0..).find(|&seed| graph(seed).optimum.is_some_and(|cost| cost > 15)).unwrap();
    let (mut job, _stop, _) = drive(seed, addresses(&workers));
    job.timeout = Some(Duration::from_millis(300));
    let result = job.run(|_| {}, |_| {}).await;
    let JobEnding::Limit { limit: Limit::Time, .. } = result.ending else {
        panic!("{result:?}");
    };
}
