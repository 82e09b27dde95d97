//! The choice of levels for a search from the start.

use sokohive::cluster::job::Levels;
use sokohive_engine::Side;
use sokohive_proto::OpenList;

/// Opens the smallest f, until it reaches the incumbent.
#[derive(Debug, Default)]
pub(crate) struct Forward {
    lower_bound: u32,
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
        self.lower_bound = f;
        Some((Side::Forward, f))
    }

    fn lower_bound(&self) -> u32 {
        self.lower_bound
    }
}
