//! A party's identity: a folder with its private key, its certificate and the certificates it
//! trusts.
//!
//! ```text
//! bank.id/key.pem        the private key (ECDSA, P-256), readable by the owner only
//! bank.id/cert.pem       the certificate to give to peers
//! bank.id/trusted/*.pem  certificates of peers
//! bank.id/spent/*        how far each store of correlations is spent
//! ```

use crate::error::{Error, Result};
use rcgen::{CertificateParams, DnType, KeyPair, date_time_ymd};
use rustls::crypto::ring::sign::any_supported_type;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use sha2::{Digest, Sha256};
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use x509_parser::prelude::{FromDer, X509Certificate};
use zeroize::Zeroizing;

const KEY: &str = "key.pem";
const CERTIFICATE: &str = "cert.pem";
const TRUSTED: &str = "trusted";
const SPENT: &str = "spent";
/// What the private key is used for besides signing.
const DISK: &str = "hushtable 2026-11 keys of files on disk";
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// A new certificate is valid from a day ago, for clocks that differ, for two years.
const VALID_DAYS: u32 = 730;
/// No PEM file we read is longer.
const LONGEST_FILE: u64 = 64 << 10;

/// Who a party is, and whom it trusts. Cloning is cheap.
#[derive(Clone)]
pub struct Identity(Arc<Inner>);

struct Inner {
    dir: PathBuf,
    name: String,
    own: Arc<CertifiedKey>,
    fingerprint: Fingerprint,
    trusted: Vec<CertificateDer<'static>>,
    /// What the keys of files on disk are derived from.
    disk: Zeroizing<[u8; 32]>,
}

impl Identity {
    /// Makes a new identity in the folder `dir`, which must not exist: a fresh key and a
    /// certificate for `name` (1 to 64 ASCII letters, digits, `-`, `_` and `.`), valid for two years.
    /// The folder appears complete or not at all.
    ///
    /// # Errors
    /// [`Error::Identity`] if `dir` exists, [`Error::Param`] for the name, [`Error::Io`].
    pub fn create(dir: &Path, name: &str) -> Result<Identity> {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
        if name.is_empty() || name.len() > 64 || !name.bytes().all(plain) {
            return Err(Error::Param {
                what: "identity name",
                got: format!("{name:?}"),
                accepted: "1 to 64 letters, digits, '-', '_' and '.'".into(),
            });
        }
        if fs::symlink_metadata(dir).is_ok() {
            return Err(Error::Identity(format!("{} exists already; nothing is overwritten", dir.display())));
        }
        let building = beside(dir)?;
        let made = fill(&building, name).and_then(|()| {
            fs::rename(&building, dir).map_err(Error::io(format!("creating {}", dir.display())))
        });
        if made.is_err() {
            let _ = fs::remove_dir_all(&building);
        }
        made.and_then(|()| Identity::load(dir))
    }

    /// Reads the identity in the folder `dir`.
    ///
    /// # Errors
    /// [`Error::Identity`], naming the file, if the key is readable by others, does not belong to
    /// the certificate, or the certificate is not valid now; [`Error::Io`].
    pub fn load(dir: &Path) -> Result<Identity> {
        let (key_path, path) = (dir.join(KEY), dir.join(CERTIFICATE));
        let certificate = read_certificate(&path)?;
        if let Some(problem) = validity_problem(&certificate) {
            return Err(Error::Identity(format!("{} {problem}; make a new identity", path.display())));
        }
        let unusable = |e: &dyn fmt::Display| Error::Identity(format!("{}: {e}", key_path.display()));
        let pem = Zeroizing::new(read_private(&key_path)?);
        let key =
            PrivateKeyDer::from_pem_slice(&pem).map_err(|_| unusable(&"no private key in PEM format"))?;
        let key = Zeroizing::new(key);
        let signer = any_supported_type(&key).map_err(|e| unusable(&e))?;
        let own = CertifiedKey::new(vec![certificate.clone()], signer);
        own.keys_match()
            .map_err(|_| unusable(&format!("does not belong to the certificate {}", path.display())))?;
        Ok(Identity(Arc::new(Inner {
            dir: dir.into(),
            name: common_name(&certificate).unwrap_or_else(|| "nameless".into()),
            own: Arc::new(own),
            fingerprint: Fingerprint::of(&certificate),
            trusted: read_trusted(&dir.join(TRUSTED))?,
            disk: Zeroizing::new(blake3::derive_key(DISK, key.secret_der())),
        })))
    }

