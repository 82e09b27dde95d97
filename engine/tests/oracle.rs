//! The search agrees with brute force on thousands of random boards, however it is set up.

mod brute_force;
mod options;
mod random_boards;

use brute_force::Verdict;
use options::{BASELINE, Options, SEARCHES, WIDTHS};
use random_boards::{RandomBoard, SplitMix, random_board};

/// States after which brute force gives a board up.
const MOST_STATES: usize = 400_000;

/// Ways to search every board.
const WAYS: usize = 5;

/// A way to search drawn at random, a different one for each board.
fn draw(random: &mut SplitMix) -> Options {
    let (search, estimate) = random.pick(&[&SEARCHES[..], &[BASELINE]].concat());
    Options {
        search,
        estimate,
        dominance: random.chance(70),
        deadlocks: random.chance(70),
        width: random.pick(&WIDTHS),
        threads: random.pick(&[1, 1, 2, 3, 8]),
        table: random.pick(&[None, Some(1), Some(1)]),
        scout: random.chance(50),
    }
}

/// Compares the boards of some seeds; returns how many brute force could decide.
fn agrees_with_brute_force(seeds: std::ops::Range<u64>) -> u64 {
    println!("seeds {seeds:?}");
    let (mut decided, mut solved, mut longest) = (0, 0, 0);
    for seed in seeds.clone() {
        let RandomBoard { level, rule, .. } = random_board(seed);
        let moves = match brute_force::solve(&level, rule, MOST_STATES) {
            Verdict::Optimum { moves, .. } => Some(moves),
            Verdict::Unsolvable => None,
            Verdict::TooBig(_) => continue,
        };
        decided += 1;
        solved += u64::from(moves.is_some());
        longest = longest.max(moves.unwrap_or(0));
        let mut random = SplitMix::new(!seed);
        for _ in 0..WAYS {
            let options = draw(&mut random);
            if let Err(fault) = options.check(&level, rule, moves) {
                panic!("seed {seed}, rule {rule}: {fault}\n{level}");
            }
        }
    }
    println!("seeds {seeds:?}: {decided} boards decided, {solved} solved, longest {longest} moves");
    decided
}

#[test]
fn seeds_0_to_1099_agree() {
    assert!(agrees_with_brute_force(0..1_100) >= 1_000);
}

#[test]
fn seeds_1100_to_2199_agree() {
    assert!(agrees_with_brute_force(1_100..2_200) >= 1_000);
}

#[test]
fn seeds_2200_to_3299_agree() {
    assert!(agrees_with_brute_force(2_200..3_300) >= 1_000);
}
