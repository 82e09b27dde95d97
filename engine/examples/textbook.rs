//! Counts the states that breadth-first search over pushes inserts on `level1`, without any deadlock test, and with the
//! one that refuses blocks of two by two.
//!
//! ```text
//! cargo run --release -p sokohive-engine --example textbook
//! ```
//!
//! Takes about a gigabyte and less than a minute.

use sokohive_engine::builtin;

#[path = "../tests/textbook/mod.rs"]
mod textbook;

fn main() {
    let level = &builtin::find("level1").expect("built in").level;
    for (test, two_by_two) in [("none", false), ("2x2", true)] {
        let count = textbook::breadth_first(level, two_by_two);
        let pushes = count.pushes.map_or_else(|| "UNSOLVABLE".to_owned(), |n| n.to_string());
        println!(
            "TEXTBOOK level1 deadlock_test={test} inserted={} pushes={pushes}",
            count.inserted
        );
    }
}
