//! Runs a [`Job`]: makes its calls, keeps its clock, walks back along its solution, and compares all of them.
//!
//! One task owns the job and hears of everything through one channel; it never waits for anything
//! but that channel and the clock.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sokohive_engine::{Control, Moves, SearchChoice, Solution, Statistics, Stop};
use sokohive_proto::{
    AllOptimal, Checkpoint, ClusterFailure, Epoch, Fence, Finish, JobEnding, JobProgress,
    JobResult, Level, Optimum, Owners, Rank, Row, Security, Traffic,
};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;
use tracing::{Instrument, Span, debug, info, info_span};

use super::job::{Command, Ending, Event, Job, Optima, Settings, StopReason};
use super::link::Link;
use super::plan::Plan;
use super::scribe::Scribe;

/// How often progress is told at most.
const PROGRESS: Duration = Duration::from_millis(50);

/// What a job is run with.
pub struct Drive {
    /// What the job is made of.
    pub settings: Settings,
    /// How the workers are connected to.
    pub security: Security,
    /// Longest time to search.
    pub timeout: Option<Duration>,
    /// The board.
    pub plan: Arc<dyn Plan>,
    /// Set when the job is to stop.
    pub stop: watch::Receiver<Option<StopReason>>,
    /// File of the manifest, where the settings ask for checkpoints.
    pub manifest: Option<PathBuf>,
}

/// How an attempt at a job went.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// How it ended.
    pub result: JobResult,
    /// The newest checkpoint whose manifest it has written.
    pub saved: Option<Arc<Checkpoint>>,
    /// The epoch that it ran under, 0 if it did not come to that.
    pub epoch: u64,
    /// Levels opened, those of the checkpoint included.
    pub levels: u64,
}

/// What the driver hears.
enum News {
    Event(Event),
    /// The walk wants rows.
    RowsWanted {
        ranks: Vec<Rank>,
        answer: oneshot::Sender<Vec<Row>>,
    },
    WalkedBack(Result<Moves, String>),
    Compared(Result<Solution, String>),
}

impl Drive {
    /// Runs the job to its end. Needs a tokio runtime with time and I/O around it. `note` is told, for
    /// people, which workers are waited for, and why.
    pub async fn run(
        self,
        progress: impl FnMut(JobProgress),
        note: impl FnMut(String),
    ) -> JobResult {
        self.attempt(progress, note).await.result
    }

