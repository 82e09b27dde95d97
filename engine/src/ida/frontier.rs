//! Where the threads begin: states around the start that are searched one by one.
//!
//! They are found by cost alone, so what lies between them and the start has been opened once and for all, each state at
//! its least cost (E. W. Dijkstra, *A note on two problems in connexion with graphs*, 1959).

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::diver::Diver;
use crate::rank::Rank;
use crate::search::expand::Successor;
use crate::walk::Ground;

/// States around the start.
pub(super) struct Frontier<R> {
    nodes: Vec<Node<R>>,
    /// Numbers of the nodes that are not opened, in the order in which they are searched.
    leaves: Vec<usize>,
}

struct Node<R> {
    state: Successor<R>,
    /// The node it was reached from.
    parent: Option<usize>,
    opened: bool,
}

impl<R: Rank> Frontier<R> {
    /// Opens states, the cheapest first, until so many wait, or none, or the search is over.
    pub(super) fn new<G: Ground>(
        start: Successor<R>,
        enough: usize,
        diver: &mut Diver<'_, R, G>,
    ) -> Self {
        let mut numbers = HashMap::from([((start.rank, start.keeper), 0)]);
        let nodes = vec![Node { state: start, parent: None, opened: false }];
        let mut frontier = Self { nodes, leaves: vec![0] };
        while frontier.leaves.len() < enough {
            let cost = |place: &usize| frontier.nodes[frontier.leaves[*place]].state.cost;
            let Some(place) = (0..frontier.leaves.len()).min_by_key(cost) else { break };
            let number = frontier.leaves[place];
            let Some(successors) = diver.open(frontier.path(number).into_iter()) else { break };
            frontier.leaves.swap_remove(place);
            frontier.nodes[number].opened = true;
            for &state in successors {
                let node = Node { state, parent: Some(number), opened: false };
                match numbers.entry((state.rank, state.keeper)) {
                    Entry::Vacant(vacant) => {
                        vacant.insert(frontier.nodes.len());
                        frontier.leaves.push(frontier.nodes.len());
                        frontier.nodes.push(node);
                    }
                    Entry::Occupied(known) => {
                        // Never one that is opened: it was at its least cost.
                        let known = &mut frontier.nodes[*known.get()];
                        if state.cost < known.state.cost {
                            *known = node;
                        }
                    }
                }
            }
        }
        let Self { nodes, leaves } = &mut frontier;
        leaves.sort_by_key(|&leaf| nodes[leaf].state.cost + nodes[leaf].state.estimate);
        frontier
    }

    /// The states that have been opened.
    pub(super) fn opened(&self) -> impl Iterator<Item = &Successor<R>> {
        self.nodes.iter().filter(|node| node.opened).map(|node| &node.state)
    }

    /// The states from the start to one that is to be searched, in their order; `None` beyond the last.
    pub(super) fn path_to_leaf(&self, place: usize) -> Option<Vec<Successor<R>>> {
        self.leaves.get(place).map(|&number| self.path(number))
    }

    fn path(&self, number: usize) -> Vec<Successor<R>> {
        let above = std::iter::successors(Some(number), |&number| self.nodes[number].parent);
        let mut path: Vec<_> = above.map(|number| self.nodes[number].state).collect();
        path.reverse();
        path
    }
}
