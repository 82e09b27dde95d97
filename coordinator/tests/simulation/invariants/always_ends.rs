//! No job hangs, whatever is lost.

use crate::seeds;

#[test]
fn always_ends() {
    seeds::check_all("always_ends", |history| match &history.given_up {
        None => Ok(()),
        Some(note) => Err(format!("job {} did not end: {note}", history.jobs.len())),
    });
}
