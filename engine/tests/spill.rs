//! The open list on disk: the same answers in less memory, and honest endings when the disk does not play along.

mod options;

use options::{Options, SEARCHES, check};
use sokohive_engine::{Ending, Limit, Outcome, SearchChoice, SpillPlace, builtin};

fn place(share: u64, most_bytes: u64) -> SpillPlace {
    SpillPlace { directory: std::env::temp_dir(), most_bytes, share }
}

fn solve(options: &Options, memory: u64, spill: Option<SpillPlace>) -> Outcome {
    let board = builtin::find("level1").expect("built in");
    let mut solver = options.solver(&board.level, board.level.rule()).memory(memory);
    if let Some(place) = spill {
        solver = solver.spill(place);
    }
    let outcome = solver.solve();
    if matches!(outcome.ending, Ending::Optimal(_)) {
        check(&outcome, &board.level, board.level.rule(), Some(board.moves)).expect("right");
    }
    outcome
}

#[test]
fn a_spilled_open_list_changes_no_answer_and_no_proof() {
    // From the backward end alone this board takes long, and from both ends is what comes of itself.
    let left_out = [SearchChoice::Backward, SearchChoice::TwoSided];
    for (search, estimate) in SEARCHES.into_iter().filter(|s| !left_out.contains(&s.0)) {
        for threads in [1, 3] {
            let options = Options { search, estimate, threads, ..Options::default() };
            let whole = solve(&options, u64::MAX, None).statistics;
            let outcome = solve(&options, u64::MAX, Some(place(256 << 10, u64::MAX)));
            assert!(
                matches!(outcome.ending, Ending::Optimal(_)),
                "{options}: {:?}",
                outcome.ending
            );
            let spilled = outcome.statistics;
            println!("{options}: {} bytes spilled", spilled.spilled_bytes);
            assert!(whole.spilled_bytes == 0 && spilled.spilled_bytes > 1 << 20, "{options}");
            // The order within the last level may differ, and so may what is stored before it is over.
            assert!(spilled.states.abs_diff(whole.states) < whole.states / 100, "{options}");
            assert!(spilled.peak_bytes < whole.peak_bytes, "{options}");
        }
    }
}

#[test]
fn memory_goes_to_the_table_where_rows_can_wait_on_disk() {
    // What the table takes at its end, and hardly any more.
    let options = Options::default();
    let needed = solve(&options, u64::MAX, Some(place(64 << 10, u64::MAX))).statistics.peak_bytes;
    let memory = needed + (1 << 20);
    let outcome = solve(&options, memory, Some(place(memory / 8, u64::MAX)));
    assert!(matches!(outcome.ending, Ending::Optimal(_)), "{:?}", outcome.ending);
    assert!(outcome.statistics.peak_bytes <= memory);
    let outcome = solve(&options, memory, None);
    let Ending::Limit { limit: Limit::Memory, lower_bound, .. } = outcome.ending else {
        panic!("{memory} bytes should not do without a disk: {:?}", outcome.ending);
    };
    assert!(lower_bound <= 230);
    // A disk that takes nothing is named when memory runs out, and does no harm before.
    let outcome = solve(&options, memory, Some(place(memory / 8, 0)));
    let Ending::Limit { limit: Limit::Disk, lower_bound: bound, .. } = outcome.ending else {
        panic!("a full disk is the limit: {:?}", outcome.ending);
    };
    assert!(bound <= 230);
    let outcome = solve(&options, u64::MAX, Some(place(256 << 10, 0)));
    assert!(matches!(outcome.ending, Ending::Optimal(_)), "{:?}", outcome.ending);
}

#[test]
fn a_folder_that_cannot_be_written_is_a_limit() {
    let directory = std::path::Path::new("/dev/null/nowhere").to_owned();
    let spill = SpillPlace { directory, ..place(1 << 20, u64::MAX) };
    let outcome = solve(&Options::default(), u64::MAX, Some(spill));
    assert!(matches!(outcome.ending, Ending::Limit { limit: Limit::Disk, lower_bound: 0, .. }));
}
