//! What is asked of all optimal solutions together.

/// What is asked of all optimal solutions together, beside one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AllOptimal {
    /// How many there are.
    pub count: bool,
    /// That the one that is shown is the best of them in what counts second.
    pub break_ties: bool,
}

impl AllOptimal {
    /// Whether it takes all of them.
    pub fn is_wanted(self) -> bool {
        self.count || self.break_ties
    }
}
