//! Taking part in a job.

use std::sync::Arc;
use std::time::Duration;

use sokohive_proto::{
    Fence, Level, OpenLevel, Poll, Push, Refusal, Report, Restore, Traffic, Upkeep,
};

use super::figures::Figures;
use super::journal::{Chore, Journal};
use super::outgoing::Outgoing;
use super::window::{Arrival, Window};
use crate::shard::{OfferError, Restoration, Shard};

/// Taking part in a job: the shard, and what has been exchanged with every peer.
#[derive(Debug)]
pub(super) struct Serving<S> {
    part: Part,
    heard: Duration,
    shard: Arc<S>,
    /// The level that is open; `None` before the first.
    level: Option<Level>,
    incoming: Vec<Window>,
    outgoing: Vec<Outgoing>,
    /// Counters of what came in; those of what went out are kept with each peer.
    received: Traffic,
    journal: Journal,
}

/// The worker's part in the job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) fence: Fence,
    pub(super) index: u16,
    pub(super) peers: usize,
    /// Whether the shard has to be restored before anything else.
    pub(super) restores: bool,
}

impl<S> Serving<S> {
    pub(super) fn new(part: Part, heard: Duration, shard: Arc<S>) -> Self {
        let peers = part.peers;
        Self {
            part,
            heard,
            shard,
            level: None,
            incoming: vec![Window::default(); peers],
            outgoing: vec![Outgoing::default(); peers],
            received: Traffic::default(),
            journal: Journal::default(),
        }
    }

    pub(super) fn fence(&self) -> Fence {
        self.part.fence
    }

    pub(super) fn heard(&mut self, now: Duration) {
        self.heard = now;
    }

    pub(super) fn last_heard(&self) -> Duration {
        self.heard
    }

    pub(super) fn shard(&self) -> &Arc<S> {
        &self.shard
    }

    pub(super) fn into_shard(self) -> Arc<S> {
        self.shard
    }

    pub(super) fn outgoing(&mut self, peer: u16) -> Option<&mut Outgoing> {
        self.outgoing.get_mut(usize::from(peer))
    }

    /// What was made durable, or why it was not. Says whether to go on.
    pub(super) fn synced(&mut self, ordinal: u32, result: Result<(), String>) -> Option<Chore<S>> {
        let ordinal = self.journal.synced(ordinal, result)?;
        Some(Chore::Sync { shard: Arc::clone(&self.shard), ordinal })
    }

    fn ordinal(&self) -> u32 {
        self.level.map_or(0, |level| level.ordinal)
    }

    /// Whether the shard still has to be restored.
    fn awaits_restore(&self) -> bool {
        self.part.restores && self.level.is_none()
    }
}

impl<S: Shard> Serving<S> {
    /// Takes the place of opening the first level.
    pub(super) fn restore(&mut self, now: Duration, restore: Restore) -> Result<(), Refusal> {
        self.heard(now);
        let (current, called) = (self.ordinal(), restore.level.ordinal);
        if called < current {
            return Err(Refusal::LevelOver { current, called });
        }
        if called == current && self.level == Some(restore.level) && self.part.restores {
            return Ok(());
        }
        if !self.awaits_restore() || called != 1 {
            return Err(contradiction(called));
        }
        self.level = Some(restore.level);
        let Restore { level, segments, closed, incumbent, .. } = restore;
        self.shard.restore(Restoration { level, segments, closed, incumbent });
        Ok(())
    }

    pub(super) fn open_level(
        &mut self,
        now: Duration,
        open: OpenLevel,
    ) -> Result<Vec<Chore<S>>, Refusal> {
        self.heard(now);
        let (current, called) = (self.ordinal(), open.level.ordinal);
        if called < current {
            return Err(Refusal::LevelOver { current, called });
        }
        if called == current {
            // The same call again: the answer to the first was lost.
            if self.level != Some(open.level) {
                return Err(contradiction(called));
            }
        } else if called == current + 1 && !self.awaits_restore() {
            self.level = Some(open.level);
            self.shard.open_level(open.level, open.incumbent);
        } else {
            return Err(contradiction(called));
        }
        if let Some(cost) = open.incumbent {
            self.shard.lower_incumbent(cost);
        }
        self.keep_up(open.upkeep)
    }

    pub(super) fn poll(&mut self, now: Duration, poll: Poll) -> Result<Vec<Chore<S>>, Refusal> {
        self.heard(now);
        let called = poll.level.map_or(0, |level| level.ordinal);
        let current = self.ordinal();
        if called < current {
            return Err(Refusal::LevelOver { current, called });
        }
        if poll.level != self.level {
            return Err(contradiction(called));
        }
        if let Some(cost) = poll.incumbent {
            self.shard.lower_incumbent(cost);
        }
        self.keep_up(poll.upkeep)
    }

