//! Iterative deepening A*: depth first within a bound on f, again and again with a larger one, in memory that does not
//! grow with the search (R. E. Korf, *Depth-first iterative-deepening: an optimal admissible tree search*, 1985). A table
//! of fixed size keeps most states from being searched twice in an iteration ([`cache`]; A. Reinefeld and T. A. Marsland,
//! *Enhanced iterative-deepening search*, 1994).
//!
//! # An iteration
//!
//! Let B be its bound, d the least cost of a state from the start, and h the estimate, which never exceeds the cost to
//! come. A state met at cost g, with f = g + h,
//!
//! * is cut off if it is on the path already, or in the table as searched in this iteration at cost g or less;
//! * else waits if f > B;
//! * else is entered as searched at g, and then it is: its pushes are made, and where they lead is met.
//!
//! **If a solution costs B or less, one is found.** Take a cheapest, and the states on its way. Each of them is opened
//! at its cost d in this iteration: The start is. Let one be opened at d; then the next is met at its d, with f ≤ B as
//! no estimate exceeds what is left. If it is cut off, it stood on the path or in the table at cost d or less. Costs are
//! those of real paths, so none is less than d: it did at d. Whoever entered it opens it at d before the iteration ends,
//! whichever thread that is, since an iteration ends when all threads have searched all that they took. If it is not cut
//! off, it is opened now. So the last push is made. Nothing is assumed about the order, about paths that run in circles,
//! nor about how long the table remembers: what it forgets is searched again. The comparison may not be the other way
//! round: a state that was searched at a greater cost had less of B left for what lies below it.
//!
//! **If none does, none costs less than the least f that waits, or than the cheapest solution found beyond B; and if
//! there is neither, there is no solution.** Take a cheapest solution, of cost C, and the last state on its way that was
//! opened at d. The next is met at its d and not opened at d. So it was not cut off, as above, but waits at some f ≤ C,
//! or it is the end, and the solution itself was found. Where states wait in slots, one leaves that is searched later in
//! the iteration at less cost; this is not the one, as its f was beyond B at d already. One that loses its slot is
//! remembered by its f.
//!
//! So the next bound is proven, and a solution found at it is optimal. The pushes that are left out where only pushes
//! count (corrals) depend on the state alone and leave each state a cheapest way to the end, so all of this holds for
//! the graph without them.
//!
//! It ends on boards without a solution too: no path goes through a state twice, so bounds do not rise for ever. Where
//! the table holds all states, it ends with the first bound that no d + h exceeds.
//!
//! # Threads
//!
//! They take states of a [`frontier`] around the start, each with its path, and search what is below in turn. What lies
//! before the frontier has been opened at its least cost before the first iteration, and is entered as searched in each.

mod cache;
mod diver;
mod frontier;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use crossbeam_utils::CachePadded;

use self::cache::Cache;
use self::diver::Diver;
use self::frontier::Frontier;
use crate::budget::Budget;
use crate::found::Found;
use crate::plan::{OnBoard, Plan, SetupError};
use crate::rank::Rank;
use crate::search::expand::Successor;
use crate::search::problem::Problem;
use crate::search::roots;
use crate::walk::Ground;
use crate::{Control, Limit, Moves, Statistics, Stop};

/// Bytes that [`SearchChoice::Ida`](crate::SearchChoice::Ida) takes where no limit is given.
pub const USUAL_MEMORY: u64 = 64 << 20;

/// States of the frontier for each thread, where there are several: enough for all to be busy nearly to the end.
const LEAVES: usize = 32;

/// A search of one board: what it may take, and who watches it.
#[derive(Clone, Debug)]
pub(crate) struct Deepening {
    pub(crate) threads: usize,
    /// Most bytes that it may hold; `u64::MAX` for no limit.
    pub(crate) memory: u64,
    /// Most bytes of the table, where it is not left to us.
    pub(crate) table_bytes: Option<u64>,
    pub(crate) most_expansions: u64,
    pub(crate) control: Control,
}

