//! The search problem of the simulation: a small random graph with a consistent estimate.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::random::Random;

/// A directed graph with a start, finishes, and edges of cost 1 to 9. Vertices take the part of
/// box sets, with one state each.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    /// Edges out of every vertex: (vertex, cost).
    pub(crate) edges: Vec<Vec<(u32, u32)>>,
    /// Edges into every vertex.
    pub(crate) reverse: Vec<Vec<(u32, u32)>>,
    /// Cost to finish at a vertex; `None` if it is no finish.
    pub(crate) finish: Vec<Option<u32>>,
    /// Consistent estimates; `None` where no finish can be reached.
    pub(crate) estimate: Vec<Option<u32>>,
    /// Cost of the best path from the start (vertex 0), finishing cost included.
    pub(crate) optimum: Option<u32>,
}

impl Graph {
    pub(crate) fn random(random: &mut Random) -> Self {
        let size = random.between(1, 300) as usize;
        Self::of_size(random, size, size)
    }

    /// A graph in which edges lead at most so far on, in the numbering of the vertices: the shorter, the
    /// more levels.
    pub(crate) fn of_size(random: &mut Random, size: usize, reach: usize) -> Self {
        let degree = random.between(2, 6);
        let mut edges = vec![Vec::new(); size];
        let mut reverse = vec![Vec::new(); size];
        for from in 0..size as u32 {
            for _ in 0..random.between(1, degree) {
                let (ahead, cost) = (random.below(reach as u64), random.between(1, 9) as u32);
                let start = if reach < size { u64::from(from) } else { 0 };
                let to = ((start + ahead) % size as u64) as u32;
                edges[from as usize].push((to, cost));
                reverse[to as usize].push((from, cost));
            }
        }
        let mut finish = vec![None; size];
        for _ in 0..random.below(5) {
            // Far from the start, where there is such a thing.
            let near = if reach < size { size as u64 * 3 / 4 } else { 0 };
            let cost = random.below(3) as u32;
            finish[random.between(near, size as u64 - 1) as usize] = Some(cost);
        }
        let sources = (0..).zip(&finish).filter_map(|(vertex, cost)| Some((vertex, (*cost)?)));
        let exact = distances(&reverse, sources.collect());
        // A share of the exact distance, rounded down, is consistent: edge costs are whole numbers.
        let share = random.below(5) as u32;
        let estimate = exact.iter().map(|exact| exact.map(|exact| exact * share / 4)).collect();
        let optimum = exact[0];
        Self { edges, reverse, finish, estimate, optimum }
    }
}

/// Dijkstra from several sources with offsets.
fn distances(edges: &[Vec<(u32, u32)>], sources: Vec<(u32, u32)>) -> Vec<Option<u32>> {
    let mut best = vec![None; edges.len()];
    let mut open: BinaryHeap<_> =
        sources.into_iter().map(|(vertex, cost)| Reverse((cost, vertex))).collect();
    while let Some(Reverse((cost, vertex))) = open.pop() {
        if best[vertex as usize].is_some() {
            continue;
        }
        best[vertex as usize] = Some(cost);
        for &(to, step) in &edges[vertex as usize] {
            open.push(Reverse((cost + step, to)));
        }
    }
    best
}
