//! The call that lays out a worker's shard.

use std::time::Duration;

use crate::bad_field::address;
use crate::{BadField, Fence, Incarnation, Owners, SHARDS, SegmentName, Task, wire};

/// One worker of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Host and port.
    pub address: String,
    /// The process expected there.
    pub incarnation: Incarnation,
}

/// What a worker needs to take part in a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepare {
    /// The job and epoch.
    pub fence: Fence,
    /// Index of the callee among the peers.
    pub index: u16,
    /// All workers of the job.
    pub peers: Vec<Peer>,
    /// Which of them owns what.
    pub owners: Owners,
    /// What is to be proven.
    pub task: Task,
    /// How long the answer may take if the shard is not ready at once.
    pub wait: Duration,
    /// Whether to keep a journal.
    pub journal: bool,
    /// Whether the shard is to stay empty, as a [`Restore`](crate::Restore) follows.
    pub restores: bool,
    /// The segments of earlier epochs that the job goes on from; others are deleted.
    pub keep: Vec<SegmentName>,
}

impl From<Prepare> for wire::PrepareRequest {
    fn from(prepare: Prepare) -> Self {
        let peer =
            |peer: Peer| wire::Peer { address: peer.address, incarnation: peer.incarnation.get() };
        Self {
            fence: Some(prepare.fence.into()),
            index: prepare.index.into(),
            peers: prepare.peers.into_iter().map(peer).collect(),
            owners: prepare.owners.to_wire(),
            task: Some(prepare.task.into()),
            wait_ms: to_ms(prepare.wait),
            journal: prepare.journal,
            restores: prepare.restores,
            keep: prepare.keep.iter().map(ToString::to_string).collect(),
        }
    }
}

impl TryFrom<wire::PrepareRequest> for Prepare {
    type Error = BadField;

    fn try_from(prepare: wire::PrepareRequest) -> Result<Self, BadField> {
        let peers = prepare.peers.len();
        if peers == 0 || peers > SHARDS {
            let problem = format!("{peers} workers, expected 1 to {SHARDS}");
            return Err(BadField::new("peers", problem));
        }
        let peer = |peer: wire::Peer| {
            Ok(Peer {
                address: address("peers.address", peer.address)?,
                incarnation: Incarnation::from_field("peers.incarnation", peer.incarnation)?,
            })
        };
        let index = match u16::try_from(prepare.index) {
            Ok(index) if usize::from(index) < peers => index,
            _ => {
                let problem = format!("{} is no index of {peers} peers", prepare.index);
                return Err(BadField::new("index", problem));
            }
        };
        Ok(Self {
            fence: Fence::from_field(prepare.fence)?,
            index,
            owners: Owners::from_field(&prepare.owners, peers)?,
            peers: prepare.peers.into_iter().map(peer).collect::<Result<_, _>>()?,
            task: Task::from_field(prepare.task)?,
            wait: Duration::from_millis(prepare.wait_ms.into()),
            journal: prepare.journal,
            restores: prepare.restores,
            keep: SegmentName::list(&prepare.keep)?,
        })
    }
}

/// Milliseconds for the wire, rounded down.
pub(crate) fn to_ms(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}
