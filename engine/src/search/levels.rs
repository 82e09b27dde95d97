//! Which level comes next, and when the proof is complete.
//!
//! # Forward
//!
//! A* with a consistent estimate h: every solution that is not found yet costs at least the smallest f waiting, so the
//! incumbent is optimal once no f below its cost waits (P. E. Hart, N. J. Nilsson and B. Raphael, *A formal basis for
//! the heuristic determination of minimum cost paths*, 1968).
//!
//! # Two-sided
//!
//! Both sides search by cost alone. Let all forward states of cost below F and all backward states of cost below B be
//! closed. **Then every solution of cost less than F + B has been found**, or one as cheap:
//!
//! Let a solution cost C < F + B, make n pushes, and let fᵢ be the cost of the forward state after push i, with f₀ = 0
//! the start, and bᵢ the cost of the backward state before push i + 1. These are the true least costs, or the solution
//! could be made cheaper; and fᵢ + wᵢ + bᵢ = C, with wᵢ what the walk between the two states of row i costs (its steps, or
//! nothing where only pushes count), and fᵢ₊₁ = fᵢ + wᵢ + 1.
//! Let i be the last with fᵢ < F. If i ≥ n − 1, the finish was found when the last push was generated. Otherwise
//! fᵢ₊₁ ≥ F, so bᵢ = C − fᵢ − wᵢ = C + 1 − fᵢ₊₁ ≤ B.
//!
//! * If bᵢ < B, both states of row i are closed, and when the later of them was opened they met.
//! * If bᵢ = B, then fᵢ₊₁ = F, and push i + 1 leads from the one to the other. Both are stored, waiting: when state i was
//!   opened forward and state i + 1 backward. Levels of the two sides take turns, so one was stored when the other was
//!   not yet. If the forward one was first, the other came of a flood in row i + 1 that reached it, and met it; if the
//!   backward one was first, the other came of a flood in row i that reached that, and met that.
//!
//! Every state is closed at its true least cost although dominated states generate nothing: of the states of a row, the
//! one that owns a square in the flood generates the pushes from it, at the least cost at which the keeper gets there.
//!
//! Where successors are put off ([`PutOff`](super::put_off::PutOff)), waiting states are not in the table to be met, and
//! the second of the two cases finds nothing. Without it the solutions found are those of cost less than F + B − 1: then
//! bᵢ = C + 1 − fᵢ₊₁ < B, which is the first case, of closed states only. So the sum has to be larger by one.
//!
//! So the incumbent is optimal once F + B reaches its cost, every solution yet unfound costs at least F + B, and if one
//! side has nothing left, all solutions have been found. (The classic rule for uniform-cost search from both ends,
//! T. A. J. Nicholson, *Finding the shortest route between two points in a network*, 1966, here with the walk within a row.)
//!
//! # Two-sided, with an estimate on either side
//!
//! States wait by the number of [`Lead::Shares`]. Let σ be the share of the forward side, and let all states of both sides with a number below P be closed. **Then
//! every solution of cost less than P has been found**, or one as cheap: Let C, n, fᵢ, bᵢ and wᵢ be as above, with C < P.
//! An estimate never exceeds the cost to come, so the f of each of these states is at most C, and the other part of its
//! number decides: ⌊fᵢ / σ⌋ forward, and ⌈bᵢ / (1 − σ)⌉ − 1 backward. The former is below P if fᵢ < σ P, the latter if
//! bᵢ ≤ (1 − σ) P. Let i be the last with fᵢ < σ P. If i ≥ n − 1, the finish was found when the last push was generated.
//! Otherwise fᵢ₊₁ ≥ σ P, and bᵢ = C + 1 − fᵢ₊₁ ≤ P − σ P, since C ≤ P − 1. So both states of row i are closed, and met
//! when the later of them was opened. No state needs to be met before it is opened, so nothing changes where successors
//! are put off.
//!
//! So the incumbent is optimal once the smallest number waiting on either side reaches its cost.
//!
//! With [`Lead::Layers`] it goes by [`layers`](super::layers).
//!
//! # Backward
//!
//! The same, with all levels taken from the backward side: only the start is waiting on the other.
//!
//! # All solutions of least cost
//!
//! With [`Want::All`] the levels go on until every state of every best solution that [`optima`](crate::optima) needs is
//! closed. Let the best cost be C. No successor with an f of at most C is dropped then, as the incumbent never costs less.
//!
//! **A state of a best solution has its least cost, whatever was dominated.** Take the first state of the solution's path
//! for which that might fail, and the state before it, P, which is closed at its least cost. The keeper's square before
//! the push belonged, when P was opened, to a state of P's row that gets there at no greater total cost; at the same cost
//! then, or the solution could be made cheaper. On a tie with a state closed at less cost, that one made this very push,
//! with this very cost, in an earlier level or in this one; on a tie with one closed at the same cost, or opened with P,
//! at least one of them makes it. Who makes the push does not show in what is stored: boxes, keeper, and cost. So it is stored at the
//! least cost. P itself stays in the table whether or not it was dominated. Where pushes count, a state is a box set and
//! a region of the floor; none is dominated, and each makes all pushes from its region when it is opened, so long as none
//! is left out by corrals, which a search for all solutions does without.
//!
//! Forward, along the path f never falls and ends with C. So once all levels of f up to C are over, by induction all of
//! its states have been stored and opened.
//!
//! With levels of both sides, let F, B, i, fᵢ and bᵢ be as above, C for the cost of the solution, and F + B ≥ C + 2.
//! Then states 0 to i of the forward side are closed, by the same induction. If i < n, bᵢ = C + 1 − fᵢ₊₁ ≤ C + 1 − F < B,
//! so the backward states i to n are closed as well; only closed states are needed, so successors may be put off. And
//! **row i has been noted as one in which a solution of cost C was found**: Among the pairs of states that join in that
//! row at cost C take one whose later state, X, was opened the earliest. The other, Y, was stored at its least cost by
//! then. If a state opened with X owned the square of Y, the meeting was noted; so it is where pushes count, X and Y
//! having the same region. Otherwise a state of X's side closed
//! before joins Y at no greater cost; but that would be a pair complete before. If i = n, the finish was noted when the
//! last push was generated.
//!
//! If one side has nothing left, all of its states up to C are closed, as if its F or B were beyond C.

