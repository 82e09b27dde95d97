//! What is kept of many boards: a file of results, from which the next run goes on, and the sum of them.
//!
//! The file is written anew with every row and put in the place of the one before, so whenever the process ends, the
//! next one reads whole rows.

mod csv;
mod json;
mod lock;
mod row;
mod sok;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::{fmt, fs, io};

use crate::board::Board;
use crate::checkpoint::manifest::replace;
use crate::event::{Report, Settings};
use crate::exit::Failure;
use crate::outcome::Outcome;
use crate::summary::Summary;
use lock::Lock;
use row::{Question, Row};

/// A file of results, and its format.
#[derive(Clone, Debug)]
pub(crate) struct OutputFile {
    path: PathBuf,
    format: Format,
}

#[derive(Clone, Copy, Debug)]
enum Format {
    Csv,
    Json,
    Sok,
}

/// A name that does not say which format is meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found {found}, expected a name that ends in .csv, .json or .sok")]
pub(crate) struct UnknownFormat {
    found: String,
}

impl TryFrom<OsString> for OutputFile {
    type Error = UnknownFormat;

    fn try_from(name: OsString) -> Result<Self, UnknownFormat> {
        let path = PathBuf::from(name);
        let extension = path.extension().map(OsStr::to_ascii_lowercase);
        let format = match extension.as_ref().and_then(|extension| extension.to_str()) {
            Some("csv") => Format::Csv,
            Some("json") => Format::Json,
            Some("sok") => Format::Sok,
            _ => {
                let found = match path.extension() {
                    Some(other) => format!(".{}", other.display()),
                    None => "no extension".to_owned(),
                };
                return Err(UnknownFormat { found });
            }
        };
        Ok(Self { path, format })
    }
}

/// What is wrong with a file of results, and on which line, from 1.
#[derive(Debug)]
struct Malformed {
    line: usize,
    problem: String,
}

/// What has come of the boards so far, in numbers and, if it is asked for, in a file.
#[derive(Debug)]
pub(crate) struct Record {
    output: Option<Output>,
    summary: Summary,
}

/// A file of results that is being added to.
#[derive(Debug)]
struct Output {
    file: OutputFile,
    rows: Vec<Row>,
    /// The limit of memory that was asked for, in bytes.
    memory: Option<u64>,
    _lock: Lock,
}

impl Record {
    /// Begins with what `output` holds already. `memory` is the limit that was asked for, in bytes.
    ///
    /// # Errors
    ///
    /// If another process writes to the file, or if it is there and cannot be read.
    pub(crate) fn open(output: Option<&OutputFile>, memory: Option<u64>) -> Result<Self, Failure> {
        let open = |file: &OutputFile| {
            let file = file.at_its_target();
            let lock = Lock::take(&file.path)?;
            let rows = file.read()?;
            Ok::<_, Failure>(Output { file, rows, memory, _lock: lock })
        };
        let output = output.map(open).transpose()?;
        Ok(Self { output, summary: Summary::default() })
    }

    /// The outcome of a board that need not be searched, since the file has it; it is counted then.
    pub(crate) fn skip(&mut self, board: &Board, settings: &Settings) -> Option<Outcome> {
        let Output { rows, memory, .. } = self.output.as_ref()?;
        let question = Question::new(board, settings);
        let row = rows.iter().find(|row| row.question() == question)?;
        let outcome = row.is_settled(settings, *memory).then_some(row.outcome())?;
        self.summary.skip(outcome);
        Some(outcome)
    }

    /// Takes the end of a search, and writes it down unless it was interrupted.
    ///
    /// # Errors
    ///
    /// If the file cannot be written; it is then as it was before.
    pub(crate) fn add(
        &mut self,
        board: &Board,
        settings: &Settings,
        report: &Report,
    ) -> io::Result<()> {
        self.summary.add(report);
        match &mut self.output {
            Some(output) if Outcome::from(&report.ending) != Outcome::Interrupted => {
                output.put(Row::new(board, settings, report))
            }
            _ => Ok(()),
        }
    }

    /// Takes a board that cannot be read.
    pub(crate) fn refuse(&mut self) {
        self.summary.count(Outcome::BadInput);
    }

    /// Takes boards that are not even begun.
    pub(crate) fn leave(&mut self, boards: usize) {
        self.summary.leave(boards);
    }

    /// What it comes to, if that says more than the result of one board.
    pub(crate) fn summary(&self) -> Option<&Summary> {
        (self.output.is_some() || self.summary.is_of_several()).then_some(&self.summary)
    }
}

impl Output {
    /// Puts a row in the place of the one about the same, or at the end.
    fn put(&mut self, mut row: Row) -> io::Result<()> {
        match self.rows.iter_mut().find(|other| other.question() == row.question()) {
            Some(other) => {
                row.keep_bound_of(other);
                *other = row;
            }
            None => self.rows.push(row),
        }
        self.file.write(&self.rows)
    }
}

impl OutputFile {
    /// The file that is meant where the name is a symbolic link: a new file would take the place of the link.
    fn at_its_target(&self) -> Self {
        let target = match self.path.is_symlink() {
            true => fs::canonicalize(&self.path).ok(),
            false => None,
        };
        Self { path: target.unwrap_or_else(|| self.path.clone()), ..*self }
    }

    /// The rows of the file; none if it is not there.
    fn read(&self) -> Result<Vec<Row>, Failure> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Failure::Usage(format!("{self}: {error}"))),
        };
        let rows = match self.format {
            Format::Csv => csv::read(&text),
            Format::Json => json::read(&text),
            Format::Sok => sok::read(&text),
        };
        rows.map_err(|Malformed { line, problem }| {
            Failure::Usage(format!(
                "{self}:{line}: {problem}\n  hint: results are added to a file that --output has made; name another"
            ))
        })
    }

    fn write(&self, rows: &[Row]) -> io::Result<()> {
        let text = match self.format {
            Format::Csv => csv::write(rows),
            Format::Json => json::write(rows)?,
            Format::Sok => sok::write(rows),
        };
        replace(&self.path, text.as_bytes())
            .map_err(|error| io::Error::new(error.kind(), format!("{self}: {error}")))
    }
}

impl fmt::Display for OutputFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(f)
    }
}

#[cfg(test)]
mod tests;