    /// Begins what is wanted for the journal.
    fn keep_up(&mut self, upkeep: Upkeep) -> Result<Vec<Chore<S>>, Refusal> {
        let Upkeep { sync, compact, mut retire } = upkeep;
        let last = self.ordinal().saturating_sub(1);
        if sync > last || compact > last {
            let problem = format!("field upkeep: level number {} is not over", sync.max(compact));
            return Err(Refusal::BadField(problem));
        }
        if let Some(name) = retire.iter().find(|name| name.job() != self.part.fence.job) {
            return Err(Refusal::BadField(format!(
                "field upkeep.retire: {name} is of another job"
            )));
        }
        let mut chores = Vec::new();
        if self.journal.compact(compact) {
            self.shard.compact();
        }
        if self.journal.ask(sync) {
            chores.push(Chore::Sync { shard: Arc::clone(&self.shard), ordinal: sync });
        }
        if !retire.is_empty() {
            // What is being written is needed, whatever anyone says.
            let live = self.shard.status().segments;
            retire.retain(|name| live.iter().all(|segment| segment.name != *name));
            chores.push(Chore::Remove(retire));
        }
        Ok(chores)
    }

    /// What has been exchanged with all peers.
    fn traffic(&self) -> Traffic {
        let mut traffic = self.received;
        self.outgoing.iter().for_each(|peer| traffic += peer.traffic());
        traffic
    }

    /// Bytes of the batches on their way to all peers.
    fn in_flight_bytes(&self) -> u64 {
        self.outgoing.iter().map(Outgoing::in_flight_bytes).sum()
    }

    /// Figures for whoever watches.
    pub(super) fn figures(&self) -> Figures {
        Figures {
            fence: self.fence(),
            level: self.level,
            shard: self.shard.status(),
            traffic: self.traffic(),
            in_flight: self.in_flight_bytes(),
        }
    }

    pub(super) fn report(&self, now: Duration) -> Report {
        let status = self.shard.status();
        let peers = || (0..).zip(&self.outgoing);
        let refused = || {
            peers().find_map(|(index, peer)| {
                Some(format!("worker number {index} refused a batch: {}", peer.fault()?))
            })
        };
        Report {
            level: self.level,
            idle: status.idle,
            sent: status.sealed,
            applied: status.applied,
            open: status.open,
            best: status.best,
            memory_exhausted: status.memory_exhausted,
            fault: status.fault.or_else(refused),
            silent: peers().filter_map(|(index, peer)| peer.silent(now, index)).collect(),
            statistics: status.statistics,
            traffic: self.traffic(),
            memory: status.memory + self.in_flight_bytes(),
            segments: status.segments,
            synced: self.journal.durable(),
            journal_fault: status.journal_fault.or_else(|| self.journal.fault().map(str::to_owned)),
            compacted: status.compacted,
            leaving: false,
            compacting: status.compacting,
        }
    }

    pub(super) fn push(&mut self, push: Push) -> Result<bool, Refusal> {
        let result = self.take_in(push);
        match &result {
            Ok(false) => self.received.batches_received += 1,
            Ok(true) => self.received.batches_repeated += 1,
            Err(Refusal::InboxFull | Refusal::NotReady) => {}
            Err(_) => self.received.batches_refused += 1,
        }
        result
    }

    pub(super) fn count_refused(&mut self) {
        self.received.batches_refused += 1;
    }

    fn take_in(&mut self, push: Push) -> Result<bool, Refusal> {
        let current = self.ordinal();
        let awaits_restore = self.awaits_restore();
        let window = match self.incoming.get_mut(usize::from(push.source)) {
            Some(window) if push.source != self.part.index => window,
            _ => {
                let problem = format!("field source: {} is no peer", push.source);
                return Err(Refusal::BadField(problem));
            }
        };
        match window.look(push.sequence) {
            Arrival::Repeated => return Ok(true),
            Arrival::TooFar(expected) => {
                return Err(Refusal::Sequence { expected, found: push.sequence });
            }
            Arrival::Fresh => {}
        }
        if awaits_restore {
            // What is closed is not known yet.
            return Err(Refusal::NotReady);
        }
        let called = push.level.ordinal;
        if called < current {
            return Err(Refusal::LevelOver { current, called });
        }
        if self.part.restores && current == 1 && called > 1 {
            // The shard still takes what comes for part of the checkpoint, which is in a journal.
            return Err(Refusal::NotReady);
        }
        // A sender may have been told of the next level before us, never of the one after.
        if called > current + 1 {
            return Err(contradiction(called));
        }
        match self.shard.offer(push.batch) {
            Ok(()) => {
                window.accept(push.sequence);
                Ok(false)
            }
            Err(OfferError::Full) => Err(Refusal::InboxFull),
            Err(OfferError::Bad(problem)) => Err(Refusal::BadBatch(problem)),
        }
    }
}

/// A level that cannot come now.
fn contradiction(ordinal: u32) -> Refusal {
    Refusal::BadField(format!("field level.ordinal: {ordinal} does not follow"))
}
