//! What the coordinator wants done for the journal, and how far that has got.

use std::sync::Arc;

use sokohive_proto::SegmentName;

/// Work that takes the disk, to be done outside of the protocol.
#[derive(Debug)]
pub enum Chore<S> {
    /// Make the journal of a shard durable, then tell [`Protocol::synced`](super::Protocol::synced).
    Sync {
        /// The shard.
        shard: Arc<S>,
        /// The level up to whose end it counts.
        ordinal: u32,
    },
    /// Delete segments.
    Remove(Vec<SegmentName>),
}

/// How far the wishes of the coordinator have got.
#[derive(Clone, Debug, Default)]
pub(super) struct Journal {
    /// The largest level asked for.
    asked: u32,
    running: bool,
    synced: u32,
    fault: Option<String>,
    /// The number of the last wish to compact.
    compacted: u32,
}

impl Journal {
    /// Asks for everything up to the end of a level to be made durable. Says whether to begin now:
    /// otherwise it is done, or under way, or begins after what is under way.
    pub(super) fn ask(&mut self, ordinal: u32) -> bool {
        let fresh = ordinal > self.asked;
        self.asked = self.asked.max(ordinal);
        let begins = fresh && !self.running;
        self.running |= begins;
        begins
    }

    /// What was begun is over. Says up to which level to go on at once.
    pub(super) fn synced(&mut self, ordinal: u32, result: Result<(), String>) -> Option<u32> {
        self.running = false;
        match result {
            Ok(()) => self.synced = self.synced.max(ordinal),
            // What has not reached the disk once may never do so, whatever later attempts say.
            Err(fault) => self.fault = Some(fault),
        }
        let again = self.asked > ordinal;
        self.running = again;
        again.then_some(self.asked)
    }

    /// Asks for the journal to be written anew. Says whether that is news.
    pub(super) fn compact(&mut self, number: u32) -> bool {
        let fresh = number > self.compacted;
        if fresh {
            self.compacted = number;
            self.fault = None;
        }
        fresh
    }

    /// The largest level up to whose end all is durable.
    pub(super) fn durable(&self) -> u32 {
        self.synced
    }

    /// Why something could not be made durable.
    pub(super) fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::Journal;

    #[test]
    fn one_sync_at_a_time_and_one_for_each_level() {
        let mut journal = Journal::default();
        assert!(!journal.ask(0), "0 asks for nothing");
        assert!(journal.ask(3));
        assert!(!journal.ask(3), "it is under way");
        assert!(!journal.ask(5), "it waits for its turn");
        assert_eq!(journal.durable(), 0);
        assert_eq!(journal.synced(3, Ok(())), Some(5));
        assert_eq!(journal.durable(), 3);
        assert_eq!(journal.synced(5, Ok(())), None);
        assert!(!journal.ask(4), "more than that is durable");
        assert_eq!(journal.durable(), 5);
    }

    #[test]
    fn a_fault_stays_until_the_journal_is_written_anew() {
        let mut journal = Journal::default();
        assert!(journal.ask(1));
        assert_eq!(journal.synced(1, Err("disk full".to_owned())), None);
        assert_eq!((journal.durable(), journal.fault()), (0, Some("disk full")));
        assert!(journal.ask(2));
        assert_eq!(journal.synced(2, Ok(())), None);
        assert_eq!(journal.fault(), Some("disk full"));
        assert!(journal.compact(2));
        assert!(!journal.compact(2), "once for each number");
        assert_eq!(journal.fault(), None);
    }
}
