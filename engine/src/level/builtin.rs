//! The boards that come with the engine, with their proven optima.

use std::sync::LazyLock;

use super::Level;

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
    let mut all = Vec::with_capacity(OPTIMA.len() + 1);
    let blocks = DIGITS.split("\n\n").filter(|block| !block.starts_with(';'));
    for ((id, moves), block) in OPTIMA.into_iter().zip(blocks) {
        let level = Level::sketch(block, id);
        all.push(Builtin { id, level, moves, pushes: None });
    }
    let rows = LEVEL1.split("\n\n").last().unwrap_or_default();
    let level = Level::sketch(rows, "level1");
    all.push(Builtin { id: "level1", level, moves: 230, pushes: Some(97) });
    all
});

/// All built-in boards, in the order to list them in.
pub fn all() -> &'static [Builtin] {
    &ALL
}

/// The built-in board of that id.
pub fn find(id: &str) -> Option<&'static Builtin> {
    ALL.iter().find(|builtin| builtin.id == id)
}
