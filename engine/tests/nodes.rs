//! Nodes without a network: batches are carried by hand, and every board comes out as in one process.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use sokohive_engine::{
    Course, FoundFinish, JournalPlace, Level, LevelChoice, Navigator, Next, Node, NodeError,
    NodeStatus, OfferError, Reached, Rule, SearchChoice, Segment, Share, Statistics,
    VIRTUAL_SHARDS, builtin, verify_strict,
};

/// Nodes and the one who drives them.
struct Cluster {
    nodes: Vec<Arc<Node>>,
    navigator: Navigator,
    woken: Receiver<()>,
}

/// What a search on a cluster came to.
struct Answer {
    moves: Option<usize>,
    statistics: Vec<Statistics>,
    bytes: u64,
    records: u64,
}

/// Where a search on a cluster was left, between two levels.
struct Left {
    reached: Reached,
    best: Option<FoundFinish>,
    segments: Vec<Segment>,
}

impl Cluster {
    fn new(level: &Level, course: Course, count: usize, threads: usize) -> Result<Self, NodeError> {
        Self::with_journal(level, course, (count, threads), None, false)
    }

    /// Nodes that keep journals in a folder, named after the attempt.
    fn with_journal(
        level: &Level,
        course: Course,
        (count, threads): (usize, usize),
        journal: Option<(&Path, u32)>,
        restores: bool,
    ) -> Result<Self, NodeError> {
        let (wake, woken): (Sender<()>, _) = channel();
        let owners: Vec<u16> = (0..VIRTUAL_SHARDS).map(|shard| (shard % count) as u16).collect();
        let node = |me: usize| {
            let share = Share {
                owners: owners.clone(),
                me: me as u16,
                nodes: count,
                memory: 1 << 30,
                threads,
                journal: journal.map(|(directory, attempt)| JournalPlace {
                    directory: directory.to_owned(),
                    prefix: format!("{attempt}-{me}"),
                }),
                restores,
                spill: None,
            };
            let wake = wake.clone();
            Node::start(level, course, share, move || _ = wake.send(())).map(Arc::new)
        };
        let nodes = (0..count).map(node).collect::<Result<_, _>>()?;
        Ok(Self { nodes, navigator: Navigator::new(level, course)?, woken })
    }

    fn solve(&self, level: &Level, rule: Rule) -> Answer {
        let mut levels = self.navigator.levels();
        let mut answer = Answer { moves: None, statistics: Vec::new(), bytes: 0, records: 0 };
        let Ok(best) = self.search(&mut levels, None, u64::MAX, &mut answer) else {
            unreachable!("nobody has so many levels")
        };
        self.finish(level, rule, best, &mut answer);
        answer
    }

    /// Hands the segments of other attempts out, one to each node in turn.
    fn restore(&self, directory: &Path, left: &Left) {
        let count = self.nodes.len();
        for (me, node) in self.nodes.iter().enumerate() {
            let mine = left.segments.iter().skip(me).step_by(count).cloned().collect();
            node.restore(directory, mine, left.reached.closed);
        }
    }

    /// Waits until all nodes are idle and nothing is on its way.
    fn wait_until_quiet(&self, answer: &mut Answer) -> Vec<NodeStatus> {
        let mut quiet_before = None;
        loop {
            let moved = self.carry(&mut answer.bytes, &mut answer.records);
            let status: Vec<_> = self.nodes.iter().map(|node| node.status()).collect();
            for s in &status {
                assert!(s.fault.is_none() && !s.memory_exhausted, "{:?}", s.fault);
            }
            let sums = (
                status.iter().map(|s| s.sealed).sum::<u64>(),
                status.iter().map(|s| s.applied).sum::<u64>(),
            );
            let quiet = status.iter().all(|s| s.idle) && sums.0 == sums.1 && !moved;
            if quiet && quiet_before == Some(sums) {
                return status;
            }
            quiet_before = quiet.then_some(sums);
            if !quiet {
                let _ = self.woken.recv_timeout(Duration::from_millis(2));
            }
        }
    }

