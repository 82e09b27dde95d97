//! Three nodes give the answers of one process and of brute force, for either objective, however they search.

mod brute_force;
mod cluster;
mod random_boards;

use brute_force::Verdict;
use random_boards::{RandomBoard, random_board};
use sokohive_engine::{
    Course, Ending, EstimateChoice, Level, NodeError, Objective, Rule, SearchChoice, Solver, Tie,
    verify_strict,
};

/// States after which brute force gives a board up.
const MOST_STATES: usize = 400_000;

const NODES: usize = 3;

const SEARCHES: [SearchChoice; 4] =
    [SearchChoice::Auto, SearchChoice::Forward, SearchChoice::Backward, SearchChoice::TwoSided];

const ESTIMATES: [EstimateChoice; 5] = [
    EstimateChoice::Auto,
    EstimateChoice::Nearest,
    EstimateChoice::Matching,
    EstimateChoice::Walk,
    EstimateChoice::None,
];

/// What is known of the best solutions of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Best {
    moves: u32,
    pushes: u32,
    solutions: u64,
}

impl Best {
    fn cost(&self, objective: Objective) -> u32 {
        match objective {
            Objective::Moves => self.moves,
            Objective::Pushes => self.pushes,
        }
    }
}

/// What brute force knows of the best solutions; `None` where it takes too many states.
fn truth(objective: Objective, level: &Level, rule: Rule) -> Option<Option<Best>> {
    let verdict = match objective {
        Objective::Moves => brute_force::solve(level, rule, MOST_STATES),
        Objective::Pushes => brute_force::fewest_pushes(level, rule, MOST_STATES),
    };
    match verdict {
        Verdict::Optimum { moves, pushes, solutions } => {
            Some(Some(Best { moves, pushes, solutions }))
        }
        Verdict::Unsolvable => Some(None),
        Verdict::TooBig(_) => None,
    }
}

/// Every way to search, some of them with other options than usual.
fn courses(objective: Objective, rule: Rule) -> impl Iterator<Item = Course> {
    let ways = SEARCHES.into_iter().flat_map(|search| ESTIMATES.map(|estimate| (search, estimate)));
    ways.enumerate().map(move |(number, (search, estimate))| {
        let mut course = Course::new(rule);
        course.objective = objective;
        course.search = search;
        course.estimate = estimate;
        course.dominance = number % 3 != 1;
        course.deadlocks = number % 5 != 1;
        course
    })
}

/// A fifth of them: every search, every time with another estimate.
fn courses_in_turn(seed: u64, objective: Objective, rule: Rule) -> impl Iterator<Item = Course> {
    let turn = (seed % 5) as usize;
    let all = courses(objective, rule).enumerate();
    all.filter(move |(number, _)| (number / 5 + number) % 5 == turn).map(|(_, course)| course)
}

/// What three nodes find; `None` for no solution.
fn found_by_nodes(level: &Level, course: Course) -> Option<sokohive_engine::Solution> {
    match cluster::solve(level, course, NODES) {
        Ok(answer) => answer.solution,
        Err(NodeError::Unsolvable(_)) => None,
        Err(error) => panic!("{error}\n{level}"),
    }
}

/// What one process finds in the same way.
fn found_alone(level: &Level, course: Course) -> Option<u32> {
    let solver = Solver::new(level)
        .rule(course.rule)
        .objective(course.objective)
        .search(course.search)
        .estimate(course.estimate)
        .dominance(course.dominance)
        .deadlocks(course.deadlocks);
    match solver.solve().ending {
        Ending::Optimal(solution) => {
            verify_strict(level, course.rule, &solution.moves).expect("replays");
            Some(solution.cost(course.objective) as u32)
        }
        Ending::Unsolvable(_) => None,
        ending => panic!("{ending:?}"),
    }
}

/// Compares the boards of some seeds, searched in a fifth of all ways each; returns how many have solutions, by rule.
fn costs_agree(objective: Objective, seeds: std::ops::Range<u64>) -> [u64; 2] {
    let mut solved = [0, 0];
    for seed in seeds {
        let RandomBoard { level, rule, .. } = random_board(seed);
        let Some(truth) = truth(objective, &level, rule) else { continue };
        let truth = truth.map(|truth| truth.cost(objective));
        for course in courses_in_turn(seed, objective, rule) {
            let alone = found_alone(&level, course);
            let nodes = found_by_nodes(&level, course);
            let nodes = nodes.map(|solution| solution.cost(objective) as u32);
            assert_eq!((nodes, alone), (truth, truth), "seed {seed}, {course:?}\n{level}");
        }
        solved[usize::from(rule == Rule::Classic)] += u64::from(truth.is_some());
    }
    println!("fewest {objective}: {solved:?} solved");
    solved
}

#[test]
fn the_fewest_moves_are_those_of_one_process_and_of_brute_force() {
    let [other, classic] = costs_agree(Objective::Moves, 0..400);
    assert!(other > 60 && classic > 60);
}

#[test]
fn the_fewest_pushes_are_those_of_one_process_and_of_brute_force() {
    let [other, classic] = costs_agree(Objective::Pushes, 0..400);
    assert!(other > 60 && classic > 60);
}

/// Compares all best solutions of the boards of some seeds; returns how many have several, by rule.
fn ties_agree(objective: Objective, seeds: std::ops::Range<u64>) -> [u64; 2] {
    let (mut several, mut most) = ([0, 0], 0);
    for seed in seeds {
        let RandomBoard { level, rule, .. } = random_board(seed);
        let Some(truth) = truth(objective, &level, rule) else { continue };
        for mut course in courses_in_turn(seed, objective, rule) {
            course.wants_all = true;
            let solution = found_by_nodes(&level, course);
            let is_broken = |tie: Tie| tie == objective.tie();
            assert!(solution.as_ref().is_none_or(|solution| is_broken(solution.tie)));
            let found = solution.map(|solution| Best {
                moves: solution.moves.len() as u32,
                pushes: solution.moves.pushes() as u32,
                solutions: solution.count.expect("counted"),
            });
            assert_eq!(found, truth, "seed {seed}, {course:?}\n{level}");
        }
        if let Some(truth) = truth.filter(|truth| truth.solutions > 1) {
            several[usize::from(rule == Rule::Classic)] += 1;
            most = most.max(truth.solutions);
        }
    }
    println!("fewest {objective}: {several:?} solved in several ways, up to {most}");
    several
}

#[test]
fn the_fewest_pushes_of_fewest_moves_are_those_of_brute_force() {
    let [other, classic] = ties_agree(Objective::Moves, 1_000..1_400);
    assert!(other > 25 && classic > 25);
}

#[test]
fn the_fewest_moves_of_fewest_pushes_are_those_of_brute_force() {
    let [other, classic] = ties_agree(Objective::Pushes, 1_000..1_400);
    assert!(other > 25 && classic > 25);
}