use super::agenda::Next;
use super::layers::{Layers, Parity, Waiting};
use super::lead::Lead;
use super::side::{Level, Side};
use super::want::Want;
use crate::SearchChoice;

/// How far the levels of a search have come, at a moment when one is over and the next not opened: with the table, all
/// that is needed to go on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// Proven: every solution costs at least this much.
    pub lower_bound: u32,
    /// Levels that are over.
    pub levels: u64,
    /// The largest f of a level that is over, forward and backward: on that side, all states of at most this f are
    /// closed, and no others.
    pub closed: [Option<u32>; 2],
    /// Whether successors may have been put off: waiting states are then not met before they are opened.
    pub put_off: bool,
}

/// The levels of one search.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    search: SearchChoice,
    want: Want,
    lead: Lead,
    reached: Reached,
    open: Option<Level>,
    /// The least cost that waits forward, with an f that matters, after the last of layers.
    forward_next: Option<u32>,
}

impl Levels {
    /// Of a search from these ends ([`SearchChoice::Auto`] must have been decided), every solution of which is known to
    /// cost at least so much.
    #[cfg(test)]
    pub(crate) fn new(search: SearchChoice, lower_bound: u32) -> Self {
        Self::resume(search, Reached { lower_bound, ..Reached::default() })
    }

    /// Those of a search that has come so far.
    pub(crate) fn resume(search: SearchChoice, reached: Reached) -> Self {
        debug_assert!(search != SearchChoice::Auto);
        Self { search, want: Want::Any, lead: Lead::Total, reached, open: None, forward_next: None }
    }

    /// The same, of a search that is after so many of the best solutions.
    pub(crate) fn wanting(self, want: Want) -> Self {
        Self { want, ..self }
    }

    /// The same, of levels that go by another number.
    pub(crate) fn led_by(self, lead: Lead) -> Self {
        Self { lead, ..self }
    }

    /// All forward states that cost less than this are closed, as far as they cost no more than the incumbent.
    pub(crate) fn forward_closed_below(&self) -> u32 {
        match (self.search, self.forward_next) {
            (SearchChoice::Forward, _) => u32::MAX,
            (_, Some(cost)) => cost,
            _ => self.reached.closed[Side::Forward as usize].map_or(0, |f| f.saturating_add(1)),
        }
    }

    /// Proven: every solution costs at least this much.
    pub(crate) fn lower_bound(&self) -> u32 {
        self.reached.lower_bound
    }

