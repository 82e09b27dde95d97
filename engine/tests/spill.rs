//! The open list on disk: the same answers in less memory, and honest endings when the disk does not play along.

mod brute_force;
mod options;
mod random_boards;

use brute_force::Verdict;
use options::{Options, SEARCHES, check};
use random_boards::{RandomBoard, SplitMix, random_board};
use sokohive_engine::{Ending, Level, Limit, Outcome, Rule, SearchChoice, SpillPlace, builtin};

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
        let options = Options { search, estimate, threads: 3, ..Options::default() };
        let whole = solve(&options, u64::MAX, None).statistics;
        let outcome = solve(&options, u64::MAX, Some(place(256 << 10, u64::MAX)));
        assert!(matches!(outcome.ending, Ending::Optimal(_)), "{options}: {:?}", outcome.ending);
        let spilled = outcome.statistics;
        println!("{options}: {} bytes spilled", spilled.spilled_bytes);
        assert!(whole.spilled_bytes == 0 && spilled.spilled_bytes > 1 << 20, "{options}");
        assert!(spilled.peak_bytes < whole.peak_bytes, "{options}");
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

/// A room of so many squares a side with boxes on its diagonal, next to their goals.
fn room(side: usize, boxes: usize) -> Level {
    let wall = vec!['#'; side + 2];
    let mut floor = vec![' '; side + 2];
    (floor[0], floor[side + 1]) = ('#', '#');
    let mut rows = vec![floor; side + 2];
    (rows[0], rows[side + 1]) = (wall.clone(), wall);
    for index in 0..boxes {
        let place = 2 + index * (side - 2) / boxes;
        rows[place][place] = '$';
        rows[place][place + 2] = '.';
    }
    rows[1][1] = '@';
    let text: Vec<String> = rows.into_iter().map(String::from_iter).collect();
    Level::parse(&text.join("\n")).expect("a board")
}

#[test]
fn successors_wait_on_disk_where_the_table_cannot_grow() {
    let (level, memory) = (room(20, 7), 4 << 20);
    for threads in [1, 3] {
        let options = Options { search: SearchChoice::Forward, threads, ..Options::default() };
        let whole = options.solver(&level, Rule::Classic).solve();
        let Ending::Optimal(solution) = &whole.ending else { panic!("{:?}", whole.ending) };
        let moves = solution.moves.len() as u32;
        let ending = options.solver(&level, Rule::Classic).memory(memory).solve().ending;
        assert!(matches!(ending, Ending::Limit { limit: Limit::Memory, .. }), "{ending:?}");
        let solver = options.solver(&level, Rule::Classic).memory(memory);
        let outcome = solver.spill(place(memory / 8, u64::MAX)).solve();
        check(&outcome, &level, Rule::Classic, Some(moves)).expect("right");
        let (spilled, whole) = (outcome.statistics, whole.statistics);
        assert!(spilled.peak_bytes <= memory && spilled.states < whole.states / 2, "{spilled:?}");
    }
}

/// A room with many boxes that are home and some that are away: nearly all successors are of levels that are never opened.
fn crowded_room(side: usize, home: usize, away: usize) -> Level {
    let places = (3..side - 1).step_by(3);
    let mut places = places.clone().flat_map(|row| places.clone().map(move |column| (row, column)));
    let wall = "#".repeat(side + 2);
    let mut rows = vec![format!("#{}#", " ".repeat(side)).into_bytes(); side + 2];
    (rows[0], rows[side + 1]) = (wall.clone().into_bytes(), wall.into_bytes());
    places.by_ref().take(home).for_each(|(row, column)| rows[row][column] = b'*');
    for (row, column) in places.take(away) {
        rows[row][column] = b'$';
        rows[row + 1][column + 1] = b'.';
    }
    rows[1][1] = b'@';
    Level::parse(&String::from_utf8_lossy(&rows.join(&b'\n'))).expect("a board")
}

#[test]
fn an_open_list_of_four_times_the_memory_is_worked_off() {
    let (level, memory) = (crowded_room(18, 16, 3), 2 << 20);
    for threads in [1, 2] {
        let options = Options { search: SearchChoice::Forward, threads, ..Options::default() };
        let whole = options.solver(&level, Rule::Classic).solve();
        let Ending::Optimal(solution) = &whole.ending else { panic!("{:?}", whole.ending) };
        let moves = solution.moves.len() as u32;
        let solver = options.solver(&level, Rule::Classic).memory(memory);
        let outcome = solver.spill(place(memory / 8, u64::MAX)).solve();
        check(&outcome, &level, Rule::Classic, Some(moves)).expect("right");
        let spilled = outcome.statistics;
        println!("{} bytes spilled, {} held", spilled.spilled_bytes, spilled.peak_bytes);
        assert!(spilled.peak_bytes <= memory && spilled.spilled_bytes > 4 * memory, "{spilled:?}");
    }
}

#[test]
fn boards_come_out_right_where_all_that_can_wait_does_so_on_disk() {
    let (mut decided, mut put_off) = (0, 0);
    let mut agree = |level: &Level, rule: Rule, moves: Option<u32>, seed: u64| {
        let mut random = SplitMix::new(!seed);
        for _ in 0..2 {
            let (search, estimate) = random.pick(&SEARCHES);
            let options = Options {
                search,
                estimate,
                dominance: random.chance(70),
                deadlocks: random.chance(70),
                threads: random.pick(&[1, 2, 3]),
                scout: random.chance(50),
                ..Options::default()
            };
            let outcome = options.solver(level, rule).spill(place(0, u64::MAX)).solve();
            check(&outcome, level, rule, moves)
                .unwrap_or_else(|fault| panic!("seed {seed}, {options}: {fault}\n{level}"));
            decided += 1;
            put_off += u64::from(outcome.statistics.spilled_bytes > 0);
        }
    };
    for (seed, builtin) in (0..).zip(builtin::all()) {
        if !["p15", "level1"].contains(&builtin.id) {
            agree(&builtin.level, builtin.level.rule(), Some(builtin.moves), seed);
        }
    }
    for seed in 0..1_500 {
        let RandomBoard { level, rule, .. } = random_board(seed);
        match brute_force::solve(&level, rule, 100_000) {
            Verdict::Optimum { moves, .. } => agree(&level, rule, Some(moves), seed),
            Verdict::Unsolvable => agree(&level, rule, None, seed),
            Verdict::TooBig(_) => {}
        }
    }
    println!("{decided} searches decided, {put_off} of them with successors put off");
    assert!(decided > 2_500 && put_off > 1_500);
}

#[test]
fn a_folder_that_cannot_be_written_is_a_limit() {
    let directory = std::path::Path::new("/dev/null/nowhere").to_owned();
    let spill = SpillPlace { directory, ..place(1 << 20, u64::MAX) };
    let outcome = solve(&Options::default(), u64::MAX, Some(spill));
    assert!(matches!(outcome.ending, Ending::Limit { limit: Limit::Disk, lower_bound: 1.., .. }));
    let fault = outcome.disk_fault.expect("a reason");
    assert!(fault.starts_with("/dev/null/nowhere: "), "{fault}");
}
