//! Iterative deepening is right on boards that brute force can decide, whatever its table holds, and ends at limits.

mod brute_force;
mod options;
mod random_boards;

use std::time::Duration;

use brute_force::{Verdict, fewest_pushes};
use options::Options;
use random_boards::{RandomBoard, SplitMix, random_board};
use sokohive_engine::{
    Control, Course, DurableError, Ending, EstimateChoice, JournalPlace, Level, Limit, Navigator,
    NodeError, Objective, Outcome, Rule, SearchChoice, Stop, builtin, verify_strict,
};

/// States after which brute force gives a board up.
const MOST_STATES: usize = 400_000;

/// The usual way.
fn usual() -> Options {
    Options { search: SearchChoice::Ida, ..Options::default() }
}

/// A way to search drawn at random.
fn draw(random: &mut SplitMix) -> Options {
    let estimates = [
        EstimateChoice::Auto,
        EstimateChoice::Nearest,
        EstimateChoice::Matching,
        EstimateChoice::Walk,
        EstimateChoice::None,
    ];
    Options {
        estimate: random.pick(&estimates),
        deadlocks: random.chance(70),
        threads: random.pick(&[1, 1, 2, 3, 8]),
        // One bucket of four slots, some dozens, or enough.
        table: random.pick(&[Some(1), Some(4 << 10), Some(1 << 20)]),
        scout: random.chance(50),
        ..usual()
    }
}

/// Holds an outcome against the optimum, `None` for no solution. Whether it was proven; else its limit and its bounds
/// are right.
fn is_proven(
    outcome: &Outcome,
    level: &Level,
    (rule, objective): (Rule, Objective),
    optimum: Option<u32>,
    limit: Limit,
) -> Result<bool, String> {
    let cost = |solution: &sokohive_engine::Solution| {
        verify_strict(level, rule, &solution.moves).map_err(|error| error.to_string())?;
        Ok::<_, String>(solution.cost(objective) as u32)
    };
    match &outcome.ending {
        Ending::Optimal(solution) => match cost(solution)? {
            found if Some(found) == optimum => Ok(true),
            found => Err(format!("{found} {objective}, not {optimum:?}")),
        },
        Ending::Unsolvable(_) if optimum.is_none() => Ok(true),
        Ending::Limit { limit: found, lower_bound, best } if *found == limit => {
            if optimum.is_some_and(|optimum| *lower_bound > optimum) {
                return Err(format!("{lower_bound} is no bound of {optimum:?}"));
            }
            match best.as_ref().map(cost).transpose()? {
                Some(found) if optimum.is_none_or(|optimum| found < optimum) => {
                    Err(format!("{found} {objective} for {optimum:?}"))
                }
                _ => Ok(false),
            }
        }
        other => Err(format!("{other:?}, not {optimum:?}")),
    }
}

/// Compares boards of some seeds; how many runs were proven, and how many ended at the limit of states opened.
fn agrees(objective: Objective, seeds: std::ops::Range<u64>) -> (u32, u32) {
    const WAYS: usize = 4;
    let (mut proven, mut limited) = (0, 0);
    for seed in seeds {
        let RandomBoard { level, rule, .. } = random_board(seed);
        let optimum = match objective {
            Objective::Moves => match brute_force::solve(&level, rule, MOST_STATES) {
                Verdict::Optimum { moves, .. } => Some(moves),
                Verdict::Unsolvable => None,
                Verdict::TooBig(_) => continue,
            },
            Objective::Pushes => match fewest_pushes(&level, rule, MOST_STATES) {
                Verdict::Optimum { pushes, .. } => Some(pushes),
                Verdict::Unsolvable => None,
                Verdict::TooBig(_) => continue,
            },
        };
        let mut random = SplitMix::new(!seed);
        for _ in 0..WAYS {
            let options = draw(&mut random);
            let solver = options.solver(&level, rule).objective(objective).expansions(20_000);
            let terms = (rule, objective);
            match is_proven(&solver.solve(), &level, terms, optimum, Limit::Expansions) {
                Ok(true) => proven += 1,
                Ok(false) => limited += 1,
                Err(fault) => panic!("seed {seed}, rule {rule}: {fault}\nwith {options}\n{level}"),
            }
        }
    }
    println!("fewest {objective}: {proven} proven, {limited} limited");
    (proven, limited)
}

#[test]
fn the_fewest_moves_are_those_of_brute_force() {
    let (proven, limited) = agrees(Objective::Moves, 0..1_000);
    assert!(proven > 3_000 && limited < 800);
}

#[test]
fn the_fewest_pushes_are_those_of_brute_force() {
    let (proven, limited) = agrees(Objective::Pushes, 1_000..2_000);
    assert!(proven > 3_000 && limited < 800);
}

/// Where the table holds every state, nothing is searched for ever: the effort is near to that of a search by levels.
#[test]
fn boards_without_a_solution_end_soon_where_the_table_holds_them() {
    let mut boards = 0;
    for seed in 0..400 {
        let RandomBoard { level, rule, .. } = random_board(seed);
        for objective in [Objective::Moves, Objective::Pushes] {
            let solve =
                |options: Options| options.solver(&level, rule).objective(objective).solve();
            let by_levels = solve(Options { search: SearchChoice::Forward, ..Options::default() });
            if !matches!(by_levels.ending, Ending::Unsolvable(_)) {
                continue;
            }
            boards += 1;
            let outcome = solve(usual());
            assert!(matches!(outcome.ending, Ending::Unsolvable(_)), "seed {seed}\n{level}");
            let states = by_levels.statistics.states.max(1);
            let most = 4 * states * (outcome.statistics.levels + 1);
            let opened = outcome.statistics.expanded;
            assert!(opened <= most, "seed {seed}: {opened} opened, {states} states");
        }
    }
    assert!(boards > 200, "{boards}");
}

