//! One line of text: board rows, something meant as such, or prose.

use super::error::LevelErrorKind;
use super::text::Line;
use super::tile::Tile;

/// One row of a board.
#[derive(Debug)]
pub(super) struct Row {
    /// The squares as written, blanks at the end included.
    pub(super) tiles: Vec<Tile>,
    /// Byte offset of the first square in its line.
    pub(super) start: usize,
    /// Whether every character is one square, so that columns of the text count squares.
    pub(super) plain: bool,
}

impl Row {
    /// Whether nothing is in it.
    pub(super) fn is_floor(&self) -> bool {
        self.tiles.iter().all(|&tile| tile == Tile::Floor)
    }
}

/// What is wrong with a line that may be meant as a row.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    /// Byte offset in its line.
    pub(super) at: usize,
    /// What was found and expected.
    pub(super) kind: LevelErrorKind,
}

/// What a line may be when it is neither blank nor a remark nor a key.
#[derive(Debug)]
pub(super) enum Reading {
    /// Rows, and the number of tabs in front of them.
    Rows {
        /// The rows, more than one where `|` separates them.
        rows: Vec<Row>,
        /// Tabs in front.
        tabs: usize,
    },
    /// Nothing but digits: a row of a digit board, or a number.
    Digits,
    /// Looks like rows, but is none. Whether it was meant as such, the lines around it tell.
    Faulty(Fault),
    /// Prose.
    Text,
}

/// Squares that only boards are written with.
fn is_square(byte: u8) -> bool {
    b"#@+$*.-_ ".contains(&byte)
}

/// Reads a line of which at most `limit` squares may be made.
pub(super) fn read(line: &Line<'_>, limit: usize) -> Reading {
    let bytes = line.bytes.trim_ascii_end();
    let body = bytes.trim_ascii_start();
    if body.iter().all(u8::is_ascii_digit) {
        return Reading::Digits;
    }
    let tabs = bytes.iter().take_while(|&&byte| byte == b'\t').count();
    let known = |byte: u8| {
        Tile::from_xsb(byte).is_some() || byte.is_ascii_digit() || b"()|".contains(&byte)
    };
    if let Some(at) = (tabs..bytes.len()).find(|&at| !known(bytes[at])) {
        if !is_framed(body) {
            return Reading::Text;
        }
        let kind = match bytes[at] {
            b'\t' => LevelErrorKind::Tab,
            _ => LevelErrorKind::UnknownSquare { found: line.char_at(at) },
        };
        return Reading::Faulty(Fault { at, kind });
    }
    if body.iter().any(u8::is_ascii_alphabetic) && !is_lettered_row(body) {
        return Reading::Text;
    }
    // Blanks at the end are squares too, should the edge be read as wall.
    let end = bytes.len() + line.bytes[bytes.len()..].iter().take_while(|&&b| b == b' ').count();
    let has_wall = body.iter().any(|&byte| byte == b'#' || byte == b'W');
    let rows = match split_rows(&line.bytes[..end], tabs, limit) {
        Ok(rows) => rows,
        Err(fault) if has_wall => return Reading::Faulty(fault),
        Err(_) => return Reading::Text,
    };
    // "12." is a title, not twelve goals.
    if !has_wall && !rows.iter().all(|row| row.plain || row.is_floor()) {
        return Reading::Text;
    }
    Reading::Rows { rows, tabs }
}

/// Splits a line at `|`; one at its end is only an end.
fn split_rows(bytes: &[u8], tabs: usize, limit: usize) -> Result<Vec<Row>, Fault> {
    let mut rows = Vec::new();
    let mut start = tabs;
    let mut left = limit;
    let mut segments = bytes[tabs..].split(|&byte| byte == b'|').peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        if last && !rows.is_empty() && segment.iter().all(|&byte| byte == b' ') {
            break;
        }
        if segment.is_empty() {
            let (found, expected) = ("an empty row before '|'", "a row of squares");
            return Err(Fault {
                at: start,
                kind: LevelErrorKind::MalformedRun { found, expected },
            });
        }
        let row = expand(segment, start, left, limit)?;
        left -= row.tiles.len();
        rows.push(row);
        start += segment.len() + 1;
    }
    Ok(rows)
}

