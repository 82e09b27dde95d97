//! One job on a set of workers, as a plain state machine: answers, ticks and wishes go in with the
//! time, calls to be made and the ending come out. No sockets, no threads, no clock.
//!
//! ```text
//!     ┌───── GivingWay ◀──────┐
//!     ▼                        │
//!  Greeting ─▶ Claiming ─▶ Preparing ─▶ Surveying ─▶ Searching ⟲ ─▶ WalkingBack ─▶ Concluding ─▶ Releasing ─▶ Ended
//!     │            │           │  └─ restoring ──────▶   │              ▲  │          ▲               ▲
//!     │            │           │                         └─▶ Settling ──┤  │          │               │
//!     │            │           │                               │        │  └▶ Gathering ─▶ Comparing  │
//!     └────────────┴───────────┴───────────────────────────────┴────────┴─────────────────────────────┘
//!           a worker lost, a limit, an interruption, nothing to walk back from
//! ```
//!
//! - *Greeting*: who is there? Gives the epoch: larger than any that a worker has seen.
//! - *Claiming*: where checkpoints are kept, the epoch is written down before it is used.
//! - *Preparing*: one worker after the other is called into the job, and lays out its shard.
//! - *Giving way*: another job was called in first; what is held is given back.
//! - *Surveying*: what is open before the first level?
//! - *Searching*: one level after another; a level is over as [`waves`] tells. Reading a checkpoint
//!   back is the first of them, and over by the same rule.
//! - *Settling*: the search is given up; the checkpoint of its last edge is waited for.
//! - *Walking back*: rows are read along the solution; the walk itself is the driver's.
//! - *Gathering*: where all optimal solutions are wanted, every worker is asked in which box sets it found some.
//! - *Comparing*: rows are read along all of them; the comparison itself is the driver's. From here and from *Gathering*
//!   the way on is to *Concluding*, whatever happens.
//! - *Concluding*: the result is written down, as what it was proven from is about to be deleted.
//! - *Releasing*: workers give their memory back.
//!
//! There is at most one call to a worker at a time. A call that brings no answer is made again,
//! as every call can be repeated without harm; a worker that gives no answer for
//! [`LOST`] is lost, and without it the job cannot go on.

mod call;
mod claiming;
mod comparing;
mod concluding;
mod ending;
mod gathering;
mod giving_way;
mod greeting;
mod keeping;
mod levels;
mod member;
mod preparing;
mod reading;
mod releasing;
mod restoring;
mod searching;
mod settling;
mod shared;
mod surveying;
mod walking_back;
pub mod waves;

use std::sync::Arc;
use std::time::Duration;

use sokohive_engine::{Limit, SearchChoice, Statistics};
use sokohive_proto::{
    Checkpoint, Epoch, Fence, Finish, JobKey, JobProgress, Level, Rank, Refusal, Row, Task, Traffic,
};

pub use call::{CallError, CallId, Reply, Request};
use claiming::Claiming;
use comparing::Comparing;
use concluding::Concluding;
pub use ending::{Ending, StopReason};
use gathering::Gathering;
use giving_way::GivingWay;
use greeting::Greeting;
use keeping::Keeping;
pub use levels::Levels;
pub use member::LOST;
use member::Member;
use preparing::Preparing;
use releasing::Releasing;
use searching::Searching;
use settling::{Settling, Then};
use shared::Shared;
use surveying::Surveying;
use walking_back::WalkingBack;

