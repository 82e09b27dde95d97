//! Levels of one cost on either side, by turns.
//!
//! # From both ends, with an estimate on either side
//!
//! Let P be what every solution is proven to cost at least. Of either side only states with an f of at most P are opened,
//! in the order of their cost, all of one cost at a time: a *layer*. Of the two next layers the smaller one comes first.
//! When no layer is left that matters, P is raised.
//!
//! **A state is opened at its least cost.** Let one be opened at cost g and its least be g* < g. An estimate that is
//! consistent makes f rise along a path, so all states of a cheapest path there have an f of at most P, as it has itself,
//! and they cost less than g. Layers before this one were of smaller cost, and when the first is opened of a cost, no
//! state waits with an f of at most P that costs less. So one after the other, the states of the path have been opened at
//! their least costs; the state too.
//!
//! Let G be the least cost that waits forward with an f of at most P, infinite if none does, and H the same backward. No
//! side will get states below these any more: what follows a state costs more, and has no smaller f. So all states with an
//! f of at most P and a cost below G, or H, are closed.
//!
//! **If G + H > P, every solution of cost P or less has been found**, or one as cheap. Let a solution cost C ≤ P, make n
//! pushes, and let fᵢ be the cost of its forward state after push i, and bᵢ that of its backward state before push i + 1,
//! with fᵢ + wᵢ + bᵢ = C and fᵢ₊₁ = fᵢ + wᵢ + 1 as in [`levels`](super::levels). No estimate exceeds the cost to come, so
//! none of these has an f beyond C. Let i be the last with fᵢ < G. If i ≥ n − 1, the finish was found when the last push was
//! generated. Otherwise fᵢ₊₁ ≥ G, and bᵢ = C + 1 − fᵢ₊₁ ≤ P + 1 − G ≤ H. If bᵢ < H, both states of row i are closed, and
//! met when the later of them was opened. If bᵢ = H, both it and the forward state of row i + 1 are stored, waiting, and
//! the one that was stored later was met then, as it says there. Where successors are put off, that may fail, and it takes
//! G + H > P + 1, which is the first case.
//!
//! If a side has nothing waiting at all, every solution has been found. The start is opened before all else: it is stored by
//! then, to be met from the other side, and G is never 0 after that.
//!
//! **All solutions of least cost** ([`Want::All`]): the layers go on until P is the cost of the best, and G + H > P + 1. Then
//! the states of every best solution that are needed are closed: forward those below G, and backward those of the rows from
//! the last of these on. The rest is as in [`levels`](super::levels).
//!
//! How far a side goes is not fixed from the beginning, and may differ from one P to the next: it goes as far as its layers
//! are smaller than those of the other. (M. W. Barley, P. J. Riddle, C. Linares López, S. Dobson and I. Pohl, *GBFHS: a
//! generalized breadth-first heuristic search algorithm*, 2018, and R. Zhou and E. A. Hansen, *Breadth-first heuristic
//! search*, 2006. There what a side has been given it keeps.)
//!
//! Where only pushes count and every goal takes a box, all solutions are even or all are odd: squares are black and white
//! like those of a chessboard, each push changes by one how many boxes stand on black, and how many do in the end is
//! given. Then P goes from one such cost to the next.

use super::agenda::{Layer, Next};
use super::side::{Level, Side};
use super::want::Want;

/// The layers of one search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layers {
    /// Every solution costs at least this much.
    bound: u32,
    parity: Parity,
}

/// The costs that solutions can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parity {
    Any,
    Even,
    Odd,
}

impl Parity {
    /// The smallest such cost of at least so much.
    fn from(self, cost: u32) -> u32 {
        let fits = match self {
            Self::Any => true,
            Self::Even => cost.is_multiple_of(2),
            Self::Odd => !cost.is_multiple_of(2),
        };
        cost.saturating_add(u32::from(!fits))
    }
}

/// What waits.
pub(crate) trait Waiting {
    /// On one side, at the smallest f.
    fn next(&self, side: Side) -> Option<Next>;
    /// On one side, with at most so large an f, at the least cost.
    fn layer(&self, side: Side, f: u32) -> Option<Layer>;
}

impl Layers {
    /// Of a search whose solutions cost `bound` at least.
    pub(crate) fn new(bound: u32, parity: Parity) -> Self {
        Self { bound: parity.from(bound), parity }
    }

    /// What every solution is proven to cost at least.
    pub(crate) fn bound(&self) -> u32 {
        self.bound
    }

