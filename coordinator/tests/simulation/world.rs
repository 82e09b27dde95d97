//! The simulated cluster: a queue of what happens when.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sokohive::cluster::job::{
    CallError, CallId, Command, Ending, Event, Job, Optima, Reply, Request, Settings, StopReason,
};
use sokohive_engine::{EstimateChoice, Objective, Rule, SearchChoice};
use sokohive_proto::{
    AllOptimal, AskEnds, Fence, Finish, JobKey, Level, Owners, Push, Refusal, Task, Trail,
};
use sokohive_worker::Shard;
use sokohive_worker::protocol::{Preparation, PushError, Retry};

use crate::durable::{Durable, Durably};
use crate::graph::Graph;
use crate::history::{History, JobRecord, LevelEnd};
use crate::levels::Forward;
use crate::network::Network;
use crate::node::{Node, Pending};
use crate::random::Random;
use crate::shard::{GraphShard, Kept};
use crate::walk::{Step, Walk};

/// Deadlines of calls and of pushes, as a driver would have them.
const CALL_DEADLINE: Duration = Duration::from_secs(1);
const PUSH_DEADLINE: Duration = Duration::from_millis(400);

/// More than any job needs.
const MOST_HAPPENINGS: u64 = 3_000_000;
const LONGEST: Duration = Duration::from_secs(4_000);

/// What there is to be proven on the graph of this number.
pub(crate) fn task(graph: usize) -> Task {
    Task {
        board: graph.to_string(),
        edge_is_wall: false,
        rule: Rule::Classic,
        objective: Objective::Moves,
        search: SearchChoice::Auto,
        estimate: EstimateChoice::Auto,
        dominance: true,
        deadlock_tables: true,
        memory: None,
        all: AllOptimal { break_ties: graph.is_multiple_of(2), ..AllOptimal::default() },
    }
}

/// Which push: job and epoch, receiver, sequence number.
type PushKey = (Fence, u16, u64);

pub(crate) enum Happening {
    Start,
    Request {
        worker: usize,
        job: usize,
        call: CallId,
        request: Request,
    },
    /// A long poll is over.
    Report {
        worker: usize,
        life: u64,
        job: usize,
        call: CallId,
        fence: Fence,
    },
    LaidOut {
        worker: usize,
        life: u64,
        fence: Fence,
    },
    Answer {
        job: usize,
        call: CallId,
        result: Result<Reply, CallError>,
    },
    Push {
        worker: usize,
        from: usize,
        life: u64,
        key: PushKey,
        push: Push,
    },
    PushAnswer {
        worker: usize,
        life: u64,
        key: PushKey,
        result: Result<bool, PushError>,
        attempt: u32,
    },
    PushAgain {
        worker: usize,
        life: u64,
        key: PushKey,
    },
    Step {
        worker: usize,
        life: u64,
    },
    Tick {
        job: usize,
    },
    Kill(usize),
    Revive(usize),
    Cut(usize),
    Heal(usize),
    Stop,
    /// What makes a job outlive its workers.
    Durable(Durably),
}

/// A job or an attempt, as its coordinator has it.
struct Run {
    /// `None` once it is over.
    job: Option<Job>,
    /// The nodes that take part.
    members: Vec<usize>,
    owners: Owners,
    walk: Option<Walk>,
    /// Whether the walk stands for comparing all best solutions.
    compares: bool,
    level: Option<(Fence, Level)>,
}

pub(crate) struct World {
    pub(crate) random: Random,
    network: Network,
    pub(crate) now: Duration,
    happened: u64,
    /// Ordered by time, then by order of planning.
    queue: BinaryHeap<Reverse<(Duration, u64)>>,
    planned: Vec<Option<Happening>>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) graphs: Vec<Arc<Graph>>,
    /// Each job or attempt.
    runs: Vec<Run>,
    /// Whether all jobs start at about the same time.
    rivals: bool,
    pub(crate) history: Arc<Mutex<History>>,
    /// Where one job outlives its workers.
    pub(crate) durable: Option<Durable>,
}

/// Runs the simulation of a seed: two jobs, with faults in the first.
pub(crate) fn simulate(seed: u64) -> History {
    run(World::new(seed, false))
}

