//! Certificates: read strictly, named, fingerprinted, written again from what was parsed.

use super::files::read;
use crate::error::{Error, Result};
use crate::net::text::{is_name, printable};
use pem::{EncodeConfig, LineEnding, Pem};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use sha2::{Digest, Sha256};
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use x509_parser::prelude::{FromDer, X509Certificate};

const LABEL: &str = "CERTIFICATE";
const BEGIN: &[u8] = b"-----BEGIN CERTIFICATE-----";
const END: &[u8] = b"-----END CERTIFICATE-----";

/// SHA-256 of a certificate (its DER), shown as `openssl x509 -fingerprint -sha256` does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    pub(in crate::net) fn of(certificate: &CertificateDer<'_>) -> Self {
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

impl FromStr for Fingerprint {
    type Err = Error;

    /// All 64 hexadecimal digits, in capitals or not, with colons between bytes or not: a part of a
    /// fingerprint is easy to imitate.
    fn from_str(text: &str) -> Result<Self> {
        let wrong = || Error::Param {
            what: "fingerprint",
            got: format!("{:?}", printable(text.as_bytes())),
            accepted: "all 64 hexadecimal digits, with colons between bytes or without".into(),
        };
        let pairs: Vec<&[u8]> = if text.contains(':') {
            text.split(':').map(str::as_bytes).collect()
        } else {
            text.as_bytes().chunks(2).collect()
        };
        let digit = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
        let byte = |pair: &[u8]| match *pair {
            [high, low] => Some(digit(high)? << 4 | digit(low)?),
            _ => None,
        };
        let bytes = pairs.into_iter().map(byte).collect::<Option<Vec<u8>>>().ok_or_else(wrong)?;
        bytes.try_into().map(Fingerprint).map_err(|_| wrong())
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
    Some(if is_name(name) { name.to_owned() } else { printable(name.as_bytes()) })
}

/// [`common_name`], or a word for a certificate without one.
pub(in crate::net) fn name_of(certificate: &CertificateDer<'_>) -> String {
    common_name(certificate).unwrap_or_else(|| "nameless".into())
}

/// Why a certificate is not valid now, as the end of a sentence; `None` if it is.
pub(in crate::net) fn validity_problem(certificate: &CertificateDer<'_>) -> Option<String> {
    let Ok((_, parsed)) = X509Certificate::from_der(certificate) else {
        return Some("is not a readable X.509 certificate".into());
    };
    let (validity, now) = (parsed.validity(), x509_parser::time::ASN1Time::now());
    if now < validity.not_before {
        return Some(format!("is not valid before {}", validity.not_before));
    }
    (now > validity.not_after).then(|| format!("expired on {}", validity.not_after))
}

/// Reads a file that holds one certificate in PEM format and nothing else: what one reader takes for
/// a comment may be a certificate to another.
pub(super) fn read_certificate(path: &Path) -> Result<CertificateDer<'static>> {
    let (bytes, shown) = (read(path)?, path.display());
    let crowded =
        || Error::Identity(format!("{shown} holds something besides one certificate: leave only that"));
    let absent = || Error::Identity(format!("{shown} holds no certificate in PEM format"));
    if !bytes.windows(BEGIN.len()).any(|window| window == BEGIN) {
        return Err(absent());
    }
    let body = bytes.trim_ascii().strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(END));
    // No dash: the body of one block, in which no other begins or ends.
    let base64 = |&b: &u8| b.is_ascii_alphanumeric() || b"+/=\r\n".contains(&b);
    if !body.ok_or_else(crowded)?.iter().all(base64) {
        return Err(crowded());
    }
    let certificate = CertificateDer::from_pem_slice(&bytes).map_err(|_| absent())?;
    match X509Certificate::from_der(&certificate) {
        Ok(([], _)) => Ok(certificate),
        _ => Err(Error::Identity(format!("{shown} is not a readable X.509 certificate"))),
    }
}

/// The certificate in PEM format.
pub(super) fn to_pem(certificate: &CertificateDer<'_>) -> String {
    let pem = Pem::new(LABEL, certificate.to_vec());
    pem::encode_config(&pem, EncodeConfig::new().set_line_ending(LineEnding::LF))
}
