//! A party's identity: a folder with its private key, its certificate and the certificates it
//! trusts.
//!
//! ```text
//! bank.id/key.pem           the private key (ECDSA, P-256), readable by the owner only
//! bank.id/cert.pem          the certificate to give to peers
//! bank.id/trusted/NAME.pem  the certificate of the peer that is called NAME here
//! bank.id/spent/*           how far each store of correlations is spent
//! ```

mod certificate;
mod disk;
mod files;
mod name;
mod pins;
mod signing;
mod trust;

use crate::error::{Error, Result};
use crate::net::fingerprint::Fingerprint;
use certificate::read_certificate;
use files::{CERTIFICATE, KEY, TRUSTED, beside, read_private, write_new};
use name::check_name;
pub use name::composed_name;
use pins::read_usable;
use rcgen::{CertificateParams, DnType, KeyPair, date_time_ymd};
use rustls::crypto::ring::sign::any_supported_type;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use rustls::sign::CertifiedKey;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use zeroize::Zeroizing;

pub(super) use certificate::{name_of, validity_problem};
pub use pins::Peer;
pub(super) use pins::Pin;
pub use signing::Certificate;

/// What the private key is used for besides signing.
const DISK: &str = "hushtable 2026-11 keys of files on disk";
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// A new certificate is valid from a day ago, for clocks that differ, for two years.
const VALID_DAYS: u32 = 730;

/// Who a party is, and whom it trusts. Cloning is cheap.
#[derive(Clone)]
pub struct Identity(Arc<Inner>);

struct Inner {
    dir: PathBuf,
    name: String,
    own: Arc<CertifiedKey>,
    fingerprint: Fingerprint,
    trusted: Vec<Pin>,
    /// What the keys of files on disk are derived from.
    disk: Zeroizing<[u8; 32]>,
}

impl Identity {
    /// Makes a new identity in the folder `dir`, which must not exist: a fresh key and a
    /// certificate for `name` (1 to 64 letters and digits of any script, `-`, `_`, `.`, not first, and single
    /// blanks between them; composed if it is not), valid for two years. The folder appears complete or not at all.
    ///
    /// # Errors
    /// [`Error::Identity`] if `dir` exists, [`Error::Param`] for the name, [`Error::Io`].
    pub fn create(dir: &Path, name: &str) -> Result<Identity> {
        let name = check_name("identity name", name)?;
        if fs::symlink_metadata(dir).is_ok() {
            return Err(Error::Identity(format!("{} exists already; nothing is overwritten", dir.display())));
        }
        let building = beside(dir)?;
        let made = fill(&building, &name).and_then(|()| {
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
        let (identity, bad) = Self::load_for_many(dir)?;
        bad.into_iter().next().map_or(Ok(identity), Err)
    }

    /// The same for a party that serves many, whom one bad pin must not stop: also what is wrong with pins that cannot be
    /// used, whom nobody trusts.
    ///
    /// # Errors
    /// Those of [`load`](Self::load) that are not about pins; [`Error::Io`] if the folder of pins cannot be read.
    pub fn load_for_many(dir: &Path) -> Result<(Identity, Vec<Error>)> {
        let (key_path, path) = (dir.join(KEY), dir.join(CERTIFICATE));
        let certificate = read_certificate(&path)?;
        if let Some(problem) = validity_problem(&certificate) {
            let shown = path.display();
            return Err(Error::Identity(format!("{shown} {problem}; run `hushtable identity rotate`")));
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
        let (trusted, bad) = read_usable(&dir.join(TRUSTED))?;
        let identity = Identity(Arc::new(Inner {
            dir: dir.into(),
            name: name_of(&certificate),
            own: Arc::new(own),
            fingerprint: Fingerprint::of(&certificate),
            trusted,
            disk: Zeroizing::new(blake3::derive_key(DISK, key.secret_der())),
        }));
        Ok((identity, bad))
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

    pub(super) fn trusted_path(&self) -> PathBuf {
        self.0.dir.join(TRUSTED)
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

/// A key and its certificate, in PEM format.
struct Made {
    key: Zeroizing<String>,
    certificate: String,
}

/// A fresh key with a certificate for `name`.
fn make(name: &str) -> Result<Made> {
    let failed = |e: rcgen::Error| Error::Identity(format!("making the certificate: {e}"));
    let key = KeyPair::generate().map_err(failed)?;
    let mut params = CertificateParams::new(Vec::<String>::new()).map_err(failed)?;
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    params.not_before = date_time_ymd(1970, 1, 1) + now.saturating_sub(DAY);
    params.not_after = params.not_before + DAY * VALID_DAYS;
    let certificate = params.self_signed(&key).map_err(failed)?.pem();
    Ok(Made { key: Zeroizing::new(key.serialize_pem()), certificate })
}

/// Writes key, certificate and the folder for peers into the new folder `dir`.
fn fill(dir: &Path, name: &str) -> Result<()> {
    let Made { key, certificate } = make(name)?;
    // For this user alone, whatever its mask is.
    let create = |dir: &Path| {
        fs::create_dir(dir).map_err(Error::io(format!("creating {}", dir.display())))?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(dir, fs::Permissions::from_mode(0o700))
                .map_err(Error::io(format!("protecting {}", dir.display())))?;
        }
        Ok::<(), Error>(())
    };
    create(dir)?;
    create(&dir.join(TRUSTED))?;
    write_new(&dir.join(KEY), key.as_bytes(), 0o600)?;
    write_new(&dir.join(CERTIFICATE), certificate.as_bytes(), 0o644)
}
