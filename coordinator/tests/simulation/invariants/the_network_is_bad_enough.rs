//! The seeds reach what the invariants are about: else they would hold for nothing.

use sokohive::cluster::job::Ending;

use crate::seeds;

#[test]
fn the_network_is_bad_enough() {
    if !seeds::is_full_run() {
        return;
    }
    let first = |of: fn(&Ending) -> bool| {
        seeds::count(|history| history.jobs[0].ended.as_ref().is_some_and(|(_, e)| of(e)))
    };
    let optimal = first(|ending| matches!(ending, Ending::Optimal(_)));
    let unsolvable = first(|ending| matches!(ending, Ending::Unsolvable));
    let failed = first(|ending| matches!(ending, Ending::Failed(_)));
    let limited = first(|ending| matches!(ending, Ending::Limit { .. }));
    let repeated = seeds::count(|history| history.repeated > 0);
    let fenced = seeds::count(|history| history.fenced > 0);
    let survived = seeds::count(|history| {
        let job = &history.jobs[0];
        !job.struck.is_empty() && matches!(job.ended, Some((_, Ending::Optimal(_))))
    });
    let compared = seeds::count(|history| history.jobs[0].compared);
    println!(
        "{optimal} optimal, {unsolvable} unsolvable, {failed} failed, {limited} stopped; \
         {repeated} with repeated batches, {fenced} with fenced ones, {survived} survived a fault; \
         {compared} compared"
    );
    let all = [optimal, unsolvable, failed, limited, repeated, fenced, survived, compared];
    assert!(all.iter().all(|&count| count >= 5), "{all:?}");
}
