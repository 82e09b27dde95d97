//! The states of best solutions on one side, and the tight edges between them.

use std::collections::{BTreeMap, HashMap};

use super::walks::{Walks, Ways};
use super::{Searched, Unknown, closed, tight_walk};
use crate::board::Square;
use crate::paths::Paths;
use crate::purse::Purse;
use crate::rank::{Rank, Ranking};
use crate::reconstruct::{PORTION, Push, RowSource, Step, pushes_from, undone_pushes};
use crate::search::side::Side;
use crate::table::Entry;
use crate::{Control, Objective};

/// States from which tight edges lead to the root: to the start, or, on the backward side, to the finish.
///
/// It is spread from the states of the largest cost down to the root, and then added up from the root outward. The edges
/// that lead from a state to the root stand together, and behind those of all states of larger cost.
#[derive(Debug)]
pub(super) struct Fan<R> {
    side: Side,
    states: Vec<State<R>>,
    edges: Vec<Edge>,
    /// Where a state stands among `states`.
    numbers: HashMap<(R, Square), u32>,
    /// By cost, the first of the states from which no edges have been looked for; each knows the next.
    waiting: BTreeMap<u32, u32>,
}

#[derive(Clone, Copy, Debug)]
struct State<R> {
    rank: R,
    keeper: Square,
    cost: u32,
    /// The least pushes between it and the root, and the edge that begins a way of so many.
    pushes: u32,
    best: Option<u32>,
    /// Ways between it and the root; saturates.
    ways: u64,
    /// The next that waits at this cost.
    next: Option<u32>,
}

/// A walk and a push between two states.
#[derive(Clone, Copy, Debug)]
struct Edge {
    far: u32,
    /// The one nearer to the root.
    near: u32,
    push: Push,
    /// How many walks there are; saturates.
    walks: u64,
}

impl<R: Rank> Fan<R> {
    pub(super) fn new(side: Side) -> Self {
        let (states, edges, numbers) = (Vec::new(), Vec::new(), HashMap::new());
        Self { side, states, edges, numbers, waiting: BTreeMap::new() }
    }

    /// The number of a state, which is added if it is new.
    pub(super) fn add<E>(
        &mut self,
        rank: R,
        Entry { keeper, cost, .. }: Entry,
        purse: &mut Purse<'_>,
    ) -> Result<u32, Unknown<E>> {
        if let Some(&number) = self.numbers.get(&(rank, keeper)) {
            return Ok(number);
        }
        // More of them would hardly fit any memory.
        let number = u32::try_from(self.states.len()).map_err(|_| Unknown::Memory)?;
        let next = self.waiting.get(&cost).copied();
        let state = State { rank, keeper, cost, pushes: u32::MAX, best: None, ways: 0, next };
        purse.push(&mut self.states, state)?;
        purse.insert(&mut self.numbers, (rank, keeper), number)?;
        self.waiting.insert(cost, number);
        Ok(number)
    }

    /// The next of the states that wait at this cost, which waits no more.
    fn take(&mut self, cost: u32) -> Option<u32> {
        let number = self.waiting.remove(&cost)?;
        if let Some(next) = self.states[number as usize].next {
            self.waiting.insert(cost, next);
        }
        Some(number)
    }

    /// Finds all ways to the root. Where only pushes count, a state stands for its region: the push that leads on may
    /// leave the keeper, or find it, anywhere there.
    pub(super) fn spread<S: RowSource<R>>(
        &mut self,
        searched: &Searched<'_, R>,
        source: &mut S,
        walks: &mut Walks<'_>,
        purse: &mut Purse<'_>,
        control: &Control,
    ) -> Result<(), Unknown<S::Error>> {
        let mut paths = Paths::new(searched.board);
        let mut steps: Vec<(u32, Step)> = Vec::new();
        while let Some((&cost, _)) = self.waiting.last_key_value().filter(|&(&cost, _)| cost > 0) {
            if control.stopped().is_some() {
                return Err(Unknown::Stopped);
            }
            steps.clear();
            while steps.len() < PORTION
                && let Some(number) = self.take(cost)
            {
                let (boxes, keeper) = self.position(number, searched.ranking);
                let keepers = match searched.objective {
                    Objective::Moves => vec![keeper],
                    Objective::Pushes => paths.region(&boxes, keeper),
                };
                let found = match self.side {
                    Side::Forward => undone_pushes(searched.board, &boxes, &keepers),
                    Side::Backward => pushes_from(searched.board, &boxes, &keepers),
                };
                steps.extend(found.into_iter().map(|step| (number, step)));
            }
            for steps in steps.chunks(PORTION) {
                let ranks: Vec<R> =
                    steps.iter().map(|(_, step)| searched.ranking.rank(&step.boxes)).collect();
                let rows = source.rows(&ranks).map_err(Unknown::Source)?;
                for (((far, step), rank), row) in steps.iter().zip(ranks).zip(rows) {
                    self.join(searched.objective, *far, step, rank, &row, walks, purse)?;
                }
            }
        }
        Ok(())
    }