    /// The layer to open next, given what waits and the cost of the incumbent (`u32::MAX` for none). `None` when the
    /// incumbent is proven, or the board is proven unsolvable if there is none.
    pub(crate) fn choose(
        &mut self,
        waiting: &impl Waiting,
        incumbent: u32,
        want: Want,
        put_off: bool,
    ) -> Option<Level> {
        let sides = [Side::Forward, Side::Backward];
        let is_open = |bound| bound < incumbent || want == Want::All && bound == incumbent;
        while is_open(self.bound) {
            let for_all = want == Want::All && self.bound == incumbent;
            let margin = 1 + u32::from(put_off || for_all);
            if let [Some(forward), Some(backward)] =
                sides.map(|side| waiting.layer(side, self.bound))
                && forward.cost.saturating_add(backward.cost) < self.bound.saturating_add(margin)
            {
                let (side, layer) = match forward.rows <= backward.rows {
                    true => (Side::Forward, forward),
                    false => (Side::Backward, backward),
                };
                return Some(Level { side, f: self.bound, below: layer.cost + 1 });
            }
            let has_ended = sides.iter().any(|&side| waiting.next(side).is_none());
            if has_ended || self.bound == incumbent {
                return None;
            }
            self.bound = self.parity.from(self.bound.saturating_add(1));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States that wait, by side: f, cost, and how many.
    struct Rows([Vec<(u32, u32, u64)>; 2]);

    impl Waiting for Rows {
        fn next(&self, side: Side) -> Option<Next> {
            let (f, ..) = *self.0[side as usize].iter().min()?;
            Some(Next { f, rows: 1 })
        }

        fn layer(&self, side: Side, f: u32) -> Option<Layer> {
            let due = || self.0[side as usize].iter().filter(|row| row.0 <= f);
            let cost = due().map(|row| row.1).min()?;
            let rows = due().filter(|row| row.1 == cost).map(|row| row.2).sum();
            Some(Layer { cost, rows })
        }
    }

    const NONE: u32 = u32::MAX;

    fn choose(
        (bound, parity): (u32, Parity),
        rows: [&[(u32, u32, u64)]; 2],
        incumbent: u32,
    ) -> (Option<(Side, u32, u32)>, u32) {
        let mut layers = Layers::new(bound, parity);
        let level = layers.choose(&Rows(rows.map(<[_]>::to_vec)), incumbent, Want::Any, false);
        (level.map(|level| (level.side, level.f, level.below)), layers.bound())
    }

    #[test]
    fn the_smaller_layer_of_least_cost_comes_first_and_what_has_a_larger_f_waits() {
        let forward = [(8, 3, 5), (10, 3, 5), (10, 2, 7), (11, 0, 1)];
        let backward = [(9, 4, 6), (12, 1, 1)];
        let next = |rows| choose((10, Parity::Any), rows, NONE);
        assert_eq!(next([&forward, &backward]), (Some((Side::Backward, 10, 5)), 10));
        assert_eq!(next([&forward, &[(9, 4, 8)]]), (Some((Side::Forward, 10, 3)), 10));
        // Rows of one cost count together, whatever their f.
        let backward = [(9, 4, 9)];
        assert_eq!(next([&forward[..2], &backward]), (Some((Side::Backward, 10, 5)), 10));
    }

    #[test]
    fn the_bound_rises_when_the_two_costs_come_to_more_and_not_before() {
        let at = |forward, backward| {
            let rows: [&[_]; 2] = [&[(10, forward, 1)], &[(10, backward, 2)]];
            choose((10, Parity::Any), rows, NONE)
        };
        assert_eq!(at(5, 5), (Some((Side::Forward, 10, 6)), 10));
        assert_eq!(at(6, 5), (Some((Side::Forward, 11, 7)), 11));
        assert_eq!(at(7, 5), (Some((Side::Forward, 12, 8)), 12));
        let rows: [&[_]; 2] = [&[(10, 6, 1)], &[(13, 0, 2)]];
        assert_eq!(choose((10, Parity::Any), rows, NONE), (Some((Side::Forward, 13, 7)), 13));
    }

    #[test]
    fn it_takes_one_more_where_successors_are_put_off_and_for_all_solutions() {
        let rows = Rows([vec![(10, 6, 1)], vec![(10, 5, 2)]]);
        for (want, incumbent, put_off, bound) in [
            (Want::Any, NONE, false, 11),
            (Want::Any, NONE, true, 10),
            (Want::All, NONE, false, 11),
            (Want::All, 11, false, 11),
            (Want::All, 10, false, 10),
        ] {
            let mut layers = Layers::new(10, Parity::Any);
            assert!(layers.choose(&rows, incumbent, want, put_off).is_some());
            assert_eq!(layers.bound(), bound, "{want:?} {put_off}");
        }
        let choose = |bound, incumbent| {
            let mut layers = Layers::new(bound, Parity::Any);
            layers.choose(&rows, incumbent, Want::All, false).is_some()
        };
        // All of cost 10 are found when the two come to 12.
        assert!(choose(10, 10) && choose(9, 10) && !choose(9, 9));
    }

    #[test]
    fn a_bound_that_no_solution_can_have_is_left_out() {
        let rows: [&[_]; 2] = [&[(10, 6, 1)], &[(10, 5, 2)]];
        assert_eq!(choose((10, Parity::Even), rows, NONE), (Some((Side::Forward, 12, 7)), 12));
        // What was proven before may have another parity.
        assert_eq!(choose((9, Parity::Even), rows, NONE).1, 12);
        assert_eq!(choose((10, Parity::Odd), rows, NONE), (Some((Side::Forward, 11, 7)), 11));
    }

    #[test]
    fn it_ends_when_the_incumbent_is_reached_or_a_side_has_nothing_left() {
        let rows: [&[_]; 2] = [&[(10, 6, 1)], &[(10, 5, 2)]];
        assert_eq!(choose((10, Parity::Any), rows, 11), (None, 11));
        assert_eq!(choose((10, Parity::Any), rows, 10), (None, 10));
        assert_eq!(choose((10, Parity::Any), rows, 12).0, Some((Side::Forward, 11, 7)));
        for rows in [[&[(10, 3, 1)][..], &[]], [&[], &[(10, 3, 1)]]] {
            assert_eq!(choose((10, Parity::Any), rows, NONE), (None, 10));
        }
    }
}
