//! The replay check: no solution counts before it has been walked through here.
//!
//! It shares nothing with the search but the types of boards and moves, and is meant to be obviously
//! right rather than fast.

use std::fmt;

use crate::{Direction, Level, Move, Moves, Position, Rule, Tile};

/// A solution that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// Steps, pushes included.
    pub moves: usize,
    /// Steps that push a box.
    pub pushes: usize,
    /// The steps with the case each should have: upper for pushes.
    pub normalised: Moves,
}

/// Why a move string does not solve a board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// A step that cannot be taken.
    #[error("step {step} ({letter}) from {from}: {blocked}")]
    Blocked {
        /// The step, from 1.
        step: usize,
        /// It, as written.
        letter: Move,
        /// Where the keeper stands before it.
        from: Position,
        /// What stands in the way.
        blocked: Blocked,
    },
    /// Strict check only: a push written as a walk, or a walk as a push.
    #[error("step {step} ({letter}): {}", if letter.push {
        "written as a push, but no box is pushed"
    } else {
        "written as a walk, but a box is pushed"
    })]
    Case {
        /// The step, from 1.
        step: usize,
        /// It, as written.
        letter: Move,
    },
    /// Every step can be taken, but the board is not finished then.
    #[error("after {steps} step{}: {unfinished}", if *steps == 1 { "" } else { "s" })]
    Unfinished {
        /// Number of steps.
        steps: usize,
        /// What is missing.
        unfinished: Unfinished,
    },
}

/// What stands in the way of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocked {
    /// A wall, or the edge of the grid.
    Wall,
    /// A box with a wall or the edge behind it.
    BoxAtWall(Position),
    /// A box with another box behind it.
    BoxAtBox(Position),
}

/// What a finished board would have had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// Boxes stand off goals here.
    Boxes(Vec<Position>),
    /// The keeper stands here, which is no goal.
    Keeper(Position),
}

/// Replays a move string, whatever the case of its letters.
///
/// # Errors
///
/// At the first step that cannot be taken, or if the board is not finished by `rule` after the last.
pub fn verify(level: &Level, rule: Rule, moves: &Moves) -> Result<Replay, VerifyError> {
    replay(level, rule, moves, false)
}

/// Replays a move string in which upper case must mean a push and lower case a walk.
///
/// # Errors
///
/// As [`verify`], and at the first step in the wrong case.
pub fn verify_strict(level: &Level, rule: Rule, moves: &Moves) -> Result<Replay, VerifyError> {
    replay(level, rule, moves, true)
}

fn replay(level: &Level, rule: Rule, moves: &Moves, strict: bool) -> Result<Replay, VerifyError> {
    let squares = |row| (0..level.columns()).map(move |column| Position { row, column });
    let all: Vec<Position> = (0..level.rows()).flat_map(squares).collect();
    let mut boxes: std::collections::BTreeSet<Position> =
        all.into_iter().filter(|&at| level.tile(at).has_box()).collect();
    let mut keeper = level.keeper();
    let mut normalised = Vec::with_capacity(moves.len());
    for (letter, step) in moves.iter().zip(1..) {
        let blocked = |blocked| VerifyError::Blocked { step, letter, from: keeper, blocked };
        let to = ahead(level, keeper, letter.direction).ok_or(blocked(Blocked::Wall))?;
        let push = boxes.contains(&to);
        if push {
            let behind = ahead(level, to, letter.direction);
            let behind = behind.ok_or(blocked(Blocked::BoxAtWall(to)))?;
            if boxes.contains(&behind) {
                return Err(blocked(Blocked::BoxAtBox(to)));
            }
            boxes.remove(&to);
            boxes.insert(behind);
        }
        if strict && push != letter.push {
            return Err(VerifyError::Case { step, letter });
        }
        normalised.push(Move { push, ..letter });
        keeper = to;
    }
    let unfinished = |unfinished| VerifyError::Unfinished { steps: moves.len(), unfinished };
    let off_goal = |at: &Position| !level.tile(*at).has_goal();
    let left: Vec<Position> = boxes.into_iter().filter(off_goal).collect();
    if !left.is_empty() {
        return Err(unfinished(Unfinished::Boxes(left)));
    }
    if rule == Rule::KeeperOnGoal && off_goal(&keeper) {
        return Err(unfinished(Unfinished::Keeper(keeper)));
    }
    let normalised: Moves = normalised.into_iter().collect();
    Ok(Replay { moves: normalised.len(), pushes: normalised.pushes(), normalised })
}

