//! Lists that ask the budget before they grow.

use std::collections::HashMap;
use std::hash::Hash;

use crate::budget::Budget;

/// What was taken from a budget; gives it back in the end.
#[derive(Debug)]
pub(crate) struct Purse<'b> {
    budget: &'b Budget,
    taken: u64,
    most: u64,
}

/// The budget does not allow for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoRoom;

/// Elements that a list begins with.
const FIRST: usize = 64;

impl<'b> Purse<'b> {
    pub(crate) fn new(budget: &'b Budget) -> Self {
        Self::of_at_most(budget, u64::MAX)
    }

    /// A purse that takes so many bytes at most.
    pub(crate) fn of_at_most(budget: &'b Budget, most: u64) -> Self {
        Self { budget, taken: 0, most }
    }

    fn take(&mut self, bytes: usize) -> Result<(), NoRoom> {
        let bytes = bytes as u64;
        if bytes > self.most - self.taken || !self.budget.take(bytes) {
            return Err(NoRoom);
        }
        self.taken += bytes;
        Ok(())
    }

    fn give_back(&mut self, bytes: usize) {
        self.taken -= bytes as u64;
        self.budget.give_back(bytes as u64);
    }

    /// Appends to a list whose growth is charged here only. While it grows, the old copy counts too.
    pub(crate) fn push<T>(&mut self, list: &mut Vec<T>, element: T) -> Result<(), NoRoom> {
        if list.len() == list.capacity() {
            let old = list.capacity();
            let more = old.max(FIRST);
            self.take((old + more) * size_of::<T>())?;
            list.reserve_exact(more);
            self.give_back(old * size_of::<T>());
        }
        list.push(element);
        Ok(())
    }

    /// Drops a list that was filled by [`Purse::push`] only.
    pub(crate) fn drop_list<T>(&mut self, list: Vec<T>) {
        let bytes = list.capacity() * size_of::<T>();
        drop(list);
        self.give_back(bytes);
    }

    /// Enters a key that is new into a map whose growth is charged here only.
    pub(crate) fn insert<K: Eq + Hash, V>(
        &mut self,
        map: &mut HashMap<K, V>,
        key: K,
        value: V,
    ) -> Result<(), NoRoom> {
        // Buckets are a power of two, at most 7/8 of them full, with a byte each beside the pair.
        let bytes = |capacity: usize| match capacity {
            0 => 0,
            _ => (capacity * 8).div_ceil(7).next_power_of_two() * (size_of::<(K, V)>() + 1),
        };
        if map.len() == map.capacity() {
            let old = map.capacity();
            let more = old.max(FIRST);
            let new = bytes(old + more);
            self.take(new)?;
            map.reserve(more);
            self.give_back(bytes(old).min(new));
        }
        map.insert(key, value);
        Ok(())
    }
}

impl Drop for Purse<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.taken);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_is_charged_and_given_back() {
        let budget = Budget::new(100_000);
        let mut purse = Purse::new(&budget);
        let (mut list, mut map) = (Vec::new(), HashMap::new());
        for number in 0..1_000_u64 {
            assert_eq!(purse.push(&mut list, number), Ok(()));
            assert_eq!(purse.insert(&mut map, number, number), Ok(()));
        }
        let least = 8 * list.capacity() + 17 * map.capacity();
        assert!(budget.used() >= least as u64, "{} for {least}", budget.used());
        let refused = (0..).find(|&number| purse.push(&mut list, number) == Err(NoRoom));
        assert!(refused.is_some() && budget.used() <= 100_000);
        drop(purse);
        assert_eq!(budget.used(), 0);
    }
}
