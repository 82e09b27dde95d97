//! A solution before the proof: beam search, beside the search that proves.
//!
//! A *dive* goes from the start push after push, and keeps only the most promising states of each layer, a *beam* of them:
//! those with the smallest f, and of as small ones any. Each dive has other luck, and a wider beam than the ones before.
//! Where steps count, the order of the states takes the estimate several times, each dive another number of times: it
//! counts the pushes to come, and most steps are no pushes, so that by f the states kept would be those that had made the
//! least headway.
//!
//! What is found is an incumbent for the search that proves. States that cannot be better are not kept there, and where
//! it is proven that a solution costs that much, nothing is left to be done. Where a limit comes before the proof it is
//! what there is to show. It is never part of a proof.
//!
//! Where steps count, a solution of few pushes is looked for first: it is soon found.
//!
//! Where only pushes count, two dives of three keep to states with an f of at most what every solution is proven to cost.
//! On many boards the proof of that bound is short, and the long part would be to find a solution at it. One of the two
//! goes from the finish, pull after pull: how to pack a room full of goals is a riddle forward, and backward it is how to
//! empty it.
//!
//! A dive need not go all the way: it also ends where it comes upon a state that the search has closed on the other side,
//! from which the table tells the rest of the way.
//!
//! (Layers bounded by the cost of a solution, the best of each kept: R. Zhou and E. A. Hansen, *Beam-stack search:
//! integrating backtracking with beam search*, 2005.)

use crate::board::Square;
use crate::budget::Budget;
use crate::found::Found;
use crate::purse::{NoRoom, Purse};
use crate::rank::Rank;
use crate::reconstruct::{Met, RowSource, sets_to_end};
use crate::search::expand::{Expander, Successor};
use crate::search::incumbent::Finish;
use crate::search::problem::Problem;
use crate::search::roots;
use crate::search::side::Side;
use crate::table::{Entry, Row, Table};
use crate::walk::Ground;
use crate::{Moves, Objective, Statistics};

/// States kept of each layer in the first dives.
const FIRST_WIDTH: usize = 64;

/// And at most of any: sorting the candidates of a layer must not take long.
const MOST_WIDTH: usize = 1 << 16;

/// What a solution may cost more than is proven, for each dive there has been.
const FURTHER: u64 = 4;

/// Of the memory that is left at the beginning, the part that may be taken.
const MEMORY_SHARE: u64 = 16;

/// For one state opened here, its thread expands so many rows for the proof.
const fn rows_for_a_state(objective: Objective) -> u64 {
    match objective {
        // The estimate says little of a solution, and what is found spares little.
        Objective::Moves => 16,
        Objective::Pushes => 2,
    }
}

/// A state of a layer.
#[derive(Clone, Copy, Debug)]
struct Kept<R> {
    rank: R,
    keeper: Square,
    cost: u32,
    /// The place in the layer before of the state it was reached from.
    parent: u32,
}

/// A state that may be kept.
#[derive(Clone, Copy, Debug)]
struct Candidate<R> {
    state: Kept<R>,
    /// Those of the least are kept.
    order: u32,
}

/// What a solution that is looked for may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    /// So much, which is proven to be the least.
    Proven(u32),
    /// Less than the best solution known.
    Incumbent,
}

/// How the search stands that proves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct News {
    /// Proven: every solution costs at least this much.
    pub(crate) lower_bound: u32,
    /// Cost of the best solution, `u32::MAX` for none.
    pub(crate) incumbent: u32,
    /// Rows expanded for the proof by the thread that the scout is on.
    pub(crate) expanded: u64,
}

/// Where steps count, rows expanded before it is looked for anything: many boards are proven by then.
const HEAD_START: u64 = 1 << 18;

/// For one state opened for few pushes where steps count, so many times the rows expanded as where pushes count.
const PATIENCE: u64 = 4;

/// States opened for a solution of few pushes where steps count, before that is given up.
const MOST_FOR_FEW_PUSHES: u64 = 1 << 18;

/// States opened at once: nobody looks at limits meanwhile, and the table cannot grow.
const MOST_AT_ONCE: u64 = 256;