/// What a job is made of.
#[derive(Debug)]
pub struct Settings {
    /// The job; drawn at random.
    pub key: JobKey,
    /// What results are printed under.
    pub name: String,
    /// What is to be proven.
    pub task: Task,
    /// The ends that are searched from.
    pub search: SearchChoice,
    /// Host and port of every worker.
    pub workers: Vec<String>,
    /// Most rows to expand, in all workers together.
    pub expansions: Option<u64>,
    /// Chooses the levels; those after the ones that the checkpoint has seen over.
    pub levels: Box<dyn Levels>,
    /// How often a checkpoint is taken; `None` to keep nothing.
    pub every: Option<Duration>,
    /// What to go on from.
    pub checkpoint: Option<Arc<Checkpoint>>,
    /// The largest epoch that earlier attempts have used, 0 for none.
    pub last_epoch: u64,
    /// What a search before this one has proven, if this one is for all solutions that cost as little.
    pub proven: Option<Proven>,
}

/// What a search has proven.
#[derive(Clone, Copy, Debug)]
pub struct Proven {
    /// What an optimal solution costs.
    pub cost: u32,
    /// What that took.
    pub statistics: Statistics,
}

/// Where all optimal solutions are found in the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Optima {
    /// What each of them costs.
    pub cost: u32,
    /// All forward states of theirs that cost less are closed.
    pub forward_closed_below: u32,
    /// The box sets in which they were found, in no order; some may come several times.
    pub ends: Vec<Rank>,
}

/// What happens to a job.
#[derive(Clone, Debug)]
pub enum Event {
    /// A call has been answered, or has failed.
    Answered {
        /// The call.
        call: CallId,
        /// Its answer.
        result: Result<Reply, CallError>,
    },
    /// The time of [`Job::deadline`] has come.
    Tick,
    /// The job is to end.
    Stop(StopReason),
    /// The walk back or the comparison needs rows: ranks by the worker that owns them, each worker at most once.
    RowsWanted(Vec<(usize, Vec<Rank>)>),
    /// The walk back is over; its result is the driver's, an error ends the job.
    WalkedBack(Result<(), String>),
    /// [`Command::Compare`] is done, or cannot be; its result is the driver's.
    Compared,
    /// [`Command::Commit`] is done, or why it could not be.
    Committed(Result<(), String>),
    /// [`Command::Conclude`] is done, or why it could not be.
    Concluded(Result<(), String>),
}

/// What is to be done for a job.
#[derive(Clone, Debug)]
pub enum Command {
    /// Call a worker and report [`Event::Answered`].
    Call {
        /// Index of the worker.
        worker: usize,
        /// To be told with the answer.
        call: CallId,
        /// What to ask.
        request: Request,
    },
    /// Walk back from a finishing state and report [`Event::WalkedBack`].
    WalkBack(Finish),
    /// Compare all optimal solutions and report [`Event::Compared`].
    Compare(Optima),
    /// The rows wanted, in the order wanted.
    Deliver(Vec<(usize, Vec<Row>)>),
    /// Write the manifest of a checkpoint, durably, and report [`Event::Committed`]. Manifests are
    /// written in the order of the commands.
    Commit(Arc<Checkpoint>),
    /// Write the result into the manifest, durably, and report [`Event::Concluded`].
    Conclude(Ending),
    /// Tell people why the job waits, or why it takes no checkpoints.
    Note(String),
    /// The job is over.
    End(Ending),
}

/// One job on a set of workers.
#[derive(Debug)]
pub struct Job {
    shared: Shared,
    state: State,
}

/// Where a job stands. A transition consumes the old state.
#[derive(Debug)]
enum State {
    Greeting(Greeting),
    Claiming(Claiming),
    Preparing(Preparing),
    GivingWay(GivingWay),
    Surveying(Surveying),
    Searching(Searching),
    Settling(Settling),
    WalkingBack(WalkingBack),
    Gathering(Gathering),
    Comparing(Comparing),
    Concluding(Concluding),
    Releasing(Releasing),
    Ended,
}

impl Job {
    /// Starts a job. `now` is a time since any moment that is kept to.
    pub fn start(now: Duration, settings: Settings) -> (Self, Vec<Command>) {
        let mut shared = Shared::new(now, settings);
        let state = Greeting::enter(&mut shared);
        let mut job = Self { shared, state };
        let commands = job.shared.take_commands();
        (job, commands)
    }

