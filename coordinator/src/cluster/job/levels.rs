//! Which level comes next: the engine's choice, as the job sees it.

use std::fmt::Debug;

use sokohive_engine::{Reached, Side};
use sokohive_proto::OpenList;

/// Chooses the levels of one search. The job only sees to it that a level is over on all workers
/// before the next is asked for.
pub trait Levels: Debug + Send {
    /// The side and f of the level to open next, given what waits on each side on all workers
    /// together and the cost of the best solution known; `None` when that solution is proven best,
    /// or the board is proven unsolvable if there is none.
    fn advance(
        &mut self,
        open: [Option<OpenList>; 2],
        incumbent: Option<u32>,
    ) -> Option<(Side, u32)>;

    /// Takes note that the level chosen last is over on all workers; how far the levels have come, given
    /// what [`Levels::advance`] is, with the bound that this proves.
    fn level_is_over(&mut self, open: [Option<OpenList>; 2], incumbent: Option<u32>) -> Reached;

    /// All forward states that cost less than this are closed, as far as they cost no more than the best solution.
    fn forward_closed_below(&self) -> u32;

    /// Proven: every solution costs at least this much.
    fn lower_bound(&self) -> u32;
}