/// Runs the simulation of a seed: jobs that start at about the same time and share workers.
pub(crate) fn simulate_rivals(seed: u64) -> History {
    let mut world = World::new(seed, false);
    world.rivals = true;
    let others = world.random.between(1, 2);
    for _ in 0..others {
        let within = [1, 2_000, 300_000][world.random.below(3) as usize];
        let after = Duration::from_micros(world.random.below(within));
        world.plan(after, Happening::Start);
    }
    world.graphs = (0..=others).map(|_| Arc::new(Graph::random(&mut world.random))).collect();
    run(world)
}

/// Runs the simulation of a seed: one job that outlives its workers and its coordinator.
pub(crate) fn simulate_durable(seed: u64) -> History {
    run(World::new(seed, true))
}

fn run(mut world: World) -> History {
    world.plan_faults();
    world.plan(Duration::ZERO, Happening::Start);
    world.run();
    let World { history, .. } = world;
    std::mem::take(&mut *history.lock().unwrap())
}

impl World {
    fn new(seed: u64, durable: bool) -> Self {
        let mut random = Random::new(seed);
        let workers = random.between(1, 5) as usize;
        let network = Network::random(&mut random);
        let graphs = if durable {
            let size = random.between(50, 600) as usize;
            let reach = [size, 8, 30][random.below(3) as usize];
            vec![Arc::new(Graph::of_size(&mut random, size, reach))]
        } else {
            (0..2).map(|_| Arc::new(Graph::random(&mut random))).collect()
        };
        let durable = durable.then(|| Durable::new(&mut random, workers));
        let disk = |worker: usize| durable.as_ref().map(|durable| durable.disk(worker));
        Self {
            network,
            now: Duration::ZERO,
            happened: 0,
            queue: BinaryHeap::new(),
            planned: Vec::new(),
            nodes: (0..workers).map(|worker| Node::new(worker, 0, disk(worker))).collect(),
            graphs,
            runs: Vec::new(),
            rivals: false,
            history: Arc::default(),
            durable,
            random,
        }
    }

    pub(crate) fn plan(&mut self, after: Duration, happening: Happening) {
        let number = self.planned.len() as u64;
        self.planned.push(Some(happening));
        self.queue.push(Reverse((self.now + after, number)));
    }

    /// Puts a message on the network; each copy is made anew.
    fn send(&mut self, mut copy: impl FnMut() -> Happening) {
        for delay in self.network.send(&mut self.random) {
            self.plan(delay, copy());
        }
    }

    fn plan_faults(&mut self) {
        if self.durable.is_some() || self.rivals {
            // They are planned for each attempt; rivals have each other.
            return;
        }
        let workers = self.nodes.len() as u64;
        let at = Duration::from_micros(self.random.between(1, 400_000));
        let worker = self.random.below(workers) as usize;
        match self.random.below(8) {
            0 => self.plan(at, Happening::Kill(worker)),
            1 => {
                self.plan(at, Happening::Kill(worker));
                let pause = Duration::from_millis(self.random.between(1, 3_000));
                self.plan(at + pause, Happening::Revive(worker));
            }
            2 => self.plan(at, Happening::Cut(worker)),
            3 => {
                // Shorter than it takes to be lost: the job goes on.
                self.plan(at, Happening::Cut(worker));
                let pause = Duration::from_millis(self.random.between(1, 3_000));
                self.plan(at + pause, Happening::Heal(worker));
            }
            4 => self.plan(at, Happening::Stop),
            _ => {}
        }
    }

    fn run(&mut self) {
        while let Some(Reverse((at, number))) = self.queue.pop() {
            self.now = at;
            self.happened += 1;
            if self.happened > MOST_HAPPENINGS || self.now > LONGEST {
                let note = format!("after {:?} and {} happenings", self.now, self.happened);
                self.history.lock().unwrap().given_up = Some(note);
                return;
            }
            if let Some(happening) = self.planned[number as usize].take() {
                self.happen(happening);
            }
            let history = self.history.lock().unwrap();
            if history.survival.answer.is_some() {
                return;
            }
            if self.durable.is_none()
                && history.jobs.len() == self.graphs.len()
                && history.jobs.iter().all(|job| job.ended.is_some())
            {
                return;
            }
        }
        self.history.lock().unwrap().given_up = Some("nothing is planned any more".to_owned());
    }

