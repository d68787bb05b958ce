//! Acceptance of the peer's certificate: it must be the pinned one of a peer that is awaited, and be
//! valid now.

use super::identity::{Identity, Pin, name_of, validity_problem};
use crate::net::fingerprint::Fingerprint;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, OtherError, SignatureScheme,
};
use std::fmt;
use std::sync::Arc;

/// Accepts the certificate of a peer that is awaited, in both roles. Signatures are verified by rustls.
pub(super) struct Pins {
    identity: Identity,
    /// One, or at a party that serves many all that may come; nobody, if nobody is trusted.
    awaited: Vec<Pin>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Pins {
    pub(super) fn new(identity: &Identity, awaited: Vec<Pin>, provider: &CryptoProvider) -> Self {
        let algorithms = provider.signature_verification_algorithms;
        Pins { identity: identity.clone(), awaited, algorithms }
    }

    fn check(&self, certificate: &CertificateDer<'_>) -> Result<(), Error> {
        let shown = format!("{}, fingerprint {}", name_of(certificate), Fingerprint::of(certificate));
        match self.identity.pin_of(certificate) {
            Some(pin) if self.awaited.iter().any(|awaited| awaited.certificate == pin.certificate) => {}
            Some(pin) if !self.awaited.is_empty() => {
                let awaited: Vec<&str> = self.awaited.iter().map(|awaited| awaited.name.as_str()).collect();
                return Err(refuse(format!(
                    "this is {} ({shown}), who is trusted but not the peer of this job, {}",
                    pin.name,
                    awaited.join(", ")
                )));
            }
            _ => {
                return Err(refuse(format!(
                    "the peer's certificate ({shown}) is not in {}: ask the peer for its cert.pem, compare \
                     fingerprints by another way than this connection, and run `hushtable identity trust`",
                    self.identity.trusted_path().display(),
                )));
            }
        }
        match validity_problem(certificate) {
            Some(problem) => Err(refuse(format!("the peer's certificate ({shown}) {problem}"))),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Pins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pins of {:?}", self.identity)
    }
}

/// Why we refused the peer's certificate.
pub(super) fn refused_by_us(e: &CertificateError) -> String {
    match e {
        CertificateError::Other(OtherError(message)) => message.to_string(),
        other => format!("the peer's certificate: {other}"),
    }
}

fn refuse(message: String) -> Error {
    CertificateError::Other(OtherError(Arc::from(Box::<dyn std::error::Error + Send + Sync>::from(message))))
        .into()
}

impl ServerCertVerifier for Pins {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.check(certificate).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(Error::General("TLS 1.2 is not offered".into()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

impl ClientCertVerifier for Pins {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    /// The peer must show a certificate: without one nobody would be authenticated.
    fn client_auth_mandatory(&self) -> bool {
        true
    }

    fn verify_client_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.check(certificate).map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        ServerCertVerifier::verify_tls12_signature(self, message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