    /// Levels opened.
    pub(crate) fn opened(&self) -> u64 {
        self.reached.levels + u64::from(self.open.is_some())
    }

    /// Takes note that successors are put off from now on.
    pub(crate) fn successors_are_put_off(&mut self) {
        self.reached.put_off = true;
    }

    /// Takes note that the open level is over.
    pub(crate) fn level_is_over(&mut self) {
        if let Some(Level { side, f, .. }) = self.open.take() {
            let closed = &mut self.reached.closed[side as usize];
            *closed = (*closed).max(Some(f));
            self.reached.levels += 1;
        }
    }

    /// How far the levels have come as the open one is over, given what waits on each side and the cost of the incumbent
    /// (`u32::MAX` for none). With it comes the bound that the next level would be opened at.
    pub(crate) fn edge(&mut self, next: [Option<Next>; 2], incumbent: u32) -> Reached {
        self.level_is_over();
        let mut ahead = self.clone();
        ahead.advance(next, incumbent);
        Reached { lower_bound: ahead.lower_bound(), ..self.reached }
    }

    /// The level to open next, the one before being over, given what waits on each side and the cost of the incumbent
    /// (`u32::MAX` for none); `None` when the incumbent is proven, or the board is proven unsolvable if there is none.
    pub(crate) fn advance(&mut self, next: [Option<Next>; 2], incumbent: u32) -> Option<Level> {
        self.level_is_over();
        self.open = self.choose(next, incumbent);
        self.open
    }

    /// The layer to open next where the levels are layers ([`Lead::Layers`]), in place of [`Levels::advance`].
    pub(crate) fn advance_by_layers(
        &mut self,
        waiting: &impl Waiting,
        incumbent: u32,
        parity: Parity,
    ) -> Option<Level> {
        debug_assert!(self.lead == Lead::Layers);
        self.level_is_over();
        // The start is closed before anything else is, as solutions are cut after a forward state.
        if self.reached.closed[Side::Forward as usize].is_none()
            && let Some(layer) = waiting.layer(Side::Forward, self.reached.lower_bound)
        {
            let f = self.reached.lower_bound;
            self.open = Some(Level { side: Side::Forward, f, below: layer.cost + 1 });
            return self.open;
        }
        let mut layers = Layers::new(self.reached.lower_bound, parity);
        self.open = layers.choose(waiting, incumbent, self.want, self.reached.put_off);
        self.raise(layers.bound(), incumbent);
        if self.open.is_none() && incumbent != u32::MAX {
            self.raise(incumbent, incumbent);
            let next = waiting.layer(Side::Forward, incumbent);
            self.forward_next = Some(next.map_or(u32::MAX, |layer| layer.cost));
        }
        self.open
    }

    fn choose(&mut self, next: [Option<Next>; 2], incumbent: u32) -> Option<Level> {
        let [forward, backward] = next;
        if self.search == SearchChoice::Forward {
            let f = forward?.f;
            self.raise(f, incumbent);
            let goes_on = f < incumbent || self.want == Want::All && f == incumbent;
            return goes_on.then_some(Level::of_f(Side::Forward, f));
        }
        if let Lead::Shares { .. } = self.lead {
            let (forward, backward) = (forward?, backward?);
            let bound = forward.f.min(backward.f);
            self.raise(bound, incumbent);
            // Of two levels that are due the smaller one.
            let order = |next: Next| (next.f, next.rows);
            let side = match order(forward) <= order(backward) {
                true => Side::Forward,
                false => Side::Backward,
            };
            return (bound < incumbent).then_some(Level::of_f(side, bound));
        }
        // The start takes part in meetings from the beginning.
        if self.reached.closed[Side::Forward as usize].is_none() {
            let f = forward?.f;
            return Some(Level::of_f(Side::Forward, f));
        }
        let backward = backward?;
        let forward = match (forward, self.search) {
            // The forward side stays at the start; what the start has generated costs at least 1.
            (_, SearchChoice::Backward) => None,
            (None, _) => return None,
            (forward, _) => forward,
        };
        // The numbers may come from elsewhere: a sum too large proves nothing.
        let sum = forward.map_or(1, |forward| forward.f).saturating_add(backward.f);
        let bound = sum.saturating_sub(u32::from(self.reached.put_off));
        self.raise(bound, incumbent);
        let is_enough = match self.want {
            Want::Any => bound >= incumbent,
            Want::All => sum >= incumbent.saturating_add(2),
        };
        if incumbent != u32::MAX && is_enough {
            return None;
        }
        let level = match forward {
            Some(forward) if forward.rows <= backward.rows => Level::of_f(Side::Forward, forward.f),
            _ => Level::of_f(Side::Backward, backward.f),
        };
        Some(level)
    }

