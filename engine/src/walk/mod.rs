//! Where the keeper can walk, and who gets there first.

mod cuts;
mod mask;
mod queue;

pub(crate) use self::cuts::Cuts;
pub(crate) use self::mask::MaskGround;
pub(crate) use self::queue::QueueGround;
use crate::board::{Board, Square};
use crate::squares::SquareSet;
use crate::table::Row;

/// The floor of a board, on which fronts of keepers spread step by step.
///
/// A front claims squares that no front has claimed before; which front spreads first therefore decides ties.
pub(crate) trait Ground: Send + 'static {
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
    /// Whether a front, or a box, has taken the square.
    fn is_claimed(&self, square: Square) -> bool;
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
/// Every state starts at its own cost. A square belongs to the state that reaches it at the least total cost; among
/// equals to a state closed at a lower cost, then to one being opened, then to one closed at the same cost or a larger one.
///
/// # Why this loses no shortest solution
///
/// Of all states of a row that are ever opened, let X be the one that reaches a square at the least total cost, and among
/// equals the one of least cost itself. X gives way to no other there, so it visits the square when it is opened. States
/// of the same cost may be opened in one level, by two threads that do not see each other's; so between them the ties go
/// to the one being opened, in both, and X may be more than one state. Whoever gives way, gives way to a state that
/// reaches the square at less total cost, or at the same and costs less itself, and that is closed: by induction to X, whose
/// level is over, or will be together with this one.
pub(crate) fn flood<G: Ground>(
    ground: &mut G,
    boxes: &G::Set,
    wanted: &G::Set,
    row: &mut Row,
    mut visit: impl FnMut(Square, u32),
) -> Flood {
    ground.begin(boxes, wanted);
    let mut closed = G::Front::default();
    if !row.cheaper.is_empty() {
        closed = run_ahead(ground, row);
        if row.opened.iter().all(|&square| ground.is_claimed(square)) {
            return Flood::Dominated;
        }
    }
    let mut opened = G::Front::default();
    row.opened.iter().for_each(|&square| ground.place(&mut opened, square));
    let mut late = G::Front::default();
    row.late.sort_unstable_by_key(|&(cost, _)| cost);
    let mut latecomers = row.late.iter().peekable();
    for steps in 0.. {
        while let Some((_, square)) = latecomers.next_if(|&&(cost, _)| cost == row.cost + steps) {
            ground.place(&mut late, *square);
        }
        ground.visit(&opened, |square| visit(square, steps));
        if !ground.wants_more() {
            break;
        }
        if !G::is_empty(&closed) {
            ground.spread(&mut closed);
        }
        ground.spread(&mut opened);
        if G::is_empty(&opened) {
            break;
        }
        if !G::is_empty(&late) {
            ground.spread(&mut late);
        }
    }
    Flood::Fresh
}

/// The square that stands for all that the keeper can walk to: states that differ by a walk have the same.
pub(crate) fn representative<G: Ground>(ground: &mut G, boxes: &G::Set, keeper: Square) -> Square {
    ground.region(boxes, keeper).first().unwrap_or(keeper)
}

/// Spreads the cheaper states until the cost at which the row is being opened, or until they have claimed all squares
/// that the others start from. Returns their front.
#[inline(always)]
fn run_ahead<G: Ground>(ground: &mut G, row: &mut Row) -> G::Front {
    let mut closed = G::Front::default();
    row.cheaper.sort_unstable_by_key(|&(cost, _)| cost);
    let mut next = 0;
    let mut time = row.cheaper[0].0;
    while time < row.cost {
        while let Some(&(cost, square)) = row.cheaper.get(next)
            && cost == time
        {
            ground.place(&mut closed, square);
            next += 1;
        }
        if G::is_empty(&closed) {
            time = row.cheaper.get(next).map_or(row.cost, |&(cost, _)| cost);
        } else {
            ground.spread(&mut closed);
            time += 1;
            if row.opened.iter().all(|&square| ground.is_claimed(square)) {
                break;
            }
        }
    }
    closed
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

#[cfg(test)]
mod tests;
