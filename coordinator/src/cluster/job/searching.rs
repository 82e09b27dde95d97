//! One level after another.

use std::time::Duration;

use sokohive_engine::Limit;
use sokohive_proto::{Level, OpenLevel, OpenList, Poll, Side};

use super::call::{Reply, Request};
use super::releasing::Releasing;
use super::shared::{Shared, Trouble};
use super::walking_back::WalkingBack;
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
}

impl Searching {
    /// Opens the next level, or ends the search.
    ///
    /// Sound as no work is left below the smallest open f anywhere: the level before is over on
    /// all workers, and with a consistent estimate no successor has a smaller f than its parent.
    pub(super) fn advance(shared: &mut Shared) -> State {
        let next = smallest(shared, Side::Forward);
        let ending = match (next, shared.incumbent) {
            (Some(open), incumbent) if incumbent.is_none_or(|best| open.smallest_f < best.cost) => {
                shared.prove(open.smallest_f);
                return Self::open(shared, open);
            }
            (_, Some(best)) => {
                shared.prove(best.cost);
                Ending::Optimal(best)
            }
            (_, None) => Ending::Unsolvable,
        };
        WalkingBack::enter(shared, ending)
    }

    fn open(shared: &mut Shared, open: OpenList) -> State {
        let ordinal = shared.level.map_or(0, |level| level.ordinal) + 1;
        let level = Level { ordinal, side: open.side, f: open.smallest_f };
        shared.level = Some(level);
        if let Some(fence) = shared.fence {
            let incumbent = shared.incumbent_cost();
            shared.call_all(&Request::OpenLevel(OpenLevel { fence, level, incumbent, wait: WAIT }));
        }
        // The reports that answer the opening are the first wave.
        let waves = Waves::new(shared.members.len());
        State::Searching(Self { level, waves, next_wave: None, pause: FIRST_PAUSE })
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
        match self.waves.record(worker, counts) {
            None => State::Searching(self),
            Some(Verdict::Over) => Self::advance(shared),
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
            let poll = Poll { fence, level: Some(self.level), incumbent, wait: WAIT };
            shared.call_all(&Request::Poll(poll));
        }
        State::Searching(self)
    }
}

/// The smallest f that is open on any worker, on one side.
fn smallest(shared: &Shared, side: Side) -> Option<OpenList> {
    let reports = shared.members.iter().map(|member| &member.report);
    let open = reports.flat_map(|report| &report.open).filter(|open| open.side == side);
    open.min_by_key(|open| open.smallest_f).copied()
}

/// Ends the search for what a report revealed.
pub(super) fn end_for(shared: &mut Shared, trouble: Trouble) -> State {
    match trouble {
        Trouble::Failed(worker, loss) => Releasing::enter_failed(shared, worker, loss),
        Trouble::Memory => WalkingBack::enter_limit(shared, Limit::Memory),
        Trouble::Expansions => WalkingBack::enter_limit(shared, Limit::Expansions),
    }
}
