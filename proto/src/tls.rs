//! Mutual TLS: who one is, and whom one believes. The same for both ends of a connection.

use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tonic::Status;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity, Server, ServerTlsConfig};

use crate::transport::{AddressError, CONNECT_TIMEOUT, plain_server, settings};

/// How connections are secured: not at all, which is the default, or by mutual TLS.
///
/// With TLS a server takes nobody without a certificate of the authority, and a client takes no server
/// whose certificate is not of the authority or not for the name it was called by.
#[derive(Clone, Debug, Default)]
pub struct Security(Option<Arc<Tls>>);

/// What mutual TLS takes.
#[derive(Debug)]
struct Tls {
    server: ServerTlsConfig,
    client: ClientTlsConfig,
}

/// The three files that mutual TLS takes, all in PEM form.
#[derive(Clone, Copy, Debug)]
pub struct TlsFiles<'f> {
    /// Certificates of the authority: whoever is signed by one of them is believed.
    pub ca: &'f Path,
    /// The own certificate, and those between it and the authority.
    pub cert: &'f Path,
    /// The own private key.
    pub key: &'f Path,
}

/// Why TLS cannot be switched on.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// Some of the flags were given, not all.
    #[error("missing {missing}: --tls-ca, --tls-cert and --tls-key go together")]
    Incomplete {
        /// The flags that are missing.
        missing: String,
    },
    /// A name was given, and no certificates to check it by.
    #[error("--tls-name does nothing without --tls-ca, --tls-cert and --tls-key")]
    NameAlone,
    /// A file cannot be read.
    #[error("{flag} {}: {source}", file.display())]
    File {
        /// The flag that names it.
        flag: &'static str,
        /// The file.
        file: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file is not what it should be.
    #[error("{flag} {}: found {found}, expected {expected} in PEM form", file.display())]
    Content {
        /// The flag that names it.
        flag: &'static str,
        /// The file.
        file: PathBuf,
        /// What was expected.
        expected: &'static str,
        /// What was found instead, with its line where there is one.
        found: String,
    },
    /// The certificate and the key cannot be used, or not together.
    #[error(
        "--tls-cert {} and --tls-key {}: {problem}, expected a certificate and its private key",
        cert.display(), key.display()
    )]
    Identity {
        /// The file of the certificate.
        cert: PathBuf,
        /// The file of the key.
        key: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// There is no usable certificate of an authority.
    #[error("--tls-ca {}: {problem}, expected the certificate of an authority", file.display())]
    Authority {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The name that servers are to have is none.
    #[error("--tls-name '{0}' is no name of a host")]
    Name(String),
}

impl Security {
    /// Connections in the clear, by whomever.
    pub fn none() -> Self {
        Self::default()
    }

    /// Mutual TLS. `name` is what servers' certificates must be for, instead of the host in their
    /// address.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, is not what it should be, or does not go with another.
    pub fn read(files: TlsFiles<'_>, name: Option<&str>) -> Result<Self, TlsError> {
        let ca = pem(files.ca, "--tls-ca", "a certificate", |label| label == "CERTIFICATE")?;
        let cert = pem(files.cert, "--tls-cert", "a certificate", |label| label == "CERTIFICATE")?;
        let is_key = |label: &str| label.ends_with("PRIVATE KEY");
        let key = pem(files.key, "--tls-key", "a private key", is_key)?;
        let identity = Identity::from_pem(cert, key);
        let ca = Certificate::from_pem(ca);
        // Built up piece by piece, so that what is wrong can be told from what is not.
        let server = ServerTlsConfig::new().identity(identity.clone()).timeout(CONNECT_TIMEOUT);
        try_server(&server).map_err(|problem| TlsError::Identity {
            cert: files.cert.to_owned(),
            key: files.key.to_owned(),
            problem,
        })?;
        let server = server.client_ca_root(ca.clone());
        try_server(&server)
            .map_err(|problem| TlsError::Authority { file: files.ca.to_owned(), problem })?;
        let client = ClientTlsConfig::new().ca_certificate(ca).identity(identity);
        let mut client = client.timeout(CONNECT_TIMEOUT);
        if let Some(name) = name {
            client = client.domain_name(name);
            let anywhere = Endpoint::from_static("https://localhost:1");
            let built = anywhere.tls_config(client.clone());
            built.map_err(|_| TlsError::Name(name.to_owned()))?;
        }
        Ok(Self(Some(Arc::new(Tls { server, client }))))
    }

    /// Whether connections are secured.
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Settings of a connection to `address`, which is `host:port`; the scheme before it may be said too.
    ///
    /// # Errors
    ///
    /// If `address` cannot be read, or names a scheme that is not the one in force.
    pub fn endpoint(&self, address: &str) -> Result<Endpoint, AddressError> {
        let Some(tls) = &self.0 else {
            return settings(address, "http");
        };
        let endpoint = settings(address, "https")?;
        endpoint.tls_config(tls.client.clone()).map_err(|_| AddressError::no_name(address))
    }

    /// Settings of a server. Nagle's algorithm must be off on the listener itself: tonic does not
    /// touch the sockets of a listener it is handed.
    ///
    /// # Errors
    ///
    /// If the certificates cannot be used, which [`Security::read`] has ruled out.
    pub fn server(&self) -> Result<Server, tonic::transport::Error> {
        match &self.0 {
            None => Ok(plain_server()),
            Some(tls) => plain_server().tls_config(tls.server.clone()),
        }
    }
}

fn try_server(config: &ServerTlsConfig) -> Result<(), String> {
    match Server::builder().tls_config(config.clone()) {
        Ok(_) => Ok(()),
        Err(error) => Err(last_cause(&error)),
    }
}

/// Reads a file with a section that is wanted in it.
fn pem(
    file: &Path,
    flag: &'static str,
    expected: &'static str,
    wanted: impl Fn(&str) -> bool,
) -> Result<Vec<u8>, TlsError> {
    let bytes =
        fs::read(file).map_err(|source| TlsError::File { flag, file: file.to_owned(), source })?;
    let text = String::from_utf8_lossy(&bytes);
    let label = |line: &str| {
        let rest = line.trim().strip_prefix("-----BEGIN ")?;
        rest.strip_suffix("-----").map(str::to_owned)
    };
    let labels: Vec<(usize, String)> =
        text.lines().zip(1..).filter_map(|(text, line)| Some((line, label(text)?))).collect();
    if labels.iter().any(|(_, label)| wanted(label)) {
        return Ok(bytes);
    }
    let found = match labels.first() {
        Some((line, label)) => format!("'{label}' in line {line}"),
        None if bytes.is_empty() => "an empty file".to_owned(),
        None => "no line '-----BEGIN …-----'".to_owned(),
    };
    Err(TlsError::Content { flag, file: file.to_owned(), expected, found })
}

/// The innermost cause of an error: "transport error" alone helps nobody.
fn last_cause(error: &dyn Error) -> String {
    let mut last = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    last.to_string()
}

/// What rustls says of certificates that it does not believe.
const BAD_CERTIFICATE: &str = "invalid peer certificate";

/// How a connection ends that the other side has closed. By TLS 1.3 a server looks at a client's
/// certificate when the client is through with its part, and what it says of it may be lost in the
/// closing.
const CLOSED: [&str; 4] = ["connection closed", "broken pipe", "reset by peer", "end of file"];

/// What h2 says of an answer by TLS, rustls of one without it, and rustls of being turned away.
const ANSWERED_BY_TLS: &str = "frame with invalid size";
const ANSWERED_IN_THE_CLEAR: &str = "InvalidContentType";
const TURNED_AWAY: &str = "received fatal alert";

impl Security {
    /// What went wrong with a call, down to the cause, for people. Problems of TLS are said in words.
    pub fn cause(&self, status: &Status) -> String {
        self.explained(status_cause(status), false)
    }

    /// What went wrong with the first call on a connection, as [`Security::cause`] says it. That the
    /// other side closes it then may have to do with TLS.
    pub fn first_cause(&self, status: &Status) -> String {
        self.explained(status_cause(status), true)
    }

    /// What went wrong with a connection, down to the cause, for people.
    pub fn connect_cause(&self, error: &tonic::transport::Error) -> String {
        self.explained(last_cause(error), true)
    }

    /// Whether a cause, as the above say it, is that the two sides do not go together: TLS on one of them
    /// alone, or a certificate that the other does not accept. No second try will change that.
    pub fn is_mismatch(&self, cause: &str) -> bool {
        let tell: &[&str] = match self.is_on() {
            false => &[ANSWERED_BY_TLS],
            true => &[ANSWERED_IN_THE_CLEAR, TURNED_AWAY, BAD_CERTIFICATE],
        };
        tell.iter().any(|part| cause.contains(part))
    }

    /// Adds what the text of a cause does not say. Texts are all there is: causes come through layers
    /// that keep no types.
    fn explained(&self, cause: String, first: bool) -> String {
        let has = |part: &&str| cause.contains(*part);
        let closed = || CLOSED.iter().any(has);
        let remark = match self.is_on() {
            false if has(&ANSWERED_BY_TLS) => "the other side does not speak without TLS",
            false if first && closed() => {
                "the other side closed the connection; perhaps it wants TLS"
            }
            true if has(&ANSWERED_IN_THE_CLEAR) => "the other side does not speak TLS",
            true if has(&TURNED_AWAY) => "our certificate is not accepted there",
            true if has(&BAD_CERTIFICATE) => "the other side's certificate is not accepted here",
            true if closed() => {
                "the other side closed the connection, as it does on a certificate that is not accepted"
            }
            _ => return cause,
        };
        format!("{remark}: {cause}")
    }
}

fn status_cause(status: &Status) -> String {
    status.source().map_or_else(|| status.message().to_owned(), last_cause)
}
