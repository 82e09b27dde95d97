//! The worker's side of the protocol, as a plain state machine: calls of the coordinator and of
//! peers go in with the time, answers and things to do come out. No sockets, no threads, no clock.
//!
//! ```text
//!            prepare             laid_out
//!   Vacant ───────────▶ LayingOut ───────▶ Serving
//!     ▲                     │                 │
//!     └──── release, coordinator silent ──────┘       (a newer epoch leads to LayingOut again)
//! ```
//!
//! What is guaranteed, whatever the network does:
//!
//! - A batch is handed to the shard exactly once: every sender numbers its batches, and a
//!   window per sender knows the numbers taken in.
//! - Nothing of another job or of an earlier epoch reaches the shard: every call carries a
//!   [`Fence`].
//! - What has been released does not begin any more: a release can overtake the call that it follows.
//! - Nothing is taken in before a shard that is to be restored knows what is closed.
//! - Nothing of a level that is over reaches the shard: the coordinator ends a level only when all
//!   batches of it have been applied, so a fresh batch of such a level is refused as an error.

mod figures;
mod journal;
mod layout;
mod outgoing;
mod serving;
mod window;

use std::sync::Arc;
use std::time::Duration;

use sokohive_proto::{
    Epoch, Fence, Hello, Incarnation, OpenLevel, PROTOCOL, Poll, Prepare, Push, Refusal, Report,
    Restore,
};

pub use figures::{Figures, Totals};
pub use journal::Chore;
use layout::LayingOut;
pub use layout::Layout;
pub use outgoing::{MAX_IN_FLIGHT, Outgoing, PushError, Retry};
use serving::Serving;

use crate::Shard;

/// A job whose coordinator has not called for this long does not keep others out.
const BUSY: Duration = Duration::from_secs(10);

/// A job whose coordinator has not called for this long is given up and its memory freed.
const ABANDONED: Duration = Duration::from_secs(60);

/// What a worker is, whatever it works on.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The process.
    pub incarnation: Incarnation,
    /// Bytes that its shard may use.
    pub memory: u64,
    /// Threads that it searches on.
    pub threads: u32,
    /// Whether it has a place to keep a journal.
    pub keeps_journal: bool,
}

/// The worker's side of the protocol.
#[derive(Debug)]
pub struct Protocol<S> {
    identity: Identity,
    /// The largest epoch ever taken part in, 0 for none. INVARIANT: never falls.
    last_epoch: u64,
    /// What has been done in jobs that are over.
    totals: Totals,
    /// Whether the process has been told to end.
    leaving: bool,
    state: State<S>,
}

/// Where the worker stands. A transition consumes the old state.
#[derive(Debug)]
enum State<S> {
    Vacant,
    LayingOut(LayingOut),
    Serving(Serving<S>),
}

/// What [`Protocol::release`] leads to.
#[derive(Debug)]
pub struct Released<S> {
    /// The shard, to be stopped.
    pub shard: Option<Arc<S>>,
    /// Whether what has been kept of the job is to be deleted, once the shard has been stopped.
    pub discard: bool,
}

/// What [`Protocol::prepare`] leads to.
#[derive(Debug)]
pub enum Preparation<S> {
    /// The shard is there.
    Ready,
    /// It is being laid out.
    UnderWay,
    /// It has to be laid out, outside of this machine; then tell [`Protocol::laid_out`].
    LayOut {
        /// What to lay out.
        layout: Box<Layout>,
        /// The shard of a job that is over, to be stopped first.
        stop: Option<Arc<S>>,
    },
}

impl<S: Shard> Protocol<S> {
    /// A worker without a job, that has taken part in epochs up to `last_epoch`, 0 for none.
    pub fn new(identity: Identity, last_epoch: u64) -> Self {
        Self {
            identity,
            last_epoch,
            totals: Totals::default(),
            leaving: false,
            state: State::Vacant,
        }
    }

    /// What the worker is.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The largest epoch ever taken part in, 0 for none.
    pub fn last_epoch(&self) -> u64 {
        self.last_epoch
    }

    /// How the worker stands in its job; `None` without a shard.
    pub fn figures(&self) -> Option<Figures> {
        match &self.state {
            State::Serving(serving) => Some(serving.figures()),
            State::Vacant | State::LayingOut(_) => None,
        }
    }

