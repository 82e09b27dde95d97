//! All best solutions are counted, and the best of them in what counts second is found, however the search is set up.

mod brute_force;
mod case_boards;
mod options;
mod random_boards;

use brute_force::Verdict;
use case_boards::{CASES, Expected};
use options::{Options, SEARCHES};
use random_boards::{RandomBoard, random_board};
use sokohive_engine::{
    Control, Ending, EstimateChoice, JournalPlace, Level, Limit, Objective, Rule, SearchChoice,
    Solution, Solver, SpillPlace, Stop, Tie, builtin, verify_strict,
};

/// States after which brute force gives a board up.
const MOST_STATES: usize = 400_000;

/// What is known of the best solutions of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Best {
    moves: u32,
    pushes: u32,
    solutions: u64,
}

const OBJECTIVES: [Objective; 2] = [Objective::Moves, Objective::Pushes];

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

/// A search for all best solutions.
fn solver<'a>(options: Options, objective: Objective, level: &'a Level, rule: Rule) -> Solver<'a> {
    options.solver(level, rule).objective(objective).count(true).break_ties(true)
}

/// Searches for all best solutions; `None` if there is none.
fn solve(options: Options, objective: Objective, level: &Level, rule: Rule) -> Option<Solution> {
    let outcome = solver(options, objective, level, rule).solve();
    assert_eq!(outcome.statistics.reopened, 0, "with {options}\n{level}");
    match outcome.ending {
        Ending::Optimal(solution) => {
            if let Err(fault) = verify_strict(level, rule, &solution.moves) {
                panic!("{fault}\nwith {options}\n{level}");
            }
            Some(solution)
        }
        Ending::Unsolvable(_) => None,
        ending => panic!("{ending:?}\nwith {options}\n{level}"),
    }
}

fn best(options: Options, objective: Objective, level: &Level, rule: Rule) -> Option<Best> {
    let solution = solve(options, objective, level, rule)?;
    assert_eq!(solution.tie, objective.tie(), "with {options}\n{level}");
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
            scout: threads == 3,
            ..Options::default()
        })
    })
}

