//! Workers on free ports, and jobs on them.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use sokohive::cluster::job::{Levels, Optima, Settings, StopReason};
use sokohive::cluster::{Drive, Plan, ReadRows};
use sokohive_engine::{
    Control, EstimateChoice, Moves, Objective, Reached, Rule, SearchChoice, Solution,
};
use sokohive_proto::{
    AllOptimal, Ends, Epoch, Finish, JobKey, JobResult, Level, Owners, Rank, Refusal, Row,
    Security, Segment, SegmentName, Task, Token,
};
use sokohive_worker::protocol::Layout;
use sokohive_worker::{
    Foundry, OfferError, Options, Restoration, Sealed, Shard, ShardStatus, Wake, serve,
};
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use crate::disk::Disk;
use crate::graph::Graph;
use crate::levels::Forward;
use crate::random::Random;
use crate::shard::{GraphShard, Kept};
use crate::walk::{Step, Walk};

/// The graph of a seed, which is the text of the task's board.
pub(crate) fn graph(seed: u64) -> Graph {
    Graph::random(&mut Random::new(seed))
}

/// Lays out shards that search graphs, each on a thread.
pub(crate) struct Graphs {
    /// Pause after every step.
    pub(crate) pause: Duration,
    /// Where journals are kept.
    pub(crate) disk: Option<Arc<Mutex<Disk>>>,
}

pub(crate) struct Running {
    shard: Arc<GraphShard>,
    wake: Wake,
    over: Arc<AtomicBool>,
}

impl Foundry for Graphs {
    type Shard = Running;

    fn lay_out(&self, layout: &Layout, wake: Wake) -> Result<Running, Refusal> {
        let seed =
            layout.task.board.parse().map_err(|_| Refusal::BadBoard("no seed".to_owned()))?;
        let shard = Arc::new(GraphShard::new(
            layout.fence,
            layout.index.into(),
            layout.owners.clone(),
            Arc::new(graph(seed)),
            Arc::default(),
            Kept { disk: self.disk.clone(), journal: layout.journal, restores: layout.restores },
        ));
        let over = Arc::new(AtomicBool::new(false));
        let running = Running { shard: shard.clone(), wake: wake.clone(), over: over.clone() };
        let pause = self.pause;
        thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                if shard.has_work() {
                    shard.step();
                    wake();
                    thread::sleep(pause);
                } else {
                    thread::sleep(Duration::from_micros(50));
                }
            }
        });
        Ok(running)
    }
    fn keeps_journal(&self) -> bool {
        self.disk.is_some()
    }
    fn present(&self, segments: &[Segment]) -> Vec<bool> {
        match &self.disk {
            Some(disk) => disk.lock().unwrap().present(segments),
            None => vec![false; segments.len()],
        }
    }
    fn remove(&self, names: &[SegmentName]) {
        if let Some(disk) = &self.disk {
            disk.lock().unwrap().files.retain(|name, _| !names.contains(name));
        }
    }
    fn discard(&self, job: JobKey, before: Option<Epoch>, keep: &[SegmentName]) {
        if let Some(disk) = &self.disk {
            disk.lock().unwrap().discard(job, before, keep);
        }
    }
}

impl Shard for Running {
    fn restore(&self, restoration: Restoration) {
        self.shard.restore(restoration);
    }
    fn sync(&self) -> Result<(), String> {
        self.shard.sync()
    }
    fn compact(&self) {
        self.shard.compact();
    }

    fn open_level(&self, level: Level, incumbent: Option<u32>) {
        self.shard.open_level(level, incumbent);
    }
    fn lower_incumbent(&self, cost: u32) {
        self.shard.lower_incumbent(cost);
    }
    fn offer(&self, batch: Vec<u8>) -> Result<(), OfferError> {
        let result = self.shard.offer(batch);
        (self.wake)();
        result
    }
    fn take(&self, peer: u16) -> Option<Sealed> {
        self.shard.take(peer)
    }
    fn status(&self) -> ShardStatus {
        self.shard.status()
    }
    fn rows(&self, ranks: &[Rank]) -> Vec<Row> {
        self.shard.rows(ranks)
    }
    fn ends(&self, cost: u32, after: Option<Rank>) -> Ends {
        self.shard.ends(cost, after)
    }
    fn stop(&self) {
        self.over.store(true, Ordering::Relaxed);
        self.shard.stop();
    }
}

/// A graph as the coordinator knows it.
struct GraphPlan {
    graph: Graph,
    workers: usize,
    walked: Walked,
}

impl Plan for GraphPlan {
    fn shard(&self, rank: Rank) -> usize {
        let vertex = u32::from_le_bytes(rank.to_le_bytes()[..4].try_into().unwrap());
        crate::shard::virtual_shard(vertex)
    }

    fn search(&self) -> SearchChoice {
        SearchChoice::Forward
    }

    fn levels(&self) -> Box<dyn Levels> {
        Box::new(Forward::default())
    }

    fn levels_from(&self, reached: Reached) -> Box<dyn Levels> {
        Box::new(Forward::from(reached))
    }