    /// Runs the job to its end, as [`Drive::run`] does, and says how far it got.
    pub async fn attempt(
        self,
        mut progress: impl FnMut(JobProgress),
        mut note: impl FnMut(String),
    ) -> Attempt {
        let Self { settings, security, timeout, plan, mut stop, manifest } = self;
        let start = Instant::now();
        let links: Result<Vec<Link>, _> =
            settings.workers.iter().map(|address| Link::new(address, &security)).collect();
        let links = match links {
            Ok(links) => links,
            Err(error) => {
                let result = failed_early(error.to_string());
                return Attempt { result, saved: None, epoch: 0, levels: 0 };
            }
        };
        let scribe = Scribe::new(manifest);
        let owners = Owners::even(links.len());
        let all = settings.task.all;
        let (sender, mut news) = mpsc::unbounded_channel();
        let (job, commands) = Job::start(Duration::ZERO, settings);
        let mut driver = Driver {
            start,
            job,
            links,
            plan,
            owners,
            news: sender,
            scribe,
            wanted: None,
            solution: None,
            all,
            comparison: Control::new(),
            place: (None, None),
            span: Span::current(),
            notes: Vec::new(),
        };
        let mut end = driver.obey(commands);
        let time_is_up = async {
            match timeout {
                Some(timeout) => tokio::time::sleep(timeout).await,
                None => std::future::pending().await,
            }
        };
        let stopped = async {
            let reason = stop.wait_for(Option::is_some).await.ok().and_then(|reason| *reason);
            match reason {
                Some(reason) => reason,
                // Nobody is left who could wish for it.
                None => std::future::pending().await,
            }
        };
        tokio::pin!(time_is_up, stopped);
        let (mut may_time_out, mut may_stop) = (true, true);
        let mut told = Duration::ZERO;
        let ending = loop {
            if let Some(ending) = end {
                break ending;
            }
            let deadline = driver.job.deadline().map_or(start, |at| start + at);
            let event = tokio::select! {
                // What has happened counts before what is to be.
                biased;
                Some(news) = news.recv() => driver.hear(news),
                () = &mut time_is_up, if may_time_out => {
                    may_time_out = false;
                    Some(Event::Stop(StopReason::Time))
                }
                reason = &mut stopped, if may_stop => {
                    may_stop = false;
                    Some(Event::Stop(reason))
                }
                () = tokio::time::sleep_until(deadline) => Some(Event::Tick),
            };
            end = event.and_then(|event| driver.event(event));
            driver.notes.drain(..).for_each(&mut note);
            if told + PROGRESS <= start.elapsed() {
                told = start.elapsed();
                progress(driver.job.progress());
            }
        };
        let result = driver.result(&ending);
        // Nobody waits for it any more, if it still goes on.
        driver.comparison.stop(Stop::Interrupt);
        let epoch = driver.job.epoch().map_or(0, Epoch::get);
        let levels = driver.job.levels_opened();
        // What is being written is waited for: nobody else may write there meanwhile.
        let saved = driver.scribe.finish().await;
        Attempt { result, saved, epoch, levels }
    }
}

struct Driver {
    start: Instant,
    job: Job,
    links: Vec<Link>,
    plan: Arc<dyn Plan>,
    owners: Owners,
    /// Unbounded, but bounded by what is asked for: one answer a worker, one wish of the walk.
    news: mpsc::UnboundedSender<News>,
    scribe: Scribe,
    /// The rows that the walk waits for.
    wanted: Option<Wanted>,
    /// What has been walked back to, or is the best of all.
    solution: Option<Solution>,
    /// What is asked of all optimal solutions.
    all: AllOptimal,
    /// The handle to stop the comparison by.
    comparison: Control,
    /// Where the job stands, and the span that its logs are told with.
    place: (Option<Fence>, Option<Level>),
    span: Span,
    /// What people are to be told.
    notes: Vec<String>,
}

/// Rows that the walk waits for, or the comparison.
struct Wanted {
    /// For each row wanted, its worker.
    workers: Vec<usize>,
    answer: oneshot::Sender<Vec<Row>>,
}

impl Driver {
    fn event(&mut self, event: Event) -> Option<Ending> {
        let commands = self.job.handle(self.start.elapsed(), event);
        self.locate();
        let _inside = self.span.clone().entered();
        self.obey(commands)
    }

    /// Has logs told with the epoch and the level that they are about.
    fn locate(&mut self) {
        let place = self.job.place();
        if place == self.place {
            return;
        }
        self.place = place;
        let (Some(fence), level) = place else { return };
        let (job, epoch) = (fence.job, fence.epoch);
        self.span = match level {
            Some(level) => info_span!("level", %job, %epoch, level = level.ordinal),
            None => info_span!("attempt", %job, %epoch),
        };
        match level {
            Some(level) => {
                debug!(parent: &self.span, f = level.f, side = ?level.side, "level opened");
            }
            None => info!(parent: &self.span, "{} workers have been met", self.links.len()),
        }
    }

