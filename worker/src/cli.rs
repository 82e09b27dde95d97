//! The command line.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::thread;

use anyhow::Context;
use clap::builder::Resettable;
use clap::{CommandFactory, FromArgMatches, Parser};
use sokohive_host::{TlsArgs, TokenArgs, check_folder, memory};

use crate::engine_shard::{Places, journals};
use crate::epoch_file;
use crate::serve::Options;
use crate::size::Bytes;

/// Port that workers listen on when nobody says otherwise.
pub const DEFAULT_PORT: u16 = 7401;

/// A cluster worker of Sokohive: owns one share of the states, and searches it.
///
/// It serves until SIGTERM or Ctrl-C. Every flag can be given as an environment variable too.
#[derive(Clone, Debug, Parser)]
#[command(name = "sokohive-worker", version, max_term_width = 100)]
pub struct Cli {
    /// Address and port to listen on; port 0 takes any that is free, and prints it
    #[arg(long, value_name = "ADDRESS:PORT", env = "SOKOHIVE_LISTEN")]
    #[arg(default_value_t = SocketAddr::from(([0, 0, 0, 0], DEFAULT_PORT)))]
    pub listen: SocketAddr,
    /// Host and port that the coordinator and the other workers reach this one at
    /// [default: the address listened on, or the host's name where that is any address]
    #[arg(long, value_name = "HOST:PORT", env = "SOKOHIVE_ADVERTISE")]
    pub advertise: Option<String>,
    /// Most memory the search may hold, such as 512M or 4G [default: 80 % of what is available]
    #[arg(long, short, value_name = "SIZE", env = "SOKOHIVE_MEMORY")]
    pub memory: Option<Bytes>,
    /// Searching threads [default: all cores]
    #[arg(long, short, value_name = "N", env = "SOKOHIVE_THREADS")]
    pub threads: Option<NonZeroU32>,
    /// Folder for what must outlive the process: the journals of searches that keep checkpoints, and
    /// the epoch, so that leftovers of an earlier job are still refused after a restart
    #[arg(long, value_name = "FOLDER", env = "SOKOHIVE_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
    /// Let the open list wait on disk, in this folder, where it takes more than an eighth of the memory
    #[arg(long, value_name = "FOLDER", env = "SOKOHIVE_SPILL_DIR")]
    pub spill_dir: Option<PathBuf>,
    /// Most of the open list on disk, such as 20G [default: nine tenths of what is free there]
    #[arg(long, value_name = "SIZE", env = "SOKOHIVE_SPILL_LIMIT", requires = "spill_dir")]
    pub spill_limit: Option<Bytes>,
    /// A serving coordinator to register with; without it, a coordinator has to be given this
    /// worker's address
    #[arg(long, value_name = "HOST:PORT", env = "SOKOHIVE_COORDINATOR")]
    pub coordinator: Option<String>,
    /// Address and port for figures over HTTP, /metrics and /healthz [default: none]
    ///
    /// Nothing is encrypted there, and nobody is asked for a certificate or a token.
    #[arg(long, value_name = "ADDRESS:PORT", env = "SOKOHIVE_METRICS")]
    pub metrics: Option<SocketAddr>,
    /// Ask the worker or coordinator at this address whether it serves, and exit with 0 or 1
    ///
    /// Of the other flags only those of TLS matter then.
    #[arg(long, value_name = "HOST:PORT")]
    pub probe: Option<String>,
    /// How connections are secured.
    #[command(flatten)]
    pub tls: TlsArgs,
    /// What a coordinator is shown.
    #[command(flatten)]
    pub token: TokenArgs,
}

impl Cli {
    /// Reads the process's arguments, the program's name first. Of the environment only TLS counts where a
    /// server is asked: the rest is that of a worker, which says nothing about asking.
    ///
    /// # Errors
    ///
    /// If the arguments make no sense, or ask for help.
    pub fn read(args: &[OsString]) -> Result<Self, clap::Error> {
        let asks = |arg: &OsString| {
            arg.to_str().is_some_and(|arg| arg == "--probe" || arg.starts_with("--probe="))
        };
        let mut command = Self::command();
        if args.iter().any(asks) {
            // But for TLS: whoever asks shows the certificate of whoever is asked.
            command = command.mut_args(|arg| match arg.get_id().as_str().starts_with("tls_") {
                true => arg,
                false => arg.env(Resettable::Reset),
            });
        }
        let mut matches = command.try_get_matches_from(args)?;
        Self::from_arg_matches_mut(&mut matches)
    }

    /// Where the worker's shards keep files.
    pub fn places(&self) -> Places {
        Places {
            data: self.data_dir.clone(),
            spill: self.spill_dir.clone(),
            most_spilled: self.spill_limit.map_or(u64::MAX, |Bytes(bytes)| bytes),
        }
    }

    /// What the flags mean for a worker that listens on `bound`, but for the metrics: somebody has to
    /// listen for them.
    ///
    /// # Errors
    ///
    /// If the flags of TLS make no sense, the job token cannot be read, or no files can be kept in a folder.
    pub fn options(self, bound: SocketAddr) -> anyhow::Result<Options> {
        if let Some(folder) = &self.data_dir {
            let folders = check_folder(folder).and_then(|()| check_folder(&journals(folder)));
            folders.context("--data-dir")?;
            epoch_file::read(folder).context("--data-dir")?;
        }
        if let Some(folder) = &self.spill_dir {
            check_folder(folder).context("--spill-dir")?;
        }
        Ok(Options {
            security: self.tls.security()?,
            token: self.token.token()?,
            advertise: self.advertise.unwrap_or_else(|| advertised(bound)),
            memory: self.memory.map_or_else(memory::default_limit, |Bytes(bytes)| bytes),
            threads: self.threads.map_or_else(all_cores, NonZeroU32::get),
            data_dir: self.data_dir,
            coordinator: self.coordinator,
            metrics: None,
        })
    }
}

/// The address that others can use for a bound one.
fn advertised(bound: SocketAddr) -> String {
    if !bound.ip().is_unspecified() {
        return bound.to_string();
    }
    // Containers have their name in the file, and it resolves within their network.
    let name = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let name = match name.trim() {
        "" => "localhost",
        name => name,
    };
    format!("{name}:{}", bound.port())
}

fn all_cores() -> u32 {
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(cores).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_bound_address_is_advertised_unless_it_is_any() {
        assert_eq!(advertised(SocketAddr::from(([127, 0, 0, 1], 9))), "127.0.0.1:9");
        assert!(!advertised(SocketAddr::from(([0, 0, 0, 0], 9))).starts_with("0.0.0.0"));
    }
}
