//! Everything about a search that must not change its answer, and the check that it does not.
#![allow(dead_code, reason = "every test uses its own part of this module")]

use std::fmt;

use sokohive_engine::{
    Ending, EntryWidth, EstimateChoice, Level, Outcome, Rule, SearchChoice, Solver, verify_strict,
};

/// All searches that can be asked for, each estimate in its own right.
pub(crate) const SEARCHES: [(SearchChoice, EstimateChoice); 9] = [
    (SearchChoice::Auto, EstimateChoice::Auto),
    (SearchChoice::Forward, EstimateChoice::Nearest),
    (SearchChoice::Forward, EstimateChoice::Matching),
    (SearchChoice::Backward, EstimateChoice::Auto),
    (SearchChoice::TwoSided, EstimateChoice::Auto),
    (SearchChoice::TwoSided, EstimateChoice::Nearest),
    (SearchChoice::TwoSided, EstimateChoice::Matching),
    (SearchChoice::Forward, EstimateChoice::Walk),
    (SearchChoice::TwoSided, EstimateChoice::Walk),
];

/// The baseline that goes by cost alone, which takes long on boards of any size.
pub(crate) const BASELINE: (SearchChoice, EstimateChoice) =
    (SearchChoice::Forward, EstimateChoice::None);

/// Entry widths to force; `None` takes the least that the board fits.
pub(crate) const WIDTHS: [Option<EntryWidth>; 4] =
    [None, Some(EntryWidth::Bytes8), Some(EntryWidth::Bytes16), Some(EntryWidth::Bytes32)];

/// How to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Options {
    pub(crate) search: SearchChoice,
    pub(crate) estimate: EstimateChoice,
    pub(crate) dominance: bool,
    pub(crate) deadlocks: bool,
    pub(crate) width: Option<EntryWidth>,
    pub(crate) threads: usize,
    /// Bytes of the first table; `None` for the usual size. A table of one byte has the fewest lines there are and
    /// grows many times.
    pub(crate) table: Option<u64>,
    /// Whether a solution is looked for before the proof.
    pub(crate) scout: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            search: SearchChoice::Auto,
            estimate: EstimateChoice::Auto,
            dominance: true,
            deadlocks: true,
            width: None,
            threads: 1,
            table: None,
            scout: false,
        }
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { search, estimate, dominance, deadlocks, width, threads, table, scout } = self;
        write!(
            f,
            "search {search}, estimate {estimate}, dominance {dominance}, deadlocks {deadlocks}, width {width:?}, \
             threads {threads}, first table {table:?}, scout {scout}"
        )
    }
}

impl Options {
    /// The search set up this way.
    pub(crate) fn solver<'a>(&self, level: &'a Level, rule: Rule) -> Solver<'a> {
        let mut solver = Solver::new(level)
            .rule(rule)
            .search(self.search)
            .estimate(self.estimate)
            .dominance(self.dominance)
            .deadlocks(self.deadlocks)
            .threads(self.threads)
            .scout(self.scout);
        if let Some(width) = self.width {
            solver = solver.entry_width(width);
        }
        if let Some(bytes) = self.table {
            solver = solver.first_table_bytes(bytes);
        }
        solver
    }

    /// Searches, and says what is wrong with the outcome if it is not the right one: `moves`, or unsolvable.
    pub(crate) fn check(
        &self,
        level: &Level,
        rule: Rule,
        moves: Option<u32>,
    ) -> Result<(), String> {
        let outcome = self.solver(level, rule).solve();
        check(&outcome, level, rule, moves).map_err(|fault| format!("{fault}\nwith {self}"))
    }
}

/// What is wrong with an outcome that should say `moves`, or unsolvable. Every solution is replayed.
pub(crate) fn check(
    outcome: &Outcome,
    level: &Level,
    rule: Rule,
    moves: Option<u32>,
) -> Result<(), String> {
    if outcome.statistics.reopened != 0 {
        return Err(format!("{} states reopened", outcome.statistics.reopened));
    }
    match (&outcome.ending, moves) {
        (Ending::Optimal(solution), Some(moves)) => {
            let replay = verify_strict(level, rule, &solution.moves)
                .map_err(|error| format!("{:.1000}: {error}", solution.moves.to_string()))?;
            if replay.moves != moves as usize {
                let steps = solution.moves.to_string();
                return Err(format!("{} moves, not {moves}: {steps:.1000}", replay.moves));
            }
            Ok(())
        }
        (Ending::Unsolvable(_), None) => Ok(()),
        (ending, Some(moves)) => Err(format!("{ending:?}, not {moves} moves")),
        (ending, None) => Err(format!("{ending:?}, but there is no solution")),
    }
}
