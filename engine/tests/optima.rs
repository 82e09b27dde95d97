//! All best solutions are counted, and one with fewest pushes is found among them, however the search is set up.

mod brute_force;
mod options;
mod random_boards;

use brute_force::Verdict;
use options::{Options, SEARCHES, check};
use random_boards::{RandomBoard, random_board};
use sokohive_engine::{Ending, EstimateChoice, Level, Rule, SearchChoice, Solution, builtin};

/// States after which brute force gives a board up.
const MOST_STATES: usize = 400_000;

/// What is known of the best solutions of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Best {
    moves: u32,
    pushes: u32,
    solutions: u64,
}

/// Searches for all best solutions; `None` if there is none.
fn solve(options: Options, level: &Level, rule: Rule) -> Option<Solution> {
    let solver = options.solver(level, rule).count(true).fewest_pushes(true);
    let outcome = solver.solve();
    match &outcome.ending {
        Ending::Optimal(solution) => {
            let moves = solution.moves.len() as u32;
            if let Err(fault) = check(&outcome, level, rule, Some(moves)) {
                panic!("{fault}\nwith {options}\n{level}");
            }
            Some(solution.clone())
        }
        Ending::Unsolvable(_) => None,
        ending => panic!("{ending:?}\nwith {options}\n{level}"),
    }
}

fn best(options: Options, level: &Level, rule: Rule) -> Option<Best> {
    let solution = solve(options, level, rule)?;
    assert!(solution.has_fewest_pushes, "with {options}\n{level}");
    Some(Best {
        moves: solution.moves.len() as u32,
        pushes: solution.moves.pushes() as u32,
        solutions: solution.count.expect("counted"),
    })
}

/// Ways to search every board: all searches, one thread and three, with dominance and without.
fn ways() -> impl Iterator<Item = Options> {
    let all = SEARCHES.into_iter().filter(|&(search, _)| search != SearchChoice::Auto);
    all.flat_map(|(search, estimate)| {
        [(1, true), (1, false), (3, true), (3, false)].map(|(threads, dominance)| Options {
            search,
            estimate,
            threads,
            dominance,
            // Half of them with a table that grows, half of them without deadlock tests.
            table: (threads == 3).then_some(1),
            deadlocks: dominance,
            ..Options::default()
        })
    })
}

/// Compares the boards of some seeds; returns how many have solutions of both rules together.
fn agrees_with_brute_force(seeds: std::ops::Range<u64>) -> [u64; 2] {
    println!("seeds {seeds:?}");
    let mut solved = [0, 0];
    let (mut several, mut most) = (0, 0);
    for seed in seeds.clone() {
        let RandomBoard { level, rule, .. } = random_board(seed);
        let truth = match brute_force::solve(&level, rule, MOST_STATES) {
            Verdict::Optimum { moves, pushes, solutions } => {
                Some(Best { moves, pushes, solutions })
            }
            Verdict::Unsolvable => None,
            Verdict::TooBig(_) => continue,
        };
        for options in ways() {
            let found = best(options, &level, rule);
            assert_eq!(found, truth, "seed {seed}, rule {rule}, with {options}\n{level}");
        }
        if let Some(truth) = truth {
            solved[usize::from(rule == Rule::Classic)] += 1;
            several += u64::from(truth.solutions > 1);
            most = most.max(truth.solutions);
        }
    }
    println!("seeds {seeds:?}: {solved:?} solved, {several} in several ways, up to {most}");
    solved
}

#[test]
fn seeds_0_to_699_agree() {
    let [other, classic] = agrees_with_brute_force(0..700);
    assert!(other > 100 && classic > 100);
}

#[test]
fn seeds_700_to_1399_agree() {
    let [other, classic] = agrees_with_brute_force(700..1_400);
    assert!(other > 100 && classic > 100);
}
