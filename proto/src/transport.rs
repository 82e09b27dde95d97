//! Connections: the same settings on both sides, in one place.

use std::time::Duration;

use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint, Server};

use crate::wire::coordinator_client::CoordinatorClient;
use crate::wire::coordinator_server::{Coordinator, CoordinatorServer};
use crate::wire::worker_control_client::WorkerControlClient;
use crate::wire::worker_control_server::{WorkerControl, WorkerControlServer};
use crate::wire::worker_data_client::WorkerDataClient;
use crate::wire::worker_data_server::{WorkerData, WorkerDataServer};
use crate::{Bearer, MAX_BATCH_BYTES, Token};

/// Largest message of any kind, in bytes: a batch of 1 MiB and what is around it; the rows of one
/// call. Tonic's own limit on decoding is 4 MiB and there is none on encoding.
const MAX_MESSAGE_BYTES: usize = 8 << 20;

/// Largest message that hands over a batch, in bytes: the batch, and little else.
const MAX_PUSH_BYTES: usize = MAX_BATCH_BYTES + (64 << 10);

/// Largest request to a coordinator, in bytes: a board, and little else.
const MAX_REQUEST_BYTES: usize = 256 << 10;

/// HTTP/2 windows, in bytes. Fixed: adaptive windows start at 64 KiB, a sixteenth of a batch.
const STREAM_WINDOW: u32 = 2 << 20;
/// Most bytes that the other side of a connection may have sent without their being read.
pub const CONNECTION_WINDOW: u32 = 8 << 20;

/// Most calls under way on one connection, and most bytes of headers with one of them.
const MAX_STREAMS: u32 = 64;
const MAX_HEADER_BYTES: u32 = 16 << 10;

/// A connection on which nothing moves is probed after this long, and given up after as long again.
const KEEPALIVE: Duration = Duration::from_secs(3);

/// Longest time to establish one connection, and to shake hands on it.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// Pause after the first failed attempt to connect; doubled after every other.
pub const CONNECT_FIRST_PAUSE: Duration = Duration::from_millis(50);

/// Longest pause between attempts to connect.
pub const CONNECT_LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Text that is not a host and a port.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{found}' is not an address, expected {expected}")]
pub struct AddressError {
    found: String,
    expected: &'static str,
}

impl AddressError {
    /// An address whose host no certificate could be for.
    pub(crate) fn no_name(found: &str) -> Self {
        Self { found: found.to_owned(), expected: "a host that a certificate can be for" }
    }
}

/// Settings of a connection in the clear to `address`, which is `host:port` and no more. Whether it is to
/// be in the clear is for a [`Security`](crate::Security) to say.
///
/// # Errors
///
/// If it is anything else: a URL, a name without a port.
pub fn endpoint(address: &str) -> Result<Endpoint, AddressError> {
    settings(address, "http")
}

/// Whether `address` is `host:port` and no more.
///
/// # Errors
///
/// If it is not.
pub fn check_address(address: &str) -> Result<(), AddressError> {
    settings(address, "http").map(|_| ())
}

/// Settings of a connection to `address` by a scheme.
pub(crate) fn settings(address: &str, scheme: &str) -> Result<Endpoint, AddressError> {
    let bad = |expected| AddressError { found: address.to_owned(), expected };
    if address.contains("://") {
        // Whether TLS is on is said by its flags, for all connections at once.
        return Err(bad("HOST:PORT without a scheme before it"));
    }
    let (host, port) = address.rsplit_once(':').ok_or_else(|| bad("HOST:PORT"))?;
    if host.is_empty() || port.parse::<u16>().is_err() {
        return Err(bad("HOST:PORT"));
    }
    let endpoint =
        Endpoint::from_shared(format!("{scheme}://{address}")).map_err(|_| bad("HOST:PORT"))?;
    Ok(endpoint
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_nodelay(true)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .http2_keep_alive_interval(KEEPALIVE)
        .keep_alive_timeout(KEEPALIVE)
        .keep_alive_while_idle(true))
}

/// Settings of a server that takes connections in the clear.
pub(crate) fn plain_server() -> Server {
    Server::builder()
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_concurrent_streams(MAX_STREAMS)
        .http2_max_header_list_size(MAX_HEADER_BYTES)
        .http2_keepalive_interval(Some(KEEPALIVE))
        .http2_keepalive_timeout(Some(KEEPALIVE))
}

/// Gives clients and servers the limits on messages.
macro_rules! limited {
    ($($(#[$doc:meta])* $name:ident($inner:ident: $bound:ty) -> $made:ty;)*) => {$(
        $(#[$doc])*
        pub fn $name($inner: $bound) -> $made {
            <$made>::new($inner)
                .max_decoding_message_size(MAX_MESSAGE_BYTES)
                .max_encoding_message_size(MAX_MESSAGE_BYTES)
        }
    )*};
}

limited! {
    /// A worker's data service over a connection.
    data_client(channel: Channel) -> WorkerDataClient<Channel>;
    /// A worker's control service over a connection.
    control_client(channel: Channel) -> WorkerControlClient<Channel>;
}

/// What a client of a coordinator makes its calls through.
pub type CoordinatorCalls = InterceptedService<Channel, Bearer>;

/// A coordinator over a connection, to be shown a token if there is one.
pub fn coordinator_client(
    channel: Channel,
    token: Option<&Token>,
) -> CoordinatorClient<CoordinatorCalls> {
    CoordinatorClient::with_interceptor(channel, Bearer::from(token))
        .max_decoding_message_size(MAX_MESSAGE_BYTES)
        .max_encoding_message_size(MAX_REQUEST_BYTES)
}

/// Serves a worker's data service.
pub fn data_server<S: WorkerData>(service: S) -> WorkerDataServer<S> {
    WorkerDataServer::new(service)
        .max_decoding_message_size(MAX_PUSH_BYTES)
        .max_encoding_message_size(MAX_MESSAGE_BYTES)
}

/// Serves a worker's control service.
pub fn control_server<S: WorkerControl>(service: S) -> WorkerControlServer<S> {
    WorkerControlServer::new(service)
        .max_decoding_message_size(MAX_MESSAGE_BYTES)
        .max_encoding_message_size(MAX_MESSAGE_BYTES)
}

/// Serves a coordinator.
pub fn coordinator_server<S: Coordinator>(service: S) -> CoordinatorServer<S> {
    CoordinatorServer::new(service)
        .max_decoding_message_size(MAX_REQUEST_BYTES)
        .max_encoding_message_size(MAX_MESSAGE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::endpoint;

    #[test]
    fn addresses_are_host_and_port() {
        for good in ["worker-0:7401", "127.0.0.1:1", "[::1]:7401", "a.b.c:80"] {
            assert!(endpoint(good).is_ok(), "{good}");
        }
        for bad in ["", "worker", "worker:", ":7401", "worker:99999", "a b:1", "worker:x", "a:1/"] {
            assert!(endpoint(bad).is_err(), "{bad}");
        }
        for url in ["http://127.0.0.1:1", "https://a.b.c:443", "http://worker-0:7401/"] {
            let error = endpoint(url).unwrap_err().to_string();
            assert!(error.ends_with("expected HOST:PORT without a scheme before it"), "{error}");
        }
    }
}