/// Where steps count, a scout for few pushes, and then one for few moves; else one.
///
/// A solution of few pushes is found much sooner than one of few moves, and has not too many of these either.
pub(crate) struct Scouts<'s, R, G: Ground> {
    few_pushes: Option<Scout<'s, R, G>>,
    own: Scout<'s, R, G>,
    /// Rows expanded for the proof before whose turn it is had that.
    before: u64,
}

impl<'s, R: Rank, G: Ground> Scouts<'s, R, G> {
    /// For a problem of few pushes where steps count, and for one of the objective of the search.
    pub(crate) fn new(
        few_pushes: Option<&'s Problem<R, G::Set>>,
        own: &'s Problem<R, G::Set>,
        budget: &'s Budget,
    ) -> Self {
        let few_pushes = few_pushes.map(|problem| Scout::new(problem, budget));
        let before = if few_pushes.is_some() { HEAD_START } else { 0 };
        Self { few_pushes, own: Scout::new(own, budget), before }
    }

    /// Whether the table is of use to whose turn it is.
    pub(crate) fn may_meet(&self) -> bool {
        self.few_pushes.is_none()
    }

    /// Goes on as [`Scout::keep_up`] does.
    pub(crate) fn keep_up(&mut self, news: News, table: Option<&Table<R>>) -> Option<(u32, Moves)> {
        let expanded = news.expanded.checked_sub(self.before)?;
        let Some(scout) = &mut self.few_pushes else {
            return self.own.keep_up(News { expanded, ..news }, table);
        };
        // What is proven of moves, and what the table holds, says nothing of pushes.
        let least = scout.start.map_or(0, |start| start.estimate);
        let expanded = expanded / PATIENCE;
        let of_pushes = News { lower_bound: least, incumbent: u32::MAX, expanded };
        let found = scout.keep_up(of_pushes, None);
        if found.is_some() || scout.is_over || scout.opened >= MOST_FOR_FEW_PUSHES {
            self.few_pushes = None;
            self.before = news.expanded;
        }
        let moves = found?.1;
        let cost = u32::try_from(moves.len()).unwrap_or(u32::MAX);
        (cost < news.incumbent).then_some((cost, moves))
    }
}

/// See the module.
pub(crate) struct Scout<'s, R, G: Ground> {
    problem: &'s Problem<R, G::Set>,
    expander: Expander<'s, R, G>,
    purse: Purse<'s>,
    width: usize,
    /// There is no room for more.
    is_widest: bool,
    /// The start, as a dive from the finish meets it. None if nothing leads on from there.
    start: Option<Successor<R>>,
    /// Where this dive comes from.
    side: Side,
    within: Within,
    /// The bound within which all has been looked at.
    exhausted: Option<u32>,
    dives: u64,
    /// Of this dive, from its first states on; none between two dives.
    layers: Vec<Vec<Kept<R>>>,
    /// The place of the state to be opened next in the last layer.
    next: usize,
    candidates: Vec<Candidate<R>>,
    /// Whether states of this dive were not kept.
    is_cut: bool,
    row: Row,
    opened: u64,
    found: Found<R>,
    /// There is nothing more to be found, or no room to look for it.
    is_over: bool,
}

impl<'s, R: Rank, G: Ground> Scout<'s, R, G> {
    /// For a problem from the start with an estimate, or from both ends with one on either side.
    pub(crate) fn new(problem: &'s Problem<R, G::Set>, budget: &'s Budget) -> Self {
        let (start, _) = roots::start::<R, G>(problem);
        Self {
            problem,
            expander: Expander::new(problem),
            start,
            side: Side::Forward,
            purse: Purse::of_at_most(budget, budget.left() / MEMORY_SHARE),
            width: FIRST_WIDTH,
            is_widest: false,
            within: Within::Incumbent,
            exhausted: None,
            dives: 0,
            layers: Vec::new(),
            next: 0,
            candidates: Vec::new(),
            is_cut: false,
            row: Row::default(),
            opened: 0,
            found: Found::new(),
            is_over: false,
        }
    }

