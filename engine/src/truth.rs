//! What is true of every state of a small board, by brute force: the cost to the finish, or that there is none.
//!
//! It goes by single steps of the keeper over all squares, live or not, and shares with the search no more than the
//! squares of the board and how they hang together.

use std::collections::HashMap;
use std::collections::VecDeque;

use crate::board::{Board, Square};
use crate::{Direction, Objective, Rule};

/// All states with so many boxes.
pub(crate) struct Truth {
    states: Vec<State>,
    number: HashMap<State, usize>,
    cost: Vec<Option<u32>>,
}

/// Bit `n` of `boxes` is square `n`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    boxes: u64,
    keeper: usize,
}

impl Truth {
    /// Of a board of at most 64 squares, with so many boxes on any of them, whatever stands on it at the start; in moves.
    pub(crate) fn new(board: &Board, boxes: usize, rule: Rule) -> Self {
        Self::of(board, boxes, rule, Objective::Moves)
    }

    /// The same by another objective.
    pub(crate) fn of(board: &Board, boxes: usize, rule: Rule, objective: Objective) -> Self {
        let squares = board.squares();
        assert!(squares <= 64);
        let mut states = Vec::new();
        for set in subsets(squares, boxes) {
            for keeper in (0..squares).filter(|keeper| set >> keeper & 1 == 0) {
                states.push(State { boxes: set, keeper });
            }
        }
        let number: HashMap<State, usize> =
            states.iter().enumerate().map(|(number, &state)| (state, number)).collect();
        let mut before = vec![Vec::new(); states.len()];
        for (from, &state) in states.iter().enumerate() {
            for to in successors(board, state) {
                before[number[&to]].push(from);
            }
        }
        let goals = board.goals().iter().fold(0, |set, goal| set | 1_u64 << goal.index());
        let finished = |state: &State| {
            state.boxes & !goals == 0 && (rule == Rule::Classic || goals >> state.keeper & 1 == 1)
        };
        let mut cost: Vec<Option<u32>> =
            states.iter().map(|state| finished(state).then_some(0)).collect();
        let mut todo: VecDeque<usize> = (0..states.len()).filter(|&s| cost[s].is_some()).collect();
        while let Some(state) = todo.pop_front() {
            for &from in &before[state] {
                let is_push = states[from].boxes != states[state].boxes;
                let step = if is_push { 1 } else { objective.walk(1) };
                let through = cost[state].map(|cost| cost + step);
                if cost[from].is_none_or(|known| through.is_some_and(|through| through < known)) {
                    cost[from] = through;
                    // What costs nothing more comes before what costs more.
                    if step == 0 { todo.push_front(from) } else { todo.push_back(from) }
                }
            }
        }
        Self { states, number, cost }
    }

    /// The least cost from a state to the finish; `None` if there is no way.
    pub(crate) fn cost(&self, boxes: &[Square], keeper: Square) -> Option<u32> {
        let boxes = boxes.iter().fold(0, |set, square| set | 1_u64 << square.index());
        self.cost[self.number[&State { boxes, keeper: keeper.index() }]]
    }

    /// All states, each with its boxes in ascending order, the keeper, and the cost to the finish.
    pub(crate) fn states(&self) -> impl Iterator<Item = (Vec<Square>, Square, Option<u32>)> {
        self.states.iter().zip(&self.cost).map(|(state, &cost)| {
            let boxes = (0..64).filter(|square| state.boxes >> square & 1 == 1);
            let boxes = boxes.map(Square::from_index).collect();
            (boxes, Square::from_index(state.keeper), cost)
        })
    }
}

fn subsets(squares: usize, size: usize) -> Vec<u64> {
    let mut sets = vec![(0_u64, 0)];
    for _ in 0..size {
        let grow = |&(set, from): &(u64, usize)| {
            (from..squares).map(move |square| (set | 1 << square, square + 1))
        };
        sets = sets.iter().flat_map(grow).collect();
    }
    sets.into_iter().map(|(set, _)| set).collect()
}

fn successors(board: &Board, state: State) -> impl Iterator<Item = State> {
    Direction::ALL.into_iter().filter_map(move |direction| {
        let to = board.neighbour(Square::from_index(state.keeper), direction)?;
        let mut boxes = state.boxes;
        if boxes >> to.index() & 1 == 1 {
            let behind = board.neighbour(to, direction)?;
            if boxes >> behind.index() & 1 == 1 {
                return None;
            }
            boxes ^= 1 << to.index() | 1 << behind.index();
        }
        Some(State { boxes, keeper: to.index() })
    })
}
