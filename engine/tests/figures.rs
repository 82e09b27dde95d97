//! The figures given for the boards on which faulty solvers go wrong hold by brute force.

mod brute_force;
mod case_boards;

use brute_force::Verdict;
use case_boards::{CASES, Expected};
use sokohive_engine::{Level, Rule};

#[test]
fn the_figures_of_the_cases_hold_by_brute_force() {
    for case in CASES {
        let name = case.name;
        let verdict = match (Level::parse(case.board), case.expected) {
            (Err(error), Expected::Refused(message)) => {
                assert!(error.to_string().contains(message), "{name}: {error}");
                continue;
            }
            (Err(error), _) => panic!("{name}: {error}"),
            (Ok(_), Expected::Refused(_)) => panic!("{name}: not refused"),
            (Ok(level), _) => brute_force::solve(&level, Rule::Classic, 4_000_000),
        };
        let solved = matches!(case.expected, Expected::Optimum { .. });
        let right = match verdict {
            Verdict::Optimum { moves, pushes, .. } => {
                case.expected == Expected::Optimum { moves, pushes }
            }
            Verdict::Unsolvable => !solved,
            Verdict::TooBig(_) => false,
        };
        assert!(right, "{name}: {verdict:?}");
    }
}