/// Compares the boards of some seeds; returns how many have solutions of both rules together.
fn agrees_with_brute_force(objective: Objective, seeds: std::ops::Range<u64>) -> [u64; 2] {
    println!("fewest {objective}, seeds {seeds:?}");
    let mut solved = [0, 0];
    let (mut several, mut most) = (0, 0);
    for seed in seeds.clone() {
        let RandomBoard { level, rule, .. } = random_board(seed);
        let Some(truth) = truth(objective, &level, rule) else { continue };
        for options in ways() {
            let found = best(options, objective, &level, rule);
            assert_eq!(
                found, truth,
                "seed {seed}, rule {rule}, fewest {objective}, with {options}\n{level}"
            );
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
    let [other, classic] = agrees_with_brute_force(Objective::Moves, 0..700);
    assert!(other > 100 && classic > 100);
}

#[test]
fn seeds_700_to_1399_agree() {
    let [other, classic] = agrees_with_brute_force(Objective::Moves, 700..1_400);
    assert!(other > 100 && classic > 100);
}

#[test]
fn seeds_0_to_699_agree_where_pushes_count() {
    let [other, classic] = agrees_with_brute_force(Objective::Pushes, 0..700);
    assert!(other > 100 && classic > 100);
}

#[test]
fn seeds_700_to_1399_agree_where_pushes_count() {
    let [other, classic] = agrees_with_brute_force(Objective::Pushes, 700..1_400);
    assert!(other > 100 && classic > 100);
}

#[test]
fn successors_that_are_put_off_are_not_missed() {
    for objective in OBJECTIVES {
        let (mut several, mut solved) = (0, 0);
        for seed in 3_000..3_300 {
            let RandomBoard { level, rule, .. } = random_board(seed);
            let Some(Some(truth)) = truth(objective, &level, rule) else { continue };
            for options in ways() {
                let directory = std::env::temp_dir();
                let place = SpillPlace { directory, most_bytes: u64::MAX, share: 0 };
                let solver = solver(options, objective, &level, rule).spill(place);
                let Ending::Optimal(solution) = solver.solve().ending else {
                    panic!("seed {seed}, with {options}");
                };
                let found = Best {
                    moves: solution.moves.len() as u32,
                    pushes: solution.moves.pushes() as u32,
                    solutions: solution.count.expect("counted"),
                };
                assert_eq!(found, truth, "seed {seed}, {objective}, with {options}\n{level}");
            }
            solved += 1;
            several += u64::from(truth.solutions > 1);
        }
        assert!(solved > 100 && several > 60, "{several} of {solved}");
    }
}

/// The same board, all searches: the same moves, pushes and count.
fn all_agree(objective: Objective, id: &str, mut ways: impl Iterator<Item = Options>) -> Best {
    let board = builtin::find(id).expect("built in");
    let (level, rule) = (&board.level, board.level.rule());
    let first = ways.next().expect("some");
    let first = best(first, objective, level, rule).expect("has solutions");
    println!("{id}: {first:?}");
    for options in ways {
        assert_eq!(best(options, objective, level, rule), Some(first), "{id}, with {options}");
    }
    first
}

#[test]
fn the_cheap_boards_agree_among_all_searches() {
    let dear = |id: &str| ["p13", "p15", "level1"].contains(&id);
    for board in builtin::all().iter().filter(|board| !dear(board.id)) {
        for objective in OBJECTIVES {
            let found = all_agree(objective, board.id, ways());
            assert!(objective == Objective::Pushes || found.moves == board.moves);
            if let Some(truth) = truth(objective, &board.level, board.level.rule()) {
                assert_eq!(Some(found), truth, "{}", board.id);
            }
        }
    }
}

/// Without optimisation they take long.
#[cfg(not(debug_assertions))]
#[test]
fn p13_and_level1_agree_from_the_start_and_from_both_ends() {
    for (id, objective, moves, pushes) in [
        ("p13", Objective::Moves, 78, 29),
        ("p13", Objective::Pushes, 78, 29),
        ("level1", Objective::Moves, 230, 97),
        ("level1", Objective::Pushes, 230, 97),
    ] {
        let left_out = |options: &Options| {
            let is_long = options.search == SearchChoice::Backward
                || options.estimate == EstimateChoice::Nearest;
            !options.dominance || id == "level1" && is_long
        };
        let found = all_agree(objective, id, ways().filter(|options| !left_out(options)));
        assert_eq!((found.moves, found.pushes), (moves, pushes), "{id}, fewest {objective}");
    }
}

#[test]
fn pushes_of_the_cases_are_the_fewest() {
    for case in CASES {
        if let (Expected::Optimum { moves, pushes }, Ok(level)) =
            (case.expected, Level::parse(case.board))
        {
            for (search, estimate) in SEARCHES {
                let options = Options { search, estimate, threads: 2, ..Options::default() };
                let found = best(options, Objective::Moves, &level, Rule::Classic);
                let found = found.map(|found| (found.moves, found.pushes));
                assert_eq!(found, Some((moves, pushes)), "{}", case.name);
            }
        }
    }
}

/// A room of so many squares a side, with the keeper in one corner, and box and goal in the opposite one.
fn room(side: usize) -> Level {
    let wall = "#".repeat(side + 2);
    let floor =
        |start: &str, end: &str| format!("#{start:<side$}#", start = start.to_owned() + end);
    let mut rows = vec![wall.clone(), floor("@", "")];
    rows.extend((2..side).map(|_| floor("", "")));
    rows.push(floor(&" ".repeat(side - 2), "$."));
    rows.push(wall);
    Level::parse(&rows.join("\n")).expect("legal")
}

#[test]
fn the_count_says_when_there_are_too_many() {
    for (side, solutions) in [(8, 792), (12, 167_960), (40, u64::MAX)] {
        // To the square left of the box there are side - 1 steps down and side - 3 to the right.
        for (search, estimate) in SEARCHES {
            let options = Options { search, estimate, ..Options::default() };
            let moves = 2 * side as u32 - 3;
            for objective in OBJECTIVES {
                let found = best(options, objective, &room(side), Rule::Classic);
                let truth = Best { moves, pushes: 1, solutions };
                assert_eq!(found, Some(truth), "{side}, fewest {objective}, with {options}");
            }
        }
    }
}

#[test]
fn only_what_was_asked_for_is_said() {
    let board = builtin::find("p9").expect("built in");
    for objective in OBJECTIVES {
        let solver =
            || Options::default().solver(&board.level, board.level.rule()).objective(objective);
        for (count, ties) in [(false, false), (true, false), (false, true), (true, true)] {
            let ending = solver().count(count).break_ties(ties).solve().ending;
            let Ending::Optimal(solution) = ending else { panic!("p9 has a solution") };
            let tie = if ties { objective.tie() } else { Tie::Any };
            assert_eq!((solution.count.is_some(), solution.tie), (count, tie));
        }
    }
}

/// What a limit has left of an answer that is known.
#[derive(Clone, Copy, Debug, Default)]
struct Left {
    nothing: u32,
    /// The optimum, but not the others.
    optimum: u32,
    all: u32,
}

impl Left {
    fn of(&mut self, ending: &Ending, objective: Objective, truth: Best) {
        let cost = match objective {
            Objective::Moves => truth.moves,
            Objective::Pushes => truth.pushes,
        };
        match ending {
            Ending::Limit { lower_bound, .. } => {
                assert!(*lower_bound <= cost);
                self.nothing += 1;
            }
            Ending::Optimal(solution) => {
                assert_eq!(solution.cost(objective), cost as usize);
                if let Some(count) = solution.count {
                    let (moves, pushes) = (solution.moves.len(), solution.moves.pushes());
                    assert_eq!(count, truth.solutions);
                    assert_eq!((moves, pushes), (truth.moves as usize, truth.pushes as usize));
                    assert_eq!(solution.tie, objective.tie());
                    self.all += 1;
                } else {
                    assert_eq!(solution.tie, Tie::Any);
                    self.optimum += 1;
                }
            }
            ending => panic!("{ending:?}"),
        }
    }
}

#[test]
fn limits_leave_what_is_proven() {
    let board = builtin::find("p7").expect("built in");
    let rule = board.level.rule();
    for (objective, (search, estimate)) in
        OBJECTIVES.into_iter().flat_map(|objective| SEARCHES.map(|search| (objective, search)))
    {
        let options = Options { search, estimate, ..Options::default() };
        let solver = || solver(options, objective, &board.level, rule);
        let whole = solver().first_table_bytes(1).solve();
        let mut left = Left::default();
        let truth = best(options, objective, &board.level, rule).expect("has solutions");
        let peak = whole.statistics.peak_bytes;
        let step = peak as usize / 300;
        for memory in (0..peak + 3 * step as u64).step_by(step.max(1)) {
            let outcome = solver().first_table_bytes(1).memory(memory).solve();
            assert!(outcome.statistics.peak_bytes <= memory);
            left.of(&outcome.ending, objective, truth);
        }
        println!("fewest {objective}, {options}: by memory {left:?}");
        assert!(left.nothing > 0 && left.optimum > 0 && left.all > 0, "{options}: {left:?}");
        let mut left = Left::default();
        for expansions in 0..=whole.statistics.expanded + 1 {
            left.of(&solver().expansions(expansions).solve().ending, objective, truth);
        }
        println!("fewest {objective}, {options}: by expansions {left:?}");
        assert!(left.nothing > 0 && left.all > 0, "{options}: {left:?}");
    }
}

#[test]
fn a_search_that_was_taken_up_again_counts_nothing() {
    let board = builtin::find("p7").expect("built in");
    let name = format!("sokohive-optima-{}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&directory).expect("a folder can be made");
    let place = |prefix: &str| JournalPlace { directory: directory.clone(), prefix: prefix.into() };
    for (search, estimate) in SEARCHES {
        let options = Options { search, estimate, ..Options::default() };
        if search == SearchChoice::TwoSided && estimate != EstimateChoice::Auto {
            continue;
        }
        let (level, rule) = (&board.level, board.level.rule());
        let solver = || solver(options, Objective::Moves, level, rule);
        let truth = solve(options, Objective::Moves, level, rule).expect("has solutions");
        let mut kept = Vec::new();
        let whole = solver().durable(place("whole"), |_| {}).solve().expect("the disk takes it");
        assert_eq!(whole.ending, Ending::Optimal(truth.clone()), "{options}");
        let control = Control::new();
        let durable = solver().control(control.clone());
        let durable = durable.durable(place("first"), |edge| {
            edge.syncer().sync().expect("the disk takes it");
            kept.push(edge.checkpoint().clone());
            if kept.len() == 5 {
                control.stop(Stop::Interrupt);
            }
        });
        let first = durable.solve().expect("the disk takes it");
        assert!(matches!(first.ending, Ending::Limit { limit: Limit::Interrupted, .. }));
        let checkpoint = kept.pop().expect("kept");
        let again = solver().durable(place("second"), |_| {}).resume(checkpoint).solve();
        let Ending::Optimal(solution) = again.expect("read back").ending else {
            panic!("{options}: p7 has a solution");
        };
        let known = (solution.moves.len(), solution.count, solution.tie);
        assert_eq!(known, (truth.moves.len(), None, Tie::Any), "{options}");
    }
    let _ = std::fs::remove_dir_all(&directory);
}

#[test]
fn a_search_that_another_would_follow_compares_nothing_where_it_keeps_checkpoints() {
    let board = builtin::find("p7").expect("built in");
    let (level, rule) = (&board.level, board.level.rule());
    let name = format!("sokohive-optima-kept-{}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&directory).expect("a folder can be made");
    let place = JournalPlace { directory: directory.clone(), prefix: "kept".into() };
    let led = Options {
        search: SearchChoice::TwoSided,
        estimate: EstimateChoice::Matching,
        ..Options::default()
    };
    for (options, objective) in [(Options::default(), Objective::Pushes), (led, Objective::Moves)] {
        let solver = solver(options, objective, level, rule);
        let outcome = solver.durable(place.clone(), |_| {}).solve().expect("the disk takes it");
        let Ending::Optimal(solution) = outcome.ending else { panic!("p7 has a solution") };
        assert_eq!((solution.count, solution.tie), (None, Tie::Any));
        let truth = solve(options, objective, level, rule).expect("has solutions");
        assert_eq!(solution.cost(objective), truth.cost(objective));
    }
    let _ = std::fs::remove_dir_all(&directory);
}
