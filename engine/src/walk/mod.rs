//! Where the keeper can walk, and who gets there first.

mod mask;
mod queue;

pub(crate) use self::mask::MaskGround;
pub(crate) use self::queue::QueueGround;
use crate::board::{Board, Square};
use crate::squares::SquareSet;
use crate::table::{Entry, Status};

/// The floor of a board, on which fronts of keepers spread step by step.
///
/// A front claims squares that no front has claimed before; which front spreads first therefore decides ties.
pub(crate) trait Ground: Send {
    /// Sets of squares of this board.
    type Set: SquareSet;
    /// The squares claimed in the last step.
    type Front: Default;

    fn new(board: &Board) -> Self;
    /// Starts anew on the board with these boxes; `wanted` are the squares whose claiming matters.
    fn begin(&mut self, boxes: &Self::Set, wanted: &Self::Set);
    /// Claims a square for a front, unless it is taken.
    fn place(&mut self, front: &mut Self::Front, square: Square);
    /// Moves a front on by one step.
    fn spread(&mut self, front: &mut Self::Front);
    fn is_empty(front: &Self::Front) -> bool;
    /// Visits the wanted squares that the front claimed in its last step.
    fn visit(&self, front: &Self::Front, visit: impl FnMut(Square));
    /// Whether wanted squares are unclaimed.
    fn wants_more(&self) -> bool;
    /// All squares the keeper can walk to.
    fn region(&mut self, boxes: &Self::Set, keeper: Square) -> Self::Set;
}

/// What a row came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flood {
    /// States that the keeper does not reach as cheaply from closed ones.
    Fresh,
    /// Every state being opened is dominated by closed ones.
    Dominated,
}

/// Spreads the keepers of a whole row at once and visits the wanted squares that one of the states being opened reaches
/// first, with the number of steps from there.
///
/// `row` holds the states being opened at `cost`, as [`Status::Open`], and the closed ones. Every state starts at its own
/// cost. A square belongs to the state that reaches it at the least total cost; among equals to a state closed at a
/// lower cost, then to one being opened, then to one closed at the same cost.
///
/// # Why this loses no shortest solution
///
/// A square that belongs to a closed state was visited when that one was opened, at no greater cost: cheaper states of a
/// row are taken in earlier levels, which are over. States of the same cost may be taken twice in one level, by two
/// threads that do not see each other's; so between them the ties go to the one being opened, in both.
pub(crate) fn flood<G: Ground>(
    ground: &mut G,
    boxes: &G::Set,
    wanted: &G::Set,
    row: &mut [Entry],
    cost: u32,
    mut visit: impl FnMut(Square, u32),
) -> Flood {
    ground.begin(boxes, wanted);
    let square = |entry: &Entry| Square::from_index(entry.keeper as usize);
    row.sort_unstable_by_key(|entry| entry.cost);
    let cheaper = &row[..row.partition_point(|entry| entry.cost < cost)];
    let same = || row[cheaper.len()..].iter().filter(|entry| entry.cost == cost);

    let mut closed = G::Front::default();
    let mut next = cheaper.iter().filter(|entry| entry.status == Status::Closed).peekable();
    let mut time = next.peek().map_or(cost, |entry| entry.cost);
    while time < cost {
        while let Some(entry) = next.next_if(|entry| entry.cost == time) {
            ground.place(&mut closed, square(entry));
        }
        if G::is_empty(&closed) {
            time = next.peek().map_or(cost, |entry| entry.cost);
        } else {
            ground.spread(&mut closed);
            time += 1;
        }
    }

    let mut opened = G::Front::default();
    let mut late = G::Front::default();
    same()
        .filter(|entry| entry.status == Status::Open)
        .for_each(|entry| ground.place(&mut opened, square(entry)));
    if G::is_empty(&opened) {
        return Flood::Dominated;
    }
    same()
        .filter(|entry| entry.status == Status::Closed)
        .for_each(|entry| ground.place(&mut late, square(entry)));
    for steps in 0.. {
        ground.visit(&opened, |square| visit(square, steps));
        if !ground.wants_more() {
            break;
        }
        ground.spread(&mut closed);
        ground.spread(&mut opened);
        ground.spread(&mut late);
        if G::is_empty(&opened) {
            break;
        }
    }
    Flood::Fresh
}

/// Visits the wanted squares in the order of their distance from `from`, with the distance, until `visit` says stop.
pub(crate) fn distances<G: Ground>(
    ground: &mut G,
    boxes: &G::Set,
    wanted: &G::Set,
    from: Square,
    mut visit: impl FnMut(Square, u32) -> std::ops::ControlFlow<()>,
) {
    ground.begin(boxes, wanted);
    let mut front = G::Front::default();
    ground.place(&mut front, from);
    let mut stop = false;
    for steps in 0.. {
        ground.visit(&front, |square| stop = stop || visit(square, steps).is_break());
        if stop || !ground.wants_more() {
            return;
        }
        ground.spread(&mut front);
        if G::is_empty(&front) {
            return;
        }
    }
}