    /// Takes in what has happened.
    pub fn handle(&mut self, now: Duration, event: Event) -> Vec<Command> {
        self.shared.now = now;
        let state = std::mem::replace(&mut self.state, State::Ended);
        self.state = match event {
            Event::Answered { call, result } => self.answered(state, call, result),
            Event::Tick => self.tick(state),
            Event::Stop(reason) => self.stop(state, reason),
            Event::RowsWanted(wanted) => match state {
                State::WalkingBack(walking) => walking.wanted(&mut self.shared, wanted),
                State::Comparing(comparing) => comparing.wanted(&mut self.shared, wanted),
                other => other,
            },
            Event::Compared => match state {
                State::Comparing(comparing) => comparing.end(&mut self.shared),
                other => other,
            },
            Event::WalkedBack(result) => match state {
                State::WalkingBack(walking) => walking.walked_back(&mut self.shared, result),
                other => other,
            },
            Event::Committed(result) => match state {
                State::Claiming(claiming) => claiming.committed(&mut self.shared, result),
                State::Settling(settling) => {
                    self.shared.committed(&result);
                    settling.committed(&mut self.shared, result.is_ok())
                }
                other => {
                    self.shared.committed(&result);
                    other
                }
            },
            Event::Concluded(result) => match state {
                State::Concluding(concluding) => concluding.concluded(&mut self.shared, &result),
                other => other,
            },
        };
        // What is awaited at the end makes no difference any more.
        if !matches!(self.state, State::Releasing(_) | State::Ended) {
            self.shared.tell_troubles();
        }
        self.shared.take_commands()
    }

    /// When [`Event::Tick`] is due, if nothing happens before; `None` once the job is over.
    pub fn deadline(&self) -> Option<Duration> {
        let state = match &self.state {
            State::Ended => return None,
            State::Searching(searching) => searching.deadline(),
            State::Settling(settling) => Some(settling.deadline()),
            State::Preparing(preparing) => preparing.deadline(&self.shared.members),
            State::WalkingBack(walking) => Some(walking.reading().deadline()),
            State::Comparing(comparing) => Some(comparing.reading().deadline()),
            State::GivingWay(giving) => Some(giving.deadline(self.shared.now)),
            State::Releasing(releasing) => Some(releasing.deadline()),
            State::Greeting(_)
            | State::Claiming(_)
            | State::Surveying(_)
            | State::Gathering(_)
            | State::Concluding(_) => None,
        };
        let members = self.shared.members.iter().filter_map(Member::deadline);
        // The far deadline only keeps a driver from waiting without any.
        let far = self.shared.now + LOST;
        Some(members.chain(state).min().unwrap_or(far))
    }

    /// The job and epoch once they are known, and the level that is open.
    pub fn place(&self) -> (Option<Fence>, Option<Level>) {
        (self.shared.fence, self.shared.level)
    }

    /// The epoch, once the workers have been greeted.
    pub fn epoch(&self) -> Option<Epoch> {
        self.shared.fence.map(|fence| fence.epoch)
    }

    /// The newest checkpoint whose manifest is written.
    pub fn saved(&self) -> Option<&Arc<Checkpoint>> {
        self.shared.keeping.as_ref().map(Keeping::saved)
    }

    /// Levels opened so far, those before the checkpoint included.
    pub fn levels_opened(&self) -> u64 {
        self.shared.statistics().0.levels
    }

    /// Figures for whoever watches.
    pub fn progress(&self) -> JobProgress {
        self.shared.progress()
    }

    /// Counters summed over the workers.
    pub fn statistics(&self) -> (Statistics, Traffic) {
        self.shared.statistics()
    }

    /// States stored on every worker, and threads of all of them.
    pub fn shares(&self) -> (Vec<u64>, u32) {
        self.shared.shares()
    }

