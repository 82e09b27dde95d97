//! Taking part in a job.

use std::sync::Arc;
use std::time::Duration;

use sokohive_proto::{Fence, Level, OpenLevel, Poll, Push, Refusal, Report, Traffic};

use super::figures::Figures;
use super::outgoing::Outgoing;
use super::window::{Arrival, Window};
use crate::shard::{OfferError, Shard};

/// Taking part in a job: the shard, and what has been exchanged with every peer.
#[derive(Debug)]
pub(super) struct Serving<S> {
    fence: Fence,
    index: u16,
    heard: Duration,
    shard: Arc<S>,
    /// The level that is open; `None` before the first.
    level: Option<Level>,
    incoming: Vec<Window>,
    outgoing: Vec<Outgoing>,
    /// Counters of what came in; those of what went out are kept with each peer.
    received: Traffic,
}

impl<S> Serving<S> {
    pub(super) fn new(
        fence: Fence,
        index: u16,
        peers: usize,
        heard: Duration,
        shard: Arc<S>,
    ) -> Self {
        Self {
            fence,
            index,
            heard,
            shard,
            level: None,
            incoming: vec![Window::default(); peers],
            outgoing: vec![Outgoing::default(); peers],
            received: Traffic::default(),
        }
    }

    pub(super) fn fence(&self) -> Fence {
        self.fence
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

    fn ordinal(&self) -> u32 {
        self.level.map_or(0, |level| level.ordinal)
    }
}

impl<S: Shard> Serving<S> {
    pub(super) fn open_level(&mut self, now: Duration, open: &OpenLevel) -> Result<(), Refusal> {
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
        } else if called == current + 1 {
            self.level = Some(open.level);
            self.shard.open_level(open.level, open.incumbent);
        } else {
            return Err(contradiction(called));
        }
        if let Some(cost) = open.incumbent {
            self.shard.lower_incumbent(cost);
        }
        Ok(())
    }

    pub(super) fn poll(&mut self, now: Duration, poll: &Poll) -> Result<(), Refusal> {
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
        Ok(())
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
            fence: self.fence,
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
        }
    }

    pub(super) fn push(&mut self, push: Push) -> Result<bool, Refusal> {
        let result = self.take_in(push);
        match &result {
            Ok(false) => self.received.batches_received += 1,
            Ok(true) => self.received.batches_repeated += 1,
            Err(Refusal::InboxFull) => {}
            Err(_) => self.received.batches_refused += 1,
        }
        result
    }

    pub(super) fn count_refused(&mut self) {
        self.received.batches_refused += 1;
    }

    fn take_in(&mut self, push: Push) -> Result<bool, Refusal> {
        let current = self.ordinal();
        let window = match self.incoming.get_mut(usize::from(push.source)) {
            Some(window) if push.source != self.index => window,
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
        let called = push.level.ordinal;
        if called < current {
            return Err(Refusal::LevelOver { current, called });
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
