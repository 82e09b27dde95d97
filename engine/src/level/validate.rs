//! The rules of a legal board, all in one place.

use super::error::{LevelErrorKind, Place};
use super::tile::{Position, Tile};
use super::{Level, RowPlace};
use crate::Rule;

/// Squares a board may have. Far beyond any level known (the largest have some 13,000), and small
/// enough that no file of a few bytes can eat the memory.
pub(super) const MAX_SQUARES: usize = 1 << 24;

/// Rows on their way to become a board.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    /// The rows, as long as they were written.
    pub(super) rows: Vec<(&'a [Tile], RowPlace)>,
    /// The rule usual for the notation.
    pub(super) rule: Rule,
    /// Whether a square outside the text is a wall.
    pub(super) edge_is_wall: bool,
    /// Squares there may be.
    pub(super) limit: usize,
}

/// What is wrong, and where.
pub(super) type Fault = (LevelErrorKind, Place);

/// Makes a level of a draft, or says what the first thing wrong with it is.
///
/// 1. The padded grid has at most `limit` squares.
/// 2. There is exactly one keeper.
/// 3. What the keeper could reach if no box stood in the way is closed in by walls.
///
/// Boxes and goals are not counted here: which of them matter depends on what the keeper can
/// reach, and a board with too many boxes is a board without solution, not a misprint.
pub(super) fn validate(draft: &Draft<'_>) -> Result<Level, Fault> {
    let start = draft.rows.first().map_or(Place { line: 1, column: 1 }, |(_, row)| row.place(0));
    let widest = draft.rows.iter().map(|(tiles, _)| tiles.len()).max().unwrap_or(0);
    if widest.saturating_mul(draft.rows.len()) > draft.limit {
        return Err((LevelErrorKind::TooLarge { limit: draft.limit }, start));
    }
    let keeper = find_keeper(draft)?.ok_or((LevelErrorKind::NoKeeper, start))?;
    if !draft.edge_is_wall
        && let Some(leak) = find_leak(draft, widest, keeper)
    {
        return Err((LevelErrorKind::NotClosed, draft.rows[leak.row].1.place(leak.column)));
    }
    Ok(assemble(draft, keeper))
}

/// The keeper, if there is exactly one or none.
pub(super) fn find_keeper(draft: &Draft<'_>) -> Result<Option<Position>, Fault> {
    let mut keeper: Option<Position> = None;
    for (row, (tiles, place)) in draft.rows.iter().enumerate() {
        for (column, _) in tiles.iter().enumerate().filter(|(_, tile)| tile.has_keeper()) {
            if let Some(first) = keeper {
                let first = draft.rows[first.row].1.place(first.column);
                return Err((LevelErrorKind::SecondKeeper { first }, place.place(column)));
            }
            keeper = Some(Position { row, column });
        }
    }
    Ok(keeper)
}

/// The square, of those nearest to the keeper, from which it walks out of the text: beyond the
/// first or last row or beside a row's first or last square.
fn find_leak(draft: &Draft<'_>, widest: usize, keeper: Position) -> Option<Position> {
    let rows = draft.rows.len();
    let mut seen = vec![false; widest * rows];
    let mut queue = std::collections::VecDeque::from([keeper]);
    seen[keeper.row * widest + keeper.column] = true;
    while let Some(at) = queue.pop_front() {
        for (down, right) in crate::Direction::ALL.map(crate::Direction::delta) {
            let row = at.row.checked_add_signed(down);
            let column = at.column.checked_add_signed(right);
            let (Some(row), Some(column)) = (row, column) else { return Some(at) };
            let Some(tile) = draft.rows.get(row).and_then(|(tiles, _)| tiles.get(column)) else {
                return Some(at);
            };
            let seen = &mut seen[row * widest + column];
            if *tile != Tile::Wall && !*seen {
                *seen = true;
                queue.push_back(Position { row, column });
            }
        }
    }
    None
}

/// Pads the rows to a rectangle. In a board closed by walls the padding is floor nobody reaches,
/// and rows and columns at the rim with nothing but floor in them are cut off, but for blanks on
/// the left. Where the edge is wall, so is the padding, and only floor rows at the top and bottom
/// that are narrower than the board are cut off: those are separators, not squares.
fn assemble(draft: &Draft<'_>, keeper: Position) -> Level {
    let is_floor = |tiles: &[Tile]| tiles.iter().all(|&tile| tile == Tile::Floor);
    let width = |tiles: &[Tile]| match draft.edge_is_wall {
        true => tiles.len(),
        false => tiles.iter().rposition(|&tile| tile != Tile::Floor).map_or(0, |last| last + 1),
    };
    let built = draft.rows.iter().filter(|(tiles, _)| !is_floor(tiles));
    let narrow = built.map(|(tiles, _)| width(tiles)).max().unwrap_or(0);
    let cut = |tiles: &[Tile]| is_floor(tiles) && (!draft.edge_is_wall || tiles.len() < narrow);
    let first = draft.rows.iter().take_while(|(tiles, _)| cut(tiles)).count();
    let last =
        draft.rows.len() - draft.rows.iter().rev().take_while(|(tiles, _)| cut(tiles)).count();
    let kept = &draft.rows[first..last];
    let columns = kept.iter().map(|(tiles, _)| width(tiles)).max().unwrap_or(0);
    let padding = if draft.edge_is_wall { Tile::Wall } else { Tile::Floor };
    let mut tiles = Vec::with_capacity(kept.len() * columns);
    for (row, _) in kept {
        let row = &row[..row.len().min(columns)];
        tiles.extend_from_slice(row);
        tiles.resize(tiles.len() + columns - row.len(), padding);
    }
    Level {
        name: None,
        number: 1,
        source: None,
        rule: draft.rule,
        edge_is_wall: draft.edge_is_wall,
        rows: kept.len(),
        columns,
        tiles,
        keeper: Position { row: keeper.row - first, column: keeper.column },
        row_places: kept.iter().map(|&(_, place)| place).collect(),
        solutions: Vec::new(),
    }
}
