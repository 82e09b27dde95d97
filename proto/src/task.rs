//! What is to be proven.

use sokohive_engine::{
    EstimateChoice, Level, Objective, Position, ReadOptions, Rule, SearchChoice,
};

use crate::bad_field::required;
use crate::{AllOptimal, BadField, Quantity, Refusal, wire};

/// Longest board text taken, in bytes.
const MAX_BOARD_BYTES: usize = 64 << 10;

/// Most squares taken. The largest boards known have some 13,000.
const MAX_BOARD_SQUARES: usize = 16_384;

/// Most squares times goals taken: tables of 4 bytes for each are made before anything is budgeted, and
/// at most 32 bytes for each square and box, of which there are no more than goals.
const MAX_SQUARES_TIMES_GOALS: usize = 2 << 20;

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
    /// What is asked of all optimal solutions.
    pub all: AllOptimal,
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
            Objective::Pushes => Self::Pushes,
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
        Ok(wire::Objective::Pushes) => Ok(Objective::Pushes),
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
            // No cluster searches in another way, and no reader takes this.
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
            EstimateChoice::None => wire::Estimate::None,
            EstimateChoice::Matching => wire::Estimate::Matching,
            EstimateChoice::Walk => wire::Estimate::Walk,
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
            break_ties: task.all.break_ties,
            count: task.all.count,
        }
    }
}

impl TryFrom<wire::Task> for Task {
    type Error = BadField;

    fn try_from(task: wire::Task) -> Result<Self, BadField> {
        let unknown = |field, what, found: i32| {
            Err(BadField::new(field, format_args!("{found} is not {what}")))
        };
        if task.board.is_empty() {
            return Err(BadField::new("task.board", "missing"));
        }
        let bytes = task.board.len();
        BadField::at_most("task.board", Quantity::BoardBytes, MAX_BOARD_BYTES, bytes)?;
        let rule = rule_from_field("task.rule", task.rule)?;
        let objective = objective_from_field("task.objective", task.objective)?;
        let search = search_from_field("task.search", task.search)?;
        let estimate = match wire::Estimate::try_from(task.estimate) {
            Ok(wire::Estimate::Auto) => EstimateChoice::Auto,
            Ok(wire::Estimate::Nearest) => EstimateChoice::Nearest,
            Ok(wire::Estimate::None) => EstimateChoice::None,
            Ok(wire::Estimate::Matching) => EstimateChoice::Matching,
            Ok(wire::Estimate::Walk) => EstimateChoice::Walk,
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
            all: AllOptimal { count: task.count, break_ties: task.break_ties },
        })
    }
}

impl Task {
    /// Reads the board.
    ///
    /// # Errors
    ///
    /// If it is none, or larger than a cluster takes.
    pub fn level(&self) -> Result<Level, Refusal> {
        let options = ReadOptions::default().edge_is_wall(self.edge_is_wall);
        let level = Level::read(self.board.as_bytes(), options)
            .map_err(|error| Refusal::BadBoard(error.to_string()))?;
        let squares = level.rows() * level.columns();
        let most = |quantity, limit, found| BadField::at_most("task.board", quantity, limit, found);
        most(Quantity::BoardSquares, MAX_BOARD_SQUARES, squares)?;
        let columns = || 0..level.columns();
        let tiles = (0..level.rows())
            .flat_map(|row| columns().map(move |column| Position { row, column }))
            .map(|at| level.tile(at));
        let goals = tiles.filter(|tile| tile.has_goal()).count();
        most(Quantity::SquaresTimesGoals, MAX_SQUARES_TIMES_GOALS, squares * goals)?;
        Ok(level)
    }

    /// Reads the field `task` of a message.
    pub(crate) fn from_field(task: Option<wire::Task>) -> Result<Self, BadField> {
        required("task", task)?.try_into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A board of `rows` by `columns` squares within its walls, with so many goals and one box.
    fn board(rows: usize, columns: usize, goals: usize) -> String {
        let mut inside = vec![b' '; rows * columns];
        inside[0] = b'@';
        inside[columns + 1] = b'$';
        for at in 0..goals {
            inside[rows * columns - 1 - at] = b'.';
        }
        let wall = format!("{}\n", "#".repeat(columns + 2));
        let rows = inside.chunks(columns).map(|row| String::from_utf8_lossy(row).into_owned());
        wall.clone() + &rows.map(|row| format!("#{row}#\n")).collect::<String>() + &wall
    }

    fn task(board: String) -> Result<Task, Refusal> {
        let task = wire::Task {
            board,
            rule: wire::Rule::Classic.into(),
            objective: wire::Objective::Moves.into(),
            search: wire::Search::Auto.into(),
            estimate: wire::Estimate::Auto.into(),
            ..wire::Task::default()
        };
        Task::try_from(task).map_err(Refusal::from)
    }

    fn too_much(quantity: Quantity, limit: u64, found: u64) -> Refusal {
        Refusal::TooMuch { quantity, limit, found }
    }

    #[test]
    fn boards_up_to_the_limits_are_taken_and_no_larger_ones() {
        let read = |board| task(board).and_then(|task| task.level());
        assert!(read(board(126, 126, 100)).is_ok());
        let refusal = read(board(126, 127, 1)).unwrap_err();
        assert_eq!(refusal, too_much(Quantity::BoardSquares, 16_384, 128 * 129));
        let refusal = read(board(126, 126, 200)).unwrap_err();
        assert_eq!(refusal, too_much(Quantity::SquaresTimesGoals, 2 << 20, 16_384 * 200));
        let long = board(10, 10, 1) + &"a".repeat(MAX_BOARD_BYTES);
        let bytes = long.len() as u64;
        assert_eq!(read(long).unwrap_err(), too_much(Quantity::BoardBytes, 64 << 10, bytes));
        // Few bytes that stand for many squares.
        let refusal = read("#9999999#|#@$.#|999999#\n".to_owned()).unwrap_err();
        assert!(matches!(refusal, Refusal::BadBoard(_) | Refusal::TooMuch { .. }), "{refusal}");
        assert!(matches!(read("no board".to_owned()), Err(Refusal::BadBoard(_))));
    }

    #[test]
    fn a_search_of_one_process_is_no_task() {
        let task = task(board(3, 3, 1)).expect("a task");
        assert_eq!(Task::try_from(wire::Task::from(task.clone())), Ok(task.clone()));
        for (count, break_ties) in [(true, false), (false, true)] {
            let all = AllOptimal { count, break_ties };
            let asked = Task { all, ..task.clone() };
            assert_eq!(Task::try_from(wire::Task::from(asked.clone())), Ok(asked));
        }
        let ida = Task { search: SearchChoice::Ida, ..task };
        let error = Task::try_from(wire::Task::from(ida)).expect_err("refused");
        assert_eq!(error.to_string(), "field task.search: 0 names no ends of a search");
    }

    #[test]
    fn refusals_name_limit_and_find() {
        let refusal = task("a".repeat(70_000)).unwrap_err();
        assert_eq!(refusal.to_string(), "70000 bytes of a board, expected at most 65536");
    }
}
