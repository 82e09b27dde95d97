//! Keeper-aware dead pairs and triples.
//!
//! For every two (three) live squares and every keeper square, the board with only those boxes is solved once, by pulls
//! from the goals. What the pulls do not reach is dead: with these boxes and the keeper there, the board cannot be
//! finished, whatever else stands on it. (Related: A. G. Pereira, M. Ritt and L. S. Buriol, *Optimal Sokoban solving
//! using pattern databases with specific domain knowledge*, 2015; these tables know where the keeper is.)
//!
//! Backward the same is done by pushes from where two (three) boxes stand at the start. What they do not reach is dead
//! for a search from the finish: with these boxes and the keeper there, whatever else stands on the board, the start does
//! not lead to it. For on the way from the start, the boxes of a state were boxes of the start, and had the others been
//! taken away, the keeper could have done all the same with these.
//!
//! A push leaves the keeper on the square the box came from, and before it the keeper is on the next square behind the
//! box. So a table is asked with the square of the box that was pushed, or pulled back, and the direction of the push,
//! which name the keeper's square, and answers with a set of squares where one more box is too much: one intersection
//! for all pairs of that box, one for each other box for all triples.

use crate::Direction;
use crate::board::{Board, Square};
use crate::budget::Budget;
use crate::rank::Ranking;
use crate::search::side::Side;
use crate::squares::SquareSet;
use crate::walk::Ground;

/// The tables of one board and one side of the search.
#[derive(Clone, Debug)]
pub(crate) struct DeadSubsets<S> {
    live: usize,
    /// At `square * 4 + direction`: squares where another box makes a dead pair.
    pairs: Vec<S>,
    /// At `(square * 4 + direction) * live + other`: squares, beyond `other`, where a third box makes a dead triple.
    triples: Vec<S>,
}

/// Most sets of boxes a table is worth building for: beyond, building takes longer than most searches, and longer than a
/// limit of time may be late, for it is not interrupted.
const MOST_SETS: u64 = 40_000;

impl<S: SquareSet> DeadSubsets<S> {
    /// Builds what the number of boxes has use for and the budget has room for. `None` if that is nothing.
    ///
    /// `ground` walks on this board. The budget is charged for what is kept, and meanwhile for what building takes.
    pub(crate) fn new<G: Ground<Set = S>>(
        board: &Board,
        ground: &mut G,
        side: Side,
        budget: &Budget,
    ) -> Option<Self> {
        let live = board.live();
        let alive = Self::solve(board, ground, side, (2, 4 * live), budget)?;
        let pairs = vec![S::empty(board.squares()); 4 * live];
        let mut tables = Self { live, pairs, triples: Vec::new() };
        tables.keep_pairs(board, &alive);
        drop(alive);
        if let Some(alive) = Self::solve(board, ground, side, (3, 4 * live * live), budget) {
            tables.triples = vec![S::empty(board.squares()); 4 * live * live];
            tables.keep_triples(board, &alive);
        }
        Some(tables)
    }

    /// Solves all boards with so many boxes (`size`), if it is worth it and the budget has room for that and for a table
    /// of `kept` sets.
    fn solve<G: Ground<Set = S>>(
        board: &Board,
        ground: &mut G,
        side: Side,
        (size, kept): (usize, usize),
        budget: &Budget,
    ) -> Option<Alive<S>> {
        let live = board.live();
        if board.boxes().len() < size || live < size {
            return None;
        }
        let sets = (0..size as u64).fold(1, |sets, i| sets * (live as u64 - i) / (i + 1));
        if sets > MOST_SETS {
            return None;
        }
        let kept = kept as u64 * S::bytes(board.squares());
        let working = sets * Alive::<S>::bytes_of_a_set(board);
        if !budget.take(kept + working) {
            return None;
        }
        let alive = Alive::solve(board, ground, side, size);
        // What is solved is read off at once, before anything else is allocated.
        budget.give_back(if alive.is_some() { working } else { kept + working });
        alive
    }

    /// Whether a box on `moved` makes a dead pair or triple with some of `others`, with the keeper behind it in terms of
    /// the push that took it there, or forward from there. `boxes` holds `others`, and may hold the moved box.
    #[inline]
    pub(crate) fn lost(
        &self,
        moved: Square,
        direction: Direction,
        boxes: &S,
        others: impl Iterator<Item = Square>,
    ) -> bool {
        let push = moved.index() * 4 + direction.index();
        if self.pairs[push].intersects(boxes) {
            return true;
        }
        if self.triples.is_empty() {
            return false;
        }
        let thirds = &self.triples[push * self.live..][..self.live];
        others.into_iter().any(|other| thirds[other.index()].intersects(boxes))
    }

    /// The dead pairs alone.
    #[cfg(test)]
    pub(crate) fn without_triples(self) -> Self {
        Self { triples: Vec::new(), ..self }
    }