    /// Joins a state with those states of a row from which a walk and this push lead to it exactly.
    #[expect(
        clippy::too_many_arguments,
        reason = "both ends of an edge, and what it takes to find it"
    )]
    fn join<E>(
        &mut self,
        objective: Objective,
        far: u32,
        Step { push, boxes }: &Step,
        rank: R,
        row: &[Entry],
        walks: &mut Walks<'_>,
        purse: &mut Purse<'_>,
    ) -> Result<(), Unknown<E>> {
        let cost = self.states[far as usize].cost;
        let mut own = closed(row, self.side);
        own.retain(|entry| tight_walk(cost, entry.cost).is_some());
        let keepers: Vec<Square> = own.iter().map(|entry| entry.keeper).collect();
        let most = own.iter().filter_map(|entry| tight_walk(cost, entry.cost)).max().unwrap_or(0);
        let from = match self.side {
            Side::Forward => push.side,
            Side::Backward => push.from,
        };
        let most = objective.longest_walk(most);
        let reached = walks.ways_to_each(boxes, from, &keepers, most);
        for (entry, ways) in own.into_iter().zip(reached) {
            if let Some(Ways { steps, number }) = ways
                && tight_walk(cost, entry.cost) == Some(objective.walk(steps))
            {
                u32::try_from(self.edges.len()).map_err(|_| Unknown::Memory)?;
                let near = self.add(rank, entry, purse)?;
                let edge = Edge { far, near, push: *push, walks: number };
                purse.push(&mut self.edges, edge)?;
            }
        }
        Ok(())
    }

    /// Adds up ways and pushes from the root outward.
    pub(super) fn add_up(&mut self) {
        for root in self.states.iter_mut().filter(|state| state.cost == 0) {
            (root.ways, root.pushes) = (1, 0);
        }
        for (number, edge) in self.edges.iter().enumerate().rev() {
            let State { ways, pushes, .. } = self.states[edge.near as usize];
            let far = &mut self.states[edge.far as usize];
            far.ways = far.ways.saturating_add(ways.saturating_mul(edge.walks));
            if let Some(pushes) = pushes.checked_add(1)
                && pushes < far.pushes
            {
                (far.pushes, far.best) = (pushes, Some(number as u32));
            }
        }
    }

    /// Ways between a state and the root.
    pub(super) fn ways(&self, number: u32) -> u64 {
        self.states[number as usize].ways
    }

    /// The least pushes between a state and the root, on best solutions.
    pub(super) fn pushes(&self, number: u32) -> u32 {
        self.states[number as usize].pushes
    }

    /// Lets [`Fan::made_from`] find edges, from now on. Nothing can be added up any more.
    pub(super) fn order_by_time(&mut self) {
        let side = self.side;
        // No two edges have the same key: where a push leads from a state is one other state.
        self.edges
            .sort_unstable_by_key(|edge| (edge.earlier(side), edge.push.side, edge.push.from));
    }

    /// The pushes that lead on from a state towards the finish, with the states they lead to.
    pub(super) fn made_from(&self, number: u32) -> impl Iterator<Item = (Push, u32)> {
        let first = self.edges.partition_point(|edge| edge.earlier(self.side) < number);
        let edges = self.edges[first..].iter();
        let edges = edges.take_while(move |edge| edge.earlier(self.side) == number);
        edges.map(|edge| (edge.push, edge.later(self.side)))
    }

    /// The states without cost: the start, or, on the backward side, what is finished.
    pub(super) fn roots(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.states).filter(|(_, state)| state.cost == 0).map(|(number, _)| number)
    }

    /// Whether nothing is left to push.
    pub(super) fn is_root(&self, number: u32) -> bool {
        self.states[number as usize].cost == 0
    }

    /// Boxes and keeper of a state.
    pub(super) fn position(&self, number: u32, ranking: &Ranking<R>) -> (Vec<Square>, Square) {
        let State { rank, keeper, .. } = self.states[number as usize];
        let mut boxes = vec![Square::from_index(0); ranking.boxes()];
        ranking.unrank(rank, &mut boxes);
        (boxes, keeper)
    }

    /// The pushes of a way with fewest of them, in the order they are made; `None` if there is none.
    pub(super) fn way(&self, number: u32) -> Option<Vec<Push>> {
        let mut way = Vec::new();
        let mut at = number;
        while self.states[at as usize].cost > 0 {
            let Edge { near, push, .. } = self.edges[self.states[at as usize].best? as usize];
            way.push(push);
            at = near;
        }
        if self.side == Side::Forward {
            way.reverse();
        }
        Some(way)
    }
}

impl Edge {
    /// Of its two states the one before the push.
    fn earlier(&self, side: Side) -> u32 {
        match side {
            Side::Forward => self.near,
            Side::Backward => self.far,
        }
    }

    /// The one after it.
    fn later(&self, side: Side) -> u32 {
        self.earlier(side.other())
    }
}
