//! Checkpoints of a job: when one is due, what it names, and what nobody needs any more.
//!
//! A checkpoint is the state at an *edge*: a level is over on all workers, the next is not open. It is
//! taken in two steps. First every worker is asked, beside the search that goes on, to make durable
//! what its journal held at the edge. When all have said so the manifest is written. Only then are the
//! segments deleted that no manifest names any more.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use sokohive_engine::{Reached, Statistics};
use sokohive_proto::{Checkpoint, Finish, MAX_SEGMENTS, PlacedSegment, SegmentName, Upkeep};

use super::member::Member;

/// Journals are written anew when they have twice as many records as there are states, and so many
/// more: below that it is not worth the while.
const SPARE_RECORDS: u64 = 1 << 20;

/// What a job keeps of itself.
#[derive(Debug)]
pub(super) struct Keeping {
    /// A checkpoint is due so long after the edge of the one before.
    every: Duration,
    /// The newest checkpoint whose manifest is written.
    saved: Arc<Checkpoint>,
    /// The moment that it is of; for one that was gone on from, when that was done.
    saved_at: Duration,
    /// The last edge, unless some journal did not hold it all.
    edge: Option<Edge>,
    flight: Option<Flight>,
    due: Duration,
    /// Journals are written anew not before this.
    compaction_due: Duration,
    /// What this attempt was restored from, until the journals of this epoch hold everything.
    base: Vec<PlacedSegment>,
    /// Segments that may be there: named by a manifest or by a report.
    seen: BTreeSet<SegmentName>,
    /// Those to be deleted with the next calls.
    retire: Vec<SegmentName>,
}

/// A moment to go on from.
#[derive(Clone, Debug)]
struct Edge {
    at: Duration,
    /// Ordinal of the level that was over.
    ordinal: u32,
    checkpoint: Arc<Checkpoint>,
}

/// A checkpoint on its way to the disks.
#[derive(Debug)]
struct Flight {
    edge: Edge,
    /// Whether all segments are durable, and the manifest is being written.
    writing: bool,
}

/// How things stand at an edge.
pub(super) struct Standing {
    pub(super) reached: Reached,
    pub(super) best: Option<Finish>,
    pub(super) statistics: Statistics,
}

impl Keeping {
    /// Goes on from a checkpoint whose manifest is written.
    pub(super) fn new(now: Duration, every: Duration, saved: Arc<Checkpoint>) -> Self {
        let names = saved.segments.iter().map(|placed| placed.segment.name.clone());
        Self {
            every,
            edge: None,
            flight: None,
            due: now + every,
            compaction_due: now + every,
            base: saved.segments.clone(),
            seen: names.collect(),
            retire: Vec::new(),
            saved,
            saved_at: now,
        }
    }

    /// The newest checkpoint whose manifest is written.
    pub(super) fn saved(&self) -> &Arc<Checkpoint> {
        &self.saved
    }

    /// A level is over on all workers, as their reports say. Begins a checkpoint if one is due.
    pub(super) fn reach(
        &mut self,
        now: Duration,
        ordinal: u32,
        standing: &Standing,
        members: &mut [Member],
    ) {
        if members.iter().all(|member| member.report.compacted) {
            self.base.clear();
        }
        let mut segments = self.base.clone();
        for member in members.iter() {
            segments.extend(member.report.segments.iter().map(|segment| PlacedSegment {
                segment: segment.clone(),
                writer: member.address.clone(),
            }));
        }
        self.seen.extend(segments.iter().map(|placed| placed.segment.name.clone()));
        self.compact(now, ordinal, &segments, standing.statistics.states, members);
        let faulty = members.iter().any(|member| member.report.journal_fault.is_some());
        let whole = !faulty && segments.len() <= MAX_SEGMENTS;
        let &Standing { reached, best, statistics } = standing;
        let saved = &*self.saved;
        self.edge = whole.then(|| Edge {
            at: now,
            ordinal,
            checkpoint: Arc::new(Checkpoint {
                reached,
                best,
                statistics,
                segments,
                ..Checkpoint::clone(saved)
            }),
        });
        if self.flight.is_none() && now >= self.due {
            self.begin();
        }
    }

