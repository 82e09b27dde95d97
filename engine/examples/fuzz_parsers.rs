//! Feeds random and mutated text to the readers of levels and moves and to the replay check.
//!
//! ```text
//! cargo run --release -p sokohive-engine --example fuzz_parsers [INPUTS [SEED]]
//! ```
//!
//! INPUTS is 5,000,000 unless given; about half of them are level files, half move strings. An
//! input that makes something panic, or that is not read again as it is written, is printed and
//! ends the program with 1. The same seed makes the same inputs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use sokohive_engine::{
    Collection, Level, Moves, Position, ReadOptions, Rule, builtin, verify, verify_strict,
};

#[path = "../tests/random_boards/mod.rs"]
mod random_boards;
use random_boards::{SplitMix, random_board};

/// Well-formed or nearly well-formed files to start from.
const FILES: &[&str] = &[
    "_#####_\n_#---##\n##-$.-#\n#@-*--#\n#######\n",
    "#######\n#p-b-.#\n#--B--#\n#######\n",
    "XXXXXX\nX@ *.X\nXXXXXX\n",
    "|####\n#@$.#\n#####\n",
    "\t#####\n\t#@$.#\n\t#####\n",
    "\u{FEFF}#####\r\n#@$.#\r\n#####\r",
    "####\n# .###\n# $  #\n##@  #\n #####\n",
    " ##\n-\n#####\n#@$.#\n#####\n---\n#####\n#.$@#\n#####\n",
    "--####|###--#|#@$-.#|######|",
    "11#|#-@2(.$)3-#|#9-#|11#",
    "14#|#@-$.9-#|2(3(#-)#)|14#",
    "#7 (2)\n\n#####\n#@$.#\n#####\n",
    "> #####\n> #@$.#\n> #####\n",
    "*#####*\n #@$.#\n*#####*\n",
    "#####\n#@$.\n#####\n",
    "######\n#@$.@#\n######\n",
    "; made up\n; second remark\n\n; 1\n\n#####\n#@$.#\n#####\n\n;2 mirror\n#####\n#.$@#\n#####\n",
    ":: Wall...: # :: Keeper: @ ::\n\n#####\n#@$.#\n#####\n",
    "#####\n#@$.#\n#####\nTitle: tiny\nComment:\n#####\n#@ $.#\nprose\nComment-End:\n",
    "17\n#####\n#@$.#\n#####\n'Nearly #2'\n#####\n#.$@#\n#####\nTitle: second\n",
    "First\n\n#####\n#@$.#\n#####\n\nSolution/Moves 1/1\nR\n\nSnapshot\n*\n\nSecond\n\n#####\n#.$@#\n#####\n\nSolution\n2l\n",
    "<?xml version=\"1.0\"?>\n<SokobanLevels>\n<L>#####</L>\n</SokobanLevels>\n",
    "p1 optimal=6\n111111\n103001\n102001\n110111\n100001\n104041\n111111\n",
    "0000\n0241\n0300\n\n300\n240\n",
    "-@-$-.-",
];

const MOVE_STRINGS: &[&str] = &["rR", "10rR", "uLLdR", "ddrr uurL\nrddlluR", "r10", "0R", "10r R!"];

/// A board with a short solution, and a roomy one that many walks leave as solved as it is.
const REPLAY_BOARDS: [&str; 2] = ["######|#@-$.#|######", "9#|#7-#|#3-@3-#|#-*5-#|#7-#|9#"];

/// Pieces that mean something somewhere.
const PIECES: &[&str] = &[
    "\n",
    "\r",
    "\r\n",
    "\0",
    "\t",
    " ",
    "|",
    ";",
    "::",
    ">",
    "-",
    "_",
    "#",
    "@",
    "$",
    ".",
    "*",
    "+",
    "(",
    ")",
    "2(",
    "12",
    "0",
    "300-",
    "99999999",
    "Title: x\n",
    "Comment:\n",
    "Comment-End:\n",
    "Solution\n",
    "Snapshot\n",
    "Solution: 2rR\n",
    "Author: y\n",
    "\u{FEFF}",
    "é",
    "#####\n",
    "---\n",
    "=====\n",
    "0123456",
    "p",
    "B",
    "W",
    "u",
    "R",
    "3l",
    "<?xml",
];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<u64>());
    let (Ok(inputs), Ok(seed)) =
        (arguments.next().unwrap_or(Ok(5_000_000)), arguments.next().unwrap_or(Ok(20_240_229)))
    else {
        eprintln!("usage: fuzz_parsers [INPUTS [SEED]]");
        return ExitCode::from(2);
    };
    println!("{inputs} inputs from seed {seed}");
    let mut random = SplitMix::new(seed);
    let mut files: Vec<Vec<u8>> = FILES.iter().map(|text| text.as_bytes().to_vec()).collect();
    files.extend(builtin::all().iter().map(|builtin| builtin.level.to_string().into_bytes()));
    files.extend((0..20).map(|seed| random_board(seed).level.to_string().into_bytes()));
    let move_strings: Vec<_> = MOVE_STRINGS.iter().map(|text| text.as_bytes().to_vec()).collect();
    let mut count = Count::default();
    for index in 0..inputs {
        let is_file = random.chance(50);
        let input = make(&mut random, if is_file { &files } else { &move_strings });
        let check = || match is_file {
            true => check_file(&input, index % 4 == 1, &mut count),
            false => check_moves(&String::from_utf8_lossy(&input), &mut count),
        };
        let fault = match catch_unwind(AssertUnwindSafe(check)) {
            Ok(Ok(())) => continue,
            Ok(Err(fault)) => fault,
            Err(_) => "panic".to_owned(),
        };
        println!("input {index}: {fault}\n{:?}", String::from_utf8_lossy(&input));
        return ExitCode::from(1);
    }
    println!("{count:?}");
    println!("no fault in {inputs} inputs from seed {seed}");
    ExitCode::SUCCESS
}

