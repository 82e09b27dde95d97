//! No segment is deleted that the newest manifest names, unless the result is written down.

use crate::seeds;

#[test]
fn nothing_needed_is_deleted() {
    seeds::check_durable("nothing_needed_is_deleted", |history| {
        match history.survival.missed_segments.first() {
            None => Ok(()),
            Some(name) => Err(name.clone()),
        }
    });
}