/// Reads one row, run-length or plain. `left` of `limit` squares may still be made.
fn expand(segment: &[u8], start: usize, left: usize, limit: usize) -> Result<Row, Fault> {
    let fault = |at, found, expected| Fault {
        at: start + at,
        kind: LevelErrorKind::MalformedRun { found, expected },
    };
    let too_large = |at| Fault { at: start + at, kind: LevelErrorKind::TooLarge { limit } };
    let mut tiles = Vec::with_capacity(segment.len().min(left));
    // Where the squares of an open group begin, how often it is due, and where it was opened.
    let mut groups: Vec<(usize, usize, usize)> = Vec::new();
    let mut count: Option<(usize, usize)> = None;
    let mut plain = true;
    for (at, &byte) in segment.iter().enumerate() {
        if byte.is_ascii_digit() {
            plain = false;
            let (from, value) = count.unwrap_or((at, 0));
            let value = value.saturating_mul(10).saturating_add(usize::from(byte - b'0'));
            count = Some((from, value));
            continue;
        }
        let times = match count.take() {
            Some((from, 0)) => return Err(fault(from, "a count of 0", "a count from 1")),
            Some((from, _)) if byte == b' ' => {
                return Err(fault(from, "a count before a blank", "a square after the count"));
            }
            Some((_, value)) => Some(value),
            None => None,
        };
        match byte {
            b'(' => {
                let Some(times) = times else {
                    return Err(fault(at, "'(' without a count", "a count before it"));
                };
                groups.push((tiles.len(), times, at));
            }
            b')' => {
                let Some((from, repeats, _)) = groups.pop().filter(|_| times.is_none()) else {
                    return Err(fault(
                        at,
                        "a ')' out of place",
                        "squares, or a group opened by '('",
                    ));
                };
                let to = tiles.len();
                if from == to {
                    return Err(fault(at, "an empty group", "squares between '(' and ')'"));
                }
                if repeats.saturating_mul(to - from) > left - from {
                    return Err(too_large(at));
                }
                for _ in 1..repeats {
                    tiles.extend_from_within(from..to);
                }
            }
            _ => {
                let Some(tile) = Tile::from_xsb(byte) else {
                    return Err(fault(at, "no square", "a square"));
                };
                let times = times.unwrap_or(1);
                if times > left - tiles.len() {
                    return Err(too_large(at));
                }
                tiles.resize(tiles.len() + times, tile);
            }
        }
    }
    if let Some((from, _)) = count {
        return Err(fault(from, "a count at the end of a row", "a square after the count"));
    }
    if let Some(&(_, _, at)) = groups.last() {
        return Err(fault(at, "'(' without its ')'", "both on one row"));
    }
    Ok(Row { tiles, start, plain })
}

/// Whether letters may stand for squares here: rows of a board begin and end with walls, words do
/// not.
fn is_lettered_row(body: &[u8]) -> bool {
    let core = body.strip_suffix(b"|").unwrap_or(body);
    let wall = |byte: Option<&u8>| byte.is_some_and(|byte| b"#W".contains(byte));
    let first = core.iter().find(|byte| !byte.is_ascii_digit() && !b"-_(".contains(byte));
    core.len() >= 3 && wall(first) && wall(core.last())
}

/// Whether a line with unknown characters may still be meant as a row: it begins and ends alike,
/// as rows between walls do, and holds nothing like a word.
fn is_framed(body: &[u8]) -> bool {
    let core = body.strip_suffix(b"|").unwrap_or(body).trim_ascii_end();
    let unknown =
        |byte: &u8| !is_square(*byte) && !b"\t|()".contains(byte) && !byte.is_ascii_digit();
    let is_word = |run: &[u8]| run.len() >= 3 && run.iter().any(|byte| *byte != run[0]);
    core.len() >= 3
        && core.first() == core.last()
        && !core.split(|byte| !unknown(byte)).any(is_word)
}
