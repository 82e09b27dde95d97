//! The boards that come with the engine, with their proven optima.

use std::sync::LazyLock;

use super::{Collection, Level, ReadOptions};

/// A built-in board and what is known of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Builtin {
    /// The name to ask for it by.
    pub id: &'static str,
    /// The board; its own rule is the one the optima hold under.
    pub level: Level,
    /// Fewest moves, proven.
    pub moves: u32,
    /// Fewest pushes, proven, where known.
    pub pushes: Option<u32>,
}

const DIGITS: &str = include_str!("../../boards/digits.txt");
const LEVEL1: &str = include_str!("../../boards/level1.xsb");

/// Ids of the digit boards in the order of their file, with their fewest moves.
const OPTIMA: [(&str, u32); 15] = [
    ("p1", 6),
    ("p2", 15),
    ("p3", 13),
    ("p4", 17),
    ("p5", 12),
    ("p6", 13),
    ("p7", 47),
    ("p8", 22),
    ("p9", 34),
    ("p10", 59),
    ("p11", 51),
    ("p12", 41),
    ("p13", 78),
    ("p14", 26),
    ("p15", 184),
];

static ALL: LazyLock<Vec<Builtin>> = LazyLock::new(|| {
    let read = |text: &str| {
        let options = ReadOptions::default();
        let collection = Collection::read(text.as_bytes(), Some("built-in"), options);
        let levels =
            collection.and_then(|all| all.levels.into_iter().collect::<Result<Vec<_>, _>>());
        levels.expect("the built-in boards are legal: a test reads them")
    };
    let digits = OPTIMA.into_iter().zip(read(DIGITS));
    let digits = digits.map(|((id, moves), level)| Builtin { id, level, moves, pushes: None });
    let level1 = read(LEVEL1).into_iter();
    let level1 = level1.map(|level| Builtin { id: "level1", level, moves: 230, pushes: Some(97) });
    digits.chain(level1).collect()
});

/// All built-in boards, in the order to list them in.
pub fn all() -> &'static [Builtin] {
    &ALL
}

/// The built-in board of that id.
pub fn find(id: &str) -> Option<&'static Builtin> {
    ALL.iter().find(|builtin| builtin.id == id)
}

#[cfg(test)]
mod tests {
    use super::{all, find};
    use crate::Rule;

    #[test]
    fn all_are_there_under_their_ids() {
        assert_eq!(all().len(), 16);
        for builtin in all() {
            assert_eq!(builtin.level.name(), Some(builtin.id));
            assert!(std::ptr::eq(find(builtin.id).expect("itself"), builtin));
        }
        assert!(find("p16").is_none());
    }

    #[test]
    fn rules_and_sizes_are_those_of_the_notations() {
        let facts = |id| find(id).map(|b| (b.level.rule(), b.level.rows(), b.level.columns()));
        assert_eq!(facts("p15"), Some((Rule::KeeperOnGoal, 13, 10)));
        assert_eq!(facts("level1"), Some((Rule::Classic, 11, 19)));
    }
}
