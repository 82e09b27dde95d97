//! One text for all ways of writing the same board.

use crate::board::reach_without_boxes;
use crate::{Level, Position};

/// XSB text that is the same for all levels that play alike, square by square: however floor is marked, rows are
/// padded and the board is indented, whether walls or the edge of the grid close it, and whatever walls stand where
/// nobody comes. Read again, it is the same board.
///
/// Shown are the squares that the keeper could reach if no box stood in its way, all boxes and goals, and the walls
/// that touch any of these.
pub fn canonical(level: &Level) -> String {
    let reached = reach_without_boxes(level);
    // Positions on a grid with a frame of one square, which holds the walls that the edge stands for.
    let inner = |row: usize, column: usize| {
        let (row, column) = (row.checked_sub(1)?, column.checked_sub(1)?);
        (row < level.rows() && column < level.columns()).then_some(Position { row, column })
    };
    let shown = |at: Position| {
        let tile = level.tile(at);
        reached[at.row * level.columns() + at.column] || tile.has_box() || tile.has_goal()
    };
    let square = |row: usize, column: usize| {
        if let Some(at) = inner(row, column).filter(|&at| shown(at)) {
            return level.tile(at).xsb();
        }
        let mut around = (row.saturating_sub(1)..=row + 1).flat_map(|row| {
            (column.saturating_sub(1)..=column + 1).map(move |column| (row, column))
        });
        let is_wall = around.any(|(row, column)| inner(row, column).is_some_and(shown));
        if is_wall { '#' } else { ' ' }
    };
    let rows: Vec<String> = (0..level.rows() + 2)
        .map(|row| (0..level.columns() + 2).map(|column| square(row, column)).collect())
        .collect();
    let begin = |row: &String| row.find(|square| square != ' ');
    let indentation = rows.iter().filter_map(begin).min().unwrap_or(0);
    let first = rows.iter().position(|row| begin(row).is_some()).unwrap_or(0);
    let last = rows.iter().rposition(|row| begin(row).is_some()).unwrap_or(0);
    let mut text = String::new();
    for row in &rows[first..=last] {
        let row = row[indentation..].trim_end();
        // An empty line would end the board.
        text.push_str(if row.is_empty() { "-" } else { row });
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::canonical;
    use crate::{Level, ReadOptions, builtin};

    fn of(text: &str) -> String {
        canonical(&Level::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")))
    }

    #[test]
    fn the_way_of_writing_does_not_show() {
        let plain = "######\n#@ $.#\n######\n";
        for other in [
            "######\n#@-$.#\n######\n",
            "######\r\n#@_$.#  \r\n######\r\n",
            "   ######\n   #@ $.#\n   ######\n",
            "6#|#@-$.#|6#",
            "########\n##@ $.##\n########\n########\n",
            "  ####\n######\n#@ $.#\n#######\n",
        ] {
            assert_eq!(of(other), plain, "{other}");
        }
        let edge = Level::read(b"@-$.", ReadOptions::default().edge_is_wall(true)).unwrap();
        assert_eq!(canonical(&edge), plain);
        assert_eq!(of("000\n111111\n130241\n111111\n".trim_start_matches("000\n")), plain);
    }

    #[test]
    fn what_plays_otherwise_does_show() {
        let plain = of("######\n#@ $.#\n######\n");
        for other in [
            "#######\n#@ $ .#\n#######\n",
            "######\n# @$.#\n######\n",
            "######\n#@ $.#\n#    #\n######\n",
            "########\n#@ $.#$#\n########\n",
        ] {
            assert_ne!(of(other), plain, "{other}");
        }
    }

    #[test]
    fn it_reads_back_as_itself() {
        let decorated = "-*-----|#######|#@-$.##*|#######|--*-*--|---|---|-----$";
        let levels = builtin::all().iter().map(|builtin| builtin.level.clone());
        for level in levels.chain([Level::parse(decorated).unwrap()]) {
            let text = canonical(&level);
            assert_eq!(of(&text), text);
        }
    }
}