    fn walk_back(&self, finish: Finish, rows: &mut ReadRows<'_>) -> Result<Moves, String> {
        let owners = Owners::even(self.workers);
        let mut walk = Walk::new(&self.graph, finish);
        let mut step = walk.step(&self.graph, &owners);
        loop {
            match step {
                Step::Done(result) => {
                    *self.walked.lock().unwrap() = Some(result?);
                    return Ok(Moves::default());
                }
                Step::Want(wanted) => {
                    let ranks: Vec<Rank> =
                        wanted.iter().flat_map(|(_, ranks)| ranks.clone()).collect();
                    let mut read = rows(&ranks)?.into_iter();
                    let found: Vec<(usize, Vec<Row>)> = wanted
                        .iter()
                        .map(|(worker, ranks)| (*worker, read.by_ref().take(ranks.len()).collect()))
                        .collect();
                    step = walk.rows(&self.graph, &owners, &found);
                }
            }
        }
    }

    fn compare(&self, _: &Optima, _: &Control, _: &mut ReadRows<'_>) -> Result<Solution, String> {
        Err("paths of graphs are not compared".to_owned())
    }
}

/// What workers are told here, but for their address.
pub(crate) fn options() -> Options {
    Options {
        advertise: String::new(),
        memory: 1 << 30,
        threads: 1,
        data_dir: None,
        coordinator: None,
        security: Security::none(),
        token: None,
        metrics: None,
    }
}

/// A worker in this process.
pub(crate) struct Worker {
    pub(crate) address: SocketAddr,
    task: JoinHandle<()>,
    shutdown: Option<oneshot::Sender<()>>,
}

impl Worker {
    pub(crate) async fn start(pause: Duration) -> Self {
        Self::start_at(SocketAddr::from(([127, 0, 0, 1], 0)), pause).await
    }

    pub(crate) async fn start_at(address: SocketAddr, pause: Duration) -> Self {
        Self::start_with(address, pause, options()).await
    }

    pub(crate) async fn start_secured(pause: Duration, security: Security) -> Self {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        Self::start_with(any, pause, Options { security, ..options() }).await
    }

    pub(crate) async fn start_registering(coordinator: &str, token: Option<Token>) -> Self {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let coordinator = Some(coordinator.to_owned());
        Self::start_with(any, Duration::ZERO, Options { coordinator, token, ..options() }).await
    }

    pub(crate) async fn start_keeping(data_dir: &Path) -> Self {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let data_dir = Some(data_dir.to_owned());
        Self::start_with(any, Duration::ZERO, Options { data_dir, ..options() }).await
    }

    async fn start_with(address: SocketAddr, pause: Duration, options: Options) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let options = Options { advertise: address.to_string(), ..options };
        let (shutdown, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(async move {
            let stopped = async {
                let _ = stopped.await;
            };
            serve(listener, Graphs { pause, disk: None }, options, stopped).await.unwrap();
        });
        Self { address, task, shutdown: Some(shutdown) }
    }

    /// Ends in good order.
    pub(crate) async fn stop(mut self) {
        self.shutdown.take().unwrap().send(()).unwrap();
        self.task.await.unwrap();
    }
}

pub(crate) async fn start_workers(count: usize, pause: Duration) -> Vec<Worker> {
    let mut workers = Vec::new();
    for _ in 0..count {
        workers.push(Worker::start(pause).await);
    }
    workers
}

pub(crate) fn addresses(workers: &[Worker]) -> Vec<String> {
    workers.iter().map(|worker| worker.address.to_string()).collect()
}

pub(crate) fn task(seed: u64) -> Task {
    Task {
        board: seed.to_string(),
        edge_is_wall: false,
        rule: Rule::Classic,
        objective: Objective::Moves,
        search: SearchChoice::Forward,
        estimate: EstimateChoice::Nearest,
        dominance: true,
        deadlock_tables: true,
        memory: None,
        all: AllOptimal::default(),
    }
}

/// Stops a job.
pub(crate) type Stop = watch::Sender<Option<StopReason>>;

/// Cost of the path that was walked back to.
pub(crate) type Walked = Arc<Mutex<Option<u32>>>;

/// A job on workers, with the means to stop it.
pub(crate) fn drive(seed: u64, workers: Vec<String>) -> (Drive, Stop, Walked) {
    let walked = Arc::default();
    let plan =
        GraphPlan { graph: graph(seed), workers: workers.len(), walked: Arc::clone(&walked) };
    let settings = Settings {
        key: JobKey::random(),
        name: seed.to_string(),
        search: SearchChoice::Forward,
        every: None,
        checkpoint: None,
        last_epoch: 0,
        proven: None,
        task: task(seed),
        workers,
        expansions: None,
        levels: plan.levels(),
    };
    let (stop, stopped) = watch::channel(None);
    let (security, plan) = (Security::none(), Arc::new(plan));
    let drive = Drive { settings, security, timeout: None, plan, stop: stopped, manifest: None };
    (drive, stop, walked)
}

/// Runs a job to its end; the cost of the path walked back to goes with it.
pub(crate) async fn run(seed: u64, workers: Vec<String>) -> (JobResult, Option<u32>) {
    let (drive, stop, walked) = drive(seed, workers);
    let result = drive.run(|_| {}, |_| {}).await;
    drop(stop);
    let walked = *walked.lock().unwrap();
    (result, walked)
}
