//! The flags that switch TLS on, the same on every command.

use std::path::PathBuf;

use sokohive_proto::{Security, TlsError, TlsFiles};

/// The flags that switch TLS on, and who is believed then.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct TlsArgs {
    /// Certificates of the authority that has signed all others, in PEM form; switches TLS on
    ///
    /// With TLS nobody is served without a certificate of this authority, and no server is believed
    /// without one. It takes all three files, --tls-ca, --tls-cert and --tls-key.
    #[arg(long, value_name = "FILE", env = "SOKOHIVE_TLS_CA", help_heading = "TLS")]
    tls_ca: Option<PathBuf>,
    /// Own certificate, in PEM form
    #[arg(long, value_name = "FILE", env = "SOKOHIVE_TLS_CERT", help_heading = "TLS")]
    tls_cert: Option<PathBuf>,
    /// Private key of the own certificate, in PEM form
    #[arg(long, value_name = "FILE", env = "SOKOHIVE_TLS_KEY", help_heading = "TLS")]
    tls_key: Option<PathBuf>,
    /// Name that servers' certificates are for, where it is not the host of their address
    #[arg(long, value_name = "NAME", env = "SOKOHIVE_TLS_NAME", help_heading = "TLS")]
    tls_name: Option<String>,
}

impl TlsArgs {
    /// What the flags mean: no TLS where none is given.
    ///
    /// # Errors
    ///
    /// If only some are given, or a file is not what it should be.
    pub fn security(&self) -> Result<Security, TlsError> {
        let files = [&self.tls_ca, &self.tls_cert, &self.tls_key];
        if let [Some(ca), Some(cert), Some(key)] = files {
            return Security::read(TlsFiles { ca, cert, key }, self.tls_name.as_deref());
        }
        let flags = ["--tls-ca", "--tls-cert", "--tls-key"];
        let missing: Vec<&str> = flags
            .into_iter()
            .zip(files)
            .filter(|(_, file)| file.is_none())
            .map(|(flag, _)| flag)
            .collect();
        match (missing.len(), &self.tls_name) {
            (3, None) => Ok(Security::none()),
            (3, Some(_)) => Err(TlsError::NameAlone),
            _ => Err(TlsError::Incomplete { missing: missing.join(" and ") }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_files_or_none() {
        assert!(!TlsArgs::default().security().unwrap().is_on());
        let some = TlsArgs { tls_ca: Some("ca.pem".into()), ..TlsArgs::default() };
        let error = some.security().unwrap_err().to_string();
        assert!(error.starts_with("missing --tls-cert and --tls-key: "), "{error}");
        let two = TlsArgs { tls_key: Some("key.pem".into()), ..some };
        let error = two.security().unwrap_err().to_string();
        assert!(error.starts_with("missing --tls-cert: "), "{error}");
        let name = TlsArgs { tls_name: Some("a".to_owned()), ..TlsArgs::default() };
        assert!(matches!(name.security(), Err(TlsError::NameAlone)));
    }

    #[test]
    fn a_file_that_is_not_there_is_named_with_its_flag() {
        let nowhere = TlsArgs {
            tls_ca: Some("/nowhere/ca.pem".into()),
            tls_cert: Some("/nowhere/cert.pem".into()),
            tls_key: Some("/nowhere/key.pem".into()),
            tls_name: None,
        };
        let error = nowhere.security().unwrap_err().to_string();
        assert!(error.starts_with("--tls-ca /nowhere/ca.pem: "), "{error}");
    }
}