    /// Pins a peer: copies its certificate into the identity in `dir`. Compare the fingerprint
    /// returned with the peer's by another way than the one the file came, by telephone say.
    ///
    /// # Errors
    /// [`Error::Identity`] if the file is no certificate valid now or is this identity's own,
    /// [`Error::Io`].
    pub fn trust(dir: &Path, cert_pem: &Path) -> Result<Fingerprint> {
        let certificate = read_certificate(cert_pem)?;
        let shown = cert_pem.display();
        if let Some(problem) = validity_problem(&certificate) {
            return Err(Error::Identity(format!("{shown} {problem}")));
        }
        if read_certificate(&dir.join(CERTIFICATE))? == certificate {
            return Err(Error::Identity(format!("{shown} is the certificate of {} itself", dir.display())));
        }
        let fingerprint = Fingerprint::of(&certificate);
        let name = file_name(&common_name(&certificate).unwrap_or_default());
        let target = dir.join(TRUSTED).join(format!("{name}-{}.pem", fingerprint.short()));
        let temporary = beside(&target)?;
        let pem = section(&read(cert_pem)?).unwrap_or_default();
        let written = write_new(&temporary, pem.as_bytes(), 0o644).and_then(|()| {
            read_certificate(&temporary)?;
            fs::rename(&temporary, &target).map_err(Error::io(format!("writing {}", target.display())))
        });
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written.map(|()| fingerprint)
    }

    /// The fingerprint of this identity's certificate.
    pub fn fingerprint(&self) -> Fingerprint {
        self.0.fingerprint
    }

    /// The name in this identity's certificate.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The file to give to peers.
    pub fn certificate_path(&self) -> PathBuf {
        self.0.dir.join(CERTIFICATE)
    }

    /// The folder with how far each store of this identity is spent: the store of correlations writes there.
    pub(crate) fn spent_path(&self) -> PathBuf {
        self.0.dir.join(SPENT)
    }

    /// A key for the files named by `id`, the same whenever this identity is loaded.
    pub(crate) fn disk_key(&self, id: &[u8; 32]) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(*blake3::keyed_hash(&self.0.disk, id).as_bytes())
    }

    pub(super) fn trusted_path(&self) -> PathBuf {
        self.0.dir.join(TRUSTED)
    }

    pub(super) fn trusts(&self, certificate: &CertificateDer<'_>) -> bool {
        self.0.trusted.iter().any(|trusted| trusted == certificate)
    }

    pub(super) fn certified_key(&self) -> Arc<CertifiedKey> {
        Arc::clone(&self.0.own)
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({}, {})", self.0.name, self.0.fingerprint)
    }
}

