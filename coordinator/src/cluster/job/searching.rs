//! One level after another.

use std::time::Duration;

use sokohive_engine::{Limit, Side};
use sokohive_proto::{Level, OpenLevel, OpenList, Poll, Upkeep};

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
    /// Sound as the level before is over on all workers: what waits now is all there is.
    pub(super) fn advance(shared: &mut Shared) -> State {
        let open = [Side::Forward, Side::Backward].map(|side| waiting(shared, side));
        let next = shared.settings.levels.advance(open, shared.incumbent_cost());
        shared.prove(shared.settings.levels.lower_bound());
        match (next, shared.incumbent) {
            (Some((side, f)), _) => Self::open(shared, side, f),
            (None, Some(best)) => WalkingBack::enter(shared, Ending::Optimal(best)),
            (None, None) => WalkingBack::enter(shared, Ending::Unsolvable),
        }
    }

    fn open(shared: &mut Shared, side: Side, f: u32) -> State {
        let ordinal = shared.level.map_or(0, |level| level.ordinal) + 1;
        let level = Level { ordinal, side, f };
        shared.level = Some(level);
        if let Some(fence) = shared.fence {
            let incumbent = shared.incumbent_cost();
            shared.call_all(&Request::OpenLevel(OpenLevel {
                fence,
                level,
                incumbent,
                wait: WAIT,
                upkeep: Upkeep::default(),
            }));
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
            let poll = Poll {
                fence,
                level: Some(self.level),
                incumbent,
                wait: WAIT,
                upkeep: Upkeep::default(),
            };
            shared.call_all(&Request::Poll(poll));
        }
        State::Searching(self)
    }
}

/// What waits on one side at the smallest f, on all workers together.
fn waiting(shared: &Shared, side: Side) -> Option<OpenList> {
    let reports = shared.members.iter().map(|member| &member.report);
    let lists = || reports.clone().flat_map(|report| &report.open).filter(|open| open.side == side);
    let smallest_f = lists().map(|open| open.smallest_f).min()?;
    let rows = lists().filter(|open| open.smallest_f == smallest_f).map(|open| open.rows).sum();
    Some(OpenList { side, smallest_f, rows })
}

/// Ends the search for what a report revealed.
pub(super) fn end_for(shared: &mut Shared, trouble: Trouble) -> State {
    match trouble {
        Trouble::Failed(worker, loss) => Releasing::enter_failed(shared, worker, loss),
        Trouble::Memory => WalkingBack::enter_limit(shared, Limit::Memory),
        Trouble::Expansions => WalkingBack::enter_limit(shared, Limit::Expansions),
    }
}
