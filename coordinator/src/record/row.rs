//! One row of a file of results: what is known of a board, and what it took.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sokohive_engine::{Moves, Objective, Rule, Tie, canonical};
use xxhash_rust::xxh3::xxh3_128;

use super::Malformed;
use crate::board::Board;
use crate::event::{Ending, Report, Settings};
use crate::outcome::Outcome;

/// What is known of a board. The fields are the columns of all formats, in this order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    /// Position of the board in its file, from 1.
    level: usize,
    /// The word for the board on the command line.
    id: String,
    /// Its title; empty if it has none.
    title: String,
    #[serde(with = "words")]
    board: BoardHash,
    #[serde(with = "words")]
    rule: Rule,
    #[serde(with = "words")]
    objective: Objective,
    #[serde(with = "words")]
    outcome: Outcome,
    /// Proven: every solution costs at least this much. None where there is no solution.
    lower_bound: Option<u64>,
    /// Moves and pushes of the best solution known.
    moves: Option<usize>,
    pushes: Option<usize>,
    /// Whether the best solution known costs no more than the lower bound.
    proven: bool,
    /// What is proven of it among all that cost as much.
    #[serde(with = "words")]
    tie: Tie,
    /// Rows expanded, states stored, and attempts on the table.
    expanded: u64,
    states: u64,
    attempts: u64,
    /// Wall time, to the microsecond.
    seconds: f64,
    /// What the search held at most.
    peak_bytes: u64,
    threads: usize,
    /// The limits of time and memory; none if there was none.
    budget_seconds: Option<f64>,
    memory_bytes: Option<u64>,
    /// Of the program.
    version: String,
    /// The best solution known; without a step if there is none.
    #[serde(with = "words")]
    solution: Moves,
    /// The board in its canonical text, where the format has room for it.
    #[serde(skip)]
    pub(super) picture: String,
}

/// What a board is searched for: rows that agree in these are about the same question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Question {
    board: BoardHash,
    rule: Rule,
    objective: Objective,
}

impl Question {
    pub(super) fn new(board: &Board, settings: &Settings) -> Self {
        let board = BoardHash::of(&canonical(&board.level));
        Self { board, rule: settings.rule, objective: settings.objective }
    }
}

impl Row {
    /// The row of a search that has ended.
    pub(super) fn new(board: &Board, settings: &Settings, report: &Report) -> Self {
        let picture = canonical(&board.level);
        let (lower_bound, best) = match &report.ending {
            Ending::Optimal(best) => (Some(best.cost(report.objective) as u64), Some(best)),
            Ending::Limit { lower_bound, best, .. } => {
                (Some(u64::from(*lower_bound)), best.as_ref())
            }
            Ending::Failed(failure) => (Some(u64::from(failure.level)), None),
            Ending::Unsolvable(_) | Ending::Unsupported(_) => (None, None),
        };
        let statistics = &report.statistics;
        Self {
            level: board.level.number(),
            id: report.id.clone(),
            title: report.title.clone().unwrap_or_default(),
            board: BoardHash::of(&picture),
            rule: report.rule,
            objective: report.objective,
            outcome: Outcome::from(&report.ending),
            lower_bound,
            moves: best.map(|best| best.moves.len()),
            pushes: best.map(|best| best.moves.pushes()),
            proven: best
                .is_some_and(|best| lower_bound == Some(best.cost(report.objective) as u64)),
            tie: best.map(|best| best.tie).unwrap_or_default(),
            expanded: statistics.expanded,
            states: statistics.states,
            attempts: statistics.attempts,
            seconds: micros(report.elapsed.as_secs_f64()) / 1e6,
            peak_bytes: statistics.peak_bytes,
            threads: report.threads,
            budget_seconds: settings.timeout.map(|budget| budget.as_secs_f64()),
            memory_bytes: (settings.memory != u64::MAX).then_some(settings.memory),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            solution: best.map(|best| best.moves.clone()).unwrap_or_default(),
            picture,
        }
    }

    /// Takes over what an earlier search of the same has proven, if this one has proven less.
    pub(super) fn keep_bound_of(&mut self, earlier: &Self) {
        let ended_early = !self.proven && self.outcome != Outcome::Unsolvable;
        if ended_early && earlier.lower_bound > self.lower_bound {
            self.lower_bound = earlier.lower_bound;
            let cost = match self.objective {
                Objective::Moves => self.moves,
                Objective::Pushes => self.pushes,
            };
            self.proven = cost.is_some_and(|cost| Some(cost as u64) == self.lower_bound);
        }
    }

