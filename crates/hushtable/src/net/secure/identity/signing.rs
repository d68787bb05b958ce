//! Signatures by the keys of identities, besides those in handshakes.

use super::certificate::{name_of, read_certificate};
use super::{CERTIFICATE, Identity};
use crate::error::{Error, Result};
use crate::net::fingerprint::Fingerprint;
use ring::signature::{ECDSA_P256_SHA256_ASN1, UnparsedPublicKey};
use rustls::SignatureScheme;
use rustls::pki_types::CertificateDer;
use std::path::Path;
use x509_parser::prelude::{FromDer, X509Certificate};

/// A certificate, to verify what its owner signed.
#[derive(Clone, PartialEq, Eq)]
pub struct Certificate {
    der: CertificateDer<'static>,
    /// The name under which an identity has it.
    pinned: Option<String>,
}

impl Certificate {
    /// The one in a file.
    ///
    /// # Errors
    /// [`Error::Identity`] if the file is anything but one certificate in PEM format, [`Error::Io`].
    pub fn read(cert_pem: &Path) -> Result<Self> {
        read_certificate(cert_pem).map(|der| Self { der, pinned: None })
    }

    /// Its fingerprint.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.der)
    }

    /// The name under which an identity trusts it, or its own; `None` for a certificate from elsewhere.
    pub fn pinned(&self) -> Option<&str> {
        self.pinned.as_deref()
    }

    /// The name in it, which is what its owner chose to be called.
    pub fn claimed(&self) -> String {
        name_of(&self.der)
    }

    /// Whether its key has signed the message: ECDSA over P-256 with SHA-256.
    pub(in crate::net) fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        let Ok((_, parsed)) = X509Certificate::from_der(&self.der) else { return false };
        let key = &parsed.public_key().subject_public_key.data;
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, key).verify(message, signature).is_ok()
    }
}

impl Identity {
    /// Its own certificate and those that it trusts.
    pub fn certificates(&self) -> Vec<Certificate> {
        let own = self.0.own.cert.first().map(|der| (der, self.name()));
        let trusted = self.0.trusted.iter().map(|pin| (&pin.certificate, pin.name.as_str()));
        let known = |(der, name): (&CertificateDer<'static>, &str)| Certificate {
            der: der.clone(),
            pinned: Some(name.to_owned()),
        };
        own.into_iter().chain(trusted).map(known).collect()
    }

    /// Its signature over a message, which says what it is for: see [`Certificate::has_signed`].
    pub(in crate::net) fn sign(&self, message: &[u8]) -> Result<Vec<u8>> {
        let signer = self.0.own.key.choose_scheme(&[SignatureScheme::ECDSA_NISTP256_SHA256]);
        let path = self.0.dir.join(CERTIFICATE);
        let unusable = |what: &str| Error::Identity(format!("{}: {what}", path.display()));
        let signer =
            signer.ok_or_else(|| unusable("its key is not of the curve P-256, and signs no records"))?;
        signer.sign(message).map_err(|error| unusable(&error.to_string()))
    }
}