    fn answered(&mut self, state: State, call: CallId, result: Result<Reply, CallError>) -> State {
        let shared = &mut self.shared;
        let Some(worker) = shared.settle(call, &result) else {
            // The call has been given up, or made again, or the job is past it.
            return state;
        };
        if let State::Releasing(releasing) = state {
            return releasing.answered(shared, worker, result);
        }
        if let State::GivingWay(giving) = state {
            return giving.answered(shared, worker, result);
        }
        match result {
            Ok(reply) => match state {
                State::Greeting(greeting) => greeting.answered(shared, worker, reply),
                State::Preparing(preparing) => preparing.answered(shared, worker, &reply),
                State::Surveying(surveying) => surveying.answered(shared, worker, reply),
                State::Searching(searching) => searching.answered(shared, worker, reply),
                State::Settling(settling) => settling.answered(shared, worker, reply),
                State::WalkingBack(walking) => walking.answered(shared, worker, reply),
                State::Gathering(gathering) => gathering.answered(shared, worker, reply),
                State::Comparing(comparing) => comparing.answered(shared, worker, reply),
                State::Claiming(_)
                | State::Concluding(_)
                | State::GivingWay(_)
                | State::Releasing(_)
                | State::Ended => state,
            },
            Err(CallError::Refused(Refusal::TooLittleMemory(_))) => {
                WalkingBack::enter_limit(shared, Limit::Memory)
            }
            Err(error) => match state {
                State::Preparing(preparing) => preparing.failed(shared, worker, error),
                State::WalkingBack(walking) => walking.failed(shared, worker, error),
                State::Gathering(gathering) => gathering.failed(shared, worker, error),
                State::Comparing(comparing) => comparing.failed(shared, worker, error),
                state => match shared.members[worker].failed(shared.now, error) {
                    None => state,
                    Some(loss) => Releasing::enter_failed(shared, worker, loss),
                },
            },
        }
    }

    fn tick(&mut self, state: State) -> State {
        let shared = &mut self.shared;
        if let State::Releasing(releasing) = state {
            return releasing.tick(shared);
        }
        if matches!(state, State::Ended) {
            return state;
        }
        if let State::GivingWay(giving) = state {
            shared.call_again();
            return giving.tick(shared);
        }
        if let Some((worker, loss)) = shared.find_lost() {
            return match state {
                State::Gathering(gathering) => gathering.give_up(shared),
                State::Comparing(comparing) => comparing.end(shared),
                _ => Releasing::enter_failed(shared, worker, loss),
            };
        }
        shared.call_again();
        match state {
            State::Searching(searching) => searching.tick(shared),
            State::Settling(settling) => settling.tick(shared),
            State::Preparing(preparing) => preparing.tick(shared),
            State::WalkingBack(walking) => walking.tick(shared),
            State::Comparing(comparing) => comparing.tick(shared),
            other => other,
        }
    }

    fn stop(&mut self, state: State, reason: StopReason) -> State {
        match state {
            // The ending is settled already.
            State::WalkingBack(_) | State::Concluding(_) | State::Releasing(_) | State::Ended => {
                state
            }
            State::Gathering(gathering) => gathering.give_up(&mut self.shared),
            State::Comparing(comparing) => comparing.end(&mut self.shared),
            State::Settling(_) => {
                self.shared.cancelled |= reason == StopReason::Cancel;
                state
            }
            _ if reason == StopReason::Cancel => {
                self.shared.cancelled = true;
                WalkingBack::enter_limit(&mut self.shared, reason.into())
            }
            State::Searching(_) => Settling::enter(&mut self.shared, Then::Limit(reason.into())),
            State::Greeting(_)
            | State::Claiming(_)
            | State::Preparing(_)
            | State::GivingWay(_)
            | State::Surveying(_) => WalkingBack::enter_limit(&mut self.shared, reason.into()),
        }
    }
}

#[cfg(test)]
mod tests;