    /// Every square of a box and direction in which the keeper can stand behind it, and the keeper's square.
    fn pushes(board: &Board) -> impl Iterator<Item = (Square, Direction, Square)> + '_ {
        board.all().take(board.live()).flat_map(move |square| {
            Direction::ALL.into_iter().filter_map(move |direction| {
                let keeper = board.neighbour(square, direction.opposite())?;
                Some((square, direction, keeper))
            })
        })
    }

    fn keep_pairs(&mut self, board: &Board, alive: &Alive<S>) {
        for (square, direction, keeper) in Self::pushes(board) {
            for other in board.all().take(self.live) {
                if other != square && other != keeper && !alive.is([square, other], keeper) {
                    self.pairs[square.index() * 4 + direction.index()].insert(other);
                }
            }
        }
    }

    fn keep_triples(&mut self, board: &Board, alive: &Alive<S>) {
        for (square, direction, keeper) in Self::pushes(board) {
            let push = square.index() * 4 + direction.index();
            let pairs = self.pairs[push].clone();
            let usable =
                |other: Square| other != square && other != keeper && !pairs.contains(other);
            for other in board.all().take(self.live).filter(|&other| usable(other)) {
                for third in board.all().take(self.live).skip(other.index() + 1) {
                    if usable(third) && !alive.is([square, other, third], keeper) {
                        self.triples[push * self.live + other.index()].insert(third);
                    }
                }
            }
        }
    }
}

/// For every set of so many boxes, the keeper squares from which they can be brought home, or backward, to which the start
/// can lead.
struct Alive<S> {
    ranking: Ranking<u64>,
    keepers: Vec<S>,
}

impl<S: SquareSet> Alive<S> {
    /// Bytes that building takes for each set of boxes: its keeper squares, and mostly one region at a time to go on
    /// from.
    fn bytes_of_a_set(board: &Board) -> u64 {
        2 * S::bytes(board.squares()) + size_of::<u64>() as u64
    }

    fn solve<G: Ground<Set = S>>(
        board: &Board,
        ground: &mut G,
        side: Side,
        size: usize,
    ) -> Option<Self> {
        let ranking = Ranking::<u64>::new(board.live(), size)?;
        let keepers = vec![S::empty(board.squares()); usize::try_from(ranking.sets()).ok()?];
        let mut alive = Self { ranking, keepers };
        let mut set = vec![Square::from_index(0); size];
        let mut todo = Vec::new();
        let (ends, stands): (&[Square], Vec<Square>) = match side {
            Side::Forward => (board.goals(), board.all().collect()),
            Side::Backward => (board.boxes(), vec![board.keeper()]),
        };
        for rank in 0..alive.ranking.sets() {
            alive.ranking.unrank(rank, &mut set);
            if set.iter().all(|square| ends.contains(square)) {
                let boxes = S::from_squares(board.squares(), set.iter().copied());
                for &keeper in &stands {
                    alive.revive(ground, rank, &boxes, keeper, &mut todo);
                }
            }
        }
        while let Some((rank, region)) = todo.pop() {
            alive.ranking.unrank(rank, &mut set);
            let mut boxes = S::from_squares(board.squares(), set.iter().copied());
            for index in 0..size {
                let from = set[index];
                for step in
                    Direction::ALL.into_iter().filter_map(|to| Step::new(board, side, from, to))
                {
                    let Step { stand, free, to, keeper } = step;
                    if !region.contains(stand) || !board.is_live(to) || boxes.contains(free) {
                        continue;
                    }
                    let rank = alive.ranking.moved(rank, &set, index, to);
                    boxes.remove(from);
                    boxes.insert(to);
                    alive.revive(ground, rank, &boxes, keeper, &mut todo);
                    boxes.remove(to);
                    boxes.insert(from);
                }
            }
        }
        Some(alive)
    }

    /// Marks the keeper's region alive, and queues it if it was not.
    fn revive<G: Ground<Set = S>>(
        &mut self,
        ground: &mut G,
        rank: u64,
        boxes: &S,
        keeper: Square,
        todo: &mut Vec<(u64, S)>,
    ) {
        let keepers = &mut self.keepers[rank as usize];
        if keepers.contains(keeper) || boxes.contains(keeper) {
            return;
        }
        let region = ground.region(boxes, keeper);
        region.for_each(|square| keepers.insert(square));
        todo.push((rank, region));
    }

    fn is<const N: usize>(&self, mut set: [Square; N], keeper: Square) -> bool {
        set.sort_unstable();
        self.keepers[self.ranking.rank(&set) as usize].contains(keeper)
    }
}

/// One move of a box: forward the undoing of a push, backward a push.
struct Step {
    /// Where the keeper has to stand.
    stand: Square,
    /// A square that must have no box.
    free: Square,
    /// Where the box goes.
    to: Square,
    /// Where the keeper is after it.
    keeper: Square,
}

impl Step {
    fn new(board: &Board, side: Side, from: Square, direction: Direction) -> Option<Self> {
        let next = board.neighbour(from, direction)?;
        Some(match side {
            Side::Forward => {
                let back = board.neighbour(next, direction)?;
                Self { stand: next, free: back, to: next, keeper: back }
            }
            Side::Backward => {
                let behind = board.neighbour(from, direction.opposite())?;
                Self { stand: behind, free: next, to: next, keeper: from }
            }
        })
    }
}
