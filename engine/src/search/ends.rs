//! The rows in which the best solutions were found.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use super::incumbent::Finish;
use super::want::Want;
use crate::budget::Budget;
use crate::rank::Rank;

/// The box sets of all finishes of the least cost known.
///
/// Kept with [`Want::All`] only. Each distinct box set is charged to the budget; where that is spent, the rows are given
/// up, and with them what they would have been good for, but not the search.
#[derive(Debug)]
pub(crate) struct Ends<R> {
    want: Want,
    found: Mutex<Found<R>>,
}

#[derive(Debug)]
struct Found<R> {
    /// What they cost; `u32::MAX` for none.
    cost: u32,
    rows: HashSet<R>,
    /// Bytes charged.
    bytes: u64,
    /// Some could not be kept.
    lost: bool,
}

impl<R: Rank> Ends<R> {
    pub(crate) fn new(want: Want) -> Self {
        let found = Found { cost: u32::MAX, rows: HashSet::new(), bytes: 0, lost: false };
        Self { want, found: Mutex::new(found) }
    }

    /// Takes note of a finish, if none is known that costs less.
    pub(crate) fn note(&self, finish: Finish<R>, budget: &Budget) {
        if self.want == Want::Any {
            return;
        }
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if finish.cost > found.cost {
            return;
        }
        if finish.cost < found.cost {
            found.clear(budget);
            found.cost = finish.cost;
            found.lost = false;
        }
        /// What a row takes in the set at most, while that grows: the old buckets and twice as many, 7/8 full. When it
        /// grows no more, that leaves enough for a list.
        const COPIES: u64 = 4;
        let bytes = COPIES * (size_of::<R>() as u64 + 1);
        if found.lost || found.rows.contains(&finish.rank) {
            return;
        }
        if budget.take(bytes) {
            found.bytes += bytes;
            found.rows.insert(finish.rank);
        } else {
            found.clear(budget);
            found.lost = true;
        }
    }

    /// The rows of all finishes of this cost, in order; `None` if they were not kept.
    pub(crate) fn rows(&self, cost: u32) -> Option<Vec<R>> {
        self.rows_after(None, usize::MAX, cost)
    }

    /// The first so many of them, of those that come after a row.
    pub(crate) fn rows_after(&self, after: Option<R>, most: usize, cost: u32) -> Option<Vec<R>> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if self.want == Want::Any || found.cost < cost || found.cost == cost && found.lost {
            return None;
        }
        if found.cost > cost {
            // All that cost as little were found elsewhere.
            return Some(Vec::new());
        }
        let comes = |rank: &R| after.is_none_or(|after| *rank > after);
        let mut rows: Vec<R> = found.rows.iter().copied().filter(comes).collect();
        if most < rows.len() {
            rows.select_nth_unstable(most);
            rows.truncate(most);
        }
        rows.sort_unstable();
        Some(rows)
    }
}

impl<R> Found<R> {
    fn clear(&mut self, budget: &Budget) {
        self.rows = HashSet::new();
        budget.give_back(std::mem::take(&mut self.bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::incumbent::Trail;

    fn finish(cost: u32, rank: u64) -> Finish<u64> {
        Finish { cost, rank, trail: Trail::Meeting }
    }

    #[test]
    fn the_rows_of_the_least_cost_are_kept_once_each() {
        let budget = Budget::new(1_000);
        let ends = Ends::new(Want::All);
        for (cost, rank) in [(9, 1), (9, 2), (7, 5), (8, 1), (7, 4), (7, 5)] {
            ends.note(finish(cost, rank), &budget);
        }
        assert_eq!((ends.rows(7), ends.rows(9)), (Some(vec![4, 5]), None));
        assert_eq!(ends.rows(6), Some(vec![]), "found elsewhere, if at all");
        let none = Ends::new(Want::Any);
        none.note(finish(7, 1), &budget);
        assert_eq!(none.rows(7), None);
    }

    #[test]
    fn rows_are_told_in_portions_too() {
        let budget = Budget::new(10_000);
        let ends = Ends::new(Want::All);
        [8, 3, 9, 1, 5].into_iter().for_each(|rank| ends.note(finish(7, rank), &budget));
        for (after, most, rows) in [
            (None, 2, vec![1, 3]),
            (Some(3), 2, vec![5, 8]),
            (Some(4), 9, vec![5, 8, 9]),
            (Some(8), 2, vec![9]),
            (Some(9), 2, vec![]),
        ] {
            assert_eq!(ends.rows_after(after, most, 7), Some(rows));
        }
    }

    #[test]
    fn without_memory_they_are_given_up_until_there_are_cheaper_ones() {
        let budget = Budget::new(100);
        let ends = Ends::new(Want::All);
        (0..10).for_each(|rank| ends.note(finish(9, rank), &budget));
        assert_eq!((ends.rows(9), budget.used()), (None, 0));
        ends.note(finish(8, 3), &budget);
        assert_eq!(ends.rows(8), Some(vec![3]));
    }
}
