//! What a worker takes beside the memory of its search, and whether both fit.
//!
//! `--memory` is for what grows with the search: table, queued rows, deadlock tables. The rest has a bound
//! of its own, as long as peers keep to the protocol; it is the sum of these:
//!
//! - the program, its stacks, and the tables of a board that are not counted;
//! - inbox and outboxes of the search, and one batch more in each;
//! - for each thread, what it holds back before it queues it, and the filter of what it has sent; and for
//!   each peer a batch that is being filled;
//! - for each peer, batches on their way. Going out: kept until they are acknowledged, as a message, and
//!   encoded. Coming in: encoded, at most a connection's window, and as a message.

use sokohive_engine::MOST_POST_BYTES;
use sokohive_host::memory;
use sokohive_proto::{CONNECTION_WINDOW, MAX_BATCH_BYTES};
use tracing::warn;

use crate::protocol::MAX_IN_FLIGHT;

/// The program, its stacks and a board, in bytes.
const PROGRAM: u64 = 32 << 20;

/// What a search thread holds beside the budget, in bytes: two megabytes of rows, and as much of filter.
const THREAD: u64 = 4 << 20;

/// A batch that a thread fills for a peer: 8,192 successors of at most 48 bytes.
const FILLING: u64 = 8_192 * 48;

/// Most bytes that a worker takes beside the `--memory` of its search, with so many threads and peers, as
/// long as peers keep to the protocol.
pub fn beside(threads: u32, peers: usize) -> u64 {
    let (threads, peers) = (u64::from(threads), peers as u64);
    let batch = MAX_BATCH_BYTES as u64;
    let in_flight = MAX_IN_FLIGHT as u64 * batch;
    let post = 2 * (MOST_POST_BYTES as u64 + batch);
    let going_out = 3 * in_flight;
    let coming_in = u64::from(CONNECTION_WINDOW) + in_flight;
    PROGRAM + post + threads * (THREAD + peers * FILLING) + peers * (going_out + coming_in)
}

/// Warns if the search and what is beside it may take more than the system gives.
pub(crate) fn check(memory: u64, threads: u32, peers: usize) {
    if let Some(text) = warning(memory, beside(threads, peers), memory::limit()) {
        warn!("{text}");
    }
}

fn warning(memory: u64, beside: u64, limit: Option<u64>) -> Option<String> {
    let limit = limit?;
    let room = limit.saturating_sub(beside);
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    (memory > room).then(|| {
        format!(
            "the search may take {} MiB, and {} MiB are left to it: of the {} MiB that the system gives, \
             batches, connections and the program may take {}; the system may end this process without \
             a word",
            mib(memory),
            room >> 20,
            limit >> 20,
            mib(beside)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peer_and_thread_counts() {
        let alone = beside(1, 0);
        assert!((64 << 20..96 << 20).contains(&alone), "{alone}");
        assert!(beside(2, 0) - alone == THREAD);
        let peer = beside(1, 1) - alone;
        assert!((24 << 20..25 << 20).contains(&peer), "{peer}");
        assert_eq!(beside(1, 1023), alone + 1023 * peer);
    }

    #[test]
    fn a_search_that_fits_is_not_warned_of() {
        let (search, beside) = (700 << 20, 100 << 20);
        assert_eq!(warning(search, beside, Some(800 << 20)), None);
        assert_eq!(warning(search, beside, None), None);
        let text = warning(search, beside, Some(799 << 20)).unwrap();
        assert!(text.contains("may take 700 MiB, and 699 MiB are left"), "{text}");
        assert!(warning(u64::MAX, beside, Some(1 << 40)).is_some());
        assert!(warning(1, beside, Some(1)).is_some());
    }
}
