//! Adjoining lines that look like rows: which boards are in them?
//!
//! A wrong character must not make a board fall apart into others, and a title must not be taken
//! for a wrong row. Both look alike (`#7 (2)`, `#@x$.#`), so what such a line is depends on the
//! rows it touches: beside a board that is complete without it, it is prose; else it is a fault
//! of the board.

use super::error::{LevelErrorKind, Place};
use super::row::{Reading, Row};
use super::text::Line;
use super::tile::Tile;
use super::validate::{Draft, Fault, find_keeper, validate};
use super::{Level, RowPlace};
use crate::Rule;

/// What became of a part of a block, in the order of the file.
pub(super) enum Settled {
    /// A board, or one with a fault.
    Level(Result<Level, Fault>),
    /// The line of this index is prose, and may be a title.
    Prose(usize),
    /// The line of this index holds rows of no board.
    StrayRows(usize),
}

/// How to decide.
#[derive(Clone, Copy)]
pub(super) struct Manner {
    /// Every square outside the text is a wall.
    pub(super) edge_is_wall: bool,
    /// Nothing better was found in the file: take whatever might be meant as a board.
    pub(super) lenient: bool,
    /// Squares a board may have.
    pub(super) limit: usize,
}

/// A line of a block.
pub(super) struct Member<'a> {
    /// Index of the line in its file.
    pub(super) index: usize,
    pub(super) line: &'a Line<'a>,
    pub(super) reading: &'a Reading,
}

impl Member<'_> {
    fn place(&self, at: usize) -> Place {
        Place { line: self.line.number, column: self.line.column(at) }
    }

    fn rows(&self) -> &[Row] {
        match self.reading {
            Reading::Rows { rows, .. } => rows,
            _ => &[],
        }
    }

    fn is_faulty(&self) -> bool {
        matches!(self.reading, Reading::Faulty(_))
    }

    /// Number of rows, as far as one can tell.
    fn height(&self) -> usize {
        match self.reading {
            Reading::Rows { rows, .. } => rows.len(),
            _ => self.line.bytes.split(|&byte| byte == b'|').filter(|row| !row.is_empty()).count(),
        }
    }

    /// Whether some square of it that is not floor is such a one; in a faulty line, some character.
    fn has(&self, matches: impl Fn(Tile) -> bool) -> bool {
        let matches = |tile| tile != Tile::Floor && matches(tile);
        match self.reading {
            Reading::Rows { rows, .. } => {
                rows.iter().any(|row| row.tiles.iter().any(|&t| matches(t)))
            }
            _ => {
                let squares = self.line.bytes.iter().filter(|byte| !byte.is_ascii_alphabetic());
                squares.filter_map(|&byte| Tile::from_xsb(byte)).any(matches)
            }
        }
    }
}

