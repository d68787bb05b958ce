//! The certificates that an identity trusts.

use super::certificate::{name_of, read_certificate};
use super::files::TRUSTED;
use super::name::composed_name;
use crate::error::{Error, Result};
use crate::net::fingerprint::Fingerprint;
use rustls::pki_types::CertificateDer;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A peer: its name here, and the fingerprint of its certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The name under which it is trusted; of a certificate that is not trusted, the one in it.
    pub name: String,
    /// Of its certificate.
    pub fingerprint: Fingerprint,
}

impl Peer {
    /// Whose certificate is in a file, to be compared before it is trusted.
    ///
    /// # Errors
    /// [`Error::Identity`] if the file is anything but one certificate in PEM format, [`Error::Io`].
    pub fn read(cert_pem: &Path) -> Result<Peer> {
        let certificate = read_certificate(cert_pem)?;
        Ok(Peer { name: name_of(&certificate), fingerprint: Fingerprint::of(&certificate) })
    }
}

/// A pinned certificate: the file `trusted/NAME.pem`.
#[derive(Clone)]
pub(in crate::net) struct Pin {
    pub(in crate::net) name: String,
    pub(in crate::net) certificate: CertificateDer<'static>,
}

impl Pin {
    pub(in crate::net) fn peer(&self) -> Peer {
        Peer { name: self.name.clone(), fingerprint: Fingerprint::of(&self.certificate) }
    }
}

/// All certificates in the folder of pins, by name.
pub(super) fn read_trusted(dir: &Path) -> Result<Vec<Pin>> {
    let (trusted, bad) = read_usable(dir)?;
    bad.into_iter().next().map_or(Ok(trusted), Err)
}

/// Those in the folder of pins that can be used, by name; and what is wrong with the others.
///
/// # Errors
/// [`Error::Io`] if the folder cannot be read, or the system has no more files: that says nothing of a pin.
pub(super) fn read_usable(dir: &Path) -> Result<(Vec<Pin>, Vec<Error>)> {
    let (mut trusted, mut bad) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(dir).map_err(Error::io(format!("reading {}", dir.display())))? {
        let path = entry.map_err(Error::io(format!("reading {}", dir.display())))?.path();
        // Some systems take letters and accents apart in names of files.
        let name = path.file_stem().map(|name| composed_name(&name.to_string_lossy())).unwrap_or_default();
        if name.starts_with('.') || path.extension().is_none_or(|extension| extension != "pem") {
            continue;
        }
        match read_pin(&path) {
            Ok(certificate) => trusted.push(Pin { name, certificate }),
            Err(error) if passes(&error) => return Err(error),
            Err(error) => bad.push(error),
        }
    }
    trusted.sort_by(|a, b| a.name.cmp(&b.name));
    Ok((trusted, bad))
}

/// The certificate in a file, or in what a link leads to: from anything else nothing may ever come.
fn read_pin(path: &Path) -> Result<CertificateDer<'static>> {
    match fs::metadata(path).map_err(Error::io(format!("reading {}", path.display())))?.is_file() {
        true => read_certificate(path),
        false => Err(Error::Identity(format!("{} is not a plain file", path.display()))),
    }
}

/// Whether the system was short of something: too many files are open, in this process or in all.
fn passes(error: &Error) -> bool {
    const SHORT: [i32; 2] = [23, 24];
    let Error::Io { source, .. } = error else { return false };
    source.kind() == ErrorKind::OutOfMemory || source.raw_os_error().is_some_and(|code| SHORT.contains(&code))
}

/// The file of a pin.
pub(super) fn pin_path(dir: &Path, name: &str) -> PathBuf {
    dir.join(TRUSTED).join(format!("{name}.pem"))
}

/// The pin of that name.
pub(super) fn named<'a>(pins: &'a [Pin], name: &str, dir: &Path) -> Result<&'a Pin> {
    let composed = composed_name(name);
    pins.iter().find(|pin| pin.name == composed).ok_or_else(|| {
        let trusted = if pins.is_empty() { "nobody".into() } else { names(pins) };
        Error::Identity(format!("{} does not trust {name:?}; it trusts: {trusted}", dir.display()))
    })
}

/// Their names.
pub(super) fn names(pins: &[Pin]) -> String {
    pins.iter().map(|pin| pin.name.as_str()).collect::<Vec<_>>().join(", ")
}