/// What came of the inputs, to show that they are of every kind.
#[derive(Debug, Default)]
struct Count {
    files_refused: u64,
    levels: u64,
    levels_refused: u64,
    moves: u64,
    moves_refused: u64,
    replays: u64,
    replays_refused: u64,
}

/// An input made of a well-formed one by some changes, or, one in ten, of noise.
fn make(random: &mut SplitMix, from: &[Vec<u8>]) -> Vec<u8> {
    let mut text = if random.chance(10) { noise(random) } else { random.pick(from) };
    for _ in 0..random.below(6) {
        let at = random.below(text.len() + 1);
        let to = text.len().min(at + random.below(12));
        match random.below(8) {
            0 if !text.is_empty() => {
                let at = at.min(text.len() - 1);
                text[at] = random.next() as u8;
            }
            1 => drop(text.drain(at..to)),
            2 => text.truncate(at),
            3 => {
                let piece = text[at..to].to_vec();
                let there = random.below(text.len() + 1);
                text.splice(there..there, piece);
            }
            4 => text.extend(random.pick(from)),
            5 if at < to => {
                let piece = random.pick(PIECES).as_bytes();
                text.splice(at..=at, piece.iter().copied());
            }
            _ => {
                let piece = random.pick(PIECES).as_bytes();
                text.splice(at..at, piece.iter().copied());
            }
        }
    }
    text
}

fn noise(random: &mut SplitMix) -> Vec<u8> {
    let length = random.below(80);
    let alphabet: &[u8] = match random.below(4) {
        0 => b"#####--@$.*+ \n\n",
        1 => b"0123456\n",
        2 => b"udlrUDLR0123456789 \n",
        _ => return (0..length).map(|_| random.next() as u8).collect(),
    };
    (0..length).map(|_| random.pick(alphabet)).collect()
}

fn check_file(input: &[u8], edge_is_wall: bool, count: &mut Count) -> Result<(), String> {
    let options = ReadOptions::default().edge_is_wall(edge_is_wall);
    let collection = match Collection::read(input, Some("fuzz"), options) {
        Ok(collection) => collection,
        Err(error) => {
            count.files_refused += 1;
            return ensure(!error.to_string().is_empty(), "an error without text");
        }
    };
    ensure(!collection.levels.is_empty(), "no level and no error")?;
    let lines = input.len() + 1;
    for (level, number) in collection.levels.iter().zip(1..) {
        match level {
            Ok(level) => {
                count.levels += 1;
                ensure(level.number() == number, "a wrong number")?;
                check_level(level)?;
            }
            Err(error) => {
                count.levels_refused += 1;
                ensure(error.number() == Some(number), "an error of another level")?;
                let place = error.place().ok_or("an error without place")?;
                ensure((1..=lines).contains(&place.line), "an error beyond the file")?;
                ensure(!error.to_string().is_empty(), "an error without text")?;
            }
        }
    }
    Ok(())
}

/// A level is legal, and read again as it is written.
fn check_level(level: &Level) -> Result<(), String> {
    let row = |row| (0..level.columns()).map(move |column| Position { row, column });
    let mut keepers = (0..level.rows()).flat_map(row).filter(|&at| level.tile(at).has_keeper());
    ensure(keepers.next() == Some(level.keeper()), "a keeper elsewhere")?;
    ensure(keepers.next().is_none(), "a second keeper")?;
    ensure(level.place(level.keeper()).is_some(), "a row from nowhere")?;
    let options = ReadOptions::default().edge_is_wall(level.edge_is_wall());
    match Level::read(level.to_string().as_bytes(), options) {
        Ok(again) => ensure(again.same_board(level), "another board when read again"),
        Err(error) => Err(format!("refused when read again: {error}\n{level}")),
    }
}

fn check_moves(text: &str, count: &mut Count) -> Result<(), String> {
    let moves: Moves = match text.parse() {
        Ok(moves) => moves,
        Err(error) => {
            count.moves_refused += 1;
            return ensure(error.place().line >= 1, "an error from nowhere");
        }
    };
    count.moves += 1;
    ensure(moves.to_string().parse().as_ref() == Ok(&moves), "other moves when read again")?;
    for board in REPLAY_BOARDS {
        let level = Level::parse(board).map_err(|error| error.to_string())?;
        let Ok(replay) = verify(&level, Rule::Classic, &moves) else {
            count.replays_refused += 1;
            continue;
        };
        count.replays += 1;
        let strict = verify_strict(&level, Rule::Classic, &replay.normalised);
        ensure(strict.as_ref() == Ok(&replay), "another replay when normalised")?;
        ensure(replay.moves == moves.len(), "steps lost")?;
    }
    Ok(())
}

fn ensure(holds: bool, fault: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(fault.to_owned()) }
}
