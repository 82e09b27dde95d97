//! `sokohive inspect`: a board as the search sees it, before any search.

use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;
use sokohive_engine::{BoxInspection, EntryWidth, Inspection, Level, Position, Tile};

use sokohive_host::memory;

use crate::board::Board;
use crate::exit::{Exit, Failure};
use crate::report::{self, Format};
use crate::source::{Boards, Found};
use crate::units::{Bytes, counted, counted_in_short};

/// Which boards, and how to show them.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    boards: Boards,
    /// The memory limit to plan for [default: 80 % of what is free]
    #[arg(long, short, value_name = "SIZE")]
    memory: Option<Bytes>,
    /// How to print what is known
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Shows each board on standard output.
pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let memory = args.memory.map_or_else(memory::default_limit, |Bytes(bytes)| bytes);
    let Found { boards, remarks } = args.boards.find();
    for remark in &remarks {
        // Where nobody reads the messages, the results still stand.
        let _ = writeln!(io::stderr(), "note: {remark}");
    }
    let mut exit = Exit::Success;
    let mut out = io::stdout().lock();
    for board in boards {
        match board {
            Ok(board) => {
                let survey = Survey::new(&board, memory);
                match args.format {
                    Format::Text => out.write_all(survey.text(&board).as_bytes())?,
                    Format::Json => {
                        serde_json::to_writer(&mut out, &survey).map_err(io::Error::from)?;
                        writeln!(out)?;
                    }
                }
            }
            Err(refusal) => {
                exit = exit.worst(Exit::BadInput);
                let _ = report::message(&refusal, &mut io::stderr());
            }
        }
    }
    out.flush()?;
    Ok(exit)
}

/// What is known of a board, in the words of the output.
#[derive(Debug, Serialize)]
struct Survey {
    id: String,
    rule: String,
    /// The board, row by row, with the marks of [`mark`].
    drawing: Vec<String>,
    /// Squares the keeper can stand on when no box is in its way.
    squares: usize,
    live_squares: usize,
    dead_squares: usize,
    goals: Vec<Place>,
    boxes: Vec<BoxSurvey>,
    /// Least pushes if boxes could share goals; none if some box reaches no goal.
    nearest_bound: Option<u32>,
    /// Least pushes with a goal for each box; none if that cannot be.
    matching_bound: Option<u32>,
    /// Why there is no solution, where that needs no search.
    #[serde(skip_serializing_if = "Option::is_none")]
    unsolvable: Option<String>,
    box_set_bits: u32,
    /// Whether the number of bits is exact; else it is at least so many.
    box_set_bits_exact: bool,
    keeper_bits: u32,
    /// Bytes of a table entry; none if the board is unsupported.
    entry_bytes: Option<u64>,
    cost_bits: Option<u32>,
    /// Bytes that the search may hold.
    memory_limit: u64,
    /// Bytes of a table that holds every state there can be, if that is below the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    whole_table_bytes: Option<u64>,
}

/// A square, counted from 1.
#[derive(Clone, Copy, Debug, Serialize)]
struct Place {
    row: usize,
    column: usize,
}

/// A box and its way home.
#[derive(Debug, Serialize)]
struct BoxSurvey {
    at: Place,
    /// Pushes to each goal, in the order of the goals; none where it can never go.
    pushes: Vec<Option<u32>>,
}

impl From<Position> for Place {
    fn from(Position { row, column }: Position) -> Self {
        Self { row: row + 1, column: column + 1 }
    }
}

impl From<&BoxInspection> for BoxSurvey {
    fn from(inspection: &BoxInspection) -> Self {
        let pushes = inspection.pushes.iter().map(|&(_, pushes)| pushes).collect();
        Self { at: inspection.position.into(), pushes }
    }
}

impl Survey {
    fn new(board: &Board, memory: u64) -> Self {
        let level = &board.level;
        let inspection = Inspection::new(level, memory);
        let area = &inspection.board;
        let mut goals: Vec<Position> =
            area.goals().iter().map(|&goal| area.position(goal)).collect();
        goals.sort();
        let entry_bytes = inspection.entry_width.map(EntryWidth::bytes);
        let states = most_states(area.live(), area.boxes().len(), area.squares());
        let whole = states.zip(entry_bytes).and_then(|(states, bytes)| states.checked_mul(bytes));
        Self {
            id: board.id.clone(),
            rule: level.rule().to_string(),
            drawing: draw(level, &inspection),
            squares: area.squares(),
            live_squares: area.live(),
            dead_squares: area.squares() - area.live(),
            goals: goals.into_iter().map(Place::from).collect(),
            boxes: inspection.boxes.iter().map(BoxSurvey::from).collect(),
            nearest_bound: inspection.nearest,
            matching_bound: inspection.matching,
            unsolvable: area.verdict().map(ToString::to_string),
            box_set_bits: inspection.rank_bits,
            box_set_bits_exact: inspection.rank_bits_exact,
            keeper_bits: usize::BITS - (area.squares() - 1).leading_zeros(),
            entry_bytes,
            cost_bits: inspection.cost_bits,
            memory_limit: memory,
            whole_table_bytes: whole.filter(|&bytes| bytes <= memory),
        }
    }

