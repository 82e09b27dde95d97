//! The seeds reach what the invariants of a durable job are about: else they would hold for nothing.

use crate::history::Survival;
use crate::seeds;

/// What is counted, and how often it happened in a history.
type Count = (&'static str, fn(&Survival) -> usize);

#[test]
fn the_faults_are_many_enough() {
    if !seeds::is_full_run() {
        return;
    }
    let counts: [Count; 11] = [
        ("workers killed", |survival| survival.killed),
        ("workers without power", |survival| survival.power_lost),
        ("workers told to end", |survival| survival.left),
        ("coordinators killed", |survival| survival.coordinators_killed),
        ("disks full", |survival| survival.disks_full),
        ("checkpoints", |survival| survival.checkpoints),
        ("attempts from a checkpoint", |survival| survival.restored),
        ("attempts with fewer workers", |survival| survival.left_out),
        ("looks at a journal being written anew", |survival| survival.compacted),
        ("optimal", |survival| {
            let answer = survival.answer.as_ref().map(|(ending, _)| ending);
            usize::from(matches!(answer, Some(sokohive::cluster::job::Ending::Optimal(_))))
        }),
        ("unsolvable", |survival| {
            let answer = survival.answer.as_ref().map(|(ending, _)| ending);
            usize::from(matches!(answer, Some(sokohive::cluster::job::Ending::Unsolvable)))
        }),
    ];
    let sums: Vec<(&str, usize)> = counts
        .iter()
        .map(|(what, of)| (*what, seeds::sum_durable(|history| of(&history.survival))))
        .collect();
    let attempts = seeds::sum_durable(|history| history.jobs.len());
    println!("{attempts} attempts; {sums:?}");
    assert!(sums.iter().all(|&(_, sum)| sum >= 10), "{sums:?}");
}
