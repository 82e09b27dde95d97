//! Finding boards: built-in ids, files, standard input.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;
use std::str::FromStr;

use clap::ValueHint;
use sokohive_engine::{Collection, Note, ReadOptions, builtin};

use crate::board::{Board, Refusal, Remark};
use crate::units::counted;

/// Where boards come from, and how files are read.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Boards {
    /// Built-in ids (see `sokohive boards`), files, or - for standard input
    ///
    /// A word that names a built-in board is that board; write ./p15 for a file of that name.
    #[arg(required = true, value_name = "BOARD", value_hint = ValueHint::FilePath)]
    boards: Vec<OsString>,
    #[command(flatten)]
    reading: Reading,
}

/// How a board's text is read.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Reading {
    /// Levels to take of each file: a number, A-B, or all [default: all]
    #[arg(long, value_name = "N|A-B|all")]
    level: Option<LevelRange>,
    /// Read what lies outside an XSB board as wall, so that it need not be closed
    #[arg(long)]
    edge_is_wall: bool,
}

/// The levels of a file that are asked for, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LevelRange {
    /// All there are.
    All,
    /// The first and the last.
    Numbers(usize, usize),
}

/// A word that is no range of levels.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a level number from 1, a range such as 3-7, or all")]
pub(crate) struct BadRange(String);

impl FromStr for LevelRange {
    type Err = BadRange;

    fn from_str(text: &str) -> Result<Self, BadRange> {
        let number = |text: &str| text.parse::<usize>().ok().filter(|&number| number > 0);
        let range = match text.split_once('-') {
            _ if text == "all" => Some(Self::All),
            Some((first, last)) => match (number(first), number(last)) {
                (Some(first), Some(last)) if first <= last => Some(Self::Numbers(first, last)),
                _ => None,
            },
            None => number(text).map(|number| Self::Numbers(number, number)),
        };
        range.ok_or_else(|| BadRange(text.to_owned()))
    }
}

/// The boards that were asked for, in the order asked.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The boards; what cannot be read is in its place.
    pub(crate) boards: Vec<Result<Board, Refusal>>,
    /// What may surprise about how the files were read.
    pub(crate) remarks: Vec<Remark>,
}

impl Boards {
    /// Finds every board asked for.
    pub(crate) fn find(&self) -> Found {
        let mut found = Found::default();
        for (place, word) in self.boards.iter().enumerate() {
            if word == "-" && self.boards[..place].contains(word) {
                let again = "standard input is read only once, and was named before";
                found.boards.push(Err(refusal(word, again.to_owned())));
                continue;
            }
            let Found { boards, remarks } = self.reading.find(word);
            found.boards.extend(boards);
            found.remarks.extend(remarks);
        }
        found
    }
}

impl Reading {
    /// Finds the boards of one word.
    pub(crate) fn find(&self, word: &OsStr) -> Found {
        let refused = |refusal| Found { boards: vec![Err(refusal)], remarks: Vec::new() };
        let mut source = match Source::open(word, self.edge_is_wall) {
            Ok(source) => source,
            Err(refusal) => return refused(refusal),
        };
        let count = source.levels.len();
        let (first, last) = match self.level {
            Some(LevelRange::Numbers(first, last)) => (first, last),
            Some(LevelRange::All) | None => (1, count),
        };
        if last > count {
            let there = counted(count, "level", "levels");
            return refused(source.refuse(format!("no level {last}, found {there}")));
        }
        let boards = source.levels.drain(first - 1..last).collect();
        Found { boards, remarks: source.remarks }
    }

    /// Finds the one board of a word; several are a refusal that says how to choose.
    pub(crate) fn find_one(&self, word: &OsStr) -> Result<Board, Refusal> {
        let mut boards = self.find(word).boards;
        match (boards.pop(), boards.len()) {
            (Some(board), 0) => board,
            (_, others) => Err(Refusal {
                hint: Some("choose one with --level N"),
                ..refusal(word, format!("found {} levels, expected one", others + 1))
            }),
        }
    }
}

/// What one word leads to, read.
struct Source {
    id: String,
    file: Option<PathBuf>,
    levels: Vec<Result<Board, Refusal>>,
    remarks: Vec<Remark>,
}

impl Source {
    fn open(word: &OsStr, edge_is_wall: bool) -> Result<Self, Refusal> {
        let id = id_of(word);
        if let Some(builtin) = word.to_str().and_then(builtin::find) {
            let (level, known) = (builtin.level.clone(), Some(builtin.moves as usize));
            let board = Board { id: id.clone(), file: None, level, known };
            return Ok(Self { id, file: None, levels: vec![Ok(board)], remarks: Vec::new() });
        }
        let file = (word != "-").then(|| PathBuf::from(word));
        let source = Self { id, file, levels: Vec::new(), remarks: Vec::new() };
        let bytes = match &source.file {
            Some(file) => fs::File::open(file).and_then(read_all),
            None => read_all(io::stdin().lock()),
        };
        match bytes {
            Ok(bytes) => source.parse(&bytes, edge_is_wall),
            Err(error) => Err(source.refuse(reason_of(&error))),
        }
    }

    fn parse(mut self, bytes: &[u8], edge_is_wall: bool) -> Result<Self, Refusal> {
        let options = ReadOptions::default().edge_is_wall(edge_is_wall);
        let collection = Collection::read(bytes, None, options)
            .map_err(|error| Refusal::of_level(self.id.clone(), self.file.clone(), &error))?;
        let name = match &self.file {
            Some(file) => file.display().to_string(),
            None => self.id.clone(),
        };
        let remark = |note: Note| Remark { source: name.clone(), line: note.line, text: note.text };
        self.remarks = collection.notes.into_iter().map(remark).collect();
        let several = collection.levels.len() > 1;
        self.levels = (1..)
            .zip(collection.levels)
            .map(|(number, level)| {
                let id = if several { format!("{}:{number}", self.id) } else { self.id.clone() };
                let file = self.file.clone();
                match level {
                    Ok(level) => Ok(Board { id, file, level, known: None }),
                    Err(error) => Err(Refusal::of_level(id, file, &error)),
                }
            })
            .collect();
        Ok(self)
    }

    fn refuse(&self, reason: String) -> Refusal {
        let (id, file) = (self.id.clone(), self.file.clone());
        Refusal { id, file, line: None, column: None, reason, hint: None }
    }
}

/// A word that leads to no board, for a reason that is not in a file.
fn refusal(word: &OsStr, reason: String) -> Refusal {
    Refusal { id: id_of(word), file: None, line: None, column: None, reason, hint: None }
}

/// The word for a board in result lines, which split at blanks.
fn id_of(word: &OsStr) -> String {
    if word == "-" {
        return "stdin".to_owned();
    }
    word.to_string_lossy().replace(|c: char| c.is_whitespace() || c.is_control(), "_")
}

fn reason_of(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => {
            "no such file and no built-in board of that name (`sokohive boards` lists them)"
                .to_owned()
        }
        io::ErrorKind::IsADirectory => "found a folder, expected a level file".to_owned(),
        _ => error.to_string(),
    }
}

/// Collections of ten thousand levels take a few megabytes; beyond this it is no board.
const MAX_BYTES: u64 = 256 << 20;

fn read_all(input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        let found = format!("more than {} MiB, expected a level file", MAX_BYTES >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, found));
    }
    Ok(bytes)
}