    fn text(&self, board: &Board) -> String {
        let mut text = format!("{}: {}\n\n", self.id, board.describe(board.level.rule()));
        for row in &self.drawing {
            text += &format!("    {row}\n");
        }
        text += "\n    # wall, @ + keeper, $ * box, . goal, blank live, x dead, ~ out of reach\n\n";
        let squares = counted(self.squares, "square", "squares");
        let (live, dead) = (self.live_squares, self.dead_squares);
        text += &format!("squares: the keeper can reach {squares}, {live} live, {dead} dead\n");
        text += &format!("box set: {}\n", self.key());
        text += &format!("entry: {}\n", self.entry());
        text += &format!("memory: {}\n", self.memory());
        let pushes = |bound: Option<u32>| bound.map_or_else(|| "none".into(), |n| n.to_string());
        let (nearest, matching) = (pushes(self.nearest_bound), pushes(self.matching_bound));
        text += &format!("least pushes: {nearest} to nearest goals, {matching} by matching\n");
        if let Some(reason) = &self.unsolvable {
            text += &format!("unsolvable: {reason}\n");
        }
        text += &self.distances();
        text.push('\n');
        text
    }

    fn key(&self) -> String {
        let least = if self.box_set_bits_exact { "" } else { "more than " };
        let (set, keeper) = (self.box_set_bits, self.keeper_bits);
        format!("{least}{set} bits, with the keeper's square {least}{} bits", set + keeper)
    }

    fn entry(&self) -> String {
        match (self.entry_bytes, self.cost_bits) {
            (Some(bytes), Some(bits)) => format!("{bytes} bytes, {bits} bits of them for the cost"),
            _ => "unsupported, the box set has too many bits".to_owned(),
        }
    }

    fn memory(&self) -> String {
        let limit = match self.memory_limit {
            u64::MAX => "no limit".to_owned(),
            bytes => format!("at most {}", Bytes(bytes)),
        };
        match (self.whole_table_bytes, self.entry_bytes) {
            (Some(bytes), _) => {
                let bytes = Bytes(bytes);
                format!("grows with need, {limit}; every state there can be takes {bytes}")
            }
            (None, Some(entry)) if self.memory_limit != u64::MAX => {
                let states = counted_in_short(self.memory_limit / entry, "state", "states");
                format!("grows with need, {limit}; enough for about {states}")
            }
            _ => format!("grows with need, {limit}"),
        }
    }

    /// One row a box, one column a goal; of very many goals only the nearest.
    fn distances(&self) -> String {
        const MOST_COLUMNS: usize = 24;
        let name = |place: &Place| format!("{},{}", place.row, place.column);
        let mut text = String::from("pushes from each box (row,column) to each goal:\n");
        if self.goals.len() > MOST_COLUMNS {
            for BoxSurvey { at, pushes } in &self.boxes {
                let reached = pushes.iter().flatten().count();
                let nearest = pushes.iter().flatten().min();
                let nearest = nearest.map_or_else(|| "-".to_owned(), ToString::to_string);
                let _ = writeln!(
                    text,
                    "{:>9}  nearest {nearest}, of {reached} in reach",
                    name(at),
                    reached = counted(reached, "goal", "goals")
                );
            }
            return text;
        }
        text += &format!("{:>9}", "");
        for goal in &self.goals {
            let _ = write!(text, " {:>6}", name(goal));
        }
        text.push('\n');
        for BoxSurvey { at, pushes } in &self.boxes {
            let _ = write!(text, "{:>9}", name(at));
            for pushes in pushes {
                let pushes = pushes.map_or_else(|| "-".to_owned(), |pushes| pushes.to_string());
                let _ = write!(text, " {pushes:>6}");
            }
            text.push('\n');
        }
        text
    }
}

fn draw(level: &Level, inspection: &Inspection) -> Vec<String> {
    let area = &inspection.board;
    let mut rows = vec![vec!['~'; level.columns()]; level.rows()];
    for (at, tile) in crate::board::tiles(level) {
        if let Some(mark) = mark(tile) {
            rows[at.row][at.column] = mark;
        }
    }
    for square in area.all() {
        let at = area.position(square);
        if level.tile(at) == Tile::Floor {
            rows[at.row][at.column] = if area.is_live(square) { ' ' } else { 'x' };
        }
    }
    rows.into_iter().map(|row| row.into_iter().collect()).collect()
}

/// How a tile is drawn, unless that depends on what the search knows of the square.
fn mark(tile: Tile) -> Option<char> {
    Some(match tile {
        Tile::Floor => return None,
        Tile::Wall => '#',
        Tile::Box => '$',
        Tile::Keeper => '@',
        Tile::Goal => '.',
        Tile::BoxOnGoal => '*',
        Tile::KeeperOnGoal => '+',
    })
}

/// The number of (box set, keeper square) pairs there can be, unless it is beyond all memory.
fn most_states(live: usize, boxes: usize, squares: usize) -> Option<u64> {
    // The keeper stands beside the box it has pushed, so at most four squares a box come into question.
    let keepers = squares.saturating_sub(boxes).min(4 * boxes).max(1) as u128;
    let mut sets: u128 = 1;
    for i in 0..boxes as u128 {
        // Each partial product is a binomial coefficient times its divisor, so the division is exact.
        sets = sets.checked_mul((live as u128).checked_sub(i)?)? / (i + 1);
    }
    u64::try_from(sets.checked_mul(keepers)?).ok()
}

#[cfg(test)]
mod tests {
    use super::most_states;

    #[test]
    fn states_are_counted_without_overflow() {
        assert_eq!(most_states(32, 8, 44), Some(10_518_300 * 32));
        assert_eq!(most_states(4, 1, 9), Some(4 * 4));
        assert_eq!(most_states(4, 0, 9), Some(1));
        assert_eq!(most_states(1_000, 400, 1_000), None);
        assert_eq!(most_states(2, 3, 9), Some(0));
    }
}
