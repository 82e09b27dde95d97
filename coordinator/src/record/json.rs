//! Results as JSON: an array with one object a board, each on a line of its own.

use super::{Malformed, Row};

pub(super) fn write(rows: &[Row]) -> Result<String, serde_json::Error> {
    let lines: Vec<String> = rows.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    Ok(format!("[\n{}\n]\n", lines.join(",\n")))
}

pub(super) fn read(text: &str) -> Result<Vec<Row>, Malformed> {
    serde_json::from_str(text).map_err(|error| {
        let problem = error.to_string();
        // Where it is stands in front of the problem.
        let problem = problem.rsplit_once(" at line ").map_or(problem.as_str(), |(what, _)| what);
        Malformed { line: error.line(), problem: problem.to_owned() }
    })
}
