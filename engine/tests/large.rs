//! Boards of more squares than one, two or four words have bits: the search agrees with brute force on them.
//!
//! They are the random small boards with a long corridor let into the right wall, round a corner that no box passes. So
//! brute force still takes them in.

mod brute_force;
mod options;
mod random_boards;

use brute_force::Verdict;
use options::{Options, SEARCHES, WIDTHS};
use random_boards::{RandomBoard, SplitMix, random_board};
use sokohive_engine::{Board, Level, Position, Rule, Tile};

/// The board with a corridor so long that it has so many squares; `None` where no corridor can be let in.
///
/// At the end of the corridor there is a goal, if asked for: boxes in the corridor would then be live, but none gets
/// there, and a keeper that needs a goal may have to walk all the way.
fn with_corridor(level: &Level, squares: usize, goal: bool) -> Option<Level> {
    let board = Board::new(level);
    let (rows, columns) = (level.rows(), level.columns());
    let more = squares.checked_sub(board.squares() + 3)?;
    let at = |row, column| Position { row, column };
    let opening = (2..rows - 1).find(|&row| {
        let inside = board.square_at(at(row, columns - 2)).is_some();
        inside && level.tile(at(row, columns - 1)) == Tile::Wall
    })?;
    let end = opening + more + 1;
    let mut grid = vec![vec!['#'; columns + 2]; rows.max(end + 2)];
    for (row, line) in level.to_string().lines().enumerate() {
        for (column, tile) in line.chars().enumerate().take(columns - 1) {
            grid[row][column] = tile;
        }
    }
    grid[opening][columns - 1] = '-';
    (opening..=end).for_each(|row| grid[row][columns] = '-');
    if goal {
        grid[end][columns] = '.';
    }
    let rows: Vec<String> = grid.into_iter().map(|row| row.into_iter().collect()).collect();
    let level =
        Level::parse(&rows.join("\n")).unwrap_or_else(|e| panic!("{e}\n{}", rows.join("\n")));
    assert_eq!(Board::new(&level).squares(), squares);
    Some(level)
}

/// Compares boards of so many squares; returns how many there were.
fn agrees(squares: usize, seeds: std::ops::Range<u64>) -> u64 {
    println!("{squares} squares, seeds {seeds:?}");
    let (mut decided, mut solved) = (0, 0);
    for seed in seeds {
        let RandomBoard { level, rule, .. } = random_board(seed);
        let mut random = SplitMix::new(!seed);
        let goal = random.chance(40);
        let Some(level) = with_corridor(&level, squares, goal) else { continue };
        let moves = match brute_force::solve(&level, rule, 300_000) {
            Verdict::Optimum { moves, .. } => Some(moves),
            Verdict::Unsolvable => None,
            Verdict::TooBig(_) => continue,
        };
        decided += 1;
        solved += u64::from(moves.is_some());
        for _ in 0..3 {
            let (search, estimate) = random.pick(&SEARCHES);
            let options = Options {
                search,
                estimate,
                dominance: random.chance(70),
                deadlocks: random.chance(70),
                width: random.pick(&WIDTHS),
                threads: random.pick(&[1, 2, 3]),
                table: random.pick(&[None, Some(1)]),
                scout: random.chance(50),
            };
            if let Err(fault) = options.check(&level, rule, moves) {
                panic!(
                    "seed {seed}, {squares} squares, goal {goal}, rule {rule}: {fault}\n{level}"
                );
            }
        }
    }
    println!("{squares} squares: {decided} boards decided, {solved} solved");
    assert!(solved * 10 > decided);
    decided
}

#[test]
fn boards_around_64_squares_agree() {
    assert!([63, 64, 65].into_iter().map(|squares| agrees(squares, 0..60)).sum::<u64>() > 100);
}

#[test]
fn boards_around_128_squares_agree() {
    assert!(
        [127, 128, 129].into_iter().map(|squares| agrees(squares, 100..160)).sum::<u64>() > 100
    );
}

#[test]
fn boards_around_256_squares_agree() {
    assert!(
        [255, 256, 257].into_iter().map(|squares| agrees(squares, 200..260)).sum::<u64>() > 100
    );
}

#[test]
fn boards_of_about_500_squares_agree() {
    assert!([450, 490].into_iter().map(|squares| agrees(squares, 300..360)).sum::<u64>() > 60);
}

#[test]
fn a_keeper_far_off_is_fetched() {
    let near = Level::parse("######|#@-$.#|#----#|######").expect("legal");
    let far = with_corridor(&near, 400, true).expect("room for a corridor");
    let Verdict::Optimum { moves, .. } = brute_force::solve(&far, Rule::KeeperOnGoal, 1_000_000)
    else {
        panic!("it has a solution");
    };
    for (search, estimate) in SEARCHES {
        let options = Options { search, estimate, ..Options::default() };
        options
            .check(&far, Rule::KeeperOnGoal, Some(moves))
            .unwrap_or_else(|fault| panic!("{fault}"));
    }
    assert!(moves > 390, "{moves}");
}
