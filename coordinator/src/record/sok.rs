//! Results as a level file: of each board its rows, a `Key: value` line a column, and its solution, then a blank line.
//! Programs that read level files see boards with titles and solutions.

use super::{Malformed, Row};

/// The column that is not a key, but the moves below a heading.
const SOLUTION: &str = "solution";

pub(super) fn write(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        text.push_str(&row.picture);
        for (name, cell) in row.cells() {
            match (name.as_str(), cell.as_str()) {
                (SOLUTION, "") => {}
                (SOLUTION, moves) => text.push_str(&format!("Solution\n{moves}\n")),
                (name, "") => text.push_str(&format!("{}:\n", key(name))),
                (name, cell) => text.push_str(&format!("{}: {cell}\n", key(name))),
            }
        }
        text.push('\n');
    }
    text
}

pub(super) fn read(text: &str) -> Result<Vec<Row>, Malformed> {
    let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).collect();
    let blocks = lines.split(|(_, line)| line.is_empty());
    blocks.filter(|block| !block.is_empty()).map(read_block).collect()
}

/// The key of a column: `lower_bound` is `Lower bound`.
fn key(column: &str) -> String {
    let mut letters = column.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first
        .into_iter()
        .chain(letters)
        .map(|letter| if letter == '_' { ' ' } else { letter })
        .collect()
}

/// The lines of one board, none of them empty.
fn read_block(block: &[(usize, &str)]) -> Result<Row, Malformed> {
    let malformed = |(line, found): (usize, &str), expected: &str| Malformed {
        line,
        problem: format!("found '{found}', expected {expected}"),
    };
    let is_row = |text: &str| text.bytes().all(|byte| b"# -@+$*.".contains(&byte));
    let (board, rest) = block.split_at(block.iter().take_while(|(_, text)| is_row(text)).count());
    if board.is_empty() {
        return Err(malformed(block[0], "the rows of a board"));
    }
    let mut rest = rest.iter().copied();
    let mut cells = Vec::new();
    for column in Row::columns().into_iter().filter(|column| column != SOLUTION) {
        let expected = format!("{}: and its value", key(&column));
        let end = (block[block.len() - 1].0 + 1, "");
        let (line, text) = rest.next().unwrap_or(end);
        let value = text.strip_prefix(&key(&column)).and_then(|text| text.strip_prefix(':'));
        let value = value.ok_or_else(|| malformed((line, text), &expected))?;
        cells.push((line, column, value.strip_prefix(' ').unwrap_or(value).to_owned()));
    }
    match (rest.next(), rest.next(), rest.next()) {
        (None, ..) => {}
        (Some((_, "Solution")), Some((line, moves)), None) => {
            cells.push((line, SOLUTION.to_owned(), moves.to_owned()));
        }
        (Some(_), _, Some(found)) => return Err(malformed(found, "a blank line")),
        (Some(found), ..) => return Err(malformed(found, "Solution and a line of moves")),
    }
    let mut row = Row::from_cells(cells)?;
    row.picture = board.iter().flat_map(|(_, row)| [row, "\n"]).collect();
    Ok(row)
}