    /// Has journals written anew that have grown too long, or that do not hold all of their tables.
    fn compact(
        &mut self,
        now: Duration,
        ordinal: u32,
        segments: &[PlacedSegment],
        states: u64,
        members: &mut [Member],
    ) {
        if now < self.compaction_due || members.iter().any(|member| member.report.compacting) {
            return;
        }
        let records: u64 = segments.iter().map(|placed| placed.segment.records).sum();
        let long = records > 2 * states + SPARE_RECORDS || segments.len() > MAX_SEGMENTS / 2;
        for member in members {
            if long || member.report.journal_fault.is_some() {
                member.compact = ordinal;
                self.compaction_due = now + self.every;
            }
        }
    }

    /// Begins a checkpoint of the last edge.
    fn begin(&mut self) {
        self.flight = self.edge.clone().map(|edge| Flight { edge, writing: false });
    }

    /// Takes note of new reports. A checkpoint comes out once all of its segments are durable; its
    /// manifest is to be written.
    pub(super) fn look(&mut self, members: &[Member]) -> Option<Arc<Checkpoint>> {
        let flight = self.flight.as_mut().filter(|flight| !flight.writing)?;
        let ordinal = flight.edge.ordinal;
        let durable = |member: &Member| member.report.synced >= ordinal;
        if members.iter().all(durable) {
            flight.writing = true;
            return Some(Arc::clone(&flight.edge.checkpoint));
        }
        let lost = |member: &Member| !durable(member) && member.report.journal_fault.is_some();
        if members.iter().any(lost) {
            self.flight = None;
        }
        None
    }

    /// Time since the moment that the newest checkpoint is of: what is lost if all is lost now.
    pub(super) fn unsaved(&self, now: Duration) -> Duration {
        now.saturating_sub(self.saved_at)
    }

    /// A manifest has been written, or could not be.
    pub(super) fn committed(&mut self, now: Duration, written: bool, members: &[Member]) {
        let Some(Flight { edge, .. }) = self.flight.take_if(|flight| flight.writing) else {
            return;
        };
        if !written {
            // The one before is still there.
            self.due = now + self.every;
            return;
        }
        self.due = edge.at + self.every;
        self.saved = edge.checkpoint;
        self.saved_at = edge.at;
        let named = self.saved.segments.iter().map(|placed| &placed.segment.name);
        let live = members.iter().flat_map(|member| &member.report.segments);
        let needed: BTreeSet<_> = named.chain(live.map(|segment| &segment.name)).collect();
        let base = self.base.iter().map(|placed| &placed.segment.name);
        let needed: BTreeSet<_> = needed.into_iter().chain(base).cloned().collect();
        self.retire.extend(self.seen.difference(&needed).cloned());
        self.seen.retain(|name| needed.contains(name));
    }

    /// Sees to it that the last edge is on its way. Says whether there is something to wait for.
    pub(super) fn settle(&mut self) -> bool {
        let newer = |checkpoint: &Checkpoint| match &self.edge {
            Some(edge) => edge.checkpoint.reached.levels > checkpoint.reached.levels,
            None => false,
        };
        match &self.flight {
            Some(flight) if flight.writing => return true,
            Some(flight) if newer(&flight.edge.checkpoint) => self.begin(),
            Some(_) => {}
            None if newer(&self.saved) => self.begin(),
            None => {}
        }
        self.flight.is_some()
    }

    /// Gives up the last edge: it cannot be had.
    pub(super) fn forget_edge(&mut self) {
        self.edge = None;
    }

    /// What the next call asks of a worker; segments to be deleted are set in by the caller.
    pub(super) fn upkeep(&self, member: &Member) -> Upkeep {
        let flight = self.flight.as_ref().filter(|flight| !flight.writing);
        Upkeep {
            sync: flight.map_or(0, |flight| flight.edge.ordinal),
            compact: member.compact,
            retire: self.retire.clone(),
        }
    }

    /// The segments to be deleted have been told to everyone.
    pub(super) fn told(&mut self) {
        self.retire.clear();
    }
}
