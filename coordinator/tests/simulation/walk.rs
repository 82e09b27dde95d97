//! Walking back along a path, one batch of rows a step.

use sokohive_proto::{Finish, Owners, Rank, Row};

use crate::graph::Graph;
use crate::shard::owner;

/// A walk from a finish to the start.
#[derive(Debug)]
pub(crate) struct Walk {
    vertex: u32,
    cost: u32,
    /// Cost of what lies behind.
    behind: u32,
    /// The predecessors asked for, by owner.
    asked: Vec<(usize, Vec<Rank>)>,
}

/// What comes of a step.
pub(crate) enum Step {
    Want(Vec<(usize, Vec<Rank>)>),
    Done(Result<u32, String>),
}

fn vertex_of(rank: Rank) -> u32 {
    u32::from_le_bytes(rank.to_le_bytes()[..4].try_into().unwrap())
}

impl Walk {
    pub(crate) fn new(graph: &Graph, finish: Finish) -> Self {
        let vertex = vertex_of(finish.rank);
        let last = graph.finish[vertex as usize].unwrap_or(0);
        Self { vertex, cost: finish.cost - last, behind: last, asked: Vec::new() }
    }

    pub(crate) fn step(&mut self, graph: &Graph, owners: &Owners) -> Step {
        if self.vertex == 0 && self.cost == 0 {
            return Step::Done(Ok(self.behind));
        }
        self.asked.clear();
        for &(before, _) in &graph.reverse[self.vertex as usize] {
            let (owner, rank) = (owner(owners, before), Rank::from(u64::from(before)));
            match self.asked.iter_mut().find(|(worker, _)| *worker == owner) {
                Some((_, ranks)) => ranks.push(rank),
                None => self.asked.push((owner, vec![rank])),
            }
        }
        if self.asked.is_empty() {
            return Step::Done(Err(format!("vertex {} has no predecessor", self.vertex)));
        }
        Step::Want(self.asked.clone())
    }

    pub(crate) fn rows(
        &mut self,
        graph: &Graph,
        owners: &Owners,
        rows: &[(usize, Vec<Row>)],
    ) -> Step {
        for ((worker, ranks), (from, rows)) in self.asked.iter().zip(rows) {
            assert_eq!(worker, from, "rows come in the order wanted");
            assert_eq!(ranks.len(), rows.len());
            for (rank, row) in ranks.iter().zip(rows) {
                let before = vertex_of(*rank);
                let tight = |&&(to, step): &&(u32, u32)| {
                    to == self.vertex && row.0.iter().any(|entry| entry.cost + step == self.cost)
                };
                if let Some(&(_, step)) = graph.edges[before as usize].iter().find(tight) {
                    self.vertex = before;
                    self.cost -= step;
                    self.behind += step;
                    return self.step(graph, owners);
                }
            }
        }
        Step::Done(Err(format!("no tight predecessor of {} at {}", self.vertex, self.cost)))
    }
}
