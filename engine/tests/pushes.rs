//! The objective of fewest pushes: right on boards that brute force can decide, however it is searched.

mod brute_force;
mod options;
mod random_boards;

use brute_force::{Verdict, fewest_pushes};
use options::{BASELINE, Options, SEARCHES, WIDTHS};
use random_boards::{RandomBoard, SplitMix, random_board};
use sokohive_engine::{Ending, Level, Objective, Rule, builtin, verify_strict};

/// States after which brute force gives a board up.
const MOST_STATES: usize = 400_000;

/// What is wrong with a search for the fewest pushes if it does not find so many, or `None` for no solution.
fn fault(level: &Level, rule: Rule, options: Options, pushes: Option<u32>) -> Option<String> {
    let outcome = options.solver(level, rule).objective(Objective::Pushes).solve();
    let found = match &outcome.ending {
        Ending::Optimal(solution) => {
            let replay = verify_strict(level, rule, &solution.moves);
            let replayed = replay.map_err(|error| error.to_string()).map(|replay| replay.pushes);
            if replayed != Ok(solution.cost(Objective::Pushes)) {
                return Some(format!("{replayed:?}, not what the solution says"));
            }
            replayed.ok().map(|pushes| pushes as u32)
        }
        Ending::Unsolvable(_) => None,
        other => return Some(format!("{other:?}")),
    };
    let reopened = outcome.statistics.reopened;
    let right = found == pushes && reopened == 0;
    (!right).then(|| format!("{found:?} pushes, not {pushes:?}; {reopened} reopened; {options}"))
}

/// The fewest pushes, by brute force: `Some(None)` if there is no solution, `None` if that takes too many states.
fn truth(level: &Level, rule: Rule, limit: usize) -> Option<Option<u32>> {
    match fewest_pushes(level, rule, limit) {
        Verdict::Optimum { pushes, .. } => Some(Some(pushes)),
        Verdict::Unsolvable => Some(None),
        Verdict::TooBig(_) => None,
    }
}

/// A way to search drawn at random.
fn draw(random: &mut SplitMix) -> Options {
    let (search, estimate) = random.pick(&[&SEARCHES[..], &[BASELINE]].concat());
    Options {
        search,
        estimate,
        dominance: random.chance(70),
        deadlocks: random.chance(70),
        width: random.pick(&WIDTHS),
        threads: random.pick(&[1, 1, 2, 3, 8]),
        table: random.pick(&[None, Some(1)]),
        scout: random.chance(50),
    }
}

#[test]
fn the_fewest_pushes_are_those_of_brute_force() {
    const WAYS: usize = 4;
    let (mut decided, mut solved, mut longer) = (0, 0, 0);
    for seed in 0..1_700 {
        let RandomBoard { level, rule, .. } = random_board(seed);
        let Some(pushes) = truth(&level, rule, MOST_STATES) else { continue };
        decided += 1;
        solved += u64::from(pushes.is_some());
        if let Verdict::Optimum { pushes: of_fewest_moves, .. } =
            brute_force::solve(&level, rule, MOST_STATES)
        {
            longer += u64::from(Some(of_fewest_moves) > pushes);
        }
        let mut random = SplitMix::new(!seed);
        for _ in 0..WAYS {
            let options = draw(&mut random);
            if let Some(fault) = fault(&level, rule, options, pushes) {
                panic!("seed {seed}, rule {rule}: {fault}\n{level}");
            }
        }
    }
    println!(
        "{decided} boards, {solved} solved, {longer} of them with fewer moves for more pushes"
    );
    assert!(decided >= 1_500 && solved >= 700 && longer >= 20);
}

#[test]
fn built_in_boards_come_out_alike_however_they_are_searched() {
    let mut random = SplitMix::new(1);
    for board in builtin::all().iter().filter(|board| !["p15", "level1"].contains(&board.id)) {
        let rule = board.level.rule();
        let known = truth(&board.level, rule, 4 * MOST_STATES);
        let usual = Options::default().solver(&board.level, rule).objective(Objective::Pushes);
        let Ending::Optimal(solution) = usual.solve().ending else { panic!("{}", board.id) };
        let pushes = Some(solution.cost(Objective::Pushes) as u32);
        assert!(known.is_none_or(|known| known == pushes), "{}: {pushes:?}", board.id);
        for (search, estimate) in SEARCHES {
            let options = Options { search, estimate, ..draw(&mut random) };
            assert_eq!(fault(&board.level, rule, options, pushes), None, "{}", board.id);
        }
    }
}