    /// Goes on until it has done its part in comparison, or much at once. Returns a solution that is better than the
    /// incumbent, with its cost, as soon as there is one. `table` is that of a search from both ends.
    pub(crate) fn keep_up(&mut self, news: News, table: Option<&Table<R>>) -> Option<(u32, Moves)> {
        let due = news.expanded / rows_for_a_state(self.problem.objective);
        let due = due.min(self.opened + MOST_AT_ONCE);
        while self.opened < due && !self.is_over && news.lower_bound < news.incumbent {
            if self.step(news, table) == Err(NoRoom) {
                self.narrow();
            }
            if self.found.cost() < news.incumbent {
                let Problem { board, rule, ranking, .. } = self.problem;
                return self.found.moves(board, *rule, ranking);
            }
        }
        None
    }

    /// Begins a dive, opens a state, or goes on to the next layer.
    fn step(&mut self, news: News, table: Option<&Table<R>>) -> Result<(), NoRoom> {
        let Some(layer) = self.layers.last() else { return self.begin(news) };
        match layer.get(self.next) {
            Some(&state) => self.open(state, news),
            None => self.settle(news, table),
        }
    }

    /// Begins a dive.
    fn begin(&mut self, news: News) -> Result<(), NoRoom> {
        let Some(start) = self.start else {
            self.is_over = true;
            return Ok(());
        };
        (self.side, self.within) = self.turn(news);
        if self.dives > 0 && !self.is_widest && self.within == Within::Incumbent {
            self.width = (2 * self.width).min(MOST_WIDTH);
        }
        self.dives += 1;
        self.is_cut = false;
        self.next = 0;
        let mut layer = Vec::new();
        let mut room = Ok(());
        let mut begin = |Successor { rank, keeper, cost, .. }| {
            if room.is_ok() {
                room = self.purse.push(&mut layer, Kept { rank, keeper, cost, parent: 0 });
            }
        };
        match self.side {
            Side::Forward => begin(start),
            Side::Backward => roots::finished::<R, G>(self.problem).for_each(&mut begin),
        }
        self.layers.push(layer);
        room
    }

    /// What the next dive is to be.
    fn turn(&self, News { lower_bound, .. }: News) -> (Side, Within) {
        let Problem { board, objective, estimates, .. } = self.problem;
        let forward = (Side::Forward, Within::Incumbent);
        if *objective == Objective::Moves || self.exhausted == Some(lower_bound) {
            return forward;
        }
        let finished = roots::finished_sets(board.boxes().len(), board.goals().len());
        let may_come_back =
            !estimates[Side::Backward as usize].is_none() && finished <= self.width as u64;
        match (self.side, self.within) {
            (Side::Forward, Within::Incumbent) if may_come_back => {
                (Side::Backward, Within::Proven(lower_bound))
            }
            (Side::Backward, _) | (_, Within::Incumbent) => {
                (Side::Forward, Within::Proven(lower_bound))
            }
            (Side::Forward, Within::Proven(_)) => forward,
        }
    }

    /// What a solution may cost at most that is looked for.
    fn most(&self, news: News) -> u32 {
        let less = self.less(news);
        match self.within {
            Within::Proven(bound) => bound.min(less),
            // Further from what is proven with each dive: what goes nowhere would go on for long.
            Within::Incumbent => match self.problem.objective {
                Objective::Moves => less,
                Objective::Pushes => {
                    let beyond = self.dives.saturating_mul(FURTHER);
                    let beyond = u32::try_from(beyond).unwrap_or(u32::MAX);
                    news.lower_bound.saturating_add(beyond).min(less)
                }
            },
        }
    }

    /// How many times the estimate counts in the order of states.
    fn weight(&self) -> u32 {
        match self.problem.objective {
            Objective::Moves => 2 + (self.dives % 4) as u32,
            Objective::Pushes => 1,
        }
    }

    /// What a better solution costs at most than the best there is.
    fn less(&self, news: News) -> u32 {
        news.incumbent.min(self.found.cost()) - 1
    }

