//! One level after another.

use std::time::Duration;

use sokohive_engine::{Limit, Side};
use sokohive_proto::{Level, OpenLevel, Poll, Restore};

use super::call::{Reply, Request};
use super::member::Loss;
use super::releasing::Releasing;
use super::settling::{Settling, Then};
use super::shared::{Shared, Trouble};
use super::walking_back::{WalkingBack, fail};
use super::waves::{Counts, Verdict, Waves};
use super::{Ending, State};

/// How long a worker may wait for something worth reporting. Also how old the incumbent may get
/// that the other workers prune by.
const WAIT: Duration = Duration::from_millis(40);

/// Pauses before another wave while batches are on their way and everyone is idle: the first,
/// doubled every time, up to the last.
const FIRST_PAUSE: Duration = Duration::from_micros(200);
const LAST_PAUSE: Duration = Duration::from_millis(10);

/// A level is open on all workers, or being opened.
#[derive(Debug)]
pub(super) struct Searching {
    level: Level,
    waves: Waves,
    /// When the next wave starts; `None` while one is under way.
    next_wave: Option<Duration>,
    pause: Duration,
    /// Whether a checkpoint is being read, in place of a level.
    restoring: bool,
}

impl Searching {
    /// Has the checkpoint read back, in place of opening the first level.
    pub(super) fn restore(shared: &mut Shared) -> State {
        let checkpoint = shared.settings.checkpoint.as_deref();
        let reached = checkpoint.map(|checkpoint| checkpoint.reached).unwrap_or_default();
        // Nothing beyond what is closed is opened by reading it back.
        let side = Side::Forward;
        let f = reached.closed[side as usize].unwrap_or_default();
        let level = Level { ordinal: 1, side, f };
        shared.level = Some(level);
        let mut dealt = std::mem::take(&mut shared.dealt);
        if let Some(fence) = shared.fence {
            let (closed, incumbent) = (reached.closed, shared.incumbent_cost());
            shared.call_each(|_, worker| {
                let segments = dealt.get_mut(worker).map(std::mem::take).unwrap_or_default();
                let wait = WAIT;
                Request::Restore(Box::new(Restore {
                    fence,
                    level,
                    segments,
                    closed,
                    incumbent,
                    wait,
                }))
            });
        }
        Self::begin(shared, level, true)
    }

    /// Opens the next level, or ends the search.
    ///
    /// Sound as the level before is over on all workers: what waits now is all there is.
    pub(super) fn advance(shared: &mut Shared) -> State {
        let (open, incumbent) = (shared.open(), shared.incumbent_cost());
        let next = shared.settings.levels.advance(open, incumbent);
        shared.prove(shared.settings.levels.lower_bound());
        match (next, shared.incumbent) {
            (Some((side, f)), _) => Self::open(shared, side, f),
            (None, Some(best)) => WalkingBack::enter_proven(shared, best),
            (None, None) if shared.settings.proven.is_some() => {
                fail(shared, "internal error: a solution that is known was not found".to_owned())
            }
            (None, None) => WalkingBack::enter(shared, Ending::Unsolvable),
        }
    }

    fn open(shared: &mut Shared, side: Side, f: u32) -> State {
        let ordinal = shared.level.map_or(0, |level| level.ordinal) + 1;
        let level = Level { ordinal, side, f };
        shared.level = Some(level);
        if let Some(fence) = shared.fence {
            let incumbent = shared.incumbent_cost();
            shared.call_each(|upkeep, _| {
                Request::OpenLevel(OpenLevel { fence, level, incumbent, wait: WAIT, upkeep })
            });
        }
        Self::begin(shared, level, false)
    }

    fn begin(shared: &Shared, level: Level, restoring: bool) -> State {
        // The reports that answer the opening are the first wave.
        let waves = Waves::new(shared.members.len());
        State::Searching(Self { level, waves, next_wave: None, pause: FIRST_PAUSE, restoring })
    }

    pub(super) fn answered(mut self, shared: &mut Shared, worker: usize, reply: Reply) -> State {
        let Reply::Report(report) = reply else {
            return State::Searching(self);
        };
        let counts = Counts {
            idle: report.idle && report.level == Some(self.level),
            sent: report.sent,
            applied: report.applied,
        };
        if let Some(trouble) = shared.absorb(worker, *report) {
            return end_for(shared, trouble);
        }
        shared.commit_what_is_durable();
        match self.waves.record(worker, counts) {
            None => State::Searching(self),
            Some(Verdict::Over) => {
                if self.restoring {
                    shared.walkable = true;
                } else {
                    shared.reach_edge(self.level.ordinal);
                }
                Self::advance(shared)
            }
            Some(Verdict::Confirm) => self.wave(shared),
            Some(Verdict::Working) => {
                self.pause = FIRST_PAUSE;
                self.wave(shared)
            }
            Some(Verdict::OnTheWay) => {
                self.next_wave = Some(shared.now + self.pause);
                self.pause = (self.pause * 2).min(LAST_PAUSE);
                State::Searching(self)
            }
        }
    }

    pub(super) fn tick(mut self, shared: &mut Shared) -> State {
        match self.next_wave {
            Some(at) if at <= shared.now => {
                self.next_wave = None;
                self.wave(shared)
            }
            _ => State::Searching(self),
        }
    }

    pub(super) fn deadline(&self) -> Option<Duration> {
        self.next_wave
    }

    fn wave(self, shared: &mut Shared) -> State {
        if let Some(fence) = shared.fence {
            let incumbent = shared.incumbent_cost();
            let level = Some(self.level);
            shared.call_each(|upkeep, _| {
                Request::Poll(Poll { fence, level, incumbent, wait: WAIT, upkeep })
            });
        }
        State::Searching(self)
    }
}

/// Ends the search for what a report revealed.
pub(super) fn end_for(shared: &mut Shared, trouble: Trouble) -> State {
    match trouble {
        Trouble::Failed(worker, loss) => Releasing::enter_failed(shared, worker, loss),
        Trouble::Leaving(worker) => {
            let loss = Loss { reason: "it is shutting down".to_owned(), retryable: true };
            Settling::enter(shared, Then::Failed(worker, loss))
        }
        Trouble::Memory => Settling::enter(shared, Then::Limit(Limit::Memory)),
        Trouble::Expansions => Settling::enter(shared, Then::Limit(Limit::Expansions)),
    }
}