#[test]
fn one_thread_counts_the_same_every_time() {
    let board = builtin::find("p11").expect("built in");
    let solve = || usual().solver(&board.level, board.level.rule()).solve().statistics;
    assert_eq!(solve(), solve());
    assert!(solve().levels > 1, "{:?}", solve());
}

/// A corridor in which one box makes thousands of pushes, each of them one deeper.
#[test]
fn thousands_of_pushes_take_no_recursion() {
    const PUSHES: usize = 6_000;
    let wall = "#".repeat(PUSHES + 4);
    let text = format!("{wall}|#@${}.#|{wall}", " ".repeat(PUSHES - 1));
    let level = Level::parse(&text).expect("legal");
    for objective in [Objective::Moves, Objective::Pushes] {
        for threads in [1, 2] {
            let options = Options { threads, ..usual() };
            let outcome = options.solver(&level, Rule::Classic).objective(objective).solve();
            let Ending::Optimal(solution) = outcome.ending else { panic!("{:?}", outcome.ending) };
            assert_eq!(solution.moves.pushes(), PUSHES);
        }
    }
}

/// Whether a run of a built-in board was proven; else it ended at the limit.
fn built_in(id: &str, solver: impl FnOnce(&Level) -> Outcome, limit: Limit) -> bool {
    let board = builtin::find(id).expect("built in");
    let (terms, optimum) = ((board.level.rule(), Objective::Moves), Some(board.moves));
    let outcome = solver(&board.level);
    is_proven(&outcome, &board.level, terms, optimum, limit).unwrap_or_else(|f| panic!("{id}: {f}"))
}

#[test]
fn memory_is_never_exceeded_and_its_want_is_no_verdict() {
    let (mut proven, mut limited) = (0, 0);
    for threads in [1, 2, 8] {
        let mut bytes = 1_u64;
        while bytes < 4 << 20 {
            let solve = |level: &Level| {
                let options = Options { threads, ..usual() };
                let solver = options.solver(level, level.rule());
                let outcome = solver.memory(bytes).solve();
                let peak = outcome.statistics.peak_bytes;
                assert!(peak <= bytes, "{peak} of {bytes} bytes");
                outcome
            };
            match built_in("p9", solve, Limit::Memory) {
                true => proven += 1,
                false => limited += 1,
            }
            bytes += 1 + bytes / 3;
        }
    }
    println!("{proven} proven, {limited} limited");
    assert!(proven > 20 && limited > 60);
}

#[test]
fn the_states_opened_may_run_out_at_any_one() {
    let mut limited = 0;
    for threads in [1, 2, 8] {
        let mut most = 0;
        while most < 60_000 {
            let solve = |level: &Level| {
                let options = Options { threads, ..usual() };
                let outcome = options.solver(level, level.rule()).expansions(most).solve();
                assert!(outcome.statistics.expanded <= most);
                outcome
            };
            limited += u32::from(!built_in("p11", solve, Limit::Expansions));
            most += 1 + most / 2;
        }
    }
    assert!(limited > 10, "{limited}");
}

#[test]
fn it_may_be_stopped_before_it_begins_and_at_any_time() {
    let mut limited = 0;
    for threads in [1, 2, 8] {
        for delay in [None, Some(0), Some(500), Some(2_000), Some(8_000)] {
            let solve = |level: &Level| {
                let control = Control::new();
                let solver = Options { threads, ..usual() }.solver(level, level.rule());
                let solver = solver.control(control.clone());
                std::thread::scope(|scope| {
                    match delay {
                        None => control.stop(Stop::Time),
                        Some(delay) => {
                            let stopped = control.clone();
                            scope.spawn(move || {
                                std::thread::sleep(Duration::from_micros(delay));
                                stopped.stop(Stop::Time);
                            });
                        }
                    }
                    let outcome = solver.solve();
                    if let Ending::Limit { lower_bound, .. } = outcome.ending {
                        assert_eq!(control.progress().lower_bound, lower_bound);
                    }
                    outcome
                })
            };
            limited += u32::from(!built_in("p15", solve, Limit::Time));
        }
    }
    assert_eq!(limited, 15);
}

/// What it cannot do is refused: it keeps neither journal nor checkpoints, and has no part in a cluster.
#[test]
fn no_journal_and_no_cluster() {
    let board = builtin::find("p1").expect("built in");
    let solver = usual().solver(&board.level, board.level.rule());
    let place = JournalPlace { directory: std::env::temp_dir(), prefix: "never-made".to_owned() };
    let error = solver.durable(place, |_| ()).solve().expect_err("refused");
    assert!(matches!(error, DurableError::Search), "{error}");
    let mut course = Course::new(board.level.rule());
    course.search = SearchChoice::Ida;
    assert_eq!(Navigator::new(&board.level, course).expect_err("refused"), NodeError::Search);
}
