//! Boards that no single worker's memory can hold.

use sokohive::exit;
use sokohive_tests::cluster::{list, workers};
use sokohive_tests::run;

use super::FAST;

/// What one worker may hold: less than p15 takes, more than a quarter of it.
const MEMORY: &str = "96M";

#[test]
fn four_workers_prove_what_one_has_no_memory_for() {
    if !FAST {
        println!("skipped: takes minutes without optimization");
        return;
    }
    let one = workers(1, &["--memory", MEMORY]);
    let answer = run(&["solve", "p15", "--workers", &list(&one)]).expect(exit::LIMIT);
    assert_eq!(answer.value("optimal"), "MEMORY");
    let bound: u32 = answer.value("lower_bound").parse().unwrap();
    assert!(0 < bound && bound <= 184, "{answer:?}");
    drop(one);
    let four = workers(4, &["--memory", MEMORY]);
    let answer = run(&["solve", "p15", "--workers", &list(&four)]).expect(exit::SUCCESS);
    assert_eq!(answer.value("optimal"), "184");
}

#[test]
fn no_memory_at_all_is_a_limit() {
    let workers = workers(2, &["--memory", "1K"]);
    let answer = run(&["solve", "p7", "--workers", &list(&workers)]).expect(exit::LIMIT);
    assert_eq!(answer.value("optimal"), "MEMORY");
}
