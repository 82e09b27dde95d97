//! Files of levels.

use std::mem::take;
use std::sync::Arc;

use super::error::{LevelError, LevelErrorKind, Place};
use super::key::{self, Remark};
use super::row::{self, Reading};
use super::settle::{Manner, Member, Settled, is_faulty_digits, settle_digits, settle_xsb};
use super::text::{self, Line};
use super::validate::{Fault, MAX_SQUARES};
use super::{EmbeddedSolution, Level};

/// Squares a file may have in all its boards, so that run-length text cannot blow up.
const MAX_FILE_SQUARES: usize = 4 * MAX_SQUARES;

/// How to read a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct ReadOptions {
    edge_is_wall: bool,
}

impl ReadOptions {
    /// Whether a square outside the text of an XSB board is a wall, so that no board is refused
    /// for not being closed. Digit boards are always read so.
    pub fn edge_is_wall(self, yes: bool) -> Self {
        Self { edge_is_wall: yes }
    }
}

/// The levels of a file.
///
/// A level is a run of board lines; any other line ends it: a blank line, a title, a remark
/// (`; text`, `:: text`) or a key (`Author: somebody`). A level's name is the value of a `Title:`
/// key below it, else the last remark or line of prose between it and the level before.
/// What stands between `Comment:` and `Comment-End:` is not read. Moves below a heading like
/// `Solution` are kept with the level above, unchecked; those of saved games are skipped.
/// Rows of nothing but floor around a board (`---`) are separators.
#[derive(Clone, Debug)]
pub struct Collection {
    /// The title that the file gives itself before its first level.
    pub title: Option<String>,
    /// The levels in order; a faulty one keeps its number and does not harm the others.
    pub levels: Vec<Result<Level, LevelError>>,
    /// What somebody might miss among the levels.
    pub notes: Vec<Note>,
}

/// A remark on how a file was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Line of the file, from 1.
    pub line: usize,
    /// What was noticed there.
    pub text: &'static str,
}

impl Collection {
    /// Reads a file. `source` is its name, for the errors.
    ///
    /// # Errors
    ///
    /// If the file is in a format that is not read, or if no board is in it. Faults of single
    /// levels stand in [`Collection::levels`].
    pub fn read(
        bytes: &[u8],
        source: Option<&str>,
        options: ReadOptions,
    ) -> Result<Self, LevelError> {
        let source: Option<Arc<str>> = source.map(Arc::from);
        let in_source = |mut error: LevelError| {
            error.source.clone_from(&source);
            error
        };
        let lines = text::lines(bytes).map_err(in_source)?;
        let kinds = classify(&lines);
        let mut reader = Reader::new(&lines, &kinds, options, false);
        reader.read();
        if reader.entries.is_empty() {
            reader = Reader::new(&lines, &kinds, options, true);
            reader.read();
        }
        if reader.entries.is_empty() {
            return Err(in_source(no_board(&lines, &kinds)));
        }
        Ok(reader.into_collection(source.as_ref()))
    }
}

/// What a line is, seen by itself.
#[derive(Debug)]
enum Kind {
    Blank,
    Remark(Remark),
    Board(Reading),
}

fn classify(lines: &[Line<'_>]) -> Vec<Kind> {
    let mut left = MAX_FILE_SQUARES;
    let classify = |line: &Line<'_>| {
        if line.is_blank() {
            return Kind::Blank;
        }
        if let Some(remark) = key::read(line) {
            return Kind::Remark(remark);
        }
        let reading = row::read(line, left.min(MAX_SQUARES));
        if let Reading::Rows { rows, .. } = &reading {
            left -= rows.iter().map(|row| row.tiles.len()).sum::<usize>();
        }
        Kind::Board(reading)
    };
    lines.iter().map(classify).collect()
}

