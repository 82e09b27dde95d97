//! Coordinators on free ports, and their clients.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sokohive::cluster::{Client, ClientError, ServeOptions};
use sokohive_proto::{Security, Token};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// A coordinator in this process, until it is dropped.
pub(crate) struct Coordinator {
    pub(crate) address: String,
    _stop: oneshot::Sender<()>,
}

impl Coordinator {
    pub(crate) async fn start(security: Security, token: Option<Token>) -> Self {
        Self::start_with(security, token, None).await
    }

    pub(crate) async fn start_keeping(state_dir: &Path) -> Self {
        Self::start_with(Security::none(), None, Some(state_dir.to_owned())).await
    }

    async fn start_with(
        security: Security,
        token: Option<Token>,
        state_dir: Option<PathBuf>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (stop, stopped) = oneshot::channel::<()>();
        let options = ServeOptions {
            workers: 1,
            security,
            token,
            metrics: None,
            state_dir,
            every: Duration::from_secs(60),
            give_up_after: Duration::from_secs(60),
        };
        tokio::spawn(sokohive::cluster::serve(listener, options, || Ok(()), async {
            let _ = stopped.await;
        }));
        Self { address, _stop: stop }
    }

    /// Has a client ask something.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        security: &Security,
        token: Option<Token>,
        ask: impl FnOnce(Client) -> Result<T, ClientError> + Send + 'static,
    ) -> Result<T, ClientError> {
        let (address, security) = (self.address.clone(), security.clone());
        let client = move || Client::new(&address, &security, token.as_ref());
        tokio::task::spawn_blocking(move || ask(client()?)).await.unwrap()
    }
}
