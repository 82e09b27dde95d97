//! What has been searched in the iteration under way: a transposition table of fixed size.
//!
//! A slot holds one state: its whole rank and its keeper, so that no two states are ever taken for each other. Of the
//! four slots that a state may stand in one gives way when all are taken, so whatever is here may be forgotten. States
//! that wait beyond the bound are entered where there is room; of those there is no room for, the least f is kept, which
//! is all that the next bound needs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Statistics;
use crate::board::Square;
use crate::rank::Rank;
use crate::search::expand::Successor;

/// Slots that a state may stand in.
const WAYS: usize = 4;

/// Parts that are locked one by one, at most.
const MOST_STRIPES: u64 = 1 << 10;

/// The table. Iterations are numbered from 1; what was entered in one is not known in the next.
pub(super) struct Cache<R> {
    stripes: Box<[Mutex<Stripe<R>>]>,
    /// In a stripe.
    buckets: usize,
    /// Relaxed, like `least_lost`: threads are started after it was set, and neither guards other memory.
    iteration: AtomicU32,
    /// The least f of the states beyond the bound that have no slot; `u32::MAX` for none.
    least_lost: AtomicU32,
}

struct Stripe<R> {
    slots: Vec<Slot<R>>,
    /// How many slots wait at each f.
    waiting: BTreeMap<u32, usize>,
}

#[derive(Clone, Copy)]
struct Slot<R> {
    rank: R,
    keeper: Square,
    /// The least cost at which the state was met.
    cost: u32,
    /// 0 for a slot nobody has used.
    iteration: u32,
    /// Beyond the bound: where the state waits. 0: it has been searched at `cost`, or is being.
    waits_at: u32,
}

impl<R: Rank> Cache<R> {
    /// Bytes of the smallest table.
    pub(super) const LEAST_BYTES: u64 =
        (size_of::<Mutex<Stripe<R>>>() + WAYS * size_of::<Slot<R>>()) as u64;

    /// A table of at most so many bytes, and not many more slots than there can be states. `None` where not even four
    /// slots fit, or the system does not give them.
    pub(super) fn new(bytes: u64, most_states: u64) -> Option<Self> {
        let bucket = (WAYS * size_of::<Slot<R>>()) as u64;
        let stripe = size_of::<Mutex<Stripe<R>>>() as u64;
        // Some slots more than states, as they do not spread evenly.
        let bytes = bytes.min((stripe + bucket).saturating_mul(most_states.max(1)));
        let stripes = (bytes / (64 * bucket)).clamp(1, MOST_STRIPES);
        let buckets = (bytes / stripes).saturating_sub(stripe) / bucket;
        let slots = usize::try_from(buckets).ok()?.checked_mul(WAYS)?;
        if slots == 0 {
            return None;
        }
        let unused = Slot {
            rank: R::ZERO,
            keeper: Square::from_index(0),
            cost: 0,
            iteration: 0,
            waits_at: 0,
        };
        let new_stripe = |_| {
            let mut all = Vec::new();
            all.try_reserve_exact(slots).ok()?;
            all.resize(slots, unused);
            Some(Mutex::new(Stripe { slots: all, waiting: BTreeMap::new() }))
        };
        Some(Self {
            stripes: (0..stripes).map(new_stripe).collect::<Option<_>>()?,
            buckets: slots / WAYS,
            iteration: AtomicU32::new(0),
            least_lost: AtomicU32::new(u32::MAX),
        })
    }

    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> u64 {
        let slots = self.buckets * WAYS * size_of::<Slot<R>>();
        (self.stripes.len() * (slots + size_of::<Mutex<Stripe<R>>>())) as u64
    }

    /// Begins the next iteration. No thread may be searching.
    pub(super) fn begin(&self) {
        self.iteration.fetch_add(1, Ordering::Relaxed);
        self.least_lost.store(u32::MAX, Ordering::Relaxed);
        for stripe in &self.stripes {
            lock(stripe).waiting.clear();
        }
    }

    /// The least f of all states that wait beyond the bound; `None` if there are none.
    pub(super) fn next_bound(&self) -> Option<u32> {
        let least = |stripe| lock(stripe).waiting.keys().next().copied();
        let kept = self.stripes.iter().filter_map(least).min().unwrap_or(u32::MAX);
        let least = kept.min(self.least_lost.load(Ordering::Relaxed));
        (least != u32::MAX).then_some(least)
    }