/// The square one step on, unless a wall is there. Beyond the grid all is wall.
fn ahead(level: &Level, at: Position, direction: Direction) -> Option<Position> {
    let Position { row, column } = at;
    let to = match direction {
        Direction::Up => Position { row: row.checked_sub(1)?, column },
        Direction::Down => Position { row: row + 1, column },
        Direction::Left => Position { row, column: column.checked_sub(1)? },
        Direction::Right => Position { row, column: column + 1 },
    };
    (level.tile(to) != Tile::Wall).then_some(to)
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wall => f.write_str("a wall stands in the way"),
            Self::BoxAtWall(at) => write!(f, "the box at {at} stands against a wall"),
            Self::BoxAtBox(at) => write!(f, "the box at {at} stands against another box"),
        }
    }
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boxes(left) => {
                f.write_str(if left.len() == 1 { "a box is" } else { "boxes are" })?;
                f.write_str(" left off goal at ")?;
                left.iter().enumerate().try_for_each(|(index, at)| {
                    write!(f, "{}{at}", if index > 0 { "; " } else { "" })
                })
            }
            Self::Keeper(at) => write!(f, "the keeper stands at {at}, which is no goal"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Blocked, Unfinished, VerifyError, verify, verify_strict};
    use crate::{Level, Moves, Position, Rule};

    fn level(text: &str) -> Level {
        Level::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn moves(text: &str) -> Moves {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn fault(board: &str, rule: Rule, steps: &str) -> VerifyError {
        verify(&level(board), rule, &moves(steps)).expect_err(steps)
    }

    const C46: &str = "######|#@-$.#|######";

    #[test]
    fn c46_any_case_replays_and_comes_out_right() {
        for text in ["rR", "rr", "RR", "Rr"] {
            let replay = verify(&level(C46), Rule::Classic, &moves(text)).expect(text);
            assert_eq!((replay.moves, replay.pushes), (2, 1));
            assert_eq!(replay.normalised.to_string(), "rR");
        }
    }

    #[test]
    fn c46_the_strict_check_minds_the_case() {
        let board = level(C46);
        assert!(verify_strict(&board, Rule::Classic, &moves("rR")).is_ok());
        for (text, step) in [("rr", 2), ("RR", 1), ("Rr", 1)] {
            let letter = moves(text).iter().nth(step - 1).expect("as long");
            let error = verify_strict(&board, Rule::Classic, &moves(text)).expect_err(text);
            assert_eq!(error, VerifyError::Case { step, letter });
        }
        let error = verify_strict(&board, Rule::Classic, &moves("rr")).expect_err("a walk");
        assert_eq!(error.to_string(), "step 2 (r): written as a walk, but a box is pushed");
    }

    #[test]
    fn c47_run_length_replays() {
        let replay = verify(&level("15#|#@10-$.#|15#"), Rule::Classic, &moves("10rR"));
        assert_eq!(replay.map(|replay| (replay.moves, replay.pushes)), Ok((11, 1)));
    }

    #[test]
    fn a_wall_stops_the_keeper() {
        let error = fault(C46, Rule::Classic, "ru");
        let text = "step 2 (u) from row 2, column 3: a wall stands in the way";
        assert_eq!(error.to_string(), text);
        // The edge of the grid is one too.
        for steps in ["u", "l", "rr", "dd"] {
            let error = verify(&level("30\n04"), Rule::Classic, &moves(steps)).expect_err(steps);
            assert!(matches!(error, VerifyError::Blocked { blocked: Blocked::Wall, .. }));
        }
    }

    #[test]
    fn a_box_stops_at_walls_and_boxes() {
        let blocked = |error| match error {
            VerifyError::Blocked { step, blocked, .. } => (step, blocked),
            other => panic!("{other}"),
        };
        let at = |row, column| Position { row, column };
        let error = fault(C46, Rule::Classic, "rRR");
        assert_eq!(blocked(error), (3, Blocked::BoxAtWall(at(1, 4))));
        let error = fault("#######|#@$$..#|#######", Rule::Classic, "R");
        assert_eq!(blocked(error), (1, Blocked::BoxAtBox(at(1, 2))));
    }

    #[test]
    fn boxes_off_goals_are_unfinished() {
        let error = fault("#######|#@$-..#|#-$---#|#######", Rule::Classic, "");
        let left = [(1, 2), (2, 2)].map(|(row, column)| Position { row, column });
        let unfinished = Unfinished::Boxes(left.to_vec());
        assert_eq!(error, VerifyError::Unfinished { steps: 0, unfinished });
        let text = "after 0 steps: boxes are left off goal at row 2, column 3; row 3, column 3";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn the_keeper_must_end_on_a_free_goal_if_the_rule_says_so() {
        let board = level("#######|#.@$.-#|#######");
        assert!(verify(&board, Rule::Classic, &moves("R")).is_ok());
        let error = fault("#######|#.@$.-#|#######", Rule::KeeperOnGoal, "R");
        assert_eq!(
            error.to_string(),
            "after 1 step: the keeper stands at row 2, column 4, which is no goal"
        );
        assert!(verify(&board, Rule::KeeperOnGoal, &moves("Rll")).is_ok());
    }

    #[test]
    fn a_finished_board_needs_no_step() {
        let replay = verify(&level("#####|#@*-#|#####"), Rule::Classic, &Moves::default());
        assert_eq!(replay.map(|replay| replay.moves), Ok(0));
    }
}