    fn obey(&mut self, commands: Vec<Command>) -> Option<Ending> {
        let mut ending = None;
        for command in commands {
            match command {
                Command::Call { worker, call, request } => {
                    let (link, news) = (self.links[worker].clone(), self.news.clone());
                    let calling = async move {
                        let result = link.call(request).await;
                        if let Err(error) = &result {
                            debug!(worker, "a call brought no answer: {error}");
                        }
                        let _ = news.send(News::Event(Event::Answered { call, result }));
                    };
                    tokio::spawn(calling.in_current_span());
                }
                Command::WalkBack(finish) => self.walk_back(finish),
                Command::Compare(optima) => self.compare(optima),
                Command::Deliver(rows) => self.deliver(rows),
                Command::Commit(checkpoint) => {
                    let news = self.news.clone();
                    self.scribe.write(checkpoint, move |result| {
                        let _ = news.send(News::Event(Event::Committed(result)));
                    });
                }
                Command::Conclude(end) => self.conclude(&end),
                Command::Note(text) => self.notes.push(text),
                Command::End(end) => ending = Some(end),
            }
        }
        ending
    }

    fn hear(&mut self, news: News) -> Option<Event> {
        match news {
            News::Event(event) => Some(event),
            News::RowsWanted { ranks, answer } => {
                let shards = self.owners.as_slice();
                let owner =
                    |&rank: &Rank| usize::from(shards[self.plan.shard(rank) % shards.len()]);
                let workers: Vec<usize> = ranks.iter().map(owner).collect();
                let mut by_worker: Vec<(usize, Vec<Rank>)> = Vec::new();
                for (&worker, &rank) in workers.iter().zip(&ranks) {
                    match by_worker.iter_mut().find(|(other, _)| *other == worker) {
                        Some((_, ranks)) => ranks.push(rank),
                        None => by_worker.push((worker, vec![rank])),
                    }
                }
                self.wanted = Some(Wanted { workers, answer });
                Some(Event::RowsWanted(by_worker))
            }
            News::WalkedBack(result) => {
                let told = result.as_ref().map(|_| ()).map_err(Clone::clone);
                self.solution = result.ok().map(Solution::new);
                Some(Event::WalkedBack(told))
            }
            News::Compared(result) => {
                match result {
                    Ok(best) => self.compared(best),
                    Err(reason) => {
                        info!("the optimal solutions have not been compared: {reason}");
                    }
                }
                Some(Event::Compared)
            }
        }
    }

    /// Walks back on a thread of its own, as that waits for rows.
    fn walk_back(&mut self, finish: Finish) {
        let (plan, news) = (Arc::clone(&self.plan), self.news.clone());
        tokio::task::spawn_blocking(move || {
            let result = plan.walk_back(finish, &mut |ranks| read(&news, ranks));
            let _ = news.send(News::WalkedBack(result));
        });
    }

    /// Compares on a thread of its own, too.
    fn compare(&self, optima: Optima) {
        debug!("{} box sets in which optimal solutions were found", optima.ends.len());
        let (plan, news) = (Arc::clone(&self.plan), self.news.clone());
        let control = self.comparison.clone();
        tokio::task::spawn_blocking(move || {
            let result = plan.compare(&optima, &control, &mut |ranks| read(&news, ranks));
            let _ = news.send(News::Compared(result));
        });
    }

    /// Takes over as much of what the comparison has come to as was asked for.
    fn compared(&mut self, best: Solution) {
        let AllOptimal { count, break_ties } = self.all;
        if let Some(solution) = &mut self.solution {
            if break_ties {
                (solution.moves, solution.tie) = (best.moves, best.tie);
            }
            solution.count = best.count.filter(|_| count);
        }
    }

    fn deliver(&mut self, rows: Vec<(usize, Vec<Row>)>) {
        let Some(Wanted { workers, answer }) = self.wanted.take() else {
            return;
        };
        let mut by_worker: Vec<_> =
            rows.into_iter().map(|(worker, rows)| (worker, rows.into_iter())).collect();
        let mut next = |worker: usize| {
            let (_, rows) = by_worker.iter_mut().find(|(other, _)| *other == worker)?;
            rows.next()
        };
        let ordered: Option<Vec<Row>> = workers.into_iter().map(&mut next).collect();
        if let Some(ordered) = ordered {
            // The walk may have ended meanwhile.
            let _ = answer.send(ordered);
        }
    }

