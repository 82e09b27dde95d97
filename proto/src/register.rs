//! A worker that offers itself to a coordinator.

use crate::bad_field::address;
use crate::{BadField, Incarnation, wire};

/// A worker that offers itself to a coordinator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// Version of the protocol that it speaks; may be another than ours.
    pub protocol: u32,
    /// Host and port that everyone reaches it at.
    pub address: String,
    /// The process.
    pub incarnation: Incarnation,
    /// Bytes that its shard may use.
    pub memory: u64,
    /// Threads that it searches on.
    pub threads: u32,
}

impl From<Registration> for wire::RegisterRequest {
    fn from(registration: Registration) -> Self {
        Self {
            protocol: registration.protocol,
            address: registration.address,
            incarnation: registration.incarnation.get(),
            memory_bytes: registration.memory,
            threads: registration.threads,
        }
    }
}

impl TryFrom<wire::RegisterRequest> for Registration {
    type Error = BadField;

    fn try_from(registration: wire::RegisterRequest) -> Result<Self, BadField> {
        Ok(Self {
            protocol: registration.protocol,
            address: address("address", registration.address)?,
            incarnation: Incarnation::from_field("incarnation", registration.incarnation)?,
            memory: registration.memory_bytes,
            threads: registration.threads,
        })
    }
}
