//! Cluster mode: searching on workers, and the commands around a serving coordinator.

mod cancel;
mod report;
mod search;
mod serve;
mod status;
mod submit;
mod watch;

pub(crate) use cancel::{Args as CancelArgs, run as cancel};
pub(crate) use search::{finished, options, search};
pub(crate) use serve::{Args as ServeArgs, run as serve};
pub(crate) use status::{Args as StatusArgs, run as status};
pub(crate) use submit::{Args as SubmitArgs, run as submit};
pub(crate) use watch::{Args as WatchArgs, run as watch};

use sokohive_host::{TlsArgs, TokenArgs};

/// What `--memory` means for jobs of a coordinator.
pub(crate) const MEMORY: &str = "Most memory for each worker, such as 512M or 4G, if that is less \
                                 than the worker's own limit [default: the worker's]";

/// What `--timeout` means for jobs of a coordinator.
pub(crate) const TIMEOUT: &str = "Time given to each board from its turn on, waiting for workers \
                                  included, such as 10, 10s, 500ms, 2m [default: no limit]";

/// Port that coordinators listen on when nobody says otherwise.
const DEFAULT_PORT: u16 = 7400;

/// The coordinator to talk to.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Coordinator {
    /// Host and port of the coordinator
    #[arg(long, value_name = "HOST:PORT", env = "SOKOHIVE_COORDINATOR")]
    #[arg(default_value = "localhost:7400")]
    coordinator: String,
    #[command(flatten)]
    tls: TlsArgs,
    #[command(flatten)]
    token: TokenArgs,
}

impl Coordinator {
    fn client(&self) -> Result<crate::cluster::Client, crate::exit::Failure> {
        let (security, token) = (self.tls.security()?, self.token.token()?);
        Ok(crate::cluster::Client::new(&self.coordinator, &security, token.as_ref())?)
    }
}