    fn happen(&mut self, happening: Happening) {
        match happening {
            Happening::Start => self.start(),
            Happening::Request { worker, job, call, request } => {
                if self.nodes[worker].reachable() {
                    self.request(worker, job, call, request);
                }
            }
            Happening::Report { worker, life, job, call, fence } => {
                let node = &mut self.nodes[worker];
                if node.alive && node.life == life {
                    let report = node.protocol.report(self.now, fence);
                    let reply = report.map(|report| Reply::Report(Box::new(report)));
                    self.answer(worker, job, call, reply);
                }
            }
            Happening::LaidOut { worker, life, fence } => self.laid_out(worker, life, fence),
            Happening::Answer { job, call, result } => {
                self.event(job, Event::Answered { call, result });
            }
            Happening::Push { worker, from, life, key, push } => {
                if self.nodes[worker].reachable() {
                    self.push(worker, from, life, key, push);
                }
            }
            Happening::PushAnswer { worker, life, key, result, attempt } => {
                if self.nodes[worker].alive && self.nodes[worker].life == life {
                    self.push_answer(worker, key, result, attempt);
                }
            }
            Happening::PushAgain { worker, life, key } => {
                if self.nodes[worker].alive && self.nodes[worker].life == life {
                    self.send_push(worker, key);
                }
            }
            Happening::Step { worker, life } => {
                let node = &mut self.nodes[worker];
                if node.alive && node.life == life {
                    node.stepping = false;
                    if let Some(shard) = &node.shard {
                        shard.step();
                    }
                    self.pump(worker);
                }
            }
            Happening::Tick { job } => self.event(job, Event::Tick),
            Happening::Kill(worker) => {
                self.strike(worker);
                self.nodes[worker].alive = false;
                self.history.lock().unwrap().survival.killed += 1;
            }
            Happening::Revive(worker) => {
                let node = &mut self.nodes[worker];
                if !node.alive {
                    *node = Node::new(worker, node.life + 1, node.disk.take());
                }
            }
            Happening::Cut(worker) => {
                self.strike(worker);
                self.nodes[worker].cut = true;
            }
            Happening::Heal(worker) => self.nodes[worker].cut = false,
            Happening::Stop => {
                let job = self.history.lock().unwrap().jobs.len() - 1;
                if job == 0 {
                    self.history.lock().unwrap().jobs[0].stopped = true;
                    self.event(job, Event::Stop(StopReason::Interrupt));
                }
            }
            Happening::Durable(happening) => self.happen_durably(happening),
        }
    }

    pub(crate) fn strike(&mut self, worker: usize) {
        let now = self.now;
        let mut history = self.history.lock().unwrap();
        if let Some(job) = history.jobs.last_mut() {
            job.struck.push((worker, now));
        }
    }

    /// Starts the next job. What faults have left behind is repaired first.
    fn start(&mut self) {
        if self.durable.is_some() {
            return self.start_attempt();
        }
        let number = self.history.lock().unwrap().jobs.len();
        if number > 0 && !self.rivals {
            // Faults that are still planned are for the first job.
            for happening in &mut self.planned {
                if matches!(
                    happening,
                    Some(
                        Happening::Kill(_)
                            | Happening::Cut(_)
                            | Happening::Stop
                            | Happening::Revive(_)
                    )
                ) {
                    *happening = None;
                }
            }
            for worker in 0..self.nodes.len() {
                self.nodes[worker].cut = false;
                if !self.nodes[worker].alive {
                    self.happen(Happening::Revive(worker));
                }
            }
        }
        let settings = Settings {
            key: JobKey::new(number as u64 + 1),
            name: number.to_string(),
            search: SearchChoice::Forward,
            every: None,
            checkpoint: None,
            last_epoch: 0,
            proven: None,
            task: task(number),
            workers: Vec::new(),
            expansions: None,
            levels: Box::new(Forward::default()),
        };
        let mut members: Vec<usize> = (0..self.nodes.len()).collect();
        if self.rivals {
            // In any order, and not always all of them.
            for place in (1..members.len()).rev() {
                members.swap(place, self.random.below(place as u64 + 1) as usize);
            }
            if self.random.permille(300) {
                members.truncate(self.random.between(1, members.len() as u64) as usize);
            }
        }
        self.begin(number, members, settings);
    }

