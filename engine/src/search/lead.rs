//! The number by which states wait.

use super::side::Side;
use crate::Objective;

/// What the levels of a search go by.
///
/// The number of a state rises with its cost, all else being equal, and never falls along a path of least costs, as
/// long as the estimate is consistent. So a state that is opened at its number is opened at its least cost, whichever
/// of the two it is: a smaller cost would have had a smaller number, and so would all states on the way there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lead {
    /// The cost so far plus the estimate of the cost to come: f.
    Total,
    /// From both ends with an estimate on either side: f, but no less than what the cost so far is in terms of the side's
    /// share of a solution. So neither side goes further than its share.
    ///
    /// (R. C. Holte, A. Felner, G. Sharon, N. R. Sturtevant and J. Chen, *MM: a bidirectional search algorithm that is
    /// guaranteed to meet in the middle*, 2017; E. Shaham, A. Felner, J. Chen and N. R. Sturtevant, *The minimal set of
    /// states that must be expanded in a front-to-end bidirectional search*, 2017, for shares other than halves.)
    Shares {
        /// Of the forward side, in parts of [`Lead::WHOLE`]; the rest is the backward side's.
        forward: u32,
    },
    /// From both ends with an estimate on either side, in levels of one cost: f. How far either side goes is decided as the
    /// search goes on ([`Layers`](super::layers::Layers)), by whoever sees both open lists at any time.
    Layers,
}

impl Lead {
    /// The parts that shares are in.
    const WHOLE: u32 = 16;

    /// From both ends with an estimate on either side.
    ///
    /// Where pushes count the estimate forward is near to the truth, and much is pruned there. What is left to be searched
    /// forward are boards near the finish that look better than they are, and lost ones that nobody has noticed: the
    /// backward side knows them by not having been there. For that its share may be small.
    pub(crate) const fn from_both_ends(objective: Objective) -> Self {
        match objective {
            Objective::Moves => Self::Shares { forward: 8 },
            Objective::Pushes => Self::Shares { forward: 13 },
        }
    }

    /// The number of a state.
    #[inline(always)]
    pub(crate) fn number(self, side: Side, cost: u32, estimate: u32) -> u32 {
        let f = cost + estimate;
        match (self, side) {
            (Self::Total | Self::Layers, _) => f,
            (Self::Shares { forward }, Side::Forward) => f.max(cost * Self::WHOLE / forward),
            (Self::Shares { forward }, Side::Backward) => {
                let in_shares = (cost * Self::WHOLE).div_ceil(Self::WHOLE - forward);
                f.max(in_shares.saturating_sub(1))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_rises_with_the_cost() {
        let both = [Objective::Moves, Objective::Pushes].map(Lead::from_both_ends);
        for lead in [Lead::Total, Lead::Layers].into_iter().chain(both) {
            for side in [Side::Forward, Side::Backward] {
                for estimate in 0..9 {
                    for cost in 0..200 {
                        let number = lead.number(side, cost, estimate);
                        assert!(number >= cost + estimate);
                        assert!(number < lead.number(side, cost + 1, estimate));
                        // A step that costs one, after which the estimate is smaller by one.
                        let next = estimate.saturating_sub(1);
                        assert!(number <= lead.number(side, cost + 1, next));
                    }
                }
            }
        }
    }

    #[test]
    fn a_solution_has_a_row_whose_two_states_have_smaller_numbers_than_its_cost_and_one() {
        for lead in [Objective::Moves, Objective::Pushes].map(Lead::from_both_ends) {
            for cost in 1..300 {
                // Pushes one after the other, without walks between them.
                let is_below = |side, so_far| lead.number(side, so_far, 0) <= cost;
                let meets = (0..=cost).any(|so_far| {
                    is_below(Side::Forward, so_far) && is_below(Side::Backward, cost - so_far)
                });
                assert!(meets, "{lead:?} {cost}");
            }
        }
    }
}
