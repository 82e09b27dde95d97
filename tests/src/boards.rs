//! Boards made for the tests.

/// Two moves, one push: `rR`.
pub const TINY: &str = "\
######
#@ $.#
######
";

/// One move, one push, already beside the box: `R`.
pub const NEXT: &str = "\
#####
#@$.#
#####
";

/// Each box alone reaches the goal; both want the same one.
pub const UNSOLVABLE: &str = "\
######
#.$  #
#$   #
#@.  #
######
";

/// Two boxes, one goal.
pub const TOO_FEW_GOALS: &str = "\
########
#@$.$  #
#      #
########
";

/// A square of the wall is missing.
pub const OPEN: &str = "\
######
#@ $.#
#     
######
";

/// Nobody proves this within a test: twelve boxes in an open hall.
pub const HARD: &str = "\
##############
#............#
#            #
#  $  $  $   #
#   $  $  $  #
#            #
#   $  $  $  #
#  $  $  $   #
#            #
#     @      #
##############
";

/// 24 boxes and 36 goals: more than a thousand million finished boards to search backward from.
pub const MANY_GOALS: &str = "\
##############
#............#
#............#
#............#
#            #
#$ $ $ $ $ $ #
# $ $ $ $ $ $#
#$ $ $ $ $ $ #
# $ $ $ $ $ $#
#            #
# @          #
##############
";

/// 120 boxes in a hall of a thousand squares: far more box sets than a table entry can tell apart.
pub fn huge() -> String {
    let wall = "#".repeat(42) + "\n";
    let floor = format!("#{}#\n", " ".repeat(40));
    let boxes = format!("#{}#\n", " $ .".repeat(10));
    let keeper = format!("#@{}#\n", " ".repeat(39));
    let pairs = [floor, boxes].concat().repeat(12);
    [&wall, &keeper, &pairs, &keeper.replace('@', " "), &wall].map(String::as_str).concat()
}