    /// Starts a job or an attempt on some nodes.
    pub(crate) fn begin(&mut self, number: usize, members: Vec<usize>, settings: Settings) {
        let record = JobRecord {
            started: self.now,
            ended: None,
            optimum: self.graph(number).optimum,
            walked: None,
            compared: false,
            incumbents: Vec::new(),
            bounds: Vec::new(),
            struck: Vec::new(),
            stopped: false,
            members: members.clone(),
            searching: None,
            released: None,
        };
        self.history.lock().unwrap().jobs.push(record);
        let workers = members.iter().map(|worker| format!("worker-{worker}")).collect();
        let settings = Settings { workers, ..settings };
        let owners = Owners::even(members.len());
        let (job, commands) = Job::start(self.now, settings);
        self.runs.push(Run {
            job: Some(job),
            members,
            owners,
            walk: None,
            compares: false,
            level: None,
        });
        self.obey(number, commands);
    }

    /// The newest job or attempt, while it runs.
    pub(crate) fn newest(&mut self) -> Option<&mut Job> {
        self.runs.last_mut()?.job.as_mut()
    }

    /// Takes the newest job or attempt away.
    pub(crate) fn take_newest(&mut self) -> Option<Job> {
        self.runs.last_mut()?.job.take()
    }

    /// How many nodes take part in the newest job or attempt.
    pub(crate) fn newest_members(&self) -> usize {
        self.runs.last().map_or(0, |run| run.members.len())
    }

    /// The graph that a job searches.
    pub(crate) fn graph(&self, job: usize) -> Arc<Graph> {
        Arc::clone(&self.graphs[if self.durable.is_some() { 0 } else { job }])
    }

    pub(crate) fn event(&mut self, job: usize, event: Event) {
        let Some(machine) = &mut self.runs[job].job else {
            return;
        };
        let commands = machine.handle(self.now, event);
        let bound = machine.progress().lower_bound;
        self.history.lock().unwrap().jobs[job].bounds.push(bound);
        self.obey(job, commands);
    }

    fn obey(&mut self, job: usize, commands: Vec<Command>) {
        for command in commands {
            match command {
                Command::Call { worker, call, request } => {
                    let worker = self.runs[job].members[worker];
                    self.look(job, &request);
                    self.send(|| Happening::Request {
                        worker,
                        job,
                        call,
                        request: request.clone(),
                    });
                    let result = Err(CallError::Unreachable("deadline exceeded".to_owned()));
                    self.plan(CALL_DEADLINE, Happening::Answer { job, call, result });
                }
                Command::WalkBack(finish) => {
                    let graph = self.graph(job);
                    let mut walk = Walk::new(&graph, finish);
                    let step = walk.step(&graph, &self.runs[job].owners);
                    self.runs[job].walk = Some(walk);
                    self.walked(job, step);
                }
                Command::Compare(Optima { cost, ends, .. }) => {
                    let graph = self.graph(job);
                    let rank = *ends.first().expect("whoever found the best knows where");
                    let trail = Trail::Finished { keeper: 0, push_cost: 0 };
                    let mut walk = Walk::new(&graph, Finish { cost, rank, trail });
                    let step = walk.step(&graph, &self.runs[job].owners);
                    (self.runs[job].walk, self.runs[job].compares) = (Some(walk), true);
                    self.walked(job, step);
                }
                Command::Deliver(rows) => {
                    let graph = self.graph(job);
                    let Run { walk, owners, .. } = &mut self.runs[job];
                    if let Some(walk) = walk {
                        let step = walk.rows(&graph, owners, &rows);
                        self.walked(job, step);
                    }
                }
                Command::Commit(checkpoint) => self.write(job, checkpoint, false),
                Command::Conclude(ending) => self.conclude(job, &ending),
                Command::Note(_) => {}
                Command::End(ending) => self.end(job, ending),
            }
        }
        if let Some(at) = self.runs[job].job.as_ref().and_then(Job::deadline) {
            let after = at.saturating_sub(self.now).max(Duration::from_micros(10));
            self.plan(after, Happening::Tick { job });
        }
    }

