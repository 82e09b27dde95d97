//! The box sets in which optimal solutions were found.

use crate::bad_field::moves_from_field;
use crate::{BadField, Fence, Rank, wire};

/// Most box sets in one answer; fewer are all that are left.
pub const MAX_ENDS: usize = 16_384;

/// Asks a worker in which box sets it found solutions of the least cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskEnds {
    /// The job and epoch.
    pub fence: Fence,
    /// What the solutions cost.
    pub cost: u32,
    /// The last of the answer before.
    pub after: Option<Rank>,
}

/// Box sets in order, at most [`MAX_ENDS`]; `None` if they are not known.
pub type Ends = Option<Vec<Rank>>;

impl From<AskEnds> for wire::EndsRequest {
    fn from(ask: AskEnds) -> Self {
        let after = ask.after.map(Rank::to_wire);
        Self { fence: Some(ask.fence.into()), cost: ask.cost, after }
    }
}

impl TryFrom<wire::EndsRequest> for AskEnds {
    type Error = BadField;

    fn try_from(request: wire::EndsRequest) -> Result<Self, BadField> {
        let after = request.after.as_deref().map(|rank| Rank::from_field("after", rank));
        Ok(Self {
            fence: Fence::from_field(request.fence)?,
            cost: moves_from_field("cost", request.cost)?,
            after: after.transpose()?,
        })
    }
}

impl wire::EndsResponse {
    /// An answer.
    pub fn new(ends: Ends) -> Self {
        let ranks = |ranks: Vec<Rank>| ranks.into_iter().map(Rank::to_wire).collect();
        Self { known: ends.is_some(), ranks: ends.map(ranks).unwrap_or_default() }
    }

    /// The box sets, of those after one.
    pub fn ends(self, after: Option<Rank>) -> Result<Ends, BadField> {
        if !self.known {
            return Ok(None);
        }
        if self.ranks.len() > MAX_ENDS {
            let problem = format!("{} ranks, expected at most {MAX_ENDS}", self.ranks.len());
            return Err(BadField::new("ends.ranks", problem));
        }
        let ranks = self.ranks.iter().map(|rank| Rank::from_field("ends.ranks", rank));
        let ranks: Vec<Rank> = ranks.collect::<Result<_, _>>()?;
        let from = after.iter().chain(&ranks);
        if from
            .zip(&ranks[usize::from(after.is_none()).min(ranks.len())..])
            .any(|(a, b)| !b.is_above(*a))
        {
            return Err(BadField::new("ends.ranks", "out of order"));
        }
        Ok(Some(ranks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Epoch, JobKey};

    #[test]
    fn questions_and_answers_come_out_as_they_went_in() {
        let fence = Fence { job: JobKey::new(5), epoch: Epoch::after(2) };
        for after in [None, Some(Rank::from(0)), Some(Rank::from(300))] {
            let ask = AskEnds { fence, cost: 9, after };
            assert_eq!(AskEnds::try_from(wire::EndsRequest::from(ask)), Ok(ask));
        }
        for ends in [None, Some(Vec::new()), Some([1, 255, 256, 70_000].map(Rank::from).to_vec())] {
            assert_eq!(wire::EndsResponse::new(ends.clone()).ends(None), Ok(ends));
        }
    }

    #[test]
    fn answers_that_would_be_asked_for_without_end_are_refused() {
        let answer = |ranks: &[u64]| {
            wire::EndsResponse::new(Some(ranks.iter().copied().map(Rank::from).collect()))
        };
        for (ranks, after) in
            [(&[3, 3][..], None), (&[300, 3], None), (&[3, 4], Some(3)), (&[3], Some(256))]
        {
            let error = answer(ranks).ends(after.map(Rank::from)).unwrap_err();
            assert_eq!(error.field(), "ends.ranks", "{ranks:?} after {after:?}");
        }
        assert!(answer(&[256, 300]).ends(Some(Rank::from(255))).is_ok());
        let many: Vec<u64> = (0..=MAX_ENDS as u64).collect();
        assert!(answer(&many).ends(None).is_err());
        assert!(answer(&many[1..]).ends(None).is_ok());
    }
}
