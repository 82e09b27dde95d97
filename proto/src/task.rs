//! What is to be proven.

use sokohive_engine::{EstimateChoice, Objective, Rule, SearchChoice};

use crate::bad_field::required;
use crate::{BadField, wire};

/// Longest board text taken, in bytes.
const MAX_BOARD_BYTES: usize = 1 << 20;

/// What is to be proven, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The board in XSB notation.
    pub board: String,
    /// Whether squares outside of it count as walls.
    pub edge_is_wall: bool,
    /// When it counts as finished.
    pub rule: Rule,
    /// What to have fewest of.
    pub objective: Objective,
    /// The ends to start from.
    pub search: SearchChoice,
    /// What leads the search.
    pub estimate: EstimateChoice,
    /// Whether dominated states are dropped.
    pub dominance: bool,
    /// Whether pushes into deadlocked pairs and triples are refused.
    pub deadlock_tables: bool,
    /// Most bytes that each worker may use, if that is less than its own limit.
    pub memory: Option<u64>,
}

impl From<Rule> for wire::Rule {
    fn from(rule: Rule) -> Self {
        match rule {
            Rule::Classic => Self::Classic,
            Rule::KeeperOnGoal => Self::KeeperOnGoal,
        }
    }
}

impl From<Objective> for wire::Objective {
    fn from(objective: Objective) -> Self {
        match objective {
            Objective::Moves => Self::Moves,
            _ => Self::Unspecified,
        }
    }
}

/// Reads a rule from a field of a message.
pub(crate) fn rule_from_field(field: &'static str, rule: i32) -> Result<Rule, BadField> {
    match wire::Rule::try_from(rule) {
        Ok(wire::Rule::Classic) => Ok(Rule::Classic),
        Ok(wire::Rule::KeeperOnGoal) => Ok(Rule::KeeperOnGoal),
        _ => Err(BadField::new(field, format_args!("{rule} is not a rule"))),
    }
}

/// Reads an objective from a field of a message.
pub(crate) fn objective_from_field(
    field: &'static str,
    objective: i32,
) -> Result<Objective, BadField> {
    match wire::Objective::try_from(objective) {
        Ok(wire::Objective::Moves) => Ok(Objective::Moves),
        _ => Err(BadField::new(field, format_args!("{objective} is not an objective"))),
    }
}

impl From<SearchChoice> for wire::Search {
    fn from(search: SearchChoice) -> Self {
        match search {
            SearchChoice::Auto => Self::Auto,
            SearchChoice::Forward => Self::Forward,
            SearchChoice::Backward => Self::Backward,
            SearchChoice::TwoSided => Self::TwoSided,
            _ => Self::Unspecified,
        }
    }
}

/// Reads the ends of a search from a field of a message.
pub(crate) fn search_from_field(
    field: &'static str,
    search: i32,
) -> Result<SearchChoice, BadField> {
    match wire::Search::try_from(search) {
        Ok(wire::Search::Auto) => Ok(SearchChoice::Auto),
        Ok(wire::Search::Forward) => Ok(SearchChoice::Forward),
        Ok(wire::Search::Backward) => Ok(SearchChoice::Backward),
        Ok(wire::Search::TwoSided) => Ok(SearchChoice::TwoSided),
        _ => Err(BadField::new(field, format_args!("{search} names no ends of a search"))),
    }
}

impl From<Task> for wire::Task {
    fn from(task: Task) -> Self {
        let estimate = match task.estimate {
            EstimateChoice::Auto => wire::Estimate::Auto,
            EstimateChoice::Nearest => wire::Estimate::Nearest,
            EstimateChoice::Matching => wire::Estimate::Matching,
            _ => wire::Estimate::Unspecified,
        };
        Self {
            board: task.board,
            edge_is_wall: task.edge_is_wall,
            rule: wire::Rule::from(task.rule).into(),
            objective: wire::Objective::from(task.objective).into(),
            search: wire::Search::from(task.search).into(),
            estimate: estimate.into(),
            dominance: task.dominance,
            deadlock_tables: task.deadlock_tables,
            memory_bytes: task.memory,
        }
    }
}

impl TryFrom<wire::Task> for Task {
    type Error = BadField;

    fn try_from(task: wire::Task) -> Result<Self, BadField> {
        let unknown = |field, what, found: i32| {
            Err(BadField::new(field, format_args!("{found} is not {what}")))
        };
        if task.board.is_empty() || task.board.len() > MAX_BOARD_BYTES {
            let problem = format!("{} bytes, expected 1 to {MAX_BOARD_BYTES}", task.board.len());
            return Err(BadField::new("task.board", problem));
        }
        let rule = rule_from_field("task.rule", task.rule)?;
        let objective = objective_from_field("task.objective", task.objective)?;
        let search = search_from_field("task.search", task.search)?;
        let estimate = match wire::Estimate::try_from(task.estimate) {
            Ok(wire::Estimate::Auto) => EstimateChoice::Auto,
            Ok(wire::Estimate::Nearest) => EstimateChoice::Nearest,
            Ok(wire::Estimate::Matching) => EstimateChoice::Matching,
            _ => return unknown("task.estimate", "an estimate", task.estimate),
        };
        Ok(Self {
            board: task.board,
            edge_is_wall: task.edge_is_wall,
            rule,
            objective,
            search,
            estimate,
            dominance: task.dominance,
            deadlock_tables: task.deadlock_tables,
            memory: task.memory_bytes,
        })
    }
}

impl Task {
    /// Reads the field `task` of a message.
    pub(crate) fn from_field(task: Option<wire::Task>) -> Result<Self, BadField> {
        required("task", task)?.try_into()
    }
}