/// The error for a file without boards: the first character that is of none.
fn no_board(lines: &[Line<'_>], kinds: &[Kind]) -> LevelError {
    let first = lines.iter().zip(kinds).find(|(_, kind)| matches!(kind, Kind::Board(_)));
    let Some((line, _)) = first else {
        return LevelError::of_file(None, LevelErrorKind::NoBoard);
    };
    let unknown = |&byte: &u8| super::Tile::from_xsb(byte).is_none() || byte.is_ascii_alphabetic();
    let at = line.bytes.iter().position(unknown);
    let place = Place { line: line.number, column: line.column(at.unwrap_or(0)) };
    let kind = match at.map(|at| line.char_at(at)) {
        Some(found) if !found.is_ascii_digit() => LevelErrorKind::UnknownSquare { found },
        _ => LevelErrorKind::NoBoard,
    };
    LevelError::of_file(Some(place), kind)
}

/// A level and what the lines around it say.
struct Entry {
    level: Result<Level, Fault>,
    /// From the line above, then from a key below.
    name: Option<String>,
    solutions: Vec<EmbeddedSolution>,
}

/// Goes through the lines of a file once.
struct Reader<'a> {
    lines: &'a [Line<'a>],
    kinds: &'a [Kind],
    options: ReadOptions,
    lenient: bool,
    /// Squares that boards to come may have.
    left: usize,
    /// Board lines that touch, all digits or none.
    block: Vec<Member<'a>>,
    block_is_digits: bool,
    /// The last line that may be the title of the next board.
    name: Option<String>,
    title: Option<String>,
    entries: Vec<Entry>,
    notes: Vec<Note>,
}

