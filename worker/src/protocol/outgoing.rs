//! The batches on their way to one peer.

use std::collections::BTreeMap;
use std::time::Duration;

use sokohive_proto::{Refusal, SilentPeer, Traffic};

/// Most batches on their way to one peer. Enough to keep a connection busy while
/// acknowledgements travel; few enough that a slow peer is felt.
pub const MAX_IN_FLIGHT: usize = 4;

/// A peer that takes nothing for this long is worth reporting.
const SILENT: Duration = Duration::from_secs(1);

/// Pauses before a batch is sent again: the first, doubled after every failure, up to the last. A
/// full inbox soon has room again.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LAST_PAUSE: Duration = Duration::from_millis(250);
const LAST_PAUSE_FULL: Duration = Duration::from_millis(16);

/// Numbers the batches for one peer, and keeps account of what the peer has not acknowledged.
#[derive(Clone, Debug, Default)]
pub struct Outgoing {
    /// The last number given out.
    last: u64,
    /// Bytes of the batches sent and not acknowledged, by their numbers.
    in_flight: BTreeMap<u64, usize>,
    /// Since when the peer owes an answer; renewed by every sign of life.
    waiting_since: Duration,
    reason: String,
    fault: Option<String>,
    traffic: Traffic,
}

/// Why a push brought no acknowledgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushError {
    /// The peer said no.
    Refused(Refusal),
    /// No answer; whether the batch has been taken in is unknown.
    Unreachable(String),
}

/// What to do with a batch that brought no acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// Send the same batch under the same number after a pause.
    After(Duration),
    /// Never: the peer is past this epoch, or something is broken and will be reported.
    Never,
}

impl Outgoing {
    /// Whether one more batch may be sent now.
    pub fn has_room(&self) -> bool {
        self.in_flight.len() < MAX_IN_FLIGHT
    }

    /// Numbers a batch of so many bytes that is about to be sent.
    pub fn send(&mut self, now: Duration, bytes: usize) -> u64 {
        if self.in_flight.is_empty() {
            self.waiting_since = now;
        }
        self.last += 1;
        self.in_flight.insert(self.last, bytes);
        self.last
    }

    /// The peer has taken in a batch of so many records.
    pub fn acknowledged(&mut self, now: Duration, sequence: u64, records: u64) {
        self.waiting_since = now;
        if let Some(bytes) = self.in_flight.remove(&sequence) {
            self.traffic.batches_sent += 1;
            self.traffic.bytes_sent += bytes as u64;
            self.traffic.states_sent += records;
        }
    }

    /// A push failed, for the `failures`-th time in a row, counted from 1.
    pub fn failed(&mut self, now: Duration, failures: u32, error: PushError) -> Retry {
        let pause = FIRST_PAUSE.saturating_mul(1 << failures.min(16)).min(LAST_PAUSE);
        match error {
            PushError::Unreachable(reason) => {
                self.reason = reason;
                Retry::After(pause)
            }
            PushError::Refused(refusal) if refusal.is_retryable() => {
                // It is alive, and will make room.
                self.waiting_since = now;
                Retry::After(pause.min(LAST_PAUSE_FULL))
            }
            PushError::Refused(refusal) => {
                self.reason = refusal.to_string();
                let fenced = matches!(
                    refusal,
                    Refusal::OldEpoch { .. }
                        | Refusal::OtherJob { .. }
                        | Refusal::NoJob
                        | Refusal::ShuttingDown
                );
                // What is fenced off shows as a peer that stays silent; the coordinator knows
                // more. Anything else is a defect that must not end in waiting for ever.
                if !fenced {
                    self.fault = Some(self.reason.clone());
                }
                Retry::Never
            }
        }
    }

    /// The peer as it is to be reported, if it owes an answer for long.
    pub(super) fn silent(&self, now: Duration, index: u16) -> Option<SilentPeer> {
        let silent = now.saturating_sub(self.waiting_since);
        (!self.in_flight.is_empty() && silent >= SILENT).then(|| SilentPeer {
            index,
            silent,
            reason: self.reason.clone(),
        })
    }

    /// A refusal that should never have been.
    pub(super) fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Bytes of the batches on their way, which are kept until they are acknowledged.
    pub(super) fn in_flight_bytes(&self) -> u64 {
        self.in_flight.values().map(|&bytes| bytes as u64).sum()
    }

    /// What has been sent.
    pub(super) fn traffic(&self) -> Traffic {
        self.traffic
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn the_number_in_flight_is_bounded() {
        let mut outgoing = Outgoing::default();
        let sent: Vec<_> = (0..MAX_IN_FLIGHT).map(|_| outgoing.send(ms(0), 100)).collect();
        assert_eq!(sent, [1, 2, 3, 4]);
        assert!(!outgoing.has_room());
        assert_eq!(outgoing.in_flight_bytes(), 400);
        outgoing.acknowledged(ms(1), 2, 10);
        assert!(outgoing.has_room());
        assert_eq!(outgoing.in_flight_bytes(), 300);
        outgoing.acknowledged(ms(2), 2, 10);
        assert_eq!(outgoing.traffic().states_sent, 10, "an acknowledgement counts once");
        assert_eq!(outgoing.traffic().bytes_sent, 100);
    }

    #[test]
    fn a_peer_that_owes_an_answer_is_silent_and_a_full_one_is_not() {
        let mut outgoing = Outgoing::default();
        assert_eq!(outgoing.silent(ms(9_000), 0), None);
        outgoing.send(ms(9_000), 1);
        assert_eq!(outgoing.silent(ms(9_500), 0), None);
        let gone = PushError::Unreachable("connection refused".to_owned());
        assert_eq!(outgoing.failed(ms(9_600), 1, gone), Retry::After(ms(2)));
        let silent = outgoing.silent(ms(11_000), 3).unwrap();
        assert_eq!((silent.index, silent.silent), (3, ms(2_000)));
        assert_eq!(silent.reason, "connection refused");
        let full = PushError::Refused(Refusal::InboxFull);
        assert!(matches!(outgoing.failed(ms(11_000), 40, full), Retry::After(LAST_PAUSE_FULL)));
        assert_eq!(outgoing.silent(ms(11_500), 3), None);
    }

    #[test]
    fn only_defects_are_faults() {
        let mut outgoing = Outgoing::default();
        let fenced = PushError::Refused(Refusal::NoJob);
        assert_eq!(outgoing.failed(ms(0), 1, fenced), Retry::Never);
        assert_eq!(outgoing.fault(), None);
        let bad = PushError::Refused(Refusal::BadBatch("cut short".to_owned()));
        assert_eq!(outgoing.failed(ms(0), 1, bad), Retry::Never);
        assert_eq!(outgoing.fault(), Some("bad batch: cut short"));
    }
}
