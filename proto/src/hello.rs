//! Who a worker is.

use crate::{BadField, Epoch, Incarnation, PROTOCOL, Segment, wire};

/// What a worker says of itself before any job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// Version of the protocol that it speaks; may be another than ours.
    pub protocol: u32,
    /// The process.
    pub incarnation: Incarnation,
    /// The largest epoch that it has taken part in, 0 for none.
    pub last_epoch: u64,
    /// Bytes that its shard may use.
    pub memory: u64,
    /// Threads that it searches on.
    pub threads: u32,
    /// Version of the program, for people.
    pub version: String,
    /// Whether it has a place to keep a journal.
    pub keeps_journal: bool,
    /// Which of the segments asked about it can read: indices, from 0.
    pub present: Vec<u32>,
}

impl From<Hello> for wire::HelloResponse {
    fn from(hello: Hello) -> Self {
        Self {
            protocol: hello.protocol,
            incarnation: hello.incarnation.get(),
            last_epoch: hello.last_epoch,
            memory_bytes: hello.memory,
            threads: hello.threads,
            version: hello.version,
            keeps_journal: hello.keeps_journal,
            present: hello.present,
        }
    }
}

impl TryFrom<wire::HelloResponse> for Hello {
    type Error = BadField;

    fn try_from(hello: wire::HelloResponse) -> Result<Self, BadField> {
        if hello.last_epoch > Epoch::LAST {
            let problem = format!("{} is beyond {}", hello.last_epoch, Epoch::LAST);
            return Err(BadField::new("last_epoch", problem));
        }
        Ok(Self {
            protocol: hello.protocol,
            // Another version may have no such field: the version is what has to be reported then.
            incarnation: if hello.protocol == PROTOCOL {
                Incarnation::from_field("incarnation", hello.incarnation)?
            } else {
                Incarnation::new(hello.incarnation)
            },
            last_epoch: hello.last_epoch,
            memory: hello.memory_bytes,
            threads: hello.threads,
            version: hello.version,
            keeps_journal: hello.keeps_journal,
            present: hello.present,
        })
    }
}

impl wire::HelloRequest {
    /// Asks who is there, and which of these segments it can read.
    pub fn new(segments: &[Segment]) -> Self {
        let segments = segments.iter().cloned().map(Into::into).collect();
        Self { protocol: PROTOCOL, segments }
    }

    /// The segments asked about.
    pub fn segments(self) -> Result<Vec<Segment>, BadField> {
        Segment::list(self.segments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_beyond_all_epochs_is_refused() {
        let hello = |last_epoch| {
            let protocol = PROTOCOL;
            let hello =
                wire::HelloResponse { protocol, incarnation: 1, last_epoch, ..Default::default() };
            Hello::try_from(hello)
        };
        assert!(hello(Epoch::LAST).is_ok());
        let error = hello(u64::MAX).unwrap_err();
        assert_eq!(error.field(), "last_epoch");
        assert!(error.to_string().contains("18446744073709551615 is beyond"), "{error}");
    }
}
