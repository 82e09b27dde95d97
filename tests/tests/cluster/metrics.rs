//! The figures of coordinators and workers, while and after they work.

use std::time::{Duration, Instant};

use sokohive::exit;
use sokohive_tests::cluster::Server;
use sokohive_tests::exposition::{Figures, read};
use sokohive_tests::run;

const METRICS: [&str; 2] = ["--metrics", "127.0.0.1:0"];

fn figures(server: &Server) -> Figures {
    let (code, page) = server.get("/metrics");
    assert_eq!(code, 200, "{page}");
    read(&page).unwrap_or_else(|error| panic!("{error}\n{page}"))
}

/// Asks until a figure is as it should be.
fn wait_for(server: &Server, name: &str, is: impl Fn(f64) -> bool) -> Figures {
    let start = Instant::now();
    loop {
        let figures = figures(server);
        if figures.get(name).is_some_and(|&value| is(value)) {
            return figures;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{name}: {figures:#?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_cluster_shows_what_it_does_and_what_it_has_done() {
    let coordinator = Server::coordinator(&["--min-workers", "2", METRICS[0], METRICS[1]]);
    let to = ["--coordinator", coordinator.address(), "--memory", "512M", METRICS[0], METRICS[1]];
    let workers = [Server::worker(&to), Server::worker(&to)];
    let idle = wait_for(&coordinator, "sokohive_coordinator_workers", |number| number == 2.0);
    assert_eq!(idle["sokohive_coordinator_running_job"], 0.0);
    assert_eq!(idle["sokohive_coordinator_workers_needed"], 2.0);
    let idle = figures(&workers[0]);
    assert_eq!(idle["sokohive_worker_job_active"], 0.0);
    assert_eq!(idle["sokohive_worker_memory_limit_bytes"], (512 << 20) as f64);
    assert!(!idle.contains_key("sokohive_worker_table_bytes"), "there is no table");

    // Long enough to be looked at.
    let at = ["--coordinator", coordinator.address()];
    let search = ["p15", "--search", "forward", "--estimate", "nearest"];
    run(&["submit", search[0], search[1], search[2], search[3], search[4], at[0], at[1]])
        .expect(exit::SUCCESS);
    let busy = wait_for(&workers[0], "sokohive_worker_expanded_rows_total", |rows| rows > 1_000.0);
    assert_eq!(busy["sokohive_worker_job_active"], 1.0);
    assert!(busy["sokohive_worker_states"] > 0.0);
    assert!(busy["sokohive_worker_level_cost"] > 0.0);
    assert!(busy["sokohive_worker_memory_held_bytes"] > 0.0);
    assert!(busy.keys().any(|name| name.starts_with("sokohive_worker_job_info{job=\"")));
    let load = wait_for(&workers[0], "sokohive_worker_table_load_ratio", |load| load > 0.0);
    assert!(load["sokohive_worker_table_load_ratio"] <= 1.0, "{load:#?}");
    let busy = wait_for(&coordinator, "sokohive_coordinator_job_states", |states| states > 0.0);
    assert_eq!(busy["sokohive_coordinator_running_job"], 1.0);
    assert_eq!(busy["sokohive_coordinator_job_workers"], 2.0);
    assert!(busy["sokohive_coordinator_job_lower_bound_cost"] > 0.0);

    run(&["cancel", "1", at[0], at[1]]).expect(exit::SUCCESS);
    run(&["watch", "1", at[0], at[1]]).expect(exit::LIMIT);
    run(&["submit", "p1", "--watch", at[0], at[1]]).expect(exit::SUCCESS);
    let done = figures(&coordinator);
    assert_eq!(done["sokohive_coordinator_ended_jobs_total{ending=\"limit\"}"], 1.0);
    assert_eq!(done["sokohive_coordinator_ended_jobs_total{ending=\"optimal\"}"], 1.0);
    assert_eq!(done["sokohive_coordinator_submitted_jobs_total"], 2.0);
    let after = wait_for(&workers[0], "sokohive_worker_job_active", |active| active == 0.0);
    // What has been done stays counted when the job is over.
    assert!(after["sokohive_worker_expanded_rows_total"] > 1_000.0, "{after:#?}");
    assert!(after["sokohive_worker_received_batches_total"] > 0.0, "{after:#?}");
    assert_eq!(after["sokohive_worker_jobs_total"], 2.0);
    assert_eq!(after["sokohive_worker_epoch"], 2.0);
    assert_eq!(after["sokohive_worker_refused_batches_total"], 0.0);
    assert_eq!(after["sokohive_worker_memory_held_bytes"], 0.0);
}

#[test]
fn refused_calls_are_counted_by_their_reason() {
    let coordinator = Server::coordinator(&METRICS);
    run(&["watch", "7", "--coordinator", coordinator.address()]).expect(exit::BAD_INPUT);
    let figures = figures(&coordinator);
    let refused = "sokohive_coordinator_refused_calls_total{reason=\"bad_request\"}";
    assert_eq!(figures[refused], 1.0, "{figures:#?}");
}

#[test]
fn who_serves_is_healthy() {
    let worker = Server::worker(&METRICS);
    assert_eq!(worker.get("/healthz"), (200, "ok\n".to_owned()));
    assert_eq!(worker.get("/").0, 404);
    let coordinator = Server::coordinator(&METRICS);
    assert_eq!(coordinator.get("/healthz"), (200, "ok\n".to_owned()));
}