    /// Whether a state has to be searched at its cost: it has not been in this iteration at this cost or less, nor is
    /// anybody about to. If so it is entered, and the caller must search it before the iteration ends.
    pub(super) fn claim(&self, state: &Successor<R>, statistics: &mut Statistics) -> bool {
        statistics.attempts += 1;
        let iteration = self.iteration.load(Ordering::Relaxed);
        let (stripe, ways) = self.place(state);
        let Stripe { slots, waiting } = &mut *lock(stripe);
        let slots = &mut slots[ways];
        let claimed = Slot::new(state, iteration, 0);
        if let Some(slot) = slots.iter_mut().find(|slot| slot.is(state, iteration)) {
            if slot.waits_at == 0 && slot.cost <= state.cost {
                statistics.stale += 1;
                return false;
            }
            slot.leave(waiting);
            *slot = claimed;
            return true;
        }
        // What gives way first: what is of no use any more, what waits longest, what has least below it.
        let worth = |slot: &Slot<R>| match slot {
            Slot { iteration: then, .. } if *then != iteration => (0, 0),
            Slot { waits_at: 0, cost, .. } => (2, u32::MAX - cost),
            Slot { waits_at, .. } => (1, u32::MAX - waits_at),
        };
        if let Some(slot) = slots.iter_mut().min_by_key(|slot| worth(slot)) {
            statistics.states += u64::from(slot.iteration == 0);
            if slot.iteration == iteration {
                self.lose(slot.leave(waiting));
            }
            *slot = claimed;
        }
        true
    }

    /// Whether it makes a difference to the next bound that a state waits at `f`, as far as that is seen at a glance.
    pub(super) fn minds(&self, f: u32) -> bool {
        f < self.least_lost.load(Ordering::Relaxed)
    }

    /// Notes a state that waits at `f`, beyond the bound, unless it has been searched at its cost or less.
    pub(super) fn wait(&self, state: &Successor<R>, f: u32, statistics: &mut Statistics) {
        statistics.attempts += 1;
        let iteration = self.iteration.load(Ordering::Relaxed);
        let (stripe, ways) = self.place(state);
        let Stripe { slots, waiting } = &mut *lock(stripe);
        let slots = &mut slots[ways];
        if let Some(slot) = slots.iter_mut().find(|slot| slot.is(state, iteration)) {
            if slot.cost > state.cost {
                slot.leave(waiting);
                *slot = Slot::new(state, iteration, f);
                slot.enter(waiting);
            }
            return;
        }
        // Nothing that has been searched gives way, and of what waits, what waits longest.
        let order = |slot: &Slot<R>| match slot.iteration == iteration {
            true => slot.waits_at,
            false => u32::MAX,
        };
        match slots.iter_mut().max_by_key(|slot| order(slot)) {
            Some(slot) if order(slot) > f => {
                statistics.states += u64::from(slot.iteration == 0);
                if slot.iteration == iteration {
                    self.lose(slot.leave(waiting));
                }
                *slot = Slot::new(state, iteration, f);
                slot.enter(waiting);
            }
            _ => self.lose(f),
        }
    }

    /// Takes note of where a state waits that has no slot; `0` for one that does not wait.
    fn lose(&self, f: u32) {
        if f != 0 {
            self.least_lost.fetch_min(f, Ordering::Relaxed);
        }
    }

    /// The stripe of a state, and its slots there.
    fn place(&self, state: &Successor<R>) -> (&Mutex<Stripe<R>>, std::ops::Range<usize>) {
        let words = (0..R::WORDS as u32).map(|index| state.rank.word(index));
        let mut hash = words.fold(state.keeper.index() as u64, |hash, word| mix(hash ^ word));
        let stripe = hash as usize % self.stripes.len();
        hash /= self.stripes.len() as u64;
        let first = hash as usize % self.buckets * WAYS;
        (&self.stripes[stripe], first..first + WAYS)
    }
}

impl<R: Rank> Slot<R> {
    fn new(state: &Successor<R>, iteration: u32, waits_at: u32) -> Self {
        let Successor { rank, keeper, cost, .. } = *state;
        Self { rank, keeper, cost, iteration, waits_at }
    }

    fn is(&self, state: &Successor<R>, iteration: u32) -> bool {
        self.rank == state.rank && self.keeper == state.keeper && self.iteration == iteration
    }

    /// Counts it among those that wait, if it does.
    fn enter(&self, waiting: &mut BTreeMap<u32, usize>) {
        if self.waits_at != 0 {
            *waiting.entry(self.waits_at).or_default() += 1;
        }
    }

    /// Counts it among those that wait no more, and says where it waited; 0 if it did not.
    fn leave(&self, waiting: &mut BTreeMap<u32, usize>) -> u32 {
        if let Some(count) = waiting.get_mut(&self.waits_at) {
            *count -= 1;
            if *count == 0 {
                waiting.remove(&self.waits_at);
            }
        }
        self.waits_at
    }
}

