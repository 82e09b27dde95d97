//! How things go on a worker.

use std::time::Duration;

use sokohive_engine::{Side, Statistics};

use crate::bad_field::moves_from_field;
use crate::level::side_from_field;
use crate::{BadField, Finish, Level, Segment, Traffic, wire};

/// The work that a worker has waiting on one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenList {
    /// The side.
    pub side: Side,
    /// The smallest f of a row that waits, in moves.
    pub smallest_f: u32,
    /// Rows that wait at that f.
    pub rows: u64,
}

/// A peer that does not take what it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SilentPeer {
    /// Its index.
    pub index: u16,
    /// How long nothing has been acknowledged while something was due.
    pub silent: Duration,
    /// The last error, for people.
    pub reason: String,
}

/// A snapshot of a worker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The level that is open on the worker; `None` before the first.
    pub level: Option<Level>,
    /// Whether no work of this level is left in the worker.
    pub idle: bool,
    /// Batches ever sealed for peers in this epoch.
    pub sent: u64,
    /// Batches of peers ever applied in this epoch.
    pub applied: u64,
    /// What waits, at most one entry a side.
    pub open: Vec<OpenList>,
    /// The best finishing state that the worker has.
    pub best: Option<Finish>,
    /// Whether the worker has reached its memory limit.
    pub memory_exhausted: bool,
    /// What has gone wrong inside the worker.
    pub fault: Option<String>,
    /// Peers that do not take what they are sent.
    pub silent: Vec<SilentPeer>,
    /// What the search counted in this epoch.
    pub statistics: Statistics,
    /// What was exchanged in this epoch.
    pub traffic: Traffic,
    /// Bytes held now: by the search, and by batches in the inbox, in the outboxes and on their way.
    pub memory: u64,
    /// The journal of this epoch, each segment as long as it is now.
    pub segments: Vec<Segment>,
    /// Everything up to the end of the level of this number is durable; 0 for nothing.
    pub synced: u32,
    /// What has gone wrong with the journal; the search goes on.
    pub journal_fault: Option<String>,
    /// Whether the segments alone hold the whole shard.
    pub compacted: bool,
    /// Whether the worker has been told to end, and waits to be released.
    pub leaving: bool,
    /// Whether the journal is being written anew from the table.
    pub compacting: bool,
}

impl From<Report> for wire::Report {
    fn from(report: Report) -> Self {
        let open = |open: OpenList| wire::OpenList {
            side: wire::Side::from(open.side).into(),
            smallest_f: open.smallest_f,
            rows: open.rows,
        };
        let silent = |peer: SilentPeer| wire::SilentPeer {
            index: peer.index.into(),
            silent_ms: u64::try_from(peer.silent.as_millis()).unwrap_or(u64::MAX),
            reason: peer.reason,
        };
        Self {
            level: report.level.map(Into::into),
            idle: report.idle,
            sent: report.sent,
            applied: report.applied,
            open: report.open.into_iter().map(open).collect(),
            best: report.best.map(Into::into),
            memory_exhausted: report.memory_exhausted,
            fault: report.fault.unwrap_or_default(),
            silent: report.silent.into_iter().map(silent).collect(),
            statistics: Some(report.statistics.into()),
            traffic: Some(report.traffic.into()),
            memory_bytes: report.memory,
            segments: report.segments.into_iter().map(Into::into).collect(),
            synced: report.synced,
            journal_fault: report.journal_fault.unwrap_or_default(),
            compacted: report.compacted,
            leaving: report.leaving,
            compacting: report.compacting,
        }
    }
}

impl TryFrom<wire::Report> for Report {
    type Error = BadField;

    fn try_from(report: wire::Report) -> Result<Self, BadField> {
        let open = |open: wire::OpenList| {
            Ok(OpenList {
                side: side_from_field("open.side", open.side)?,
                smallest_f: moves_from_field("open.smallest_f", open.smallest_f)?,
                rows: open.rows,
            })
        };
        let silent = |peer: wire::SilentPeer| {
            let Ok(index) = u16::try_from(peer.index) else {
                let problem = format!("{} is no index of a worker", peer.index);
                return Err(BadField::new("silent.index", problem));
            };
            Ok(SilentPeer {
                index,
                silent: Duration::from_millis(peer.silent_ms),
                reason: peer.reason,
            })
        };
        let open: Vec<_> = report.open.into_iter().map(open).collect::<Result<_, _>>()?;
        let twice = |side| open.iter().filter(|list: &&OpenList| list.side == side).count() > 1;
        if twice(Side::Forward) || twice(Side::Backward) {
            return Err(BadField::new("open.side", "the same side twice"));
        }
        Ok(Self {
            level: report.level.map(Level::try_from).transpose()?,
            idle: report.idle,
            sent: report.sent,
            applied: report.applied,
            open,
            best: report.best.map(Finish::try_from).transpose()?,
            memory_exhausted: report.memory_exhausted,
            fault: (!report.fault.is_empty()).then_some(report.fault),
            silent: report.silent.into_iter().map(silent).collect::<Result<_, _>>()?,
            statistics: report.statistics.unwrap_or_default().into(),
            traffic: report.traffic.unwrap_or_default().into(),
            memory: report.memory_bytes,
            segments: Segment::list(report.segments)?,
            synced: report.synced,
            journal_fault: (!report.journal_fault.is_empty()).then_some(report.journal_fault),
            compacted: report.compacted,
            leaving: report.leaving,
            compacting: report.compacting,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MAX_MOVES;

    #[test]
    fn levels_that_no_solution_reaches_are_refused() {
        let report = |smallest_f| {
            let side = wire::Side::Backward.into();
            let open = vec![wire::OpenList { side, smallest_f, rows: 1 }];
            Report::try_from(wire::Report { open, ..Default::default() })
        };
        assert!(report(MAX_MOVES).is_ok());
        for f in [MAX_MOVES + 1, u32::MAX] {
            assert_eq!(report(f).unwrap_err().field(), "open.smallest_f");
        }
    }
}
