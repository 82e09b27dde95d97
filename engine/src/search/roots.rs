//! Where the two sides begin.

use super::expand::{Successor, finishing_walk};
use super::incumbent::{Finish, Trail};
use super::problem::Problem;
use super::side::Side;
use crate::board::Square;
use crate::estimate::Estimator;
use crate::rank::Rank;
use crate::squares::SquareSet;
use crate::walk::{Ground, representative};
use crate::{Objective, Rule};

/// Box sets to begin the backward side with: beyond, it does not pay to begin at all.
pub(crate) const MOST_FINISHED_SETS: u64 = 1 << 20;

/// Number of ways to put so many boxes on so many goals, stopping at more than [`MOST_FINISHED_SETS`].
pub(crate) fn finished_sets(boxes: usize, goals: usize) -> u64 {
    let fewer = boxes.min(goals.saturating_sub(boxes)) as u64;
    let mut sets = 1_u64;
    for taken in 1..=fewer {
        sets = sets * (goals as u64 - fewer + taken) / taken;
        if sets > MOST_FINISHED_SETS {
            return sets;
        }
    }
    sets
}

/// The start, unless the estimate says that it cannot be finished; and the finish it may already be.
pub(crate) fn start<R: Rank, G: Ground>(
    problem: &Problem<R, G::Set>,
) -> (Option<Successor<R>>, Option<Finish<R>>) {
    let board = &problem.board;
    let rank = problem.ranking.rank(board.boxes());
    let keeper = board.keeper();
    let occupied = G::Set::from_squares(board.squares(), board.boxes().iter().copied());
    let walk = finishing_walk(&mut G::new(board), problem, &occupied, keeper);
    let trail = Trail::Finished { keeper, push_cost: 0 };
    let finish = walk.map(|steps| Finish { cost: problem.objective.walk(steps), rank, trail });
    let keeper = match problem.objective {
        Objective::Moves => keeper,
        Objective::Pushes => representative(&mut G::new(board), &occupied, keeper),
    };
    let mut estimator = Estimator::new(&problem.estimates[Side::Forward as usize]);
    let start = estimator.of_row(board.boxes()).map(|_| {
        let estimate = estimator.with_keeper(keeper);
        Successor { rank, keeper, cost: 0, estimate }
    });
    (start, finish)
}

/// All finished boards, as states of the backward side.
///
/// Under [`Rule::Classic`] the keeper may be anywhere, so it stands wherever a pull can begin; under
/// [`Rule::KeeperOnGoal`] on each goal without a box.
pub(crate) fn finished<R: Rank, G: Ground>(
    problem: &Problem<R, G::Set>,
) -> impl Iterator<Item = Successor<R>> {
    let board = &problem.board;
    let mut ground = G::new(board);
    let mut estimator = Estimator::new(&problem.estimates[Side::Backward as usize]);
    let mut choice: Option<Vec<usize>> = Some((0..problem.boxes()).collect());
    std::iter::from_fn(move || {
        let chosen = choice.take()?;
        let boxes: Vec<Square> = chosen.iter().map(|&goal| board.goals()[goal]).collect();
        choice = next_choice(chosen, board.goals().len());
        let rank = problem.ranking.rank(&boxes);
        let mut keepers: Vec<Square> = match problem.rule {
            Rule::KeeperOnGoal => board.goals().to_vec(),
            Rule::Classic => boxes
                .iter()
                .flat_map(|square| problem.box_pulls[square.index()].iter())
                .map(|&(keeper, _)| keeper)
                .collect(),
        };
        keepers.retain(|keeper| !boxes.contains(keeper));
        if problem.objective == Objective::Pushes {
            let occupied = G::Set::from_squares(board.squares(), boxes.iter().copied());
            for keeper in &mut keepers {
                *keeper = representative(&mut ground, &occupied, *keeper);
            }
        }
        keepers.sort_unstable();
        keepers.dedup();
        // Boards that the start does not lead to are left out.
        if estimator.of_row(&boxes).is_none() {
            return Some(Vec::new());
        }
        let state = |keeper| {
            let estimate = estimator.with_keeper(keeper);
            Successor { rank, keeper, cost: 0, estimate }
        };
        Some(keepers.into_iter().map(state).collect::<Vec<_>>())
    })
    .flatten()
}

/// The next choice of some of `of` things in lexicographic order, each choice ascending.
fn next_choice(mut chosen: Vec<usize>, of: usize) -> Option<Vec<usize>> {
    let count = chosen.len();
    let place = (0..count).rev().find(|&place| chosen[place] < of - count + place)?;
    chosen[place] += 1;
    for later in place + 1..count {
        chosen[later] = chosen[later - 1] + 1;
    }
    Some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_complete_and_counted() {
        for (boxes, goals) in [(0, 0), (0, 3), (1, 1), (2, 2), (2, 5), (3, 6), (5, 6)] {
            let mut all = vec![(0..boxes).collect::<Vec<_>>()];
            while let Some(next) = next_choice(all[all.len() - 1].clone(), goals) {
                assert!(next > all[all.len() - 1]);
                all.push(next);
            }
            assert_eq!(all.len() as u64, finished_sets(boxes, goals), "{boxes} of {goals}");
        }
        assert!(finished_sets(20, 40) > MOST_FINISHED_SETS);
    }
}
