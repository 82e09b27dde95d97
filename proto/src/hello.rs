//! Who a worker is.

use crate::{BadField, Incarnation, PROTOCOL, wire};

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
        }
    }
}

impl TryFrom<wire::HelloResponse> for Hello {
    type Error = BadField;

    fn try_from(hello: wire::HelloResponse) -> Result<Self, BadField> {
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
        })
    }
}
