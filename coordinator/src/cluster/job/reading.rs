//! Rows are read for the driver, which walks through the tables.
//!
//! A walk may take a while, and not touch every worker. All of them are called from time to time meanwhile, or others
//! would take them for abandoned. What they say to that does not matter.

use std::collections::VecDeque;
use std::time::Duration;

use sokohive_proto::{MAX_RANKS, Poll, Rank, Row, Upkeep};

use super::Command;
use super::call::{CallError, Reply, Request};
use super::member::{Loss, Member};
use super::shared::Shared;

/// Pause between two calls to a worker that is not asked for rows.
const BEAT: Duration = Duration::from_secs(2);

/// What is being read for a walk.
#[derive(Debug)]
pub(super) struct Reading {
    /// Empty while the walk wants nothing.
    portions: Vec<Portion>,
    /// When the workers are to be called that are not asked for rows.
    beat: Duration,
}

/// The rows that one worker is asked for.
#[derive(Debug)]
struct Portion {
    worker: usize,
    waiting: VecDeque<Rank>,
    asked: usize,
    rows: Vec<Row>,
}

impl Reading {
    /// Nothing yet. Answers that are still awaited tell nothing new.
    pub(super) fn begin(shared: &mut Shared) -> Self {
        shared.members.iter_mut().for_each(Member::settle);
        Self { portions: Vec::new(), beat: shared.now + BEAT }
    }

    /// Asks for rows, or says why that is not possible.
    pub(super) fn wanted(
        &mut self,
        shared: &mut Shared,
        wanted: Vec<(usize, Vec<Rank>)>,
    ) -> Result<(), String> {
        let known = |(worker, ranks): &(usize, Vec<Rank>)| {
            *worker < shared.members.len() && !ranks.is_empty()
        };
        if !self.portions.is_empty() || wanted.is_empty() || !wanted.iter().all(known) {
            return Err("rows were wanted that nobody has".to_owned());
        }
        for (worker, ranks) in wanted {
            shared.members[worker].settle();
            let mut portion = Portion { worker, waiting: ranks.into(), asked: 0, rows: Vec::new() };
            portion.ask(shared);
            self.portions.push(portion);
        }
        Ok(())
    }

    /// Takes in an answer, and delivers the rows when all are there. An answer that is none is told.
    pub(super) fn answered(
        &mut self,
        shared: &mut Shared,
        worker: usize,
        reply: Reply,
    ) -> Result<(), String> {
        let portion = self.portions.iter_mut().find(|portion| portion.worker == worker);
        let (Some(portion), Reply::Rows(rows)) = (portion, reply) else {
            return Ok(());
        };
        if rows.len() != portion.asked {
            return Err(format!("{} rows for {} ranks", rows.len(), portion.asked));
        }
        portion.rows.extend(rows);
        portion.ask(shared);
        if self.portions.iter().all(|portion| portion.asked == 0) {
            let rows = self.portions.drain(..).map(|portion| (portion.worker, portion.rows));
            shared.command(Command::Deliver(rows.collect()));
        }
        Ok(())
    }

    /// A worker has not answered. It may be lost, if there is nothing to be read from it.
    pub(super) fn failed(
        &self,
        shared: &mut Shared,
        worker: usize,
        error: CallError,
    ) -> Option<Loss> {
        if !self.reads_from(worker) {
            shared.members[worker].settle();
            return None;
        }
        shared.members[worker].failed(shared.now, error)
    }

    pub(super) fn tick(&mut self, shared: &mut Shared) {
        if self.beat > shared.now {
            return;
        }
        self.beat = shared.now + BEAT;
        let (level, incumbent) = (shared.level, shared.incumbent_cost());
        for worker in 0..shared.members.len() {
            if let (Some(fence), false) = (shared.fence, self.reads_from(worker)) {
                shared.members[worker].settle();
                let (wait, upkeep) = (Duration::ZERO, Upkeep::default());
                shared.call(worker, Request::Poll(Poll { fence, level, incumbent, wait, upkeep }));
            }
        }
    }

    pub(super) fn deadline(&self) -> Duration {
        self.beat
    }

    /// Whether rows of this worker are awaited.
    fn reads_from(&self, worker: usize) -> bool {
        self.portions.iter().any(|portion| portion.worker == worker && portion.asked > 0)
    }
}

impl Portion {
    /// Asks for the next ranks, as many as one call takes.
    fn ask(&mut self, shared: &mut Shared) {
        let ranks: Vec<Rank> = self.waiting.drain(..self.waiting.len().min(MAX_RANKS)).collect();
        self.asked = ranks.len();
        if let (Some(fence), false) = (shared.fence, ranks.is_empty()) {
            shared.call(self.worker, Request::Rows(fence, ranks));
        }
    }
}
