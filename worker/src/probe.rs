//! Asking a server whether it serves, for health checks of containers: it does not take a program
//! of its own then.

use std::time::Duration;

use sokohive_proto::{AddressError, Security};
use tokio::time::timeout;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

/// Longest time to wait for an answer.
const DEADLINE: Duration = Duration::from_secs(3);

/// Why a server does not pass for healthy.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// The address cannot be read.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// It does not answer.
    #[error("no answer: {0}")]
    Unreachable(String),
    /// It answers that it does not serve.
    #[error("not serving")]
    NotServing,
}

/// Asks the gRPC health service at `address`: a worker's or a coordinator's.
///
/// # Errors
///
/// If it does not say that it serves.
pub async fn probe(address: &str, security: &Security) -> Result<(), ProbeError> {
    let endpoint = security.endpoint(address)?;
    let ask = async {
        let unreachable = |error| ProbeError::Unreachable(security.connect_cause(&error));
        let channel = endpoint.connect().await.map_err(unreachable)?;
        let request = HealthCheckRequest { service: String::new() };
        let answer = HealthClient::new(channel).check(request).await;
        let answer =
            answer.map_err(|status| ProbeError::Unreachable(security.first_cause(&status)))?;
        match answer.into_inner().status() {
            ServingStatus::Serving => Ok(()),
            _ => Err(ProbeError::NotServing),
        }
    };
    let late = || ProbeError::Unreachable(format!("none in {} s", DEADLINE.as_secs()));
    timeout(DEADLINE, ask).await.map_err(|_| late())?
}
