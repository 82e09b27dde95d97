//! Nodes without a network, and the one who drives them: batches are carried by hand.
#![allow(dead_code, reason = "every test uses its own part of this module")]

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use sokohive_engine::{
    AllFound, BoxSet, Control, Course, FoundFinish, JournalPlace, Level, LevelChoice, Navigator,
    Next, Node, NodeError, NodeStatus, OfferError, Reached, RowEntry, Rule, Segment, Share,
    Solution, Statistics, VIRTUAL_SHARDS, verify_strict,
};

/// Nodes and the one who drives them.
pub(crate) struct Cluster {
    pub(crate) nodes: Vec<Arc<Node>>,
    pub(crate) navigator: Navigator,
    course: Course,
    woken: Receiver<()>,
}

/// What a search on a cluster came to.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// One that is proven best; the best of all where these were compared.
    pub(crate) solution: Option<Solution>,
    pub(crate) statistics: Vec<Statistics>,
    pub(crate) bytes: u64,
    pub(crate) records: u64,
}

impl Answer {
    /// Its moves.
    pub(crate) fn moves(&self) -> Option<u32> {
        self.solution.as_ref().map(|solution| solution.moves.len() as u32)
    }
}

/// Where a search on a cluster was left, between two levels.
pub(crate) struct Left {
    pub(crate) reached: Reached,
    pub(crate) best: Option<FoundFinish>,
    pub(crate) segments: Vec<Segment>,
}

impl Cluster {
    pub(crate) fn new(
        level: &Level,
        course: Course,
        count: usize,
        threads: usize,
    ) -> Result<Self, NodeError> {
        Self::with_journal(level, course, (count, threads), None, false)
    }

    /// Nodes that keep journals in a folder, named after the attempt.
    pub(crate) fn with_journal(
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
        Ok(Self { nodes, navigator: Navigator::new(level, course)?, course, woken })
    }

    pub(crate) fn solve(&self, level: &Level, rule: Rule) -> Answer {
        self.solve_from(level, rule, None)
    }

    /// Searches, with the cost of the best solution known or not.
    fn solve_from(&self, level: &Level, rule: Rule, proven: Option<u32>) -> Answer {
        let mut levels = match proven {
            None => self.navigator.levels(),
            Some(lower_bound) => {
                self.nodes.iter().for_each(|node| node.lower_incumbent(lower_bound));
                self.navigator.levels_from(Reached { lower_bound, ..Reached::default() })
            }
        };
        let mut answer = Answer::default();
        let Ok(best) = self.search(&mut levels, (None, proven), u64::MAX, &mut answer) else {
            unreachable!("nobody has so many levels")
        };
        self.finish(level, rule, best, &mut answer);
        if let Some(best) = best.filter(|_| self.course.wants_all) {
            assert!(levels.lower_bound() <= best.cost);
            let compared = self.compare(best.cost, levels.forward_closed_below());
            verify_strict(level, rule, &compared.moves).expect("replays");
            answer.solution = Some(compared);
        }
        answer
    }

    /// The best of all best solutions, their rows being told by the nodes in small portions.
    fn compare(&self, cost: u32, forward_closed_below: u32) -> Solution {
        const PORTION: usize = 3;
        let mut ends: Vec<BoxSet> = Vec::new();
        for node in &self.nodes {
            let mut after = None;
            loop {
                let more = node.ends(cost, after.as_ref(), PORTION).expect("kept");
                let is_last = more.len() < PORTION;
                after = more.last().copied();
                ends.extend(more);
                if is_last {
                    break;
                }
            }
        }
        let found = AllFound { cost, forward_closed_below, ends: &ends };
        let compared =
            self.navigator.compare(found, 1 << 30, &Control::new(), |sets| self.rows(sets));
        compared.expect("all of them are known")
    }

    /// Rows of their owners.
    fn rows(&self, sets: &[BoxSet]) -> Result<Vec<Vec<RowEntry>>, std::convert::Infallible> {
        let owner = |set| self.navigator.virtual_shard(set) % self.nodes.len();
        Ok(sets.iter().map(|set| self.nodes[owner(set)].rows(&[*set]).remove(0)).collect())
    }

    /// Hands the segments of other attempts out, one to each node in turn.
    pub(crate) fn restore(&self, directory: &Path, left: &Left) {
        let count = self.nodes.len();
        for (me, node) in self.nodes.iter().enumerate() {
            let mine = left.segments.iter().skip(me).step_by(count).cloned().collect();
            node.restore(directory, mine, left.reached.closed);
        }
    }

    /// Waits until all nodes are idle and nothing is on its way.
    pub(crate) fn wait_until_quiet(&self, answer: &mut Answer) -> Vec<NodeStatus> {
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
    pub(crate) fn search(
        &self,
        levels: &mut LevelChoice,
        (mut best, proven): (Option<FoundFinish>, Option<u32>),
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
            let incumbent = best.map(|best| best.cost).into_iter().chain(proven).min();
            let reached = levels.level_is_over(next, incumbent);
            if reached.levels >= most_levels {
                let journals = status.into_iter().filter_map(|s| s.journal);
                let segments = journals.flat_map(|journal| journal.segments).collect();
                return Err(Left { reached, best, segments });
            }
            let next = levels.advance(next, incumbent);
            let Some((side, f)) = next else { return Ok(best) };
            for node in &self.nodes {
                node.open_level(side, f, incumbent);
            }
        }
    }

    pub(crate) fn finish(
        &self,
        level: &Level,
        rule: Rule,
        best: Option<FoundFinish>,
        answer: &mut Answer,
    ) {
        let objective = self.course.objective;
        answer.solution = best.map(|finish| {
            let rows = |sets: &[_]| self.rows(sets);
            let moves = self.navigator.walk_back(finish, rows).expect("the rows explain the cost");
            let solution = Solution::new(moves);
            assert_eq!(solution.cost(objective), finish.cost as usize);
            verify_strict(level, rule, &solution.moves).expect("replays");
            solution
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

/// Searches on so many nodes: where all solutions are wanted and any is cheaper, for any of them first.
pub(crate) fn solve(level: &Level, course: Course, count: usize) -> Result<Answer, NodeError> {
    let mut first = course;
    first.wants_all = course.wants_all && !course.any_is_cheaper();
    let answer = Cluster::new(level, first, count, 1)?.solve(level, course.rule);
    match &answer.solution {
        Some(solution) if first != course => {
            let cost = solution.cost(course.objective) as u32;
            let cluster = Cluster::new(level, course, count, 1)?;
            let compared = cluster.solve_from(level, course.rule, Some(cost));
            assert!(compared.solution.is_some(), "what is known can be found again");
            Ok(compared)
        }
        _ => Ok(answer),
    }
}
