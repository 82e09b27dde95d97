//! What workers exchange.

use std::ops::AddAssign;

use crate::wire;

/// What one worker has exchanged with its peers in an epoch; or the sum over workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Batches acknowledged by peers.
    pub batches_sent: u64,
    /// Payload bytes in them.
    pub bytes_sent: u64,
    /// Successor records in them.
    pub states_sent: u64,
    /// Batches of peers taken in.
    pub batches_received: u64,
    /// Batches of peers that came again and were not applied again.
    pub batches_repeated: u64,
    /// Batches of peers refused.
    pub batches_refused: u64,
}

impl AddAssign for Traffic {
    fn add_assign(&mut self, other: Self) {
        self.batches_sent += other.batches_sent;
        self.bytes_sent += other.bytes_sent;
        self.states_sent += other.states_sent;
        self.batches_received += other.batches_received;
        self.batches_repeated += other.batches_repeated;
        self.batches_refused += other.batches_refused;
    }
}

impl From<Traffic> for wire::Traffic {
    fn from(traffic: Traffic) -> Self {
        Self {
            batches_sent: traffic.batches_sent,
            bytes_sent: traffic.bytes_sent,
            states_sent: traffic.states_sent,
            batches_received: traffic.batches_received,
            batches_repeated: traffic.batches_repeated,
            batches_refused: traffic.batches_refused,
        }
    }
}

impl From<wire::Traffic> for Traffic {
    fn from(traffic: wire::Traffic) -> Self {
        Self {
            batches_sent: traffic.batches_sent,
            bytes_sent: traffic.bytes_sent,
            states_sent: traffic.states_sent,
            batches_received: traffic.batches_received,
            batches_repeated: traffic.batches_repeated,
            batches_refused: traffic.batches_refused,
        }
    }
}