    /// What has been done in jobs that are over.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Introduces the worker to a caller that speaks some version of the protocol.
    pub fn hello(&self, protocol: u32) -> Result<Hello, Refusal> {
        if protocol != PROTOCOL {
            return Err(Refusal::ProtocolVersion { expected: PROTOCOL, found: protocol });
        }
        if self.leaving {
            return Err(Refusal::ShuttingDown);
        }
        Ok(Hello {
            protocol: PROTOCOL,
            incarnation: self.identity.incarnation,
            last_epoch: self.last_epoch,
            memory: self.identity.memory,
            threads: self.identity.threads,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            keeps_journal: self.identity.keeps_journal,
            present: Vec::new(),
        })
    }

    /// Takes part in a job from now on. The same call again asks whether the shard is ready.
    pub fn prepare(&mut self, now: Duration, prepare: Prepare) -> Result<Preparation<S>, Refusal> {
        let called = prepare.peers[usize::from(prepare.index)].incarnation;
        let current = self.identity.incarnation;
        if called != current {
            return Err(Refusal::OtherIncarnation { current, called });
        }
        if self.leaving {
            return Err(Refusal::ShuttingDown);
        }
        match &mut self.state {
            State::LayingOut(laying) if laying.fence() == prepare.fence => {
                laying.heard(now);
                return laying.problem().map_or(Ok(Preparation::UnderWay), Err);
            }
            State::Serving(serving) if serving.fence() == prepare.fence => {
                serving.heard(now);
                return Ok(Preparation::Ready);
            }
            State::LayingOut(_) | State::Serving(_) | State::Vacant => {}
        }
        if let Some((fence, heard)) = self.occupation()
            && fence.job != prepare.fence.job
            && now.saturating_sub(heard) < BUSY
        {
            return Err(Refusal::Busy(fence.job));
        }
        let epoch = prepare.fence.epoch;
        if epoch.get() <= self.last_epoch {
            return Err(Refusal::OldEpoch { current: self.last_epoch, called: epoch });
        }
        self.begin(epoch)?;
        let stop = self.vacate();
        let (laying, layout) = LayingOut::new(now, prepare, &self.identity);
        self.state = State::LayingOut(laying);
        Ok(Preparation::LayOut { layout: Box::new(layout), stop })
    }

    /// A shard has been laid out, or cannot be. Hands back a shard that nobody waits for any more.
    pub fn laid_out(&mut self, fence: Fence, result: Result<Arc<S>, Refusal>) -> Option<Arc<S>> {
        match std::mem::replace(&mut self.state, State::Vacant) {
            State::LayingOut(laying) if laying.fence() == fence => {
                self.state = match result {
                    Ok(shard) => State::Serving(laying.serve(shard)),
                    Err(refusal) => State::LayingOut(laying.fail(refusal)),
                };
                None
            }
            other => {
                self.state = other;
                result.ok()
            }
        }
    }

    /// Opens a level.
    pub fn open_level(&mut self, now: Duration, open: OpenLevel) -> Result<Vec<Chore<S>>, Refusal> {
        self.serving(open.fence)?.open_level(now, open)
    }

    /// Begins to restore the shard.
    pub fn restore(&mut self, now: Duration, restore: Restore) -> Result<(), Refusal> {
        self.serving(restore.fence)?.restore(now, restore)
    }

    /// Takes note of what a poll brings. The answer is a [`Protocol::report`].
    pub fn poll(&mut self, now: Duration, poll: Poll) -> Result<Vec<Chore<S>>, Refusal> {
        self.serving(poll.fence)?.poll(now, poll)
    }

    /// A [`Chore::Sync`] is over. Says what to do next.
    pub fn synced(
        &mut self,
        fence: Fence,
        ordinal: u32,
        result: Result<(), String>,
    ) -> Option<Chore<S>> {
        self.serving(fence).ok()?.synced(ordinal, result)
    }

    /// How things go in a job.
    pub fn report(&mut self, now: Duration, fence: Fence) -> Result<Report, Refusal> {
        let leaving = self.leaving;
        Ok(Report { leaving, ..self.serving(fence)?.report(now) })
    }

    /// Takes part in no other job from now on: the process is about to end. Says whether there is a
    /// job that has to end first.
    pub fn leave(&mut self) -> bool {
        self.leaving = true;
        self.is_occupied()
    }

    /// Whether there is a job at hand.
    pub fn is_occupied(&self) -> bool {
        self.occupation().is_some()
    }