/// How a search ended.
#[derive(Clone, Debug)]
pub(crate) struct Dug {
    /// The limit that came before the proof.
    pub(crate) limit: Option<Limit>,
    /// Proven: every solution costs at least this much.
    pub(crate) lower_bound: u32,
    /// The best solution found, with its cost.
    pub(crate) best: Option<(u32, Moves)>,
    pub(crate) statistics: Statistics,
}

impl Dug {
    /// Without a search, as the memory does not hold what it needs.
    fn without_memory(lower_bound: u32) -> Self {
        let limit = Some(Limit::Memory);
        Self { limit, lower_bound, best: None, statistics: Statistics::default() }
    }
}

impl OnBoard for Deepening {
    type Output = Dug;

    fn with<R: Rank, G: Ground>(self, plan: &Plan) -> Result<Dug, Self> {
        if !plan.has_ranks::<R>() {
            return Err(self);
        }
        let mut lower_bound = plan.least_bound();
        let budget = Budget::new(self.memory);
        let problem = match plan.problem::<R, G>(&budget) {
            Ok(problem) => problem,
            Err(SetupError::TooNarrow) => return Err(self),
            Err(_) => return Ok(Dug::without_memory(lower_bound)),
        };
        let Some(cache) = self.cache(&problem, &budget) else {
            return Ok(Dug::without_memory(lower_bound));
        };
        let dig = Dig::<R, G> {
            problem: &problem,
            budget: &budget,
            cache,
            found: Found::new(),
            bound: AtomicU32::new(lower_bound),
            expanded: CachePadded::new(AtomicU64::new(0)),
            most_expansions: self.most_expansions,
            control: &self.control,
            halt: OnceLock::new(),
            ground: std::marker::PhantomData,
        };
        let (start, finish) = roots::start::<R, G>(&problem);
        let rank = problem.ranking.rank(problem.board.boxes());
        finish.into_iter().for_each(|finish| dig.offer(finish.cost, [rank].into_iter()));
        self.control.begin(0, dig.found.cost(), lower_bound);
        let mut statistics = Statistics::default();
        // A start that no estimate admits leads nowhere.
        if let Some(start) = start {
            let least_bound = lower_bound.max(start.estimate);
            let mut divers: Vec<_> = (0..self.threads).map(|_| Diver::new(&dig)).collect();
            let (proven, iterations) = dig.deepen(least_bound, start, &mut divers);
            lower_bound = proven;
            divers.iter().for_each(|diver| statistics += diver.statistics());
            statistics.levels = iterations;
        }
        statistics.peak_bytes = budget.peak();
        // A solution as cheap as the bound is proven, whatever came after it.
        let limit = match dig.halt.get() {
            Some(&Halt::Limit(limit)) if dig.found.cost() > lower_bound => Some(limit),
            _ => None,
        };
        let best = dig.found.moves(&problem.board, problem.rule, &problem.ranking);
        Ok(Dug { limit, lower_bound, best, statistics })
    }
}

impl Deepening {
    /// The table; `None` where there is no room for it. An eighth of the memory is left to paths.
    fn cache<R: Rank, S>(&self, problem: &Problem<R, S>, budget: &Budget) -> Option<Cache<R>> {
        let fits = budget.take(problem.ranking.bytes());
        let most = if self.memory == u64::MAX { USUAL_MEMORY } else { budget.left() / 8 * 7 };
        let asked = self.table_bytes.map(|bytes| bytes.max(Cache::<R>::LEAST_BYTES));
        let bytes = most.min(asked.unwrap_or(most));
        let sets = problem.ranking.sets();
        let sets = if sets.bit_length() <= u64::BITS { sets.word(0) } else { u64::MAX };
        let states = sets.saturating_mul(problem.board.squares() as u64);
        let cache = fits.then(|| Cache::new(bytes, states)).flatten()?;
        budget.take(cache.bytes()).then_some(cache)
    }
}

/// What the threads share.
struct Dig<'d, R, G: Ground> {
    problem: &'d Problem<R, G::Set>,
    budget: &'d Budget,
    cache: Cache<R>,
    found: Found<R>,
    /// Of the iteration under way. Relaxed: threads are started after it was set.
    bound: AtomicU32,
    expanded: CachePadded<AtomicU64>,
    most_expansions: u64,
    control: &'d Control,
    /// Why everybody is to stop.
    halt: OnceLock<Halt>,
    ground: std::marker::PhantomData<fn() -> G>,
}

