//! Each example of a quirk of level files, read.

use super::*;

#[test]
fn all_built_in_boards_are_there() {
    assert_eq!(builtin::all().len(), 16);
    let sizes = |id| builtin::find(id).map(|found| (found.level.rows(), found.level.columns()));
    assert_eq!(sizes("p15"), Some((13, 10)));
    assert_eq!(sizes("level1"), Some((11, 19)));
    assert!(builtin::find("p16").is_none());
    for builtin in builtin::all() {
        assert_eq!(builtin.level.name(), Some(builtin.id));
    }
}
