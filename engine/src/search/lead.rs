//! The number by which states wait.

use super::side::Side;

/// What the levels of a search go by.
///
/// The number of a state rises with its cost, all else being equal, and never falls along a path of least costs, as
/// long as the estimate is consistent. So a state that is opened at its number is opened at its least cost, whichever
/// of the two it is: a smaller cost would have had a smaller number, and so would all states on the way there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lead {
    /// The cost so far plus the estimate of the cost to come: f.
    Total,
    /// From both ends with an estimate on either side: f, but no less than twice the cost so far, on the backward side
    /// less one. So neither side goes further than half of a solution.
    ///
    /// (R. C. Holte, A. Felner, G. Sharon, N. R. Sturtevant and J. Chen, *MM: a bidirectional search algorithm that is
    /// guaranteed to meet in the middle*, 2017.)
    Middle,
}

impl Lead {
    /// The number of a state.
    #[inline(always)]
    pub(crate) fn number(self, side: Side, cost: u32, estimate: u32) -> u32 {
        let f = cost + estimate;
        match (self, side) {
            (Self::Total, _) => f,
            (Self::Middle, Side::Forward) => f.max(2 * cost),
            (Self::Middle, Side::Backward) => f.max((2 * cost).saturating_sub(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_rises_with_the_cost() {
        for lead in [Lead::Total, Lead::Middle] {
            for side in [Side::Forward, Side::Backward] {
                for estimate in 0..9 {
                    for cost in 0..20 {
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
}