/// Why a search is over before its iteration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Halt {
    /// A solution within the bound.
    Found,
    Limit(Limit),
    /// A thread panics, and with it the search.
    Panic,
}

impl<'d, R: Rank, G: Ground> Dig<'d, R, G> {
    /// Searches with larger and larger bounds until the best solution is proven, or that there is none, or the search is
    /// halted. Returns the bound that is proven then, and the number of iterations.
    fn deepen(
        &'d self,
        least_bound: u32,
        start: Successor<R>,
        divers: &mut [Diver<'d, R, G>],
    ) -> (u32, u64) {
        let (mut bound, mut iterations) = (least_bound, 0);
        self.bound.store(bound, Ordering::Relaxed);
        let leaves = if divers.len() > 1 { LEAVES * divers.len() } else { 1 };
        let frontier = Frontier::new(start, leaves, &mut divers[0]);
        loop {
            self.control.publish_level(bound);
            if self.found.cost() <= bound || self.halt.get().is_some() {
                return (bound, iterations);
            }
            iterations += 1;
            self.cache.begin();
            frontier.opened().for_each(|state| divers[0].claim(state));
            self.iterate(&frontier, divers);
            if self.halt.get().is_some() {
                return (bound, iterations);
            }
            let next = self.cache.next_bound().unwrap_or(u32::MAX).min(self.found.cost());
            if next == u32::MAX {
                return (bound, iterations);
            }
            bound = next;
            self.bound.store(bound, Ordering::Relaxed);
        }
    }

    /// Searches below every state of the frontier, on this thread and as many more as there are divers and the system
    /// gives.
    fn iterate(&self, frontier: &Frontier<R>, divers: &mut [Diver<'d, R, G>]) {
        let next = AtomicUsize::new(0);
        let work = |diver: &mut Diver<'d, R, G>| {
            let _panic = PanicHaltsAll(&self.halt);
            while self.halt.get().is_none()
                && let Some(path) = frontier.path_to_leaf(next.fetch_add(1, Ordering::Relaxed))
            {
                diver.search(path.into_iter());
            }
        };
        std::thread::scope(|scope| {
            let Some((here, others)) = divers.split_first_mut() else { return };
            for (diver, number) in others.iter_mut().zip(1..) {
                let thread = std::thread::Builder::new().name(format!("search-{number}"));
                if thread.spawn_scoped(scope, || work(diver)).is_err() {
                    break;
                }
            }
            work(here);
            // The scope waits for the threads, and panics if one of them did.
        });
    }

    fn bound(&self) -> u32 {
        self.bound.load(Ordering::Relaxed)
    }

    /// Ends the search; the first reason counts.
    fn halt(&self, limit: Limit) {
        let _ = self.halt.set(Halt::Limit(limit));
    }

    /// Keeps a solution that was found. Within the bound it is the last.
    fn offer(&self, cost: u32, sets: impl Iterator<Item = R>) {
        if cost < self.found.cost() {
            self.found.offer(cost, sets);
        }
        if cost <= self.bound() {
            let _ = self.halt.set(Halt::Found);
        }
    }

    /// Counts a state that is about to be opened, unless the search is over or that would be one too many.
    fn may_go_on(&self) -> bool {
        if let Some(stop) = self.control.stopped() {
            self.halt(match stop {
                Stop::Time => Limit::Time,
                Stop::Interrupt => Limit::Interrupted,
            });
        } else if self.expanded.fetch_add(1, Ordering::Relaxed) >= self.most_expansions {
            self.halt(Limit::Expansions);
        }
        self.halt.get().is_none()
    }

    /// Shows watchers what a thread has done since it last did so.
    fn publish(&self, expanded: u64, states: u64) {
        self.control.publish(expanded, states, self.found.cost(), 0, self.budget.used());
    }
}

/// Ends the search of all threads when the one that holds this panics.
struct PanicHaltsAll<'h>(&'h OnceLock<Halt>);

impl Drop for PanicHaltsAll<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = self.0.set(Halt::Panic);
        }
    }
}