    /// Searches to the end, or until so many levels are over.
    fn search(
        &self,
        levels: &mut LevelChoice,
        mut best: Option<FoundFinish>,
        most_levels: u64,
        answer: &mut Answer,
    ) -> Result<Option<FoundFinish>, Left> {
        loop {
            let status = self.wait_until_quiet(answer);
            for found in status.iter().filter_map(|s| s.best) {
                if best.is_none_or(|best| found.cost < best.cost) {
                    best = Some(found);
                }
            }
            let next = [0, 1].map(|side| {
                let waiting = status.iter().filter_map(|s| s.next[side]);
                let f = waiting.clone().map(|next| next.f).min()?;
                let rows = waiting.filter(|next| next.f == f).map(|next| next.rows).sum();
                Some(Next { f, rows })
            });
            let reached = levels.level_is_over(next, best.map(|best| best.cost));
            if reached.levels >= most_levels {
                let journals = status.into_iter().filter_map(|s| s.journal);
                let segments = journals.flat_map(|journal| journal.segments).collect();
                return Err(Left { reached, best, segments });
            }
            let next = levels.advance(next, best.map(|best| best.cost));
            let Some((side, f)) = next else { return Ok(best) };
            for node in &self.nodes {
                node.open_level(side, f, best.map(|best| best.cost));
            }
        }
    }

    fn finish(&self, level: &Level, rule: Rule, best: Option<FoundFinish>, answer: &mut Answer) {
        answer.moves = best.map(|finish| {
            let rows = |sets: &[_]| -> Result<_, std::convert::Infallible> {
                let owner = |set| self.navigator.virtual_shard(set) % self.nodes.len();
                Ok(sets.iter().map(|set| self.nodes[owner(set)].rows(&[*set]).remove(0)).collect())
            };
            let moves = self.navigator.walk_back(finish, rows).expect("the rows explain the cost");
            assert_eq!(moves.len(), finish.cost as usize);
            verify_strict(level, rule, &moves).expect("replays").moves
        });
        answer.statistics = self.nodes.iter().map(|node| node.status().statistics).collect();
    }

    /// Carries what is sealed; whether there was anything.
    fn carry(&self, bytes: &mut u64, records: &mut u64) -> bool {
        let mut moved = false;
        for node in &self.nodes {
            for (peer, other) in self.nodes.iter().enumerate() {
                while let Some(sealed) = node.take(peer as u16) {
                    *bytes += sealed.bytes.len() as u64;
                    *records += u64::from(sealed.records);
                    moved = true;
                    let mut refused = other.offer(sealed.bytes.clone());
                    while refused == Err(OfferError::Full) {
                        std::thread::sleep(Duration::from_millis(1));
                        refused = other.offer(sealed.bytes.clone());
                    }
                    refused.expect("nodes send good batches");
                }
            }
        }
        moved
    }
}

fn agrees(id: &str, nodes: usize, threads: usize, search: SearchChoice) -> Answer {
    let builtin = builtin::find(id).expect("built in");
    let rule = builtin.level.rule();
    let mut course = Course::new(rule);
    course.search = search;
    let cluster = Cluster::new(&builtin.level, course, nodes, threads).expect("fits");
    let answer = cluster.solve(&builtin.level, rule);
    assert_eq!(answer.moves, Some(builtin.moves as usize), "{id} on {nodes} nodes, {search}");
    answer
}

#[test]
fn small_boards_have_the_same_optimum_on_1_to_4_nodes_from_every_end() {
    for id in (1..=14).map(|n| format!("p{n}")) {
        for nodes in 1..=4 {
            for search in [SearchChoice::TwoSided, SearchChoice::Forward, SearchChoice::Backward] {
                agrees(&id, nodes, 1 + nodes % 2, search);
            }
        }
    }
}

#[test]
fn a_large_board_is_shared_out_evenly_and_sent_in_few_bytes() {
    // Debug builds check every access; a smaller board will do there.
    let id = if cfg!(debug_assertions) { "p13" } else { "level1" };
    for nodes in 2..=4 {
        let answer = agrees(id, nodes, 1, SearchChoice::Auto);
        let states: Vec<u64> = answer.statistics.iter().map(|s| s.states).collect();
        let sum = |count: fn(&Statistics) -> u64| answer.statistics.iter().map(count).sum::<u64>();
        println!(
            "{id} on {nodes} nodes: states {states:?}, {} transferred of {} generated, {} filtered, {:.2} bytes each",
            answer.records,
            sum(|s| s.generated),
            sum(|s| s.filtered),
            answer.bytes as f64 / answer.records as f64
        );
        assert_eq!(answer.records, sum(|s| s.transferred));
        assert!(answer.bytes <= 8 * answer.records);
    }
}

