//! How many of the best solutions a search is after.

/// How many of the best solutions a search is after.
///
/// With [`Want::All`] the table holds, in the end, every state of every best solution, closed and at its least cost:
/// successors are kept whose bound equals the cost of the incumbent ([`Incumbent::admits`]), the levels go on a little
/// beyond the proof ([`Levels`]), and the rows are kept in which best solutions were found ([`Ends`]). What can be done
/// with them is in [`optima`](crate::optima).
///
/// [`Incumbent::admits`]: super::incumbent::Incumbent::admits
/// [`Levels`]: super::levels::Levels
/// [`Ends`]: super::ends::Ends
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Want {
    /// One of them.
    #[default]
    Any,
    /// Their states, all of them.
    All,
}