    /// Takes in a batch of a peer. Says whether it had come before.
    pub fn push(&mut self, push: Push) -> Result<bool, Refusal> {
        self.serving(push.fence)?.push(push)
    }

    /// A batch came that cannot even be read.
    pub fn count_refused(&mut self) {
        if let State::Serving(serving) = &mut self.state {
            serving.count_refused();
        }
    }

    /// The shard, to read rows from.
    pub fn shard(&mut self, now: Duration, fence: Fence) -> Result<Arc<S>, Refusal> {
        let serving = self.serving(fence)?;
        serving.heard(now);
        Ok(Arc::clone(serving.shard()))
    }

    /// The batches on their way to a peer; `None` once the job is over.
    pub fn outgoing(&mut self, fence: Fence, peer: u16) -> Option<&mut Outgoing> {
        self.serving(fence).ok()?.outgoing(peer)
    }

    /// Ends a job. A job that is over stays over, also if the call into it is yet to come. With `discard`
    /// nobody will go on with it.
    pub fn release(&mut self, fence: Fence, discard: bool) -> Result<Released<S>, Refusal> {
        match self.check(fence) {
            Ok(()) => Ok(Released { shard: self.vacate(), discard }),
            // Vacant, or in an earlier epoch of the job, which is over then as well.
            Err(Refusal::NoJob | Refusal::NotReady) => {
                if fence.epoch.get() > self.last_epoch {
                    self.begin(fence.epoch)?;
                }
                Ok(Released { shard: self.vacate(), discard })
            }
            // The job may go on in the newer epoch.
            Err(Refusal::OldEpoch { .. }) => Ok(Released { shard: None, discard: false }),
            Err(refusal) => Err(refusal),
        }
    }

    /// Gives up a job whose coordinator has gone. Hands back its shard, to be stopped.
    pub fn tick(&mut self, now: Duration) -> Option<Arc<S>> {
        let (_, heard) = self.occupation()?;
        if now.saturating_sub(heard) < ABANDONED { None } else { self.vacate() }
    }

    /// Ends whatever is under way. Hands back its shard, to be stopped.
    pub fn abandon(&mut self) -> Option<Arc<S>> {
        self.vacate()
    }

    /// Takes note of an epoch that is larger than all before.
    fn begin(&mut self, epoch: Epoch) -> Result<(), Refusal> {
        let most = self.last_epoch.saturating_add(Epoch::MOST_AHEAD);
        if epoch.get() > most {
            let problem = format!("field fence.epoch: {epoch} is beyond {most}, too far ahead");
            return Err(Refusal::BadField(problem));
        }
        self.last_epoch = epoch.get();
        Ok(())
    }

    /// The job at hand, and when its coordinator last called.
    fn occupation(&self) -> Option<(Fence, Duration)> {
        match &self.state {
            State::Vacant => None,
            State::LayingOut(laying) => Some((laying.fence(), laying.last_heard())),
            State::Serving(serving) => Some((serving.fence(), serving.last_heard())),
        }
    }

    fn vacate(&mut self) -> Option<Arc<S>> {
        match std::mem::replace(&mut self.state, State::Vacant) {
            State::Vacant | State::LayingOut(_) => None,
            State::Serving(serving) => {
                self.totals += &serving.figures();
                Some(serving.into_shard())
            }
        }
    }

    /// Whether a call belongs to the job at hand.
    fn check(&self, called: Fence) -> Result<(), Refusal> {
        let old = |epoch: Epoch| epoch.get() < self.last_epoch;
        match self.occupation() {
            _ if old(called.epoch) => {
                Err(Refusal::OldEpoch { current: self.last_epoch, called: called.epoch })
            }
            None => Err(Refusal::NoJob),
            Some((fence, _)) if fence.job != called.job => {
                Err(Refusal::OtherJob { running: fence.job, called: called.job })
            }
            // An epoch yet to be prepared here.
            Some((fence, _)) if fence.epoch != called.epoch => Err(Refusal::NotReady),
            Some(_) => Ok(()),
        }
    }

    fn serving(&mut self, called: Fence) -> Result<&mut Serving<S>, Refusal> {
        self.check(called)?;
        match &mut self.state {
            State::Serving(serving) => Ok(serving),
            State::LayingOut(laying) => Err(laying.problem().unwrap_or(Refusal::NotReady)),
            State::Vacant => Err(Refusal::NoJob),
        }
    }
}

#[cfg(test)]
mod tests;