    /// Writes the result down, beside what is known of the job.
    fn conclude(&self, ending: &Ending) {
        let news = self.news.clone();
        let told = move |result| {
            let _ = news.send(News::Event(Event::Concluded(result)));
        };
        match self.job.saved() {
            Some(saved) => {
                let result = Some(self.result(ending));
                let concluded = Checkpoint { result, ..Checkpoint::clone(saved) };
                self.scribe.write(Arc::new(concluded), told);
            }
            None => told(Err("nothing has been kept".to_owned())),
        }
    }

    fn result(&self, ending: &Ending) -> JobResult {
        let ending = told(ending, self.solution.as_ref(), self.job.progress().lower_bound);
        let (statistics, traffic) = self.job.statistics();
        let (states, threads) = self.job.shares();
        JobResult {
            ending,
            search: self.plan.search(),
            statistics,
            traffic,
            elapsed: self.start.elapsed(),
            states,
            threads,
        }
    }
}

/// Reads rows for a walk, by way of the driver.
fn read(news: &mpsc::UnboundedSender<News>, ranks: &[Rank]) -> Result<Vec<Row>, String> {
    if ranks.is_empty() {
        return Ok(Vec::new());
    }
    let (answer, rows) = oneshot::channel();
    let wish = News::RowsWanted { ranks: ranks.to_vec(), answer };
    let over = || "the job is over".to_owned();
    news.send(wish).map_err(|_| over())?;
    rows.blocking_recv().map_err(|_| over())
}

/// An ending as clients are told it, with the solution that was walked back to.
fn told(ending: &Ending, solution: Option<&Solution>, level: u32) -> JobEnding {
    match (ending, solution) {
        (Ending::Optimal(_), Some(Solution { moves, tie, count })) => {
            JobEnding::Optimal(Optimum { moves: moves.to_string(), tie: *tie, count: *count })
        }
        // Nothing is proven that cannot be shown.
        (Ending::Optimal(_), None) => JobEnding::Failed(ClusterFailure {
            worker: None,
            level,
            reason: "internal error: a solution without moves".to_owned(),
            retryable: false,
            saved: None,
        }),
        (Ending::Unsolvable, _) => {
            JobEnding::Unsolvable("every reachable state was searched".to_owned())
        }
        (&Ending::Limit { limit, lower_bound, .. }, best) => {
            let best = best.map(|best| best.moves.to_string());
            JobEnding::Limit { limit, lower_bound, best }
        }
        (Ending::Failed(failure), _) => JobEnding::Failed(failure.clone()),
    }
}

/// The result of a job that cannot even begin.
pub(super) fn failed_early(reason: String) -> JobResult {
    let failure = ClusterFailure { worker: None, level: 0, reason, retryable: false, saved: None };
    ended_early(JobEnding::Failed(failure))
}

/// The result of a job that needs no workers.
pub(super) fn ended_early(ending: JobEnding) -> JobResult {
    JobResult {
        ending,
        search: SearchChoice::Auto,
        statistics: Statistics::default(),
        traffic: Traffic::default(),
        elapsed: Duration::ZERO,
        states: Vec::new(),
        threads: 0,
    }
}

#[cfg(test)]
mod tests {
    use sokohive_proto::Trail;

    use super::*;

    #[test]
    fn a_solution_without_moves_is_no_proof() {
        let rank = Rank::from_le_bytes([0; 32]);
        let ending = Ending::Optimal(Finish { cost: 7, rank, trail: Trail::Meeting });
        let solution = Solution::new("r".parse().unwrap());
        let optimal = JobEnding::Optimal(Optimum::any("r".to_owned()));
        assert_eq!(told(&ending, Some(&solution), 7), optimal);
        assert!(matches!(told(&ending, None, 7), JobEnding::Failed(failure) if failure.level == 7));
    }
}