/// SHA-256 of a certificate (its DER), shown as `openssl x509 -fingerprint -sha256` does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    pub(super) fn of(certificate: &CertificateDer<'_>) -> Self {
        Fingerprint(Sha256::digest(certificate).into())
    }

    pub(crate) fn from_bytes(bytes: [u8; 32]) -> Self {
        Fingerprint(bytes)
    }

    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first eight hexadecimal digits, for names.
    pub(crate) fn short(&self) -> String {
        self.0[..4].iter().map(|b| format!("{b:02x}")).collect()
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes: Vec<String> = self.0.iter().map(|b| format!("{b:02X}")).collect();
        f.write_str(&bytes.join(":"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The common name in a certificate, made harmless.
pub(super) fn common_name(certificate: &CertificateDer<'_>) -> Option<String> {
    let (_, parsed) = X509Certificate::from_der(certificate).ok()?;
    let name = parsed.subject().iter_common_name().next()?.as_str().ok()?;
    Some(super::agree::printable(name.as_bytes()))
}

/// Why a certificate is not valid now, as the end of a sentence; `None` if it is.
pub(super) fn validity_problem(certificate: &CertificateDer<'_>) -> Option<String> {
    let Ok((_, parsed)) = X509Certificate::from_der(certificate) else {
        return Some("is not a readable X.509 certificate".into());
    };
    let (validity, now) = (parsed.validity(), x509_parser::time::ASN1Time::now());
    if now < validity.not_before {
        return Some(format!("is not valid before {}", validity.not_before));
    }
    (now > validity.not_after).then(|| format!("expired on {}", validity.not_after))
}

/// Writes key, certificate and the folder for peers into the new folder `dir`.
fn fill(dir: &Path, name: &str) -> Result<()> {
    let failed = |e: rcgen::Error| Error::Identity(format!("making the certificate: {e}"));
    let key = KeyPair::generate().map_err(failed)?;
    let mut params = CertificateParams::new(Vec::<String>::new()).map_err(failed)?;
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    params.not_before = date_time_ymd(1970, 1, 1) + now.saturating_sub(DAY);
    params.not_after = params.not_before + DAY * VALID_DAYS;
    let certificate = params.self_signed(&key).map_err(failed)?;

    let create = |dir: &Path| fs::create_dir(dir).map_err(Error::io(format!("creating {}", dir.display())));
    create(dir)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(dir, fs::Permissions::from_mode(0o700))
            .map_err(Error::io(format!("protecting {}", dir.display())))?;
    }
    create(&dir.join(TRUSTED))?;
    let secret = Zeroizing::new(key.serialize_pem());
    write_new(&dir.join(KEY), secret.as_bytes(), 0o600)?;
    write_new(&dir.join(CERTIFICATE), certificate.pem().as_bytes(), 0o644)
}

/// A new name in the same folder, so that a rename to `path` is atomic.
fn beside(path: &Path) -> Result<PathBuf> {
    let Some(name) = path.file_name() else {
        return Err(Error::Identity(format!("{} is not a name for a folder", path.display())));
    };
    let mut random = [0; 8];
    getrandom::fill(&mut random).expect("the operating system has randomness");
    let random = u64::from_le_bytes(random);
    Ok(path.with_file_name(format!(".{}.{random:016x}.tmp", name.to_string_lossy())))
}

/// Writes a file that must not exist, and makes it durable.
fn write_new(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    let write = |mut file: File| file.write_all(bytes).and_then(|()| file.sync_all());
    options.open(path).and_then(write).map_err(Error::io(format!("writing {}", path.display())))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(LONGEST_FILE).read_to_end(&mut bytes))
        .map_err(Error::io(format!("reading {}", path.display())))?;
    Ok(bytes)
}

/// Reads a file that only its owner may read.
fn read_private(path: &Path) -> Result<Vec<u8>> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let about = fs::metadata(path).map_err(Error::io(format!("reading {}", path.display())))?;
        let mode = about.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            let path = path.display();
            return Err(Error::Identity(format!(
                "{path} is open to other users (mode {mode:o}): run `chmod 600 {path}`, and make a new \
                 identity if others may have read it"
            )));
        }
    }
    read(path)
}

fn read_certificate(path: &Path) -> Result<CertificateDer<'static>> {
    let certificate = CertificateDer::from_pem_slice(&read(path)?)
        .map_err(|_| Error::Identity(format!("{} holds no certificate in PEM format", path.display())))?;
    match X509Certificate::from_der(&certificate) {
        Ok(([], _)) => Ok(certificate),
        _ => Err(Error::Identity(format!("{} is not a readable X.509 certificate", path.display()))),
    }
}

fn read_trusted(dir: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let mut trusted = Vec::new();
    for entry in fs::read_dir(dir).map_err(Error::io(format!("reading {}", dir.display())))? {
        let path = entry.map_err(Error::io(format!("reading {}", dir.display())))?.path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if !hidden && path.extension().is_some_and(|extension| extension == "pem") {
            trusted.push(read_certificate(&path)?);
        }
    }
    Ok(trusted)
}

/// A name that came from a peer, as a part of a file name.
fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
    let name: String = name.chars().take(40).map(plain).collect();
    if name.is_empty() { "peer".into() } else { name }
}

/// The first certificate in a PEM file, without what else the file holds.
fn section(pem: &[u8]) -> Option<String> {
    const END: &str = "-----END CERTIFICATE-----";
    let text = String::from_utf8_lossy(pem);
    let text = &text[text.find("-----BEGIN CERTIFICATE-----")?..];
    Some(format!("{}\n", &text[..text.find(END)? + END.len()]))
}