    fn raise(&mut self, bound: u32, incumbent: u32) {
        let bound = bound.min(incumbent);
        self.reached.lower_bound = self.reached.lower_bound.max(bound);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Objective;

    fn next(f: u32, rows: u64) -> Option<Next> {
        Some(Next { f, rows })
    }

    const START: [Option<Next>; 2] = [Some(Next { f: 0, rows: 1 }), Some(Next { f: 0, rows: 3 })];

    #[test]
    fn forward_opens_the_smallest_f_until_it_reaches_the_incumbent() {
        let mut levels = Levels::new(SearchChoice::Forward, 0);
        let forward = |f| Some(Level::of_f(Side::Forward, f));
        assert_eq!(levels.advance([next(7, 1), None], u32::MAX), forward(7));
        assert_eq!(levels.advance([next(9, 5), None], 10), forward(9));
        assert_eq!(levels.lower_bound(), 9);
        assert_eq!(levels.advance([next(11, 5), None], 10), None);
        assert_eq!(levels.lower_bound(), 10);
        assert_eq!(Levels::new(SearchChoice::Forward, 0).advance([None, None], u32::MAX), None);
    }

    #[test]
    fn two_sided_opens_the_smaller_level_and_ends_at_the_incumbent() {
        let mut levels = Levels::new(SearchChoice::TwoSided, 0);
        let level = |side, f| Some(Level::of_f(side, f));
        assert_eq!(levels.advance(START, u32::MAX), level(Side::Forward, 0));
        assert_eq!(levels.advance([next(4, 9), next(3, 8)], u32::MAX), level(Side::Backward, 3));
        assert_eq!(levels.lower_bound(), 7);
        // 4 + 5 does not reach 10: a solution of cost 9 might be unfound.
        assert_eq!(levels.advance([next(4, 9), next(5, 10)], 10), level(Side::Forward, 4));
        assert_eq!(levels.lower_bound(), 9);
        assert_eq!(levels.advance([next(5, 9), next(5, 10)], 10), None);
        assert_eq!(levels.lower_bound(), 10);
    }

    #[test]
    fn two_sided_ends_when_a_side_has_nothing_left() {
        for rest in [[None, next(5, 1)], [next(5, 1), None]] {
            let mut levels = Levels::new(SearchChoice::TwoSided, 0);
            levels.advance(START, u32::MAX);
            assert_eq!(levels.advance(rest, u32::MAX), None);
        }
    }

    #[test]
    fn with_an_estimate_on_either_side_the_smaller_number_is_opened_until_it_reaches_the_incumbent()
    {
        let mut levels =
            Levels::new(SearchChoice::TwoSided, 0).led_by(Lead::from_both_ends(Objective::Moves));
        let level = |side, f| Some(Level::of_f(side, f));
        assert_eq!(levels.advance([next(7, 9), next(8, 1)], u32::MAX), level(Side::Forward, 7));
        assert_eq!(levels.advance([next(9, 2), next(8, 5)], u32::MAX), level(Side::Backward, 8));
        // 9 + 9 proves nothing: the sides overlap.
        assert_eq!(levels.advance([next(9, 9), next(9, 5)], 10), level(Side::Backward, 9));
        assert_eq!(levels.lower_bound(), 9);
        assert_eq!(levels.advance([next(10, 9), next(11, 5)], 10), None);
        assert_eq!(levels.lower_bound(), 10);
        let mut levels =
            Levels::new(SearchChoice::TwoSided, 0).led_by(Lead::from_both_ends(Objective::Moves));
        assert_eq!(levels.advance([next(10, 9), None], u32::MAX), None);
    }

    #[test]
    fn numbers_that_make_no_sense_prove_nothing() {
        for search in [SearchChoice::Backward, SearchChoice::TwoSided] {
            let mut levels = Levels::new(search, 0);
            levels.advance(START, u32::MAX);
            assert!(levels.advance([next(u32::MAX, 1), next(u32::MAX, 1)], u32::MAX).is_some());
        }
    }

    #[test]
    fn what_is_known_at_the_start_holds_until_the_levels_prove_more() {
        let mut levels = Levels::new(SearchChoice::TwoSided, 5);
        levels.advance(START, u32::MAX);
        assert_eq!(levels.lower_bound(), 5);
        levels.advance([next(2, 1), next(2, 1)], u32::MAX);
        assert_eq!(levels.lower_bound(), 5);
        levels.advance([next(3, 1), next(3, 1)], u32::MAX);
        assert_eq!(levels.lower_bound(), 6);
    }

    #[test]
    fn where_successors_are_put_off_the_sum_has_to_be_larger_by_one() {
        for put_off in [false, true] {
            let mut levels = Levels::new(SearchChoice::TwoSided, 0);
            levels.advance(START, u32::MAX);
            if put_off {
                levels.successors_are_put_off();
            }
            let level = levels.advance([next(5, 9), next(5, 10)], 10);
            assert_eq!((level.is_some(), levels.lower_bound()), (put_off, 10 - u32::from(put_off)));
            assert_eq!(levels.advance([next(6, 9), next(5, 10)], 10), None);
            assert_eq!(levels.lower_bound(), 10);
        }
    }

    #[test]
    fn for_all_solutions_the_levels_go_on_beyond_the_proof() {
        let mut levels = Levels::new(SearchChoice::Forward, 0).wanting(Want::All);
        let forward = |f| Some(Level::of_f(Side::Forward, f));
        assert_eq!(levels.advance([next(10, 1), None], 10), forward(10));
        assert_eq!(levels.lower_bound(), 10);
        assert_eq!(levels.advance([next(11, 1), None], 10), None);
        assert_eq!(levels.forward_closed_below(), u32::MAX);
        for put_off in [false, true] {
            let mut levels = Levels::new(SearchChoice::TwoSided, 0).wanting(Want::All);
            levels.advance(START, u32::MAX);
            if put_off {
                levels.successors_are_put_off();
            }
            // 5 + 6 proves a solution of cost 11 and all it takes one of cost 9; not all of one of cost 10.
            assert_eq!(levels.advance([next(5, 9), next(6, 10)], 10), forward(5));
            assert_eq!(levels.lower_bound(), 10);
            assert_eq!(levels.advance([next(6, 9), next(6, 10)], 10), None);
            assert_eq!((levels.lower_bound(), levels.forward_closed_below()), (10, 6));
        }
    }

    #[test]
    fn levels_go_on_where_they_were_left() {
        for search in [SearchChoice::Forward, SearchChoice::Backward, SearchChoice::TwoSided] {
            let mut levels = Levels::new(search, 2);
            let mut waiting = START;
            for step in 1..9 {
                let incumbent = if step < 6 { u32::MAX } else { 9 };
                let reached = levels.edge(waiting, incumbent);
                let mut resumed = Levels::resume(search, reached);
                let (level, again) =
                    (levels.advance(waiting, incumbent), resumed.advance(waiting, incumbent));
                assert_eq!(level, again, "{search} {step}");
                assert_eq!(levels.lower_bound(), resumed.lower_bound());
                assert_eq!(reached.lower_bound, levels.lower_bound(), "nothing proven is lost");
                waiting = [next(step, 7), next(step, 3 + u64::from(step))];
            }
        }
    }

    #[test]
    fn what_is_over_is_closed_and_what_is_open_is_not() {
        let mut levels = Levels::new(SearchChoice::TwoSided, 0);
        levels.advance(START, u32::MAX);
        assert_eq!(levels.reached, Reached::default());
        levels.advance([next(4, 9), next(3, 8)], u32::MAX);
        assert_eq!((levels.reached.closed, levels.reached.levels), ([Some(0), None], 1));
        levels.level_is_over();
        assert_eq!((levels.reached.closed, levels.reached.levels), ([Some(0), Some(3)], 2));
    }

    #[test]
    fn backward_opens_the_start_and_then_only_backward_levels() {
        let mut levels = Levels::new(SearchChoice::Backward, 0);
        assert_eq!(levels.advance(START, u32::MAX).map(|level| level.side), Some(Side::Forward));
        for f in 1..5 {
            let level = levels.advance([next(2, 1), next(f, 100)], u32::MAX);
            assert_eq!(level, Some(Level::of_f(Side::Backward, f)));
            assert_eq!(levels.lower_bound(), f + 1);
        }
        assert_eq!(levels.advance([next(2, 1), next(5, 100)], 6), None);
    }
}
