//! Corrals: areas that the keeper cannot enter without pushing one of the boxes around them.
//!
//! A *group* is a set of boxes together with areas the keeper does not reach, such that every box beside an area belongs to
//! the group. It is *closed* if each push of one of its boxes is of one of two kinds:
//!
//! 1. impossible while no box of the group has moved: the keeper would have to stand on a wall, on a box of the group or
//!    in one of the areas, or the box would go onto a wall, a dead square or a box of the group;
//! 2. into an area, and the keeper can make it now.
//!
//! It is *unfinished* if a box of it is off goal, or, where every goal takes a box, a goal in its areas has none.
//!
//! **In a board with a closed, unfinished group, some shortest solution (by pushes) begins with a push of the group, if
//! there is a solution at all.** A box of the group must move: one is off goal, or a box must come into an area, and all
//! boxes beside the areas are the group's. Let p be the first push of such a box in a shortest solution, and Q the pushes
//! before it. While the group stands the areas stay shut, so p is of the second kind, and the keeper can make it now. Make it
//! first. It takes a box from beside an area into it: every square that was free outside is free still, and the keeper
//! gets from where the box stood back to where it came from. So Q can be made as before: its pushes move no box into
//! an area, as no square beside one is outside of the group, and p took its box into one. After p and Q the boxes stand
//! as after Q and p, and the keeper is in the same region, since the square from which p was made joins the two. So the
//! rest of the solution follows, with the keeper in the same region at its end: the proof holds for both rules.
//!
//! The number of pushes stays the same, the number of steps need not. So where steps count as well, or all solutions
//! are wanted, this must not be used. If a closed, unfinished group has no push at all, the board is lost under every
//! objective.
//!
//! (For single areas this is known as PI-corral pruning: B. Damgaard, *YASC*; M. Meger, *JSoko*.)

use crate::Direction;
use crate::board::{Board, Square};
use crate::squares::SquareSet;

/// Scratch of the test.
#[derive(Clone, Debug)]
pub(crate) struct Corrals<S> {
    /// Squares of areas that a group was begun with.
    seen: S,
    /// The group being looked at.
    group: Group<S>,
    /// The group with fewest pushes so far.
    best: Group<S>,
    /// Whether every goal takes a box in the end.
    all_goals: bool,
}

#[derive(Clone, Debug)]
struct Group<S> {
    boxes: S,
    members: Vec<Square>,
    area: S,
    squares: Vec<Square>,
    pushes: usize,
}

impl<S: SquareSet> Group<S> {
    fn new(squares: usize) -> Self {
        let none = S::empty(squares);
        Self {
            boxes: none.clone(),
            members: Vec::new(),
            area: none,
            squares: Vec::new(),
            pushes: 0,
        }
    }

    fn clear(&mut self) {
        self.members.drain(..).for_each(|square| self.boxes.remove(square));
        self.squares.drain(..).for_each(|square| self.area.remove(square));
        self.pushes = 0;
    }

    fn join(&mut self, square: Square) {
        if !self.boxes.contains(square) {
            self.boxes.insert(square);
            self.members.push(square);
        }
    }

    /// Adds the area that a square without a box lies in, and the boxes around it.
    fn spread(&mut self, board: &Board, boxes: &S, from: Square) {
        let mut next = self.squares.len();
        self.enter(from);
        while let Some(&square) = self.squares.get(next) {
            next += 1;
            for direction in Direction::ALL {
                match board.neighbour(square, direction) {
                    Some(beside) if boxes.contains(beside) => self.join(beside),
                    Some(beside) => self.enter(beside),
                    None => {}
                }
            }
        }
    }

    fn enter(&mut self, square: Square) {
        if !self.area.contains(square) {
            self.area.insert(square);
            self.squares.push(square);
        }
    }
}

/// What of the pushes of a board has to be made.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Needed<'a, S> {
    /// All of them.
    All,
    /// Those of some boxes.
    Only(&'a S),
    /// None: the board is lost.
    None,
}

impl<S: SquareSet> Corrals<S> {
    pub(crate) fn new(board: &Board) -> Self {
        let squares = board.squares();
        Self {
            seen: S::empty(squares),
            group: Group::new(squares),
            best: Group::new(squares),
            all_goals: board.boxes().len() == board.goals().len(),
        }
    }

    /// Which pushes have to be made with these boxes (as a list, and as a set) and the keeper in `region`.
    pub(crate) fn needed(
        &mut self,
        board: &Board,
        list: &[Square],
        boxes: &S,
        region: &S,
    ) -> Needed<'_, S> {
        self.seen = S::empty(board.squares());
        let mut found = false;
        for &square in list {
            for direction in Direction::ALL {
                let Some(beside) = board.neighbour(square, direction) else { continue };
                if boxes.contains(beside) || region.contains(beside) || self.seen.contains(beside) {
                    continue;
                }
                self.group.clear();
                self.group.spread(board, boxes, beside);
                self.group.squares.iter().for_each(|&square| self.seen.insert(square));
                if self.close(board, boxes, region)
                    && self.is_unfinished(board)
                    && (!found || self.group.pushes < self.best.pushes)
                {
                    found = true;
                    std::mem::swap(&mut self.group, &mut self.best);
                }
            }
        }
        match (found, self.best.pushes) {
            (false, _) => Needed::All,
            (true, 0) => Needed::None,
            (true, _) => Needed::Only(&self.best.boxes),
        }
    }

    /// Adds to the group what it takes to be closed, and counts its pushes; false if that cannot be done.
    fn close(&mut self, board: &Board, boxes: &S, region: &S) -> bool {
        let group = &mut self.group;
        // What is added may forbid pushes that were counted before.
        'again: loop {
            group.pushes = 0;
            let mut next = 0;
            while let Some(&square) = group.members.get(next) {
                next += 1;
                for direction in Direction::ALL {
                    let side = board.neighbour(square, direction.opposite());
                    let to = board.neighbour(square, direction);
                    let (Some(side), Some(to)) = (side, to) else { continue };
                    let blocked = |place| group.boxes.contains(place);
                    if !board.is_live(to)
                        || blocked(to)
                        || blocked(side)
                        || group.area.contains(side)
                    {
                        continue;
                    }
                    if group.area.contains(to) && region.contains(side) {
                        group.pushes += 1;
                        continue;
                    }
                    if let Some(&other) = [to, side].iter().find(|other| boxes.contains(**other)) {
                        group.join(other);
                    } else if let Some(&shut) = [to, side]
                        .iter()
                        .find(|shut| !region.contains(**shut) && !group.area.contains(**shut))
                    {
                        group.spread(board, boxes, shut);
                    } else {
                        return false;
                    }
                    continue 'again;
                }
            }
            return true;
        }
    }

    fn is_unfinished(&self, board: &Board) -> bool {
        let Group { members, squares, .. } = &self.group;
        members.iter().any(|&square| !board.is_goal(square))
            || self.all_goals && squares.iter().any(|&square| board.is_goal(square))
    }
}