/// Leaves a search after some levels, and goes on with other numbers of nodes: twice, so that the second attempt reads
/// segments of both before.
fn survives(id: &str, counts: [usize; 3], search: SearchChoice) {
    let builtin = builtin::find(id).expect("built in");
    let (level, rule) = (&builtin.level, builtin.level.rule());
    let mut course = Course::new(rule);
    course.search = search;
    let name = format!("sokohive-nodes-{}-{id}-{counts:?}-{search}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    let mut left: Option<Left> = None;
    for (attempt, count) in (0..).zip(counts) {
        let journal = Some((folder.as_path(), attempt));
        let restores = left.is_some();
        let cluster =
            Cluster::with_journal(level, course, (count, 2), journal, restores).expect("fits");
        let mut answer = Answer { moves: None, statistics: Vec::new(), bytes: 0, records: 0 };
        let mut levels = match &left {
            None => cluster.navigator.levels(),
            Some(left) => {
                cluster.restore(&folder, left);
                cluster.wait_until_quiet(&mut answer);
                cluster.navigator.levels_from(left.reached)
            }
        };
        let best = left.as_ref().and_then(|left| left.best);
        let most = if attempt == 2 { u64::MAX } else { 15 * u64::from(attempt + 1) };
        match cluster.search(&mut levels, best, most, &mut answer) {
            Ok(best) => {
                cluster.finish(level, rule, best, &mut answer);
                let found = answer.moves.map(|moves| moves as u32);
                assert_eq!(found, Some(builtin.moves), "{id}, {counts:?} nodes, {search}");
                break;
            }
            Err(mut now) => {
                // What was read back is journalled by nobody, and stays part of what there is.
                now.segments.extend(left.into_iter().flat_map(|left| left.segments));
                left = Some(now);
            }
        }
    }
    std::fs::remove_dir_all(folder).expect("there");
}

#[test]
fn searches_go_on_with_other_numbers_of_nodes() {
    for counts in [[2, 3, 1], [1, 4, 2], [3, 3, 3], [3, 1, 4]] {
        for search in [SearchChoice::TwoSided, SearchChoice::Forward, SearchChoice::Backward] {
            for id in ["p9", "p13"] {
                survives(id, counts, search);
            }
        }
    }
}

#[test]
fn unsolvable_and_finished_boards_end() {
    let jammed = Level::parse("#########\n#@ $ $..#\n#########").expect("legal");
    let finished = Level::parse("######\n#@*  #\n#    #\n######").expect("legal");
    for nodes in [1, 3, 8, 64] {
        for (level, expected) in [(&jammed, None), (&finished, Some(0))] {
            let course = Course::new(Rule::Classic);
            let cluster = Cluster::new(level, course, nodes, 1).expect("fits");
            assert_eq!(cluster.solve(level, Rule::Classic).moves, expected);
        }
    }
}

#[test]
fn a_share_that_does_not_fit_is_refused() {
    let level = &builtin::find("p1").expect("built in").level;
    let course = Course::new(level.rule());
    let share = Share {
        owners: vec![0; 7],
        me: 0,
        nodes: 1,
        memory: 1 << 20,
        threads: 1,
        journal: None,
        restores: false,
        spill: None,
    };
    let start = |share: Share| Node::start(level, course, share, || {}).err();
    assert!(matches!(start(share.clone()), Some(NodeError::Share(_))));
    let owners = vec![1; VIRTUAL_SHARDS];
    assert!(matches!(start(Share { owners, ..share.clone() }), Some(NodeError::Share(_))));
    let share = Share { owners: vec![0; VIRTUAL_SHARDS], memory: 100, ..share };
    assert!(matches!(start(share), Some(NodeError::Memory(100))));
}
