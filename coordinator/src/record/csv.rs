//! Results as comma-separated values (RFC 4180): the names of the columns, then one row a board. Lines end with a line
//! feed; both kinds of line ends are read.

use super::{Malformed, Row};

pub(super) fn write(rows: &[Row]) -> String {
    let mut text = Row::columns().join(",") + "\n";
    for row in rows {
        let cells: Vec<String> = row.cells().iter().map(|(_, cell)| quoted(cell)).collect();
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}

pub(super) fn read(text: &str) -> Result<Vec<Row>, Malformed> {
    let columns = Row::columns();
    let mut records = records(text)?.into_iter();
    let header = records.next().map(|(_, cells)| cells).unwrap_or_default();
    if header != columns {
        let (found, expected) = (header.join(","), columns.join(","));
        let problem = format!("found '{found}', expected the columns {expected}");
        return Err(Malformed { line: 1, problem });
    }
    let row = |(line, cells): (usize, Vec<String>)| {
        if cells.len() != columns.len() {
            let (found, expected) = (cells.len(), columns.len());
            let problem = format!("found {found} fields, expected {expected}");
            return Err(Malformed { line, problem });
        }
        Row::from_cells(columns.iter().cloned().zip(cells).map(|(name, cell)| (line, name, cell)))
    };
    records.map(row).collect()
}

/// A field as it is written.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

/// The fields of every record, with the line on which it begins, from 1.
fn records(text: &str) -> Result<Vec<(usize, Vec<String>)>, Malformed> {
    let mut records = Vec::new();
    let (mut line, mut begin) = (1, 1);
    let mut cells = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (cell, after) = match rest.strip_prefix('"') {
            Some(quoted) => unquoted(quoted, line)?,
            None => {
                let (cell, after) = rest.split_at(rest.find([',', '\n']).unwrap_or(rest.len()));
                let at_line_end = after.is_empty() || after.starts_with('\n');
                let cell = if at_line_end { cell.strip_suffix('\r').unwrap_or(cell) } else { cell };
                if cell.contains('"') {
                    let problem = format!("found {cell}, expected quotes around the whole field");
                    return Err(Malformed { line, problem });
                }
                (cell.to_owned(), after)
            }
        };
        line += cell.matches('\n').count();
        cells.push(cell);
        let after = after.strip_prefix('\r').filter(|end| end.starts_with('\n')).unwrap_or(after);
        rest = if let Some(next) = after.strip_prefix(',') {
            if next.is_empty() {
                cells.push(String::new());
            }
            next
        } else if let Some(next) = after.strip_prefix('\n') {
            line += 1;
            records.push((begin, std::mem::take(&mut cells)));
            begin = line;
            next
        } else if let Some(found) = after.chars().next() {
            let problem =
                format!("found {found:?} after a quoted field, expected ',' or a line end");
            return Err(Malformed { line, problem });
        } else {
            after
        };
    }
    if !cells.is_empty() {
        records.push((begin, cells));
    }
    Ok(records)
}

/// A field up to the quotes that end it, and what follows them. `text` begins after the first quotes, on `line`.
fn unquoted(text: &str, line: usize) -> Result<(String, &str), Malformed> {
    let mut cell = String::new();
    let mut rest = text;
    loop {
        let Some((part, after)) = rest.split_once('"') else {
            let problem = "found the end of the file, expected quotes that end a field".to_owned();
            return Err(Malformed { line, problem });
        };
        cell.push_str(part);
        match after.strip_prefix('"') {
            Some(after) => {
                cell.push('"');
                rest = after;
            }
            None => return Ok((cell, after)),
        }
    }
}