impl<'a> Reader<'a> {
    fn new(lines: &'a [Line<'a>], kinds: &'a [Kind], options: ReadOptions, lenient: bool) -> Self {
        Self {
            lines,
            kinds,
            options,
            lenient,
            left: MAX_FILE_SQUARES,
            block: Vec::new(),
            block_is_digits: false,
            name: None,
            title: None,
            entries: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn read(&mut self) {
        let comment_ends = comment_ends(self.kinds);
        let mut index = 0;
        while index < self.lines.len() {
            let next = match &self.kinds[index] {
                Kind::Blank => {
                    self.end_block();
                    index + 1
                }
                Kind::Remark(remark) => {
                    self.end_block();
                    self.remark(index, remark, comment_ends[index])
                }
                Kind::Board(reading) => self.board_line(index, reading),
            };
            index = next;
        }
        self.end_block();
    }

    /// Takes a remark or key; returns the index of the line to go on with.
    fn remark(&mut self, index: usize, remark: &Remark, comment_end: Option<usize>) -> usize {
        match remark {
            Remark::Title(text) if !text.is_empty() => self.name = Some(text.clone()),
            Remark::Name(text) => match self.entries.last_mut() {
                Some(entry) => entry.name = Some(text.clone()),
                None => self.title = Some(text.clone()),
            },
            Remark::Comment => return comment_end.map_or(index + 1, |end| end + 1),
            Remark::Solution(text) if text.is_empty() => {
                return self.take_moves(index, true).unwrap_or(index + 1);
            }
            Remark::Solution(text) => self.keep_solution(index, index, text.clone()),
            Remark::Title(_) | Remark::Raw | Remark::CommentEnd | Remark::Other => (),
        }
        index + 1
    }

    /// Takes a line that is neither blank nor remark; returns the index of the line to go on with.
    fn board_line(&mut self, index: usize, reading: &'a Reading) -> usize {
        let line = &self.lines[index];
        let member = Member { index, line, reading };
        let is_digits = matches!(reading, Reading::Digits);
        if self.block_is_digits
            && let Some(first) = self.block.first()
            && !is_digits
            // A single line of digits above run-length rows is a title.
            && (self.block.len() >= 2 || !matches!(reading, Reading::Rows { .. }))
            && is_faulty_digits(line, first.line.bytes.trim_ascii_end().len())
        {
            self.block.push(member);
            return index + 1;
        }
        if matches!(reading, Reading::Text) {
            self.end_block();
            if let Some(is_solution) = key::heading(line)
                && let Some(next) = self.take_moves(index, is_solution)
            {
                return next;
            }
            self.prose(index);
            return index + 1;
        }
        let quotes_change = self.block.last().is_some_and(|last| last.line.quotes != line.quotes);
        if is_digits != self.block_is_digits || quotes_change {
            self.end_block();
            self.block_is_digits = is_digits;
        }
        if is_digits && self.block.is_empty() {
            self.adopt_line_above(index);
        }
        self.block.push(member);
        index + 1
    }

    /// A wrong first row of a digit board was prose until the row below it came.
    fn adopt_line_above(&mut self, index: usize) {
        let Some(above) = index.checked_sub(1) else { return };
        let (line, width) = (&self.lines[above], self.lines[index].bytes.trim_ascii_end().len());
        let is_digits = |kind: &Kind| matches!(kind, Kind::Board(Reading::Digits));
        if let Kind::Board(reading) = &self.kinds[above]
            && !is_digits(&self.kinds[above])
            // A single line of digits below run-length rows is a title.
            && (self.kinds.get(index + 1).is_some_and(is_digits)
                || !matches!(reading, Reading::Rows { .. }))
            && is_faulty_digits(line, width)
        {
            self.block.push(Member { index: above, line, reading });
        }
    }

    fn end_block(&mut self) {
        let block = take(&mut self.block);
        if block.is_empty() {
            return;
        }
        let manner = Manner {
            edge_is_wall: self.options.edge_is_wall,
            lenient: self.lenient,
            limit: self.left.min(MAX_SQUARES),
        };
        let settle = if self.block_is_digits { settle_digits } else { settle_xsb };
        for settled in settle(&block, manner) {
            match settled {
                Settled::Level(level) => {
                    if let Ok(level) = &level {
                        self.left = self.left.saturating_sub(level.rows() * level.columns());
                    }
                    let name = self.name.take();
                    self.entries.push(Entry { level, name, solutions: Vec::new() });
                }
                Settled::Prose(index) => self.prose(index),
                Settled::StrayRows(index) => self.notes.push(Note {
                    line: self.lines[index].number,
                    text: "rows of no complete board, taken as text",
                }),
            }
        }
    }

    /// A line of prose may name the next board if it says anything.
    fn prose(&mut self, index: usize) {
        let text = self.lines[index].text();
        if text.chars().any(char::is_alphanumeric) {
            self.name = Some(text);
        }
    }

    /// Takes the moves below a heading; returns the index of the line after them, or `None` if
    /// there are none and the heading is something else.
    fn take_moves(&mut self, heading: usize, is_solution: bool) -> Option<usize> {
        let blank = self.lines[heading + 1..].iter().take_while(|line| line.is_blank()).count();
        let from = heading + 1 + blank;
        let is_moves = |line: &&Line<'_>| key::is_moves(line);
        let mut to = from + self.lines[from..].iter().take_while(is_moves).count();
        if self.lines.get(to).is_some_and(|line| !line.is_blank()) {
            // Rows of nothing but boxes may begin the next board.
            let steps = |line: &&Line<'_>| key::has_step(line);
            to = from + self.lines[from..to].iter().take_while(steps).count();
        }
        if to == from {
            return None;
        }
        if is_solution {
            let text: Vec<String> = self.lines[from..to].iter().map(Line::text).collect();
            self.keep_solution(heading, from, text.join("\n"));
        }
        Some(to)
    }

    fn keep_solution(&mut self, heading: usize, line: usize, text: String) {
        if let Some(entry) = self.entries.last_mut() {
            let (title, line) = (self.lines[heading].text(), self.lines[line].number);
            entry.solutions.push(EmbeddedSolution { title, line, text });
        }
    }

    fn into_collection(self, source: Option<&Arc<str>>) -> Collection {
        let levels = self.entries.into_iter().zip(1..).map(|(entry, number)| match entry.level {
            Ok(level) => Ok(Level {
                name: entry.name,
                number,
                source: source.cloned(),
                solutions: entry.solutions,
                ..level
            }),
            Err((kind, place)) => Err(LevelError {
                source: source.cloned(),
                place: Some(place),
                number: Some(number),
                kind,
            }),
        });
        Collection { title: self.title, levels: levels.collect(), notes: self.notes }
    }
}

/// For each line that begins a comment block: the line that ends it. A `Comment:` after which the
/// next such key is another `Comment:` is no block but one line.
fn comment_ends(kinds: &[Kind]) -> Vec<Option<usize>> {
    let mut ends = vec![None; kinds.len()];
    let mut end = None;
    for (index, kind) in kinds.iter().enumerate().rev() {
        match kind {
            Kind::Remark(Remark::CommentEnd) => end = Some(index),
            Kind::Remark(Remark::Comment) => ends[index] = end.take(),
            _ => (),
        }
    }
    ends
}
