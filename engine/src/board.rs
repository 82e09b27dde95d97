//! The playing area of a level, as the search sees it.
//!
//! Squares are numbered anew: first the *live* squares, from which a lone box can still reach a goal, then the other
//! squares the keeper can walk on. A box set is thus a set of numbers below [`Board::live`], and everything that no
//! keeper can reach is gone.

use std::fmt;

use crate::{Direction, Level, Position, Tile, Unsolvable};

/// A square of one [`Board`]; only the board makes them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u32);

impl Square {
    /// The number of the square, below [`Board::squares`].
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The square of a number that a board has handed out before.
    #[inline]
    pub(crate) fn from_index(index: usize) -> Self {
        debug_assert!(index < u32::MAX as usize);
        Self(index as u32)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// The squares a keeper can ever stand on, how they hang together, and what stands on them at the start.
#[derive(Clone, Debug)]
pub struct Board {
    positions: Vec<Position>,
    /// One entry a square and direction; `NONE` where a wall is.
    neighbours: Vec<[u32; 4]>,
    live: usize,
    goal: Vec<bool>,
    goals: Vec<Square>,
    boxes: Vec<Square>,
    keeper: Square,
    verdict: Option<Unsolvable>,
}

const NONE: u32 = u32::MAX;

impl Board {
    /// Bytes that it takes, nearly.
    pub(crate) fn bytes(&self) -> u64 {
        let of_a_square = size_of::<Position>() + size_of::<[u32; 4]>() + 1;
        (self.squares() * of_a_square) as u64
    }

    /// Surveys a level: floor, live squares, and what can be said against it without a search.
    pub fn new(level: &Level) -> Self {
        let floor = reach_without_boxes(level);
        let number_by_reading: Vec<u32> = number(&floor);
        let positions = positions_of(level, &floor);
        let neighbours = neighbours_of(level, &positions, &number_by_reading);
        let goal: Vec<bool> = positions.iter().map(|&at| level.tile(at).has_goal()).collect();
        let live = live_squares(&neighbours, &goal);

        // Renumber: live squares first, both parts in reading order.
        let mut order: Vec<usize> = (0..positions.len()).collect();
        order.sort_by_key(|&square| (!live[square], square));
        let mut renumbered = vec![NONE; positions.len()];
        for (new, &old) in order.iter().enumerate() {
            renumbered[old] = new as u32;
        }
        let rename = |square: u32| if square == NONE { NONE } else { renumbered[square as usize] };
        let positions: Vec<Position> = order.iter().map(|&old| positions[old]).collect();
        let neighbours: Vec<[u32; 4]> =
            order.iter().map(|&old| neighbours[old].map(rename)).collect();
        let goal: Vec<bool> = order.iter().map(|&old| goal[old]).collect();

        let with = |has: fn(Tile) -> bool| -> Vec<Square> {
            let holds = |&square: &usize| has(level.tile(positions[square]));
            (0..positions.len()).filter(holds).map(Square::from_index).collect()
        };
        let boxes = with(Tile::has_box);
        let goals = with(Tile::has_goal);
        let keeper = with(Tile::has_keeper)[0];
        let live = live.iter().filter(|&&alive| alive).count();
        let verdict = verdict(level, &floor, &positions, live, &boxes, goals.len());
        Self { positions, neighbours, live, goal, goals, boxes, keeper, verdict }
    }

    /// Number of squares the keeper can walk on when no box stands in its way.
    pub fn squares(&self) -> usize {
        self.positions.len()
    }

    /// Number of live squares; they have the numbers below this.
    pub fn live(&self) -> usize {
        self.live
    }

    /// Whether a lone box on `square` can still reach a goal.
    #[inline]
    pub fn is_live(&self, square: Square) -> bool {
        square.index() < self.live
    }

    /// All squares in the order of their numbers.
    pub fn all(&self) -> impl Iterator<Item = Square> + use<> {
        (0..self.positions.len()).map(Square::from_index)
    }

    /// The next square in a direction, unless a wall is there.
    #[inline]
    pub fn neighbour(&self, square: Square, direction: Direction) -> Option<Square> {
        let next = self.neighbours[square.index()][direction.index()];
        (next != NONE).then_some(Square(next))
    }

    /// Whether `square` is a goal.
    #[inline]
    pub fn is_goal(&self, square: Square) -> bool {
        self.goal[square.index()]
    }

    /// The goals within the keeper's reach, ascending.
    pub fn goals(&self) -> &[Square] {
        &self.goals
    }

    /// The boxes within the keeper's reach at the start, ascending.
    pub fn boxes(&self) -> &[Square] {
        &self.boxes
    }

    /// Where the keeper starts.
    pub fn keeper(&self) -> Square {
        self.keeper
    }

    /// Where a square lies on the level.
    pub fn position(&self, square: Square) -> Position {
        self.positions[square.index()]
    }

    /// The square at a position of the level, unless the keeper can never get there.
    pub fn square_at(&self, position: Position) -> Option<Square> {
        self.all().find(|&square| self.position(square) == position)
    }

    /// A reason why there is no solution that needs no search, if there is one.
    pub fn verdict(&self) -> Option<&Unsolvable> {
        self.verdict.as_ref()
    }
}

/// What the keeper could reach if no box stood in its way; one flag a tile, in reading order.
pub(crate) fn reach_without_boxes(level: &Level) -> Vec<bool> {
    let mut reached = vec![false; level.rows() * level.columns()];
    let mut todo = vec![level.keeper()];
    while let Some(at) = todo.pop() {
        if level.tile(at) == Tile::Wall {
            continue;
        }
        let flag = &mut reached[at.row * level.columns() + at.column];
        if !std::mem::replace(flag, true) {
            todo.extend(Direction::ALL.iter().filter_map(|&direction| step(level, at, direction)));
        }
    }
    reached
}

/// The position one step on, if it lies on the grid.
fn step(level: &Level, at: Position, direction: Direction) -> Option<Position> {
    let (down, right) = direction.delta();
    let row = at.row.checked_add_signed(down)?;
    let column = at.column.checked_add_signed(right)?;
    (row < level.rows() && column < level.columns()).then_some(Position { row, column })
}

/// Numbers the tiles whose flag is set, in reading order.
fn number(floor: &[bool]) -> Vec<u32> {
    let mut next = 0;
    let mut take = || {
        next += 1;
        next - 1
    };
    floor.iter().map(|&is_floor| if is_floor { take() } else { NONE }).collect()
}

fn positions_of(level: &Level, floor: &[bool]) -> Vec<Position> {
    let at = |tile: usize| Position { row: tile / level.columns(), column: tile % level.columns() };
    (0..floor.len()).filter(|&tile| floor[tile]).map(at).collect()
}

fn neighbours_of(level: &Level, positions: &[Position], number: &[u32]) -> Vec<[u32; 4]> {
    let look = |at: Position, direction| {
        step(level, at, direction)
            .map_or(NONE, |next| number[next.row * level.columns() + next.column])
    };
    positions.iter().map(|&at| Direction::ALL.map(|direction| look(at, direction))).collect()
}

/// Squares from which a lone box can be pushed to a goal: search by pulls from every goal.
fn live_squares(neighbours: &[[u32; 4]], goal: &[bool]) -> Vec<bool> {
    let mut live = goal.to_vec();
    let mut todo: Vec<usize> = (0..goal.len()).filter(|&square| goal[square]).collect();
    while let Some(square) = todo.pop() {
        for direction in Direction::ALL {
            let from = neighbours[square][direction.index()];
            if from == NONE || live[from as usize] {
                continue;
            }
            // The keeper pushes from the far side, which must be floor.
            if neighbours[from as usize][direction.index()] != NONE {
                live[from as usize] = true;
                todo.push(from as usize);
            }
        }
    }
    live
}

fn verdict(
    level: &Level,
    floor: &[bool],
    positions: &[Position],
    live: usize,
    boxes: &[Square],
    goals: usize,
) -> Option<Unsolvable> {
    let out_of_reach = (0..floor.len()).filter(|&tile| !floor[tile]).find_map(|tile| {
        let at = Position { row: tile / level.columns(), column: tile % level.columns() };
        (level.tile(at) == Tile::Box).then_some(Unsolvable::BoxOutOfReach(at))
    });
    if out_of_reach.is_some() {
        return out_of_reach;
    }
    if boxes.len() > goals {
        return Some(Unsolvable::TooFewGoals { boxes: boxes.len(), goals });
    }
    let dead = boxes.iter().find(|square| square.index() >= live)?;
    Some(Unsolvable::BoxOnDeadSquare(positions[dead.index()]))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A board from XSB rows.
    pub(crate) fn board(rows: &str) -> Board {
        Board::new(&level(rows))
    }

    pub(crate) fn level(rows: &str) -> Level {
        Level::parse(rows).expect("the test's board is legal")
    }

    #[test]
    fn live_squares_come_first_in_reading_order() {
        let board = board("######\n#@ $.#\n#    #\n######");
        assert_eq!(board.squares(), 8);
        // Only along the top wall can a box get to the goal; from the far corner it cannot be pushed.
        let live: Vec<_> = board.all().take(board.live()).map(|s| board.position(s)).collect();
        let at = |row, column| Position { row, column };
        assert_eq!(live, [at(1, 2), at(1, 3), at(1, 4)]);
        assert_eq!(board.boxes(), [board.square_at(at(1, 3)).expect("floor")]);
        assert_eq!(board.goals(), [board.square_at(at(1, 4)).expect("floor")]);
    }

    #[test]
    fn neighbours_are_mutual_and_end_at_walls() {
        let board = board("#######\n#@ $ .#\n# ## ##\n#     #\n#######");
        for square in board.all() {
            for direction in Direction::ALL {
                if let Some(next) = board.neighbour(square, direction) {
                    assert_eq!(board.neighbour(next, direction.opposite()), Some(square));
                }
            }
        }
        let corner = board.square_at(Position { row: 1, column: 1 }).expect("floor");
        assert_eq!(board.neighbour(corner, Direction::Up), None);
        assert_eq!(board.neighbour(corner, Direction::Left), None);
    }

    #[test]
    fn verdicts_need_no_search() {
        let verdict = |rows| board(rows).verdict().cloned();
        assert_eq!(
            verdict("########\n#@$.-$-#\n#------#\n########"),
            Some(Unsolvable::TooFewGoals { boxes: 2, goals: 1 })
        );
        assert_eq!(
            verdict("########\n#@$.#$.#\n########"),
            Some(Unsolvable::BoxOutOfReach(Position { row: 1, column: 5 }))
        );
        assert_eq!(
            verdict("######\n#.@ $#\n#    #\n######"),
            Some(Unsolvable::BoxOnDeadSquare(Position { row: 1, column: 4 }))
        );
        assert_eq!(verdict("*-*\n######\n#@$.##\n######"), None);
    }
}