    fn walked(&mut self, job: usize, step: Step) {
        match step {
            Step::Want(wanted) => self.event(job, Event::RowsWanted(wanted)),
            Step::Done(result) => {
                let told = result.as_ref().map(|_| ()).map_err(Clone::clone);
                let compares = self.runs[job].compares;
                let mut history = self.history.lock().unwrap();
                history.jobs[job].walked = Some(result);
                history.jobs[job].compared |= compares;
                drop(history);
                self.event(job, if compares { Event::Compared } else { Event::WalkedBack(told) });
            }
        }
    }

    /// Looks at what the coordinator asks for: what it claims by that.
    fn look(&mut self, job: usize, request: &Request) {
        let incumbent = match request {
            Request::Prepare(prepare) => return self.look_at_call(job, prepare.fence),
            Request::Restore(restore) => {
                self.runs[job].level = Some((restore.fence, restore.level));
                restore.incumbent
            }
            Request::OpenLevel(open) => {
                let level = self.runs[job].level;
                if level.is_none_or(|(_, level)| level.ordinal < open.level.ordinal) {
                    self.history.lock().unwrap().jobs[job].searching.get_or_insert(self.now);
                    self.level_ends(job, open.fence);
                    self.look_at_edge(job, open);
                    self.runs[job].level = Some((open.fence, open.level));
                }
                open.incumbent
            }
            Request::Poll(poll) => poll.incumbent,
            Request::Release { .. } => {
                let record = &mut self.history.lock().unwrap().jobs[job];
                if record.searching.is_some() {
                    record.released.get_or_insert(self.now);
                }
                return;
            }
            Request::Hello(_) | Request::Rows(..) | Request::Ends(_) => return,
        };
        self.history.lock().unwrap().jobs[job].incumbents.push(incumbent);
    }

    fn level_ends(&mut self, job: usize, fence: Fence) {
        let busy = (0..self.nodes.len()).filter(|&worker| {
            let shard = self.nodes[worker].shard.as_ref();
            shard.is_some_and(|shard| shard.fence == fence && shard.is_busy())
        });
        let busy = busy.collect();
        let mut history = self.history.lock().unwrap();
        let in_flight = history.in_flight(fence);
        let ordinal = self.runs[job].level.map_or(0, |(_, level)| level.ordinal);
        history.levels.push(LevelEnd { job, ordinal, busy, in_flight });
    }

    fn end(&mut self, job: usize, ending: Ending) {
        let level = self.runs[job].level;
        if let (Some((fence, _)), Ending::Optimal(_) | Ending::Unsolvable) = (level, &ending) {
            // The shards have been stopped by now, so only what was on its way can be seen.
            self.level_ends(job, fence);
        }
        self.history.lock().unwrap().jobs[job].ended = Some((self.now, ending.clone()));
        if self.durable.is_some() {
            return self.attempt_ended(job, ending);
        }
        self.runs[job].job = None;
        if !self.rivals && job + 1 < self.graphs.len() {
            self.plan(Duration::from_millis(1), Happening::Start);
        }
    }

