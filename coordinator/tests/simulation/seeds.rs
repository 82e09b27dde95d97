//! Running an invariant over the seeds.

use std::env;
use std::sync::OnceLock;
use std::thread;

use crate::history::History;
use crate::world::{simulate, simulate_durable, simulate_rivals};

/// Seeds of the default run.
const SEEDS: u64 = 500;

/// All histories of two jobs, simulated once for all invariants.
fn histories() -> &'static [(u64, History)] {
    static HISTORIES: OnceLock<Vec<(u64, History)>> = OnceLock::new();
    run_all(&HISTORIES, simulate)
}

/// All histories of a job that outlives its workers and its coordinator.
fn durable() -> &'static [(u64, History)] {
    static HISTORIES: OnceLock<Vec<(u64, History)>> = OnceLock::new();
    run_all(&HISTORIES, simulate_durable)
}

/// All histories of jobs that start together and share workers.
fn rivals() -> &'static [(u64, History)] {
    static HISTORIES: OnceLock<Vec<(u64, History)>> = OnceLock::new();
    run_all(&HISTORIES, simulate_rivals)
}

fn run_all(
    histories: &'static OnceLock<Vec<(u64, History)>>,
    simulate: fn(u64) -> History,
) -> &'static [(u64, History)] {
    histories.get_or_init(|| {
        let number = |name: &str| env::var(name).ok().and_then(|value| value.parse().ok());
        let seeds: Vec<u64> = match (number("SOKOHIVE_SEED"), number("SOKOHIVE_SEEDS")) {
            (Some(seed), _) => vec![seed],
            (None, seeds) => (0..seeds.unwrap_or(SEEDS)).collect(),
        };
        let half = seeds.len().div_ceil(2);
        thread::scope(|scope| {
            let run = |seeds: &[u64]| -> Vec<_> {
                seeds.iter().map(|&seed| (seed, simulate(seed))).collect()
            };
            let (first, second) = seeds.split_at(half);
            let first = scope.spawn(move || run(first));
            let mut all = Vec::new();
            let second = run(second);
            all.extend(first.join().expect("a simulation does not panic"));
            all.extend(second);
            all
        })
    })
}

/// Checks an invariant on every history of two jobs; a failure prints how to repeat it.
pub(crate) fn check(invariant: &str, holds: impl Fn(&History) -> Result<(), String>) {
    check_these(invariant, histories(), holds);
}

/// Checks an invariant on every history of a job that outlives its workers and its coordinator.
pub(crate) fn check_durable(invariant: &str, holds: impl Fn(&History) -> Result<(), String>) {
    check_these(invariant, durable(), holds);
}

/// Checks an invariant on every history of jobs that start together and share workers.
pub(crate) fn check_rivals(invariant: &str, holds: impl Fn(&History) -> Result<(), String>) {
    check_these(invariant, rivals(), holds);
}

/// Checks an invariant on every history.
pub(crate) fn check_all(invariant: &str, holds: impl Fn(&History) -> Result<(), String>) {
    check_these(invariant, histories(), &holds);
    check_these(invariant, rivals(), &holds);
    check_these(invariant, durable(), &holds);
}

fn check_these(
    invariant: &str,
    histories: &[(u64, History)],
    holds: impl Fn(&History) -> Result<(), String>,
) {
    let broken: Vec<_> = histories
        .iter()
        .filter_map(|(seed, history)| Some((seed, holds(history).err()?)))
        .collect();
    if let Some((seed, problem)) = broken.first() {
        panic!(
            "{invariant}: seed {seed}: {problem}\n({} of {} seeds)\nrepeat with\n    \
             SOKOHIVE_SEED={seed} cargo test -p sokohive --test simulation {invariant}",
            broken.len(),
            histories.len(),
        );
    }
}

/// Counts the histories in which something happened.
pub(crate) fn count(happened: impl Fn(&History) -> bool) -> usize {
    histories().iter().filter(|(_, history)| happened(history)).count()
}

/// Counts the histories of jobs that start together in which something happened.
pub(crate) fn count_rivals(happened: impl Fn(&History) -> bool) -> usize {
    rivals().iter().filter(|(_, history)| happened(history)).count()
}

/// Sums something up over the histories of a job that outlives its workers.
pub(crate) fn sum_durable(of: impl Fn(&History) -> usize) -> usize {
    durable().iter().map(|(_, history)| of(history)).sum()
}

/// Whether all default seeds are run.
pub(crate) fn is_full_run() -> bool {
    histories().len() as u64 >= SEEDS
}
