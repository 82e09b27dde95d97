//! Small boards on which faulty solvers go wrong, with what is right.
//!
//! Each was made for this project. The figures hold under the classic rule; `figures.rs` has them
//! checked by the brute-force search where that can.
#![allow(dead_code, reason = "every test uses its own part of this module")]

/// A board and what must come of it.
pub(crate) struct Case {
    /// Its name, and what goes wrong there.
    pub(crate) name: &'static str,
    /// XSB text, mostly on one line: `|` between rows, counts before squares.
    pub(crate) board: &'static str,
    /// What must come of it.
    pub(crate) expected: Expected,
}

/// What must come of a board under the classic rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// Fewest moves, and fewest pushes among solutions of so many moves.
    Optimum { moves: u32, pushes: u32 },
    /// No solution.
    Unsolvable,
    /// No solution, and counting shows it before any search.
    TooFewGoals { boxes: usize, goals: usize },
    /// No solution: the keeper never gets at a box off goal.
    BoxOutOfReach,
    /// Bad input; the message contains this.
    Refused(&'static str),
}

const fn optimum(name: &'static str, board: &'static str, moves: u32, pushes: u32) -> Case {
    Case { name, board, expected: Expected::Optimum { moves, pushes } }
}

const fn unsolvable(name: &'static str, board: &'static str) -> Case {
    Case { name, board, expected: Expected::Unsolvable }
}

const fn refused(name: &'static str, board: &'static str, message: &'static str) -> Case {
    Case { name, board, expected: Expected::Refused(message) }
}

/// All cases.
pub(crate) const CASES: &[Case] = &[
    // Verdicts.
    optimum("c01 boxes frozen on goals are not dead", "######|#.-$-#|##-$+#|####-#|######", 5, 3),
    optimum(
        "c02 the first push completes a block of four on goals",
        "########|#**#####|#*.$@###|###-####|###-$.##|########",
        4,
        2,
    ),
    optimum(
        "c04 a neighbouring box is no wall",
        "#######|##--#-#|##$--@#|#.-$.##|###---#|#######",
        19,
        5,
    ),
    optimum("c07 a box comes back to its first square", "######|#---##|#--$+#|######", 7, 3),
    optimum("c08 a gap in the wall row", "######|###+##|#-$--#|#---##|######", 9, 2),
    optimum("c10 a box leaves a goal for another", "######|#-*--#|##--##|#.$-@#|######", 2, 1),
    optimum("c11 boxes that hold each other", "######|#.$-##|#*@$-#|#-.--#|######", 8, 3),
    optimum(
        "c13 a long way over twelve rows",
        "14#|#12-#|#12-#|#-$11#|#--11#|#--11#|#--11#|#--11#|#-@11#|#--11#|#--11#|#--11#|#.-11#|14#",
        24,
        12,
    ),
    unsolvable("c14 two boxes for the same goal", "######|#.$--#|#$---#|#@.--#|######"),
    optimum("c16 a box must leave its goal", "######|#-$.-#|#---##|#--*@#|######", 10, 3),
    optimum(
        "c16 a box must leave its goal, twice",
        "######|##---#|#-*$.#|#-#--#|#---@#|######",
        37,
        7,
    ),
    // Counts and odd starts.
    optimum("c17 one goal stays empty", "#######|#@$-..#|#######", 2, 2),
    Case {
        name: "c19 more boxes than goals",
        board: "########|#@$.-$-#|#------#|########",
        expected: Expected::TooFewGoals { boxes: 2, goals: 1 },
    },
    optimum("c20 a goal but no box", "####|#@.#|####", 0, 0),
    optimum("c20 neither box nor goal", "####|#@-#|####", 0, 0),
    optimum("c22 the keeper starts on a goal", "#####|#+$-#|#-$.#|#---#|#####", 14, 2),
    refused("c23 no keeper", "#####|#-$.#|#####", "found no keeper"),
    refused("c23 two keepers", "######|#@$.+#|######", "found a second keeper"),
    optimum("c25 decoration outside", "-*-----|#######|#@-$.##*|#######|--*-*--", 2, 1),
    Case {
        name: "c26 a box behind a wall, off goal",
        board: "#########|#--$.####|#-@-##$.#|#########",
        expected: Expected::BoxOutOfReach,
    },
    refused("c28 no walls at all", "-@-$-.-", "not closed"),
    refused("c29 a hole in the wall", "######|#@-$.#|#-----|######", "not closed"),
    // Size.
    optimum("c31 more than 255 columns", "305#|#@300-$.#|305#", 301, 1),
    optimum("c32 a cost beyond 255", "305#|#@$300-.#|305#", 301, 301),
    optimum(
        "c34 a hundred squares",
        "12#|#@9-#|#--$7-#|#10-#|#10-#|#10-#|#10-#|#10-#|#10-#|#9-.#|#10-#|12#",
        18,
        14,
    ),
    optimum("c35 forty-one boxes", "42#|#40*#|#@36-$-.#|42#", 38, 2),
    // Notation.
    refused("c38 a tab between squares", "########\n#@\t$.#\n########", "found a tab"),
    optimum("c41 an interior row of floor", "##--##|-|######|#@-$.#|######", 2, 1),
    refused("c43 another alphabet", "XXXXXX|X@-*.X|XXXXXX", "found 'X'"),
    refused("c43 walls of keepers", "+++++\n+*@X+\n+++++", "found a second keeper"),
    optimum("c46 one walk and one push", "######|#@-$.#|######", 2, 1),
    optimum("c47 a count of two digits", "15#|#@10-$.#|15#", 11, 1),
    // Optimality.
    optimum("c49 moves, not pushes", "#######|#-+$--#|#-#---#|#-----#|#######", 7, 3),
    optimum("c50 the keeper's square, not its region", "######|#---.#|#--$@#|#---##|######", 8, 4),
    optimum("c52 a box already home is moved", "######|#+-*-#|#-$--#|#----#|######", 9, 2),
    optimum("c53 no greedy pairs", "#####|#+$.#|#$-##|#--##|#####", 5, 2),
    optimum("c55 three pushes", "#######|#-.---#|#---$-#|#--#-@#|#######", 6, 3),
    optimum("c56 four pushes", "######|##---#|#@$--#|#.---#|######", 8, 4),
    optimum(
        "c58 three goals for two boxes, some out of reach",
        "######|#--#.#|#.-$$#|##-.@#|######",
        3,
        3,
    ),
    optimum("c59 whatever the estimate", "######|#---.#|#---$#|#.-$@#|######", 4, 3),
    optimum("c61 a single push", "######|#@$.##|######", 1, 1),
];
