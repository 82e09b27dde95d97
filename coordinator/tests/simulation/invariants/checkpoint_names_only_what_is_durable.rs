//! When a manifest is written, all that it names is safe from a loss of power.

use crate::seeds;

#[test]
fn checkpoint_names_only_what_is_durable() {
    seeds::check_durable("checkpoint_names_only_what_is_durable", |history| {
        match history.survival.unsafe_segments.first() {
            None => Ok(()),
            Some(note) => Err(note.clone()),
        }
    });
}
