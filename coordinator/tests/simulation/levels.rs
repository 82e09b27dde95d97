//! The choice of levels for a search from the start.

use sokohive::cluster::job::Levels;
use sokohive_engine::{Reached, Side};
use sokohive_proto::OpenList;

/// Opens the smallest f, until it reaches the incumbent.
#[derive(Debug, Default)]
pub(crate) struct Forward {
    reached: Reached,
    open: Option<u32>,
}

impl Forward {
    /// The levels of a search that has come so far.
    pub(crate) fn from(reached: Reached) -> Self {
        Self { reached, open: None }
    }
}

impl Levels for Forward {
    fn advance(
        &mut self,
        open: [Option<OpenList>; 2],
        incumbent: Option<u32>,
    ) -> Option<(Side, u32)> {
        let f = open[0]?.smallest_f;
        if incumbent.is_some_and(|cost| cost <= f) {
            return None;
        }
        self.reached.lower_bound = f;
        self.open = Some(f);
        Some((Side::Forward, f))
    }

    fn level_is_over(&mut self, open: [Option<OpenList>; 2], incumbent: Option<u32>) -> Reached {
        if let Some(f) = self.open.take() {
            self.reached.closed[0] = Some(f);
            self.reached.levels += 1;
        }
        let next = open[0].map_or(0, |open| open.smallest_f);
        let lower_bound = self.reached.lower_bound.max(next.min(incumbent.unwrap_or(u32::MAX)));
        Reached { lower_bound, ..self.reached }
    }

    fn forward_closed_below(&self) -> u32 {
        u32::MAX
    }

    fn lower_bound(&self) -> u32 {
        self.reached.lower_bound
    }
}
