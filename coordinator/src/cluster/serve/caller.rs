//! Who calls a coordinator.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use tonic::Request;

/// Who makes a call: what jobs are counted by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Caller {
    /// With TLS: the certificate shown, as it was encoded.
    Certificate(Arc<[u8]>),
    /// Without: where the connection comes from.
    Address(IpAddr),
    /// Not known, such as from a call made within the process.
    Unknown,
}

impl<T> From<&Request<T>> for Caller {
    fn from(request: &Request<T>) -> Self {
        let certificates = request.peer_certs();
        let own = certificates.as_ref().and_then(|certificates| certificates.first());
        match (own, request.remote_addr()) {
            (Some(certificate), _) => Self::Certificate(certificate.as_ref().into()),
            (None, Some(address)) => Self::Address(address.ip()),
            (None, None) => Self::Unknown,
        }
    }
}

impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Certificates are for programs; whose it is stands in the logs of whoever signed it.
            Self::Certificate(encoded) => write!(f, "a certificate of {} bytes", encoded.len()),
            Self::Address(address) => address.fmt(f),
            Self::Unknown => f.write_str("somebody unknown"),
        }
    }
}