    /// Pushes after which a dive is given up: a beam may go round in circles. More for each dive.
    fn most_layers(&self) -> u64 {
        const AT_FIRST: u64 = 64;
        let least = self.start.map_or(0, |start| start.estimate);
        2 * u64::from(least) + AT_FIRST * self.dives
    }

    /// Opens a state of the last layer.
    fn open(&mut self, state: Kept<R>, news: News) -> Result<(), NoRoom> {
        let (most, less, place) = (self.most(news), self.less(news), self.next);
        let weight = self.weight();
        self.next += 1;
        self.opened += 1;
        // Within what is proven, what lies beyond is not looked for.
        let is_bounded = self.within == Within::Incumbent;
        let Self { expander, purse, candidates, row, layers, found, start, side, is_cut, .. } =
            self;
        row.cost = state.cost;
        row.opened.clear();
        row.opened.push(state.keeper);
        let mut room = Ok(());
        let emit = |Successor { rank, keeper, cost, estimate }| {
            let f = cost + estimate;
            if f > most {
                *is_cut |= is_bounded && f <= less;
                return;
            }
            let is_start = start.is_some_and(|start| (start.rank, start.keeper) == (rank, keeper));
            if *side == Side::Backward && is_start {
                found.offer(cost, path(layers, place, rank).into_iter().rev());
            } else if room.is_ok() {
                let state = Kept { rank, keeper, cost, parent: place as u32 };
                let order = cost.saturating_add(weight.saturating_mul(estimate));
                room = purse.push(candidates, Candidate { state, order });
            }
        };
        let finish = |finish: Finish<R>| {
            if finish.cost <= less {
                found.offer(finish.cost, path(layers, place, finish.rank).into_iter());
            }
        };
        let mut uncounted = Statistics::default();
        expander.expand(*side, state.rank, row, &mut uncounted, emit, finish);
        room
    }

    /// Makes the next layer of the best candidates, or ends the dive.
    fn settle(&mut self, news: News, table: Option<&Table<R>>) -> Result<(), NoRoom> {
        let outdated = matches!(self.within, Within::Proven(bound) if bound < news.lower_bound);
        let too_long = self.layers.len() as u64 > self.most_layers();
        if self.candidates.is_empty() || outdated || too_long {
            match self.within {
                _ if self.is_cut || outdated || too_long => {}
                Within::Proven(bound) => self.exhausted = Some(bound),
                Within::Incumbent => self.is_over = true,
            }
            self.surface();
            return Ok(());
        }
        let candidates = &mut self.candidates;
        candidates.sort_unstable_by_key(|Candidate { state, .. }| {
            (state.rank, state.keeper, state.cost, state.parent)
        });
        candidates.dedup_by_key(|Candidate { state, .. }| (state.rank, state.keeper));
        if let Some(table) = table {
            self.meet(self.less(news), table);
        }
        let Self { candidates, width, dives, .. } = self;
        if candidates.len() > *width {
            let order = |&Candidate { state, order }: &Candidate<R>| (order, lot(&state, *dives));
            candidates.select_nth_unstable_by_key(*width, order);
            candidates.truncate(*width);
            self.is_cut = true;
        }
        let mut layer = Vec::new();
        let mut room = Ok(());
        for Candidate { state, .. } in candidates.drain(..) {
            if room.is_ok() {
                room = self.purse.push(&mut layer, state);
            }
        }
        self.layers.push(layer);
        self.next = 0;
        room
    }

