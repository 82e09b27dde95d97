//! The counts of breadth-first search by the book, and its pushes, which are the engine's.

#[path = "textbook/mod.rs"]
mod book;

use book::{Count, breadth_first};
use sokohive_engine::{Ending, Level, Objective, Rule, Solver, builtin};

#[test]
fn small_boards_take_as_many_pushes_by_the_book() {
    for board in
        ["#####|#@$.#|#####", "######|#---##|#.$$.#|#-@--#|######", "#####|#@$-#|#--.#|#####"]
    {
        let level = Level::parse(board).expect("a legal board");
        for two_by_two in [false, true] {
            let outcome =
                Solver::new(&level).rule(Rule::Classic).objective(Objective::Pushes).solve();
            let pushes = match outcome.ending {
                Ending::Optimal(solution) => Some(solution.cost(Objective::Pushes) as u32),
                _ => None,
            };
            assert_eq!(breadth_first(&level, two_by_two).pushes, pushes, "{board}");
        }
    }
}

/// 4,095,995 with the test for blocks of two by two; `examples/textbook.rs` counts the 23,755,405 without it.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation")]
fn level1_with_the_test_for_blocks() {
    let level = &builtin::find("level1").expect("built in").level;
    let count = breadth_first(level, true);
    assert_eq!(count, Count { inserted: 4_095_995, pushes: Some(97) });
}