    /// A call reaches a worker.
    fn request(&mut self, worker: usize, job: usize, call: CallId, request: Request) {
        let now = self.now;
        let node = &mut self.nodes[worker];
        let reply = match request {
            Request::Hello(segments) => self.hello(worker, &segments).map(Reply::Hello),
            Request::Prepare(prepare) => {
                let (fence, wait) = (prepare.fence, prepare.wait);
                match node.protocol.prepare(now, *prepare) {
                    Ok(Preparation::Ready) => Ok(Reply::Prepared { ready: true }),
                    Ok(Preparation::UnderWay) if self.rivals && !wait.is_zero() => {
                        // It is held back, or there would be no end of asking.
                        let result = Ok(Reply::Prepared { ready: false });
                        return self.plan(wait, Happening::Answer { job, call, result });
                    }
                    Ok(Preparation::UnderWay) => Ok(Reply::Prepared { ready: false }),
                    Ok(Preparation::LayOut { layout, stop }) => {
                        if let Some(shard) = stop {
                            shard.stop();
                        }
                        node.shard = None;
                        node.layout = Some(*layout);
                        let life = node.life;
                        // Longer than a coordinator may be silent, where that is what matters.
                        let longest = match self.rivals {
                            true => [50_000, 3_000_000, 15_000_000][self.random.below(3) as usize],
                            false => 50_000,
                        };
                        let time = Duration::from_micros(self.random.between(10, longest));
                        self.plan(time, Happening::LaidOut { worker, life, fence });
                        Ok(Reply::Prepared { ready: false })
                    }
                    Err(refusal) => Err(refusal),
                }
            }
            Request::Restore(restore) => {
                let (fence, wait) = (restore.fence, restore.wait);
                let restored = node.protocol.restore(now, *restore);
                self.wake(worker);
                return self.report_later(worker, job, call, restored, fence, wait);
            }
            Request::OpenLevel(open) => {
                let (fence, wait) = (open.fence, open.wait);
                let opened = node.protocol.open_level(now, open);
                let opened = self.see_to(worker, fence, opened);
                self.wake(worker);
                return self.report_later(worker, job, call, opened, fence, wait);
            }
            Request::Poll(poll) => {
                let (fence, wait) = (poll.fence, poll.wait);
                let polled = node.protocol.poll(now, poll);
                let polled = self.see_to(worker, fence, polled);
                self.wake(worker);
                return self.report_later(worker, job, call, polled, fence, wait);
            }
            Request::Rows(fence, ranks) => {
                node.protocol.shard(now, fence).map(|shard| Reply::Rows(shard.rows(&ranks)))
            }
            Request::Ends(AskEnds { fence, cost, after }) => {
                node.protocol.shard(now, fence).map(|shard| Reply::Ends(shard.ends(cost, after)))
            }
            Request::Release { fence, discard } => {
                let released = node.protocol.release(fence, discard);
                released.map(|released| self.released(worker, fence, released))
            }
        };
        self.answer(worker, job, call, reply);
    }

    fn report_later(
        &mut self,
        worker: usize,
        job: usize,
        call: CallId,
        taken: Result<(), Refusal>,
        fence: Fence,
        wait: Duration,
    ) {
        if let Err(refusal) = taken {
            return self.answer(worker, job, call, Err(refusal));
        }
        let life = self.nodes[worker].life;
        let longest = 1 + wait.as_micros() as u64;
        let idle = self.nodes[worker].shard.as_ref().is_some_and(|shard| !shard.has_work());
        let wait = Duration::from_micros(if idle { 0 } else { self.random.below(longest) });
        self.plan(wait, Happening::Report { worker, life, job, call, fence });
    }

    fn answer(&mut self, worker: usize, job: usize, call: CallId, reply: Result<Reply, Refusal>) {
        if self.nodes[worker].reachable() {
            let result = reply.map_err(CallError::Refused);
            self.send(|| Happening::Answer { job, call, result: result.clone() });
        }
    }

    fn laid_out(&mut self, worker: usize, life: u64, fence: Fence) {
        let node = &mut self.nodes[worker];
        let Some(layout) = node.layout.as_ref().filter(|layout| layout.fence == fence) else {
            return;
        };
        if !node.alive || node.life != life {
            return;
        }
        let layout = layout.clone();
        let kept =
            Kept { disk: node.disk.clone(), journal: layout.journal, restores: layout.restores };
        if let Some(disk) = &node.disk {
            let mut disk = disk.lock().unwrap();
            disk.epoch = disk.epoch.max(fence.epoch.get());
        }
        if layout.journal || layout.restores {
            self.discard(worker, fence.job, Some(fence.epoch), &layout.keep);
        }
        let number: usize = layout.task.board.parse().unwrap();
        let node = &mut self.nodes[worker];
        let shard = Arc::new(GraphShard::new(
            fence,
            layout.index.into(),
            layout.owners.clone(),
            Arc::clone(&self.graphs[number]),
            Arc::clone(&self.history),
            kept,
        ));
        if node.protocol.laid_out(fence, Ok(Arc::clone(&shard))).is_none() {
            node.shard = Some(shard);
        }
        self.wake(worker);
    }

    /// Sees to it that a worker with work does a step.
    pub(crate) fn wake(&mut self, worker: usize) {
        let node = &mut self.nodes[worker];
        if !node.stepping && node.shard.as_ref().is_some_and(|shard| shard.has_work()) {
            node.stepping = true;
            let life = node.life;
            let pause = Duration::from_micros(self.random.between(5, 2_000));
            self.plan(pause, Happening::Step { worker, life });
        }
    }