fn lock<R>(stripe: &Mutex<Stripe<R>>) -> MutexGuard<'_, Stripe<R>> {
    stripe.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A bijection that spreads numbers (the finish of SplitMix64).
fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(rank: u64, keeper: usize, cost: u32) -> Successor<u64> {
        Successor { rank, keeper: Square::from_index(keeper), cost, estimate: 0 }
    }

    fn claims(cache: &Cache<u64>, state: Successor<u64>) -> bool {
        cache.claim(&state, &mut Statistics::default())
    }

    fn waits(cache: &Cache<u64>, state: Successor<u64>, f: u32) {
        cache.wait(&state, f, &mut Statistics::default());
    }

    #[test]
    fn a_state_is_searched_again_at_less_cost_only() {
        let cache = Cache::new(1 << 16, 1 << 20).expect("room");
        cache.begin();
        assert!(claims(&cache, state(7, 3, 5)));
        assert!(!claims(&cache, state(7, 3, 5)) && !claims(&cache, state(7, 3, 6)));
        assert!(claims(&cache, state(7, 4, 6)), "another keeper");
        assert!(claims(&cache, state(7, 3, 4)));
        assert!(!claims(&cache, state(7, 3, 4)));
        cache.begin();
        assert!(claims(&cache, state(7, 3, 4)), "another iteration");
    }

    #[test]
    fn states_of_the_same_low_words_are_told_apart() {
        let state =
            |rank| Successor::<u128> { rank, keeper: Square::from_index(0), cost: 1, estimate: 0 };
        let cache = Cache::new(Cache::<u128>::LEAST_BYTES, 9).expect("room");
        cache.begin();
        for rank in [5, 5 | 1 << 64, 5 | 1 << 100] {
            assert!(cache.claim(&state(rank), &mut Statistics::default()));
        }
        assert!(!cache.claim(&state(5 | 1 << 64), &mut Statistics::default()));
    }

    #[test]
    fn the_next_bound_is_the_least_at_which_a_state_waits() {
        for bytes in [Cache::<u64>::LEAST_BYTES, 1 << 16] {
            let cache = Cache::new(bytes, 1 << 20).expect("room");
            cache.begin();
            assert_eq!(cache.next_bound(), None);
            for rank in 0..40 {
                waits(&cache, state(rank, 0, 9), 60 - rank as u32);
            }
            assert_eq!(cache.next_bound(), Some(21), "{bytes} bytes");
            // One that has been searched does not wait.
            assert!(claims(&cache, state(50, 0, 4)));
            waits(&cache, state(50, 0, 9), 13);
            assert_eq!(cache.next_bound(), Some(21), "{bytes} bytes");
            cache.begin();
            assert_eq!(cache.next_bound(), None);
        }
    }

    #[test]
    fn what_is_searched_after_all_waits_no_more() {
        let cache = Cache::new(1 << 16, 1 << 20).expect("room");
        cache.begin();
        waits(&cache, state(1, 0, 9), 20);
        waits(&cache, state(2, 0, 9), 30);
        waits(&cache, state(2, 0, 8), 29);
        assert!(claims(&cache, state(1, 0, 7)));
        assert_eq!(cache.next_bound(), Some(29));
        assert!(claims(&cache, state(2, 0, 7)));
        assert_eq!(cache.next_bound(), None);
    }

    #[test]
    fn what_gives_way_while_it_waits_is_not_forgotten() {
        let cache = Cache::new(Cache::<u64>::LEAST_BYTES, 9).expect("room");
        cache.begin();
        (0..4).for_each(|rank| waits(&cache, state(rank, 0, 9), 20));
        (4..8).for_each(|rank| assert!(claims(&cache, state(rank, 0, 9))));
        assert_eq!(cache.next_bound(), Some(20));
        assert!((4..8).all(|rank| !claims(&cache, state(rank, 0, 9))), "all have a slot");
        assert!(claims(&cache, state(8, 0, 3)), "and one gives way");
        assert!(!claims(&cache, state(8, 0, 3)));
    }

    #[test]
    fn a_table_takes_no_more_than_it_may() {
        for bytes in (0..300_000).step_by(997).chain([3_000_000]) {
            match Cache::<u64>::new(bytes, u64::MAX) {
                Some(cache) => assert!(cache.bytes() <= bytes, "{} of {bytes}", cache.bytes()),
                None => assert!(bytes < Cache::<u64>::LEAST_BYTES, "{bytes}"),
            }
        }
        let few = Cache::<u64>::new(1 << 30, 100).expect("room");
        assert!(few.bytes() < 1 << 15, "no more than the states there are");
    }
}