/// Decides on a block of adjoining XSB lines.
pub(super) fn settle_xsb(block: &[Member<'_>], manner: Manner) -> Vec<Settled> {
    let mut settled = Vec::new();
    // A line like `=====` beside rows is a separator; among its like it may be another alphabet.
    let rows_near = block.iter().any(|member| !member.is_faulty());
    let is_rule = |member: &Member<'_>| rows_near && member.is_faulty() && !member.has(|_| true);
    for part in block.chunk_by(|a, b| is_rule(a) == is_rule(b)) {
        if is_rule(&part[0]) {
            settled.extend(part.iter().map(|member| Settled::Prose(member.index)));
        } else {
            settle_part(part, manner, &mut settled);
        }
    }
    settled
}

/// Decides on adjoining lines that may all belong to one board.
fn settle_part(block: &[Member<'_>], manner: Manner, settled: &mut Vec<Settled>) {
    let groups: Vec<_> = block.chunk_by(|a, b| a.is_faulty() == b.is_faulty()).collect();
    // The lines not decided on are block[from..at], clean if no faulty line is among them.
    let (mut from, mut at, mut clean) = (0, 0, true);
    for (index, group) in groups.iter().enumerate() {
        if group[0].is_faulty() {
            if clean && at > from && is_complete(&block[from..at], manner) {
                finish(&block[from..at], manner, settled);
                from = at;
            }
            let below = groups.get(index + 1);
            if at == from && below.is_some_and(|below| is_complete(below, manner)) {
                settled.extend(group.iter().map(|member| Settled::Prose(member.index)));
                from = at + group.len();
            } else {
                clean = false;
            }
        } else if at == from {
            clean = true;
        }
        at += group.len();
    }
    finish(&block[from..], manner, settled);
}

/// Whether rows are a board without the lines around them. Where everything is closed in by the
/// edge, no rows can show that they are all.
fn is_complete(rows: &[Member<'_>], manner: Manner) -> bool {
    !manner.edge_is_wall && draft(rows, manner).and_then(|draft| validate(&draft)).is_ok()
}

/// Decides on lines that belong together.
fn finish(lines: &[Member<'_>], manner: Manner, settled: &mut Vec<Settled>) {
    if !is_meant_as_board(lines, manner) {
        settled.extend(lines.iter().map(|member| match member.is_faulty() {
            true => Settled::Prose(member.index),
            false => Settled::StrayRows(member.index),
        }));
        return;
    }
    match draft(lines, manner) {
        Ok(draft) => {
            let boards = split_at_floor(draft).into_iter();
            settled.extend(boards.map(|board| Settled::Level(validate(&board))));
        }
        Err(fault) => settled.push(Settled::Level(Err(fault))),
    }
}

/// Whether lines are meant as a board, rather than being a banner or separators.
fn is_meant_as_board(lines: &[Member<'_>], manner: Manner) -> bool {
    let any = |matches: fn(Tile) -> bool| lines.iter().any(|member| member.has(matches));
    let height: usize = lines.iter().map(Member::height).sum();
    let (keeper, boxes) = (any(Tile::has_keeper), any(Tile::has_box));
    let (goal, wall) = (any(Tile::has_goal), any(|tile| tile == Tile::Wall));
    let faulty = lines.iter().any(Member::is_faulty);
    if manner.lenient && (keeper || faulty && height >= 3) {
        return true;
    }
    // Nothing lower than three rows can be closed in by walls.
    let keeper_company = match (manner.edge_is_wall, height) {
        (true, _) => boxes || goal || wall,
        (false, 0..2) => false,
        (false, 2) => wall && boxes,
        (false, 3..) => wall || faulty || boxes && goal,
    };
    keeper && keeper_company || boxes && wall && (height >= 3 || manner.lenient)
}

/// Lines `---` between boards are separators: cut a draft for several keepers where a row without
/// anything leaves a keeper on either side. No legal board is changed by that.
fn split_at_floor(draft: Draft<'_>) -> Vec<Draft<'_>> {
    let has_keeper = |tiles: &[Tile]| tiles.iter().any(|tile| tile.has_keeper());
    let is_floor = |tiles: &[Tile]| tiles.iter().all(|&tile| tile == Tile::Floor);
    if draft.edge_is_wall || draft.rows.iter().filter(|(tiles, _)| has_keeper(tiles)).count() < 2 {
        return vec![draft];
    }
    let Draft { rows, rule, edge_is_wall, limit } = draft;
    let mut boards: Vec<Vec<_>> = vec![Vec::new()];
    for part in rows.chunk_by(|(above, _), (below, _)| is_floor(above) || !is_floor(below)) {
        let part_has = part.iter().any(|(tiles, _)| has_keeper(tiles));
        let board = boards.last_mut().filter(|board| {
            !(part_has && board.iter().any(|(tiles, _): &(&[Tile], _)| has_keeper(tiles)))
        });
        match board {
            Some(board) => board.extend_from_slice(part),
            None => boards.push(part.to_vec()),
        }
    }
    boards.into_iter().map(|rows| Draft { rows, rule, edge_is_wall, limit }).collect()
}

/// Puts the rows of lines together, or finds the first fault among them.
fn draft<'a>(lines: &'a [Member<'_>], manner: Manner) -> Result<Draft<'a>, Fault> {
    let Manner { edge_is_wall, limit, .. } = manner;
    let mut draft = Draft { rows: Vec::new(), rule: Rule::Classic, edge_is_wall, limit };
    let mut indentation = None;
    for member in lines {
        let fault = match member.reading {
            Reading::Faulty(fault) => Some((fault.kind.clone(), member.place(fault.at))),
            Reading::Rows { tabs, .. } => {
                let expected = *indentation.get_or_insert(*tabs);
                (expected != *tabs).then(|| {
                    (LevelErrorKind::Indentation { found: *tabs, expected }, member.place(0))
                })
            }
            Reading::Digits | Reading::Text => None,
        };
        if let Some(fault) = fault {
            // A second keeper further up comes first.
            return Err(find_keeper(&draft).err().unwrap_or(fault));
        }
        draft.rows.extend(member.rows().iter().map(|row| {
            // Rows are ASCII, so bytes are columns; a line may hold very many rows.
            let line_start = member.place(0);
            let start = Place { column: line_start.column + row.start, ..line_start };
            (row.tiles.as_slice(), RowPlace { start, plain: row.plain })
        }));
    }
    Ok(draft)
}

/// Whether a line that is not all digits is meant as a row of the digit board it touches, of which
/// a row has `width` squares.
pub(super) fn is_faulty_digits(line: &Line<'_>, width: usize) -> bool {
    let bytes = line.bytes.trim_ascii();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_long = bytes.len() >= 4 && !bytes.contains(&b' ');
    2 * digits >= bytes.len() && (bytes.len() == width || is_long)
}

/// Decides on a block of adjoining lines of digits.
pub(super) fn settle_digits(block: &[Member<'_>], manner: Manner) -> Vec<Settled> {
    let widest = block.iter().map(|member| member.line.bytes.len()).max().unwrap_or(0);
    let has = |digits: &[u8]| {
        block.iter().any(|member| member.line.bytes.iter().any(|byte| digits.contains(byte)))
    };
    // A number above XSB rows is a title.
    let meant = match (block.len(), manner.lenient) {
        (0..2, false) => false,
        (0..2, true) => has(b"36"),
        (2.., _) => widest >= 3 || manner.lenient || has(b"36") && has(b"25"),
    };
    if !meant {
        return block.iter().map(|member| Settled::Prose(member.index)).collect();
    }
    vec![Settled::Level(read_digits(block, manner.limit))]
}

fn read_digits(block: &[Member<'_>], limit: usize) -> Result<Level, Fault> {
    let mut rows: Vec<Vec<Tile>> = Vec::with_capacity(block.len());
    for member in block {
        let mut tiles = Vec::with_capacity(member.line.bytes.len());
        for (at, &byte) in member.line.bytes.trim_ascii_end().iter().enumerate() {
            let found = || LevelErrorKind::UnknownDigit { found: member.line.char_at(at) };
            tiles.push(Tile::from_digit(byte).ok_or_else(|| (found(), member.place(at)))?);
        }
        let (found, expected) = (tiles.len(), rows.first().map_or(tiles.len(), Vec::len));
        if found != expected {
            let at = member.place(found.min(expected));
            return Err((LevelErrorKind::Ragged { row: rows.len() + 1, found, expected }, at));
        }
        rows.push(tiles);
    }
    let places = block.iter().map(|member| RowPlace { start: member.place(0), plain: true });
    let rows = rows.iter().map(Vec::as_slice).zip(places).collect();
    validate(&Draft { rows, rule: Rule::KeeperOnGoal, edge_is_wall: true, limit })
}
