//! Certificates: read strictly, named, fingerprinted, written again from what was parsed.

use super::files::read;
use super::name::is_name;
use crate::error::{Error, Result};
use crate::net::fingerprint::Fingerprint;
use crate::net::text::printable;
use pem::{EncodeConfig, LineEnding, Pem};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use sha2::{Digest, Sha256};
use std::path::Path;
use x509_parser::prelude::{FromDer, X509Certificate};

const LABEL: &str = "CERTIFICATE";
const BEGIN: &[u8] = b"-----BEGIN CERTIFICATE-----";
const END: &[u8] = b"-----END CERTIFICATE-----";

impl Fingerprint {
    pub(in crate::net) fn of(certificate: &CertificateDer<'_>) -> Self {
        Fingerprint::from_bytes(Sha256::digest(certificate).into())
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
