//! Certificates made for one test.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};
use sokohive_proto::{Security, TlsFiles};

/// An authority, and a folder for what it signs; removed at the end.
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: PathBuf,
}

/// The files of one certificate.
pub(crate) struct Signed {
    pub(crate) ca: PathBuf,
    pub(crate) cert: PathBuf,
    pub(crate) key: PathBuf,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = format!("sokohive-tls-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        fs::create_dir_all(&folder).unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        params.distinguished_name.push(DnType::CommonName, name);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        fs::write(folder.join("ca.pem"), issuer.pem()).unwrap();
        Self { issuer, folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// A certificate for these names; one that ran out long ago if `expired`.
    pub(crate) fn sign(&self, names: &[&str], expired: bool) -> Signed {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let file = format!("{}-{expired}", names.join("-"));
        let mut params = CertificateParams::new(names).unwrap();
        if expired {
            params.not_before = date_time_ymd(2020, 1, 1);
            params.not_after = date_time_ymd(2020, 2, 1);
        }
        let key = KeyPair::generate().unwrap();
        let cert = params.signed_by(&key, &self.issuer).unwrap();
        let path = |kind: &str| self.folder.join(format!("{file}.{kind}.pem"));
        fs::write(path("cert"), cert.pem()).unwrap();
        fs::write(path("key"), key.serialize_pem()).unwrap();
        Signed { ca: self.folder.join("ca.pem"), cert: path("cert"), key: path("key") }
    }

    /// TLS with a good certificate for servers on this machine.
    pub(crate) fn security(&self) -> Security {
        self.sign(&["127.0.0.1"], false).security(None)
    }
}

impl Drop for Authority {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Signed {
    pub(crate) fn files(&self) -> TlsFiles<'_> {
        TlsFiles { ca: &self.ca, cert: &self.cert, key: &self.key }
    }

    pub(crate) fn security(&self, name: Option<&str>) -> Security {
        Security::read(self.files(), name).unwrap()
    }

    /// The same certificate beside a belief in another authority.
    pub(crate) fn believing(self, other: &Authority) -> Self {
        Self { ca: other.folder.join("ca.pem"), ..self }
    }
}
