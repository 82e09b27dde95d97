//! The random boards the search is compared on are of every kind.

mod brute_force;
mod random_boards;

use brute_force::Verdict;
use random_boards::random_board;
use sokohive_engine::{Level, Position, Rule};

#[test]
fn random_boards_are_of_every_kind() {
    let (mut solved, mut long, mut keeper_on_goal, mut surplus, mut odd) = (0, 0, 0, 0, 0);
    let total = 600;
    for seed in 0..total {
        let board = random_board(seed);
        let again = random_board(seed);
        assert!(board.level.same_board(&again.level) && board.rule == again.rule, "seed {seed}");
        let read_again =
            Level::parse(&board.level.to_string()).map(|level| level.same_board(&board.level));
        assert_eq!(read_again, Ok(true), "seed {seed}");
        let verdict = brute_force::solve(&board.level, board.rule, 300_000);
        if let Verdict::Optimum { moves, .. } = verdict {
            solved += 1;
            long += u64::from(moves >= 15);
        }
        keeper_on_goal += u64::from(board.rule == Rule::KeeperOnGoal);
        let row = |row| (0..board.level.columns()).map(move |column| Position { row, column });
        let tiles = || (0..board.level.rows()).flat_map(row).map(|at| board.level.tile(at));
        let boxes = tiles().filter(|tile| tile.has_box()).count();
        let goals = tiles().filter(|tile| tile.has_goal()).count();
        surplus += u64::from(goals > boxes);
        odd += u64::from(board.level.to_string().lines().any(|line| !line.starts_with('#')));
    }
    println!(
        "{solved} solved, {long} long, {keeper_on_goal} by the other rule, {surplus} with more goals, {odd} odd"
    );
    assert!((total * 2 / 5..total * 3 / 5).contains(&solved), "{solved} of {total} solved");
    for count in [long, keeper_on_goal, surplus, odd] {
        assert!(count > total / 15, "{long} {keeper_on_goal} {surplus} {odd}");
    }
}
