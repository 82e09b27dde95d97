//! The wire format of Sokohive: services, messages, and their conversion at the edge.
//!
//! Generated types ([`wire`]) stop at the edge of a process. Inside, the types of this crate's
//! root are used; what comes from a peer goes through a `TryFrom` whose error names the field.
//!
//! # Layout
//!
//! One file a message, named after it. Beside them: [`BadField`] (what is wrong with a message),
//! [`Refusal`] (why a call was refused, and its place in a gRPC status), `transport` (message
//! sizes, windows, keepalive: the same on both sides of every connection), [`Security`] (mutual
//! TLS, for both sides).
//!
//! ```
//! use sokohive_proto::{Level, wire};
//!
//! let level = wire::Level { ordinal: 3, side: wire::Side::Forward.into(), f: 120 };
//! assert_eq!(Level::try_from(level)?.f, 120);
//!
//! let nonsense = wire::Level { ordinal: 3, side: 77, f: 120 };
//! let error = Level::try_from(nonsense).unwrap_err();
//! assert_eq!(error.to_string(), "field level.side: 77 is not a side");
//! # Ok::<(), sokohive_proto::BadField>(())
//! ```

mod all_optimal;
mod bad_field;
mod checkpoint;
mod ends;
mod fence;
mod finish;
mod hello;
mod job_event;
mod job_result;
mod level;
mod open_level;
mod owners;
mod poll;
mod prepare;
mod progress;
mod push;
mod quantity;
mod random;
mod rank;
mod refusal;
mod register;
mod report;
mod restore;
mod rows;
mod segment;
mod statistics;
mod stored_job;
mod submit;
mod task;
mod tls;
mod token;
mod traffic;
mod transport;
mod upkeep;
pub mod wire;
mod worker_status;

pub use all_optimal::AllOptimal;
pub use bad_field::{BadField, MAX_MOVES};
pub use checkpoint::{Checkpoint, PlacedSegment};
pub use ends::{AskEnds, Ends, MAX_ENDS};
pub use fence::{Epoch, Fence, Incarnation, JobKey};
pub use finish::{Finish, Trail};
pub use hello::Hello;
pub use job_event::{JobEvent, JobNumber, JobState};
pub use job_result::{ClusterFailure, JobEnding, JobResult, Optimum};
pub use level::Level;
pub use open_level::OpenLevel;
pub use owners::{Owners, SHARDS};
pub use poll::Poll;
pub use prepare::{Peer, Prepare};
pub use progress::JobProgress;
pub use push::{MAX_BATCH_BYTES, Push};
pub use quantity::Quantity;
pub use rank::Rank;
pub use refusal::Refusal;
pub use register::Registration;
pub use report::{OpenList, Report, SilentPeer};
pub use restore::Restore;
pub use rows::{Entry, MAX_RANKS, Row};
pub use segment::{MAX_SEGMENTS, Segment, SegmentName};
pub use stored_job::StoredJob;
pub use submit::Submission;
pub use task::Task;
pub use tls::{Security, TlsError, TlsFiles};
pub use token::{Bearer, Token, TokenError};
pub use traffic::Traffic;
pub use transport::{
    AddressError, CONNECT_FIRST_PAUSE, CONNECT_LONGEST_PAUSE, CONNECTION_WINDOW, CoordinatorCalls,
    check_address, control_client, control_server, coordinator_client, coordinator_server,
    data_client, data_server, endpoint,
};
pub use upkeep::Upkeep;

/// Version of the protocol. Two sides that speak different versions refuse each other.
pub const PROTOCOL: u32 = 3;

/// The services and messages for gRPC reflection, as an encoded file descriptor set.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/sokohive.v1.bin"));