    /// The row of nothing, to fill in.
    fn blank() -> Self {
        Self {
            level: 1,
            id: String::new(),
            title: String::new(),
            board: BoardHash(0),
            rule: Rule::Classic,
            objective: Objective::Moves,
            outcome: Outcome::Unsolvable,
            lower_bound: None,
            moves: None,
            pushes: None,
            proven: false,
            tie: Tie::Any,
            expanded: 0,
            states: 0,
            attempts: 0,
            seconds: 0.0,
            peak_bytes: 0,
            threads: 1,
            budget_seconds: None,
            memory_bytes: None,
            version: String::new(),
            solution: Moves::default(),
            picture: String::new(),
        }
    }

    /// What it answers.
    pub(super) fn question(&self) -> Question {
        Question { board: self.board, rule: self.rule, objective: self.objective }
    }

    pub(super) fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Whether a search with these settings would tell no more. `memory` is the limit that was asked for: without one,
    /// what the row's search was given was enough.
    pub(super) fn is_settled(&self, settings: &Settings, memory: Option<u64>) -> bool {
        let budget = settings.timeout.map_or(f64::INFINITY, |budget| budget.as_secs_f64());
        let had = self.budget_seconds.unwrap_or(f64::INFINITY);
        let had_enough = micros(had) >= micros(budget)
            && memory.is_none_or(|memory| self.memory_bytes.unwrap_or(u64::MAX) >= memory);
        match self.outcome {
            Outcome::Optimal | Outcome::Unsolvable | Outcome::Unsupported => true,
            Outcome::Timeout | Outcome::Memory => had_enough,
            Outcome::Limit => had_enough && self.expanded >= settings.expansions,
            // None of these says how far another search would come.
            Outcome::Disk | Outcome::Interrupted | Outcome::Failed | Outcome::BadInput => false,
        }
    }

    /// Names and values of the columns, in order.
    fn fields(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            // A structure with named fields of plain values is an object.
            _ => Map::new(),
        }
    }

    /// Names and texts of the columns, in order; what is not known is empty.
    pub(super) fn cells(&self) -> Vec<(String, String)> {
        let text = |value| match value {
            Value::Null => String::new(),
            Value::String(text) => text,
            other => other.to_string(),
        };
        self.fields().into_iter().map(|(name, value)| (name, text(value))).collect()
    }

    /// The names of the columns, in order.
    pub(super) fn columns() -> Vec<String> {
        Self::blank().fields().into_iter().map(|(name, _)| name).collect()
    }

    /// The row with these texts in its columns, which stand on so many lines, the first of them `line`.
    pub(super) fn from_cells(
        cells: impl IntoIterator<Item = (usize, String, String)>,
    ) -> Result<Self, Malformed> {
        let blank = Self::blank().fields();
        let mut fields = blank.clone();
        for (line, name, cell) in cells {
            let malformed = |problem| Malformed { line, problem };
            let Some(example) = blank.get(&name) else {
                let known = Self::columns().join(", ");
                return Err(malformed(format!("found column '{name}', expected one of {known}")));
            };
            let value = match (example, cell.as_str()) {
                (Value::String(_), _) => Value::String(cell),
                (_, "") => Value::Null,
                (_, text) => serde_json::from_str(text).unwrap_or(Value::String(cell)),
            };
            // Alone among blanks, so that what is wrong is this one.
            let mut alone = blank.clone();
            alone.insert(name.clone(), value.clone());
            if let Err(error) = serde_json::from_value::<Self>(Value::Object(alone)) {
                return Err(malformed(format!("column {name}: {error}")));
            }
            fields.insert(name, value);
        }
        serde_json::from_value(Value::Object(fields))
            .map_err(|error| Malformed { line: 1, problem: error.to_string() })
    }
}

/// Whole microseconds of a time in seconds.
fn micros(seconds: f64) -> f64 {
    (seconds * 1e6).round()
}

/// What a board is known by, however it is written: xxh3 of its canonical text, 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BoardHash(u128);

impl BoardHash {
    fn of(canonical: &str) -> Self {
        Self(xxh3_128(canonical.as_bytes()))
    }
}

impl fmt::Display for BoardHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for BoardHash {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_hex = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u128::from_str_radix(text, 16).ok().filter(|_| is_hex);
        number.map(Self).ok_or_else(|| format!("found '{text}', expected 32 hexadecimal digits"))
    }
}

/// Values as the words that stand for them.
mod words {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<T: Display, S: Serializer>(
        value: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