    /// Looks among the candidates for states that the search has closed on the other side, and keeps the best solution
    /// that comes of it, if it costs at most so much.
    ///
    /// What is closed has its least cost, and so has a whole way to the end of its side. Other threads do not change that.
    fn meet(&mut self, most: u32, table: &Table<R>) {
        let Self { problem, side, candidates, layers, found, .. } = self;
        let whole = candidates.iter().filter_map(|&Candidate { state, .. }| {
            let rest = table.closed(table.mix(state.rank), state.keeper, side.other())?;
            Some((state.cost.checked_add(rest)?, rest, state))
        });
        let best = whole.filter(|&(cost, ..)| cost <= most).min_by_key(|&(cost, ..)| cost);
        let Some((cost, rest, Kept { rank, keeper, parent, .. })) = best else { return };
        let dived = path(layers, parent as usize, rank);
        let Problem { board, objective, ranking, .. } = problem;
        let met = Met { side: side.other(), rank, keeper, cost: rest };
        let Ok(known) = sets_to_end(board, *objective, ranking, met, &mut Rows(table)) else {
            return;
        };
        let (mut sets, rest) = match side {
            Side::Forward => (dived, known),
            Side::Backward => (known, dived),
        };
        // Both go from an end to where they meet.
        sets.extend(rest.into_iter().rev().skip(1));
        found.offer(cost, sets.into_iter());
    }

    /// Ends a dive for want of room. Later ones are narrower.
    fn narrow(&mut self) {
        self.is_widest = true;
        self.is_over = self.width == 1;
        self.width = (self.width / 2).max(1);
        self.surface();
        let candidates = std::mem::take(&mut self.candidates);
        self.purse.drop_list(candidates);
    }

    /// Ends a dive.
    fn surface(&mut self) {
        self.candidates.clear();
        self.layers.drain(..).for_each(|layer| self.purse.drop_list(layer));
    }
}

/// The rows of a table that nobody grows meanwhile.
struct Rows<'t, R>(&'t Table<R>);

impl<R: Rank> RowSource<R> for Rows<'_, R> {
    type Error = std::convert::Infallible;

    fn rows(&mut self, ranks: &[R]) -> Result<Vec<Vec<Entry>>, Self::Error> {
        Ok(ranks.iter().map(|&rank| self.0.row(self.0.mix(rank))).collect())
    }
}

/// The box sets from where a dive began to the state at a place of the last layer, and one more.
fn path<R: Rank>(layers: &[Vec<Kept<R>>], place: usize, last: R) -> Vec<R> {
    let above = |place: &mut usize, layer: &Vec<Kept<R>>| {
        let state = layer[*place];
        *place = state.parent as usize;
        Some(state.rank)
    };
    let back = layers.iter().rev().scan(place, above);
    let mut sets: Vec<R> = std::iter::once(last).chain(back).collect();
    sets.reverse();
    sets
}

