//! One job on a set of workers, as a plain state machine: answers, ticks and wishes go in with the
//! time, calls to be made and the ending come out. No sockets, no threads, no clock.
//!
//! ```text
//!  Greeting ──▶ Preparing ──▶ Surveying ──▶ Searching ⟲ ──▶ WalkingBack ──▶ Releasing ──▶ Ended
//!     │             │             │             │                │              ▲
//!     └─────────────┴─────────────┴─────────────┴────────────────┴──────────────┘
//!           a worker lost, a limit, an interruption, nothing to walk back from
//! ```
//!
//! - *Greeting*: who is there? Gives the epoch: larger than any that a worker has seen.
//! - *Preparing*: every worker lays out its shard.
//! - *Surveying*: what is open before the first level?
//! - *Searching*: one level after another; a level is over as [`waves`] tells.
//! - *Walking back*: rows are read along the solution; the walk itself is the driver's.
//! - *Releasing*: workers give their memory back.
//!
//! There is at most one call to a worker at a time. A call that brings no answer is made again,
//! as every call can be repeated without harm; a worker that gives no answer for
//! [`LOST`] is lost, and without it the job cannot go on.

mod call;
mod ending;
mod greeting;
mod levels;
mod member;
mod preparing;
mod releasing;
mod searching;
mod shared;
mod surveying;
mod walking_back;
pub mod waves;

use std::time::Duration;

use sokohive_engine::{Limit, Statistics};
use sokohive_proto::{
    Fence, Finish, JobKey, JobProgress, Level, Rank, Refusal, Row, Task, Traffic,
};

pub use call::{CallError, CallId, Reply, Request};
pub use ending::{Ending, StopReason};
use greeting::Greeting;
pub use levels::Levels;
pub use member::LOST;
use member::Member;
use preparing::Preparing;
use releasing::Releasing;
use searching::Searching;
use shared::Shared;
use surveying::Surveying;
use walking_back::WalkingBack;

/// What a job is made of.
#[derive(Debug)]
pub struct Settings {
    /// The job; drawn at random.
    pub key: JobKey,
    /// What is to be proven.
    pub task: Task,
    /// Host and port of every worker.
    pub workers: Vec<String>,
    /// Most rows to expand, in all workers together.
    pub expansions: Option<u64>,
    /// Chooses the levels.
    pub levels: Box<dyn Levels>,
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
    /// The walk back needs rows: ranks by the worker that owns them, each worker at most once.
    RowsWanted(Vec<(usize, Vec<Rank>)>),
    /// The walk back is over; its result is the driver's, an error ends the job.
    WalkedBack(Result<(), String>),
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
    /// The rows wanted, in the order wanted.
    Deliver(Vec<(usize, Vec<Row>)>),
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
    Preparing(Preparing),
    Surveying(Surveying),
    Searching(Searching),
    WalkingBack(WalkingBack),
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
                other => other,
            },
            Event::WalkedBack(result) => match state {
                State::WalkingBack(walking) => walking.walked_back(&mut self.shared, result),
                other => other,
            },
        };
        self.shared.take_commands()
    }

    /// When [`Event::Tick`] is due, if nothing happens before; `None` once the job is over.
    pub fn deadline(&self) -> Option<Duration> {
        let state = match &self.state {
            State::Ended => return None,
            State::Searching(searching) => searching.deadline(),
            State::Releasing(releasing) => Some(releasing.deadline()),
            State::Greeting(_)
            | State::Preparing(_)
            | State::Surveying(_)
            | State::WalkingBack(_) => None,
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
        match result {
            Ok(reply) => match state {
                State::Greeting(greeting) => greeting.answered(shared, worker, reply),
                State::Preparing(preparing) => preparing.answered(shared, worker, &reply),
                State::Surveying(surveying) => surveying.answered(shared, worker, reply),
                State::Searching(searching) => searching.answered(shared, worker, reply),
                State::WalkingBack(walking) => walking.answered(shared, worker, reply),
                State::Releasing(_) | State::Ended => state,
            },
            Err(CallError::Refused(Refusal::TooLittleMemory(_))) => {
                WalkingBack::enter_limit(shared, Limit::Memory)
            }
            Err(error) => match shared.members[worker].failed(shared.now, error) {
                None => state,
                Some(loss) => Releasing::enter_failed(shared, worker, loss),
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
        if let Some((worker, loss)) = shared.find_lost() {
            return Releasing::enter_failed(shared, worker, loss);
        }
        shared.call_again();
        match state {
            State::Searching(searching) => searching.tick(shared),
            other => other,
        }
    }

    fn stop(&mut self, state: State, reason: StopReason) -> State {
        match state {
            // The ending is settled already.
            State::WalkingBack(_) | State::Releasing(_) | State::Ended => state,
            State::Greeting(_)
            | State::Preparing(_)
            | State::Surveying(_)
            | State::Searching(_) => WalkingBack::enter_limit(&mut self.shared, reason.into()),
        }
    }
}

#[cfg(test)]
mod tests;
