//! Digit boards, writing boards, and what is a policy rather than a quirk.

mod brute_force;

use brute_force::Verdict;
use sokohive_engine::{
    Collection, Direction, Level, LevelErrorKind as Kind, Place, Position, ReadOptions, Rule, Tile,
    builtin,
};

fn level(text: &str) -> Level {
    Level::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refused(text: &str) -> (Place, Kind) {
    let error = Level::parse(text).expect_err(text);
    (error.place().expect("a place"), error.kind().clone())
}

fn at(line: usize, column: usize) -> Place {
    Place { line, column }
}

fn moves(level: &Level) -> Option<u32> {
    match brute_force::solve(level, level.rule(), 3_000_000) {
        Verdict::Optimum { moves, .. } => Some(moves),
        Verdict::Unsolvable => None,
        Verdict::TooBig(limit) => panic!("more than {limit} states"),
    }
}

#[test]
fn digit_boards_have_their_own_rule_and_edge() {
    let board = level("0000\n0241\n0300\n");
    assert_eq!((board.rule(), board.edge_is_wall()), (Rule::KeeperOnGoal, true));
    assert_eq!((board.rows(), board.columns()), (3, 4));
    assert_eq!(board.to_string(), "----\n-$.#\n-@--\n");
    assert_eq!(level("#####|#@$.#|#####").rule(), Rule::Classic);
}

#[test]
fn digit_boards_may_be_many_in_a_file() {
    let text = "; two\n\np1 optimal=1\n30\n24\n\n; second\n000\n324\n000\n";
    let read = Collection::read(text.as_bytes(), None, ReadOptions::default()).expect("two");
    let names: Vec<_> = read.levels.iter().flatten().filter_map(Level::name).collect();
    assert_eq!(names, ["p1 optimal=1", "second"]);
}

#[test]
fn digit_rows_must_be_equally_long() {
    let kind = Kind::Ragged { row: 3, found: 3, expected: 4 };
    assert_eq!(refused("1111\n1341\n111\n1111\n"), (at(3, 4), kind));
    let kind = Kind::Ragged { row: 2, found: 5, expected: 4 };
    assert_eq!(refused("1111\n13411\n1111\n"), (at(2, 5), kind.clone()));
    assert_eq!(kind.to_string(), "found 5 squares in row 2, expected 4 as in row 1");
    assert!(matches!(refused("1\n1111\n1321\n"), (_, Kind::Ragged { .. })));
}

#[test]
fn digit_boards_hold_digits_from_0_to_6() {
    assert_eq!(refused("1111\n1371\n1111"), (at(2, 3), Kind::UnknownDigit { found: '7' }));
    assert_eq!(refused("1111\n13x1\n1111"), (at(2, 3), Kind::UnknownDigit { found: 'x' }));
    assert_eq!(refused("x000\n1321\n1141"), (at(1, 1), Kind::UnknownDigit { found: 'x' }));
    assert_eq!(refused("1321\n1141\nx000"), (at(3, 1), Kind::UnknownDigit { found: 'x' }));
    assert_eq!(refused("1111\n 321\n1111"), (at(2, 1), Kind::UnknownDigit { found: ' ' }));
    // Bars separate XSB rows only.
    assert_eq!(refused("111|131|111").1, Kind::NoBoard);
}

#[test]
fn digit_boards_have_one_keeper() {
    assert_eq!(refused("1111\n1241\n1111"), (at(1, 1), Kind::NoKeeper));
    let first = at(2, 2);
    assert_eq!(refused("1111\n1361\n1111"), (at(2, 3), Kind::SecondKeeper { first }));
}

#[test]
fn c44_a_digit_means_one_thing_only() {
    // Keeper, box and goal in a row in three other codes.
    assert_eq!(refused("00000\n05420\n00000").1, Kind::NoKeeper);
    assert_eq!(level("11111\n14231\n11111").to_string(), "#####\n#.$@#\n#####\n");
    assert_eq!(moves(&level("11111\n13421\n11111")), None);
}

#[test]
fn c20_a_board_without_boxes_costs_nothing() {
    for text in ["####|#@.#|####", "####|#@-#|####", "####\n#@.#\n####", "####\n#@ #\n####"] {
        assert_eq!(moves(&level(text)), Some(0));
    }
}

#[test]
fn c22_a_board_is_written_as_it_was_read() {
    for text in [
        "#####\n#+$ #\n# $.#\n#   #\n#####\n",
        "*#####*\n #@$.#\n #####\n-\n*     *\n",
        "  ####\n###  #\n#@$ .#\n######\n",
    ] {
        assert_eq!(level(text).to_string(), text);
    }
}

#[test]
fn c28_c29_open_boards_are_refused_unless_the_edge_is_wall() {
    assert_eq!(refused("-@-$-.-"), (at(1, 2), Kind::NotClosed));
    assert_eq!(refused("######|#@-$.#|#-----|######"), (at(1, 20), Kind::NotClosed));
    let read = |text: &str| {
        Level::read(text.as_bytes(), ReadOptions::default().edge_is_wall(true)).expect("legal")
    };
    assert_eq!(moves(&read("-@-$-.-")), Some(3));
    assert_eq!(moves(&read("######|#@-$.#|#-----|######")), Some(2));
}

#[test]
fn every_built_in_board_is_read_again_as_written() {
    for builtin in builtin::all() {
        let options = ReadOptions::default().edge_is_wall(builtin.level.edge_is_wall());
        let again = Level::read(builtin.level.to_string().as_bytes(), options).expect("legal");
        assert!(again.same_board(&builtin.level), "{}", builtin.id);
    }
}

#[test]
fn small_built_in_boards_have_their_optima_by_brute_force() {
    for id in ["p1", "p2", "p3", "p4", "p5", "p6", "p8", "p9"] {
        let builtin = builtin::find(id).expect(id);
        assert_eq!(moves(&builtin.level), Some(builtin.moves), "{id}");
    }
}

#[test]
fn one_level_is_one_level() {
    let two = "#####\n#@$.#\n#####\n\n#####\n#.$@#\n#####\n";
    let error = Level::parse(two).expect_err("two levels");
    assert_eq!(error.to_string(), "found 2 levels, expected one");
}

/// The squares the keeper could reach if no box stood in the way, relative to the keeper.
fn room(level: &Level) -> Vec<(isize, isize, Tile)> {
    let keeper = level.keeper();
    let mut room = vec![keeper];
    let mut next = 0;
    while let Some(&Position { row, column }) = room.get(next) {
        next += 1;
        for (down, right) in Direction::ALL.map(Direction::delta) {
            let to = (row.checked_add_signed(down), column.checked_add_signed(right));
            let (Some(row), Some(column)) = to else { continue };
            let to = Position { row, column };
            if level.tile(to) != Tile::Wall && !room.contains(&to) {
                room.push(to);
            }
        }
    }
    let offset = |a: usize, b: usize| a.cast_signed() - b.cast_signed();
    let seen = |&at: &Position| {
        (offset(at.row, keeper.row), offset(at.column, keeper.column), level.tile(at))
    };
    let mut squares: Vec<_> = room.iter().map(seen).collect();
    squares.sort_unstable_by_key(|&(row, column, _)| (row, column));
    squares
}

/// Boards that must not be read as others when a character of theirs is wrong or missing.
fn boards() -> Vec<String> {
    let written = |id| builtin::find(id).expect(id).level.to_string();
    let mut boards = vec![written("level1")];
    for text in [
        "####\n# .###\n# $  #\n##@  #\n #####",
        "*#####*\n #@$.#\n*#####*",
        "#######\n#@$ ..#\n#  #  #\n#######",
        "   ####\n####  #\n#@ $. #\n#  ####\n#  #\n####",
        "#####\n#@$.#\n#####\n#   #\n#   #\n#####",
    ] {
        boards.push(text.to_owned());
    }
    boards
}

#[test]
fn a_wrong_character_never_makes_another_board() {
    for board in boards() {
        let right = room(&level(&board));
        for at in (0..board.len()).filter(|&at| board.as_bytes()[at] != b'\n') {
            for wrong in ["x", "é", "\t", "!", "\0", "7", "(", ")", ";", ":", ">", "=", "xyz", "o"]
            {
                let mut text = board.clone();
                text.replace_range(at..=at, wrong);
                // A count before a square is another board by right.
                let file = Collection::read(text.as_bytes(), None, ReadOptions::default());
                let Ok(file) = file else { continue };
                for level in file.levels.iter().flatten() {
                    let is_count = wrong == "7" && level.to_string() != board;
                    assert!(is_count || room(level) == right, "{text}\nread as\n{level}");
                }
            }
        }
    }
}

#[test]
fn a_short_row_never_makes_another_board() {
    for board in boards() {
        let right = room(&level(&board));
        let lines: Vec<&str> = board.lines().collect();
        for (row, line) in lines.iter().enumerate() {
            for length in 0..line.len() {
                let mut short = lines.clone();
                short[row] = &line[..length];
                let text = short.join("\n");
                let file = Collection::read(text.as_bytes(), None, ReadOptions::default());
                let Ok(file) = file else { continue };
                for level in file.levels.iter().flatten() {
                    assert!(room(level) == right, "{text}\nread as\n{level}");
                }
            }
        }
    }
}

#[test]
fn a_wrong_digit_row_never_makes_another_board() {
    for text in
        ["111111\n103001\n102001\n104041\n111111", "0010000\n0214040\n0204000\n3211140\n0014000"]
    {
        assert!(Level::parse(text).is_ok());
        for at in (0..text.len()).filter(|&at| text.as_bytes()[at] != b'\n') {
            for wrong in ["x", "7", "", "00", " ", "#", "\0", "|"] {
                let mut broken = text.to_owned();
                broken.replace_range(at..=at, wrong);
                let file = Collection::read(broken.as_bytes(), None, ReadOptions::default());
                let levels = file.map_or(Vec::new(), |file| file.levels);
                let read: Vec<_> = levels.iter().flatten().map(Level::to_string).collect();
                assert!(read.is_empty(), "{broken}\nread as\n{}", read[0]);
            }
        }
    }
}