/// Draws lots among states, other ones in each dive.
fn lot<R: Rank>(state: &Kept<R>, dive: u64) -> u64 {
    let mut key = [0; 40];
    let words = (0..4).map(|index| state.rank.word(index));
    let words = words.chain([state.keeper.index() as u64]);
    for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    xxhash_rust::xxh3::xxh3_64_with_seed(&key, dive)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::board::tests::level;
    use crate::plan::{OnBoard, Options, Plan, layout};
    use crate::search::problem::Problem;
    use crate::table::Relaxation;
    use crate::{Level, Rule, SearchChoice, builtin, verify};

    /// Scouts until a solution within the bound is there, or nothing is left to be looked for, or so much is done.
    struct Scouting {
        memory: u64,
        lower_bound: u32,
        most: u64,
        /// The states are closed to which so many pushes lead.
        closed: u32,
    }

    /// The best that was found, states opened, whether it is over, and the most bytes taken.
    type Scouted = (Option<(u32, Moves)>, u64, bool, u64);

    impl OnBoard for Scouting {
        type Output = Scouted;

        fn with<R: Rank, G: Ground>(self, plan: &Plan) -> Result<Scouted, Self> {
            let free = Budget::new(u64::MAX);
            let problem: Problem<R, G::Set> = match plan.problem::<R, G>(&free) {
                Ok(problem) => problem,
                Err(_) => return Err(self),
            };
            let table = closed_forward::<R, G>(&problem, self.closed);
            let budget = Budget::new(self.memory);
            let mut scout = Scout::<R, G>::new(&problem, &budget);
            let mut best: Option<(u32, Moves)> = None;
            let mut expanded = 0;
            while !scout.is_over && scout.opened < self.most {
                let incumbent = best.as_ref().map_or(u32::MAX, |&(cost, _)| cost);
                if incumbent <= self.lower_bound {
                    break;
                }
                expanded += 64;
                let news = News { lower_bound: self.lower_bound, incumbent, expanded };
                if let Some(better) = scout.keep_up(news, Some(&table)) {
                    assert!(better.0 < incumbent, "each is better than the one before");
                    best = Some(better);
                }
            }
            Ok((best, scout.opened, scout.is_over, budget.peak()))
        }
    }

    /// A table of the states to which at most so many pushes lead, all closed; 0 for none.
    fn closed_forward<R: Rank, G: Ground>(problem: &Problem<R, G::Set>, pushes: u32) -> Table<R> {
        let layout = layout::<R>(&problem.board, 1 << 20).expect("fits");
        let table = Table::new(layout, 12, 1 << 24).expect("small");
        let mut expander = Expander::<R, G>::new(problem);
        let (start, _) = roots::start::<R, G>(problem);
        let mut states: Vec<_> = start.into_iter().filter(|_| pushes > 0).collect();
        for _ in 0..=pushes {
            let mut next = Vec::new();
            for Successor { rank, keeper, cost, .. } in std::mem::take(&mut states) {
                let mixed = table.mix(rank);
                let stored = table.relax_closed(mixed, keeper.index(), cost, Side::Forward);
                if matches!(stored, Relaxation::Accepted { .. }) {
                    let mut row = Row { cost, opened: vec![keeper], ..Row::default() };
                    let counted = &mut Statistics::default();
                    let side = Side::Forward;
                    expander.expand(side, rank, &mut row, counted, |one| next.push(one), |_| ());
                }
            }
            states = next;
        }
        table
    }

    fn scout(level: &Level, rule: Rule, objective: Objective, scouting: Scouting) -> Scouted {
        // For pushes there is an estimate on either side.
        let search = match objective {
            Objective::Moves => SearchChoice::Forward,
            Objective::Pushes => SearchChoice::Auto,
        };
        let options = Options { search, ..Options::default() };
        let plan = Plan::new(level, rule, objective, options).expect("worth a search");
        plan.run(scouting).expect("fits")
    }

    #[test]
    fn small_boards_are_searched_whole_and_the_best_found_is_the_optimum() {
        for board in builtin::all().iter().filter(|b| !["p15", "level1"].contains(&b.id)) {
            let rule = board.level.rule();
            let scouting = Scouting { memory: u64::MAX, lower_bound: 0, most: u64::MAX, closed: 0 };
            let (best, _, is_over, _) = scout(&board.level, rule, Objective::Moves, scouting);
            let (cost, moves) = best.expect("has a solution");
            assert!(is_over);
            assert_eq!((cost, moves.len()), (board.moves, board.moves as usize), "{}", board.id);
            verify(&board.level, rule, &moves).expect("replays");
        }
    }

    #[test]
    fn a_solution_at_the_bound_is_found_in_few_states() {
        let board = builtin::find("level1").expect("built in");
        let scouting = Scouting { memory: u64::MAX, lower_bound: 97, most: 1 << 20, closed: 0 };
        let (best, opened, ..) = scout(&board.level, Rule::Classic, Objective::Pushes, scouting);
        let (cost, moves) = best.expect("one of 97 pushes");
        assert_eq!((cost, moves.pushes()), (97, 97));
        verify(&board.level, Rule::Classic, &moves).expect("replays");
        assert!(opened < 100_000, "{opened}");
    }

    #[test]
    fn a_dive_ends_at_a_state_that_is_closed_on_the_other_side() {
        let board = builtin::find("level1").expect("built in");
        let opened = [0, 1, 3, 6].map(|closed| {
            let scouting = Scouting { memory: u64::MAX, lower_bound: 97, most: 1 << 20, closed };
            let (best, opened, ..) =
                scout(&board.level, Rule::Classic, Objective::Pushes, scouting);
            let (cost, moves) = best.expect("one of 97 pushes");
            assert_eq!((cost, moves.pushes()), (97, 97));
            verify(&board.level, Rule::Classic, &moves).expect("replays");
            opened
        });
        assert!(opened.is_sorted_by(|fewer, more| fewer > more), "{opened:?}");
    }

    #[test]
    fn the_beam_for_few_moves_makes_headway() {
        let board = builtin::find("level1").expect("built in");
        let scouting = Scouting { memory: u64::MAX, lower_bound: 0, most: 20_000, closed: 0 };
        let (best, ..) = scout(&board.level, Rule::Classic, Objective::Moves, scouting);
        let (cost, moves) = best.expect("one of few moves");
        verify(&board.level, Rule::Classic, &moves).expect("replays");
        assert!((230..260).contains(&cost), "{cost}");
    }

    /// Scouts for few pushes and then for few moves, until it is the turn of the second, which goes on a little.
    struct InTurn;

    impl OnBoard for InTurn {
        type Output = Option<(u32, Moves)>;

        fn with<R: Rank, G: Ground>(self, plan: &Plan) -> Result<Self::Output, Self> {
            let free = Budget::new(u64::MAX);
            let Ok(own) = plan.problem::<R, G>(&free) else { return Err(self) };
            let for_pushes = plan.scouting(Objective::Pushes);
            let used = free.used();
            let Ok(few_pushes) = for_pushes.problem_beside::<R, G>(&[&own], &free) else {
                return Err(self);
            };
            // What the two share is there once.
            assert!(Arc::ptr_eq(&own.ranking, &few_pushes.ranking));
            let forward = [&own, &few_pushes].map(|p| p.subsets[Side::Forward as usize].as_ref());
            if let [Some(one), Some(other)] = forward {
                assert!(Arc::ptr_eq(one, other));
                assert!(free.used() - used < 2 * used);
            }
            let mut scouts = Scouts::<R, G>::new(Some(&few_pushes), &own, &free);
            let mut best = None;
            let mut expanded = 0;
            while !scouts.may_meet() {
                expanded += 64;
                let news = News { lower_bound: 0, incumbent: u32::MAX, expanded };
                best = scouts.keep_up(news, None).or(best);
            }
            // The second has nothing to make up for.
            let news = News { lower_bound: 0, incumbent: u32::MAX, expanded: expanded + 64 };
            let _ = scouts.keep_up(news, None);
            assert!(scouts.own.opened <= 64 / rows_for_a_state(Objective::Moves));
            Ok(best)
        }
    }

    fn in_turn(level: &Level, rule: Rule) -> Option<(u32, Moves)> {
        let options = Options { search: SearchChoice::Forward, ..Options::default() };
        let plan = Plan::new(level, rule, Objective::Moves, options).expect("worth a search");
        plan.run(InTurn).expect("fits")
    }

    #[test]
    fn a_solution_of_few_pushes_is_found_first_and_counts_as_many_moves_as_it_has() {
        for board in builtin::all() {
            let rule = board.level.rule();
            let (cost, moves) = in_turn(&board.level, rule).expect("has a solution");
            verify(&board.level, rule, &moves).expect("replays");
            assert_eq!(cost as usize, moves.len(), "{}", board.id);
            assert!(cost >= board.moves, "{}", board.id);
        }
    }

    #[test]
    fn where_there_is_none_it_is_the_turn_of_the_other_all_the_same() {
        let walled_in = level("########\n#@ #  .#\n# $$ # #\n# #  $.#\n#.    ##\n########");
        let found = in_turn(&walled_in, Rule::Classic);
        assert!(found.is_none(), "{found:?}");
    }

    #[test]
    fn it_keeps_to_its_part_of_the_memory() {
        let board = builtin::find("level1").expect("built in");
        for memory in [0, 1 << 10, 64 << 10, 1 << 20, 16 << 20] {
            let scouting = Scouting { memory, lower_bound: 0, most: 200_000, closed: 0 };
            let (best, opened, is_over, peak) =
                scout(&board.level, Rule::Classic, Objective::Pushes, scouting);
            assert!(peak <= memory / MEMORY_SHARE, "{peak} of {memory}");
            assert!(opened >= 200_000 || is_over);
            assert_eq!(best.is_some(), memory >= 16 << 20, "{memory}");
        }
    }
}
