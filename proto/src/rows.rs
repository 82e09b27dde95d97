//! Rows of the table, read to walk back along a solution.

use sokohive_engine::Side;

use crate::bad_field::moves_from_field;
use crate::level::side_from_field;
use crate::{BadField, Fence, Rank, wire};

/// Most ranks in one call: rows of a thousand states each still fit in one answer.
pub const MAX_RANKS: usize = 512;

/// One state of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The keeper's square, in the engine's numbering.
    pub keeper: u32,
    /// The smallest cost known, in moves.
    pub cost: u32,
    /// The side that reached it.
    pub side: Side,
}

/// All states of one box set, in no order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row(pub Vec<Entry>);

impl From<Row> for wire::Row {
    fn from(row: Row) -> Self {
        let entry = |entry: Entry| wire::Entry {
            keeper: entry.keeper,
            cost: entry.cost,
            side: wire::Side::from(entry.side).into(),
        };
        Self { entries: row.0.into_iter().map(entry).collect() }
    }
}

impl TryFrom<wire::Row> for Row {
    type Error = BadField;

    fn try_from(row: wire::Row) -> Result<Self, BadField> {
        let entry = |entry: wire::Entry| {
            Ok(Entry {
                keeper: entry.keeper,
                cost: moves_from_field("rows.entries.cost", entry.cost)?,
                side: side_from_field("rows.entries.side", entry.side)?,
            })
        };
        row.entries.into_iter().map(entry).collect::<Result<_, _>>().map(Self)
    }
}

impl wire::RowsRequest {
    /// Asks for rows. Ranks beyond [`MAX_RANKS`] would be refused.
    pub fn new(fence: Fence, ranks: &[Rank]) -> Self {
        Self { fence: Some(fence.into()), ranks: ranks.iter().map(|rank| rank.to_wire()).collect() }
    }

    /// Job and epoch, and the ranks.
    pub fn parts(self) -> Result<(Fence, Vec<Rank>), BadField> {
        if self.ranks.len() > MAX_RANKS {
            let problem = format!("{} ranks, expected at most {MAX_RANKS}", self.ranks.len());
            return Err(BadField::new("ranks", problem));
        }
        let ranks = self.ranks.iter().map(|rank| Rank::from_field("ranks", rank));
        Ok((Fence::from_field(self.fence)?, ranks.collect::<Result<_, _>>()?))
    }
}

impl wire::RowsResponse {
    /// The rows for so many ranks.
    pub fn rows(self, asked: usize) -> Result<Vec<Row>, BadField> {
        if self.rows.len() != asked {
            let problem = format!("{} rows for {asked} ranks", self.rows.len());
            return Err(BadField::new("rows", problem));
        }
        self.rows.into_iter().map(Row::try_from).collect()
    }
}

impl wire::ReleaseRequest {
    /// Ends a job, and with `discard` for good.
    pub fn new(fence: Fence, discard: bool) -> Self {
        Self { fence: Some(fence.into()), discard }
    }

    /// Job and epoch, and whether nobody will go on with it.
    pub fn parts(self) -> Result<(Fence, bool), BadField> {
        Ok((Fence::from_field(self.fence)?, self.discard))
    }
}
