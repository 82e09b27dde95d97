//! Offering the worker to a coordinator.

use std::time::Duration;

use sokohive_proto::{
    AddressError, CONNECT_FIRST_PAUSE, CONNECT_LONGEST_PAUSE, Refusal, Registration, Security,
    Token, coordinator_client, wire,
};
use tokio::time::{sleep, timeout};
use tracing::{info, warn};

/// Longest time to wait for the coordinator's answer.
const DEADLINE: Duration = Duration::from_secs(3);

/// Registers with a coordinator and keeps the registration alive, until dropped. A coordinator
/// that is not there yet, or goes away, is tried again for as long as the worker lives: it is the
/// one thing a worker waits for.
///
/// # Errors
///
/// If `coordinator` is no address, or refuses the worker for good.
pub(crate) async fn register(
    coordinator: &str,
    registration: Registration,
    security: &Security,
    token: Option<&Token>,
) -> Result<(), RegisterError> {
    let mut client = coordinator_client(security.endpoint(coordinator)?.connect_lazy(), token);
    let mut pause = CONNECT_FIRST_PAUSE;
    let mut registered = false;
    loop {
        let request = wire::RegisterRequest::from(registration.clone());
        let answer = match timeout(DEADLINE, client.register(request)).await {
            Ok(answer) => answer.map_err(|status| (Refusal::from_status(&status), status)),
            Err(_) => Err((None, tonic::Status::deadline_exceeded("no answer in time"))),
        };
        match answer {
            Ok(response) => {
                if !registered {
                    info!("registered with {coordinator} as {}", registration.address);
                }
                registered = true;
                pause = CONNECT_FIRST_PAUSE;
                let lease = Duration::from_millis(response.into_inner().lease_ms.into());
                sleep((lease / 3).max(CONNECT_FIRST_PAUSE)).await;
            }
            Err((Some(refusal @ Refusal::ProtocolVersion { .. }), _)) => {
                return Err(RegisterError::Refused(refusal));
            }
            Err((_, status)) => {
                if registered || pause == CONNECT_FIRST_PAUSE {
                    warn!("coordinator {coordinator}: {}; trying again", security.cause(&status));
                }
                registered = false;
                sleep(pause).await;
                pause = (pause * 2).min(CONNECT_LONGEST_PAUSE);
            }
        }
    }
}

/// Why a worker cannot be registered.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    /// The coordinator's address cannot be read.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The coordinator does not want the worker.
    #[error("the coordinator refuses this worker: {0}")]
    Refused(Refusal),
}