    /// Sends what is sealed, as far as there is room on the way.
    fn pump(&mut self, worker: usize) {
        let Some(shard) = self.nodes[worker].shard.clone() else {
            return;
        };
        let fence = shard.fence;
        let Some(layout) = self.nodes[worker].layout.clone() else {
            return;
        };
        for (peer, at) in (0..).zip(&layout.peers) {
            let receiver: usize = at.address.strip_prefix("worker-").unwrap().parse().unwrap();
            let mut sent = Vec::new();
            let node = &mut self.nodes[worker];
            while let Some(outgoing) = node.protocol.outgoing(fence, peer)
                && outgoing.has_room()
                && let Some(sealed) = shard.take(peer)
            {
                let sequence = outgoing.send(self.now, sealed.bytes.len());
                let key = (fence, peer, sequence);
                let push = Push {
                    fence,
                    level: sealed.level,
                    source: layout.index,
                    sequence,
                    batch: sealed.bytes,
                };
                let records = sealed.records;
                let pending = Pending {
                    push,
                    peer: receiver,
                    records,
                    failures: 0,
                    attempt: 0,
                    rests: false,
                };
                node.pending.insert(key, pending);
                sent.push(key);
            }
            sent.into_iter().for_each(|key| self.send_push(worker, key));
        }
        self.wake(worker);
    }

    fn send_push(&mut self, worker: usize, key: PushKey) {
        let node = &mut self.nodes[worker];
        let life = node.life;
        let cut = node.cut;
        let Some(pending) = node.pending.get_mut(&key) else {
            return;
        };
        pending.attempt += 1;
        pending.rests = false;
        let Pending { push, peer, attempt, .. } = pending.clone();
        if !cut {
            self.send(|| Happening::Push {
                worker: peer,
                from: worker,
                life,
                key,
                push: push.clone(),
            });
        }
        let result = Err(PushError::Unreachable("deadline exceeded".to_owned()));
        self.plan(PUSH_DEADLINE, Happening::PushAnswer { worker, life, key, result, attempt });
    }

    /// A push reaches a worker.
    fn push(&mut self, worker: usize, from: usize, life: u64, key: PushKey, push: Push) {
        let result = self.nodes[worker].protocol.push(push);
        {
            let mut history = self.history.lock().unwrap();
            match &result {
                Ok(true) => history.repeated += 1,
                Err(Refusal::OldEpoch { .. } | Refusal::OtherJob { .. } | Refusal::NoJob) => {
                    history.fenced += 1;
                }
                Ok(false) | Err(_) => {}
            }
        }
        self.wake(worker);
        let result = result.map_err(PushError::Refused);
        self.send(|| Happening::PushAnswer {
            worker: from,
            life,
            key,
            result: result.clone(),
            attempt: u32::MAX,
        });
    }

    fn push_answer(
        &mut self,
        worker: usize,
        key: PushKey,
        result: Result<bool, PushError>,
        attempt: u32,
    ) {
        let (fence, peer, sequence) = key;
        let node = &mut self.nodes[worker];
        let life = node.life;
        let Some(pending) = node.pending.get_mut(&key) else {
            return;
        };
        // A deadline counts only for the latest sending.
        if attempt != u32::MAX && attempt != pending.attempt {
            return;
        }
        let Some(outgoing) = node.protocol.outgoing(fence, peer) else {
            node.pending.remove(&key);
            return;
        };
        match result {
            Ok(_) => {
                outgoing.acknowledged(self.now, sequence, pending.records);
                node.pending.remove(&key);
            }
            // Each copy of a push is answered, but it is sent again once.
            Err(_) if pending.rests => return,
            Err(error) => {
                pending.rests = true;
                pending.failures += 1;
                match outgoing.failed(self.now, pending.failures, error) {
                    Retry::After(pause) => {
                        self.plan(pause, Happening::PushAgain { worker, life, key });
                    }
                    Retry::Never => {
                        node.pending.remove(&key);
                    }
                }
            }
        }
        self.pump(worker);
    }
}
