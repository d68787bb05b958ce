//! Acceptance of the peer's certificate: it must be one that was pinned, and be valid now.

use super::identity::{Fingerprint, Identity, common_name, validity_problem};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, OtherError, SignatureScheme,
};
use std::sync::Arc;

/// Accepts the certificates an identity trusts, in both roles. Signatures are verified by rustls.
#[derive(Debug)]
pub(super) struct Pins {
    identity: Identity,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Pins {
    pub(super) fn new(identity: &Identity, provider: &CryptoProvider) -> Self {
        let algorithms = provider.signature_verification_algorithms;
        Pins { identity: identity.clone(), algorithms }
    }

    fn check(&self, certificate: &CertificateDer<'_>) -> Result<(), Error> {
        let fingerprint = Fingerprint::of(certificate);
        let name = common_name(certificate).unwrap_or_else(|| "nameless".into());
        if !self.identity.trusts(certificate) {
            return Err(refuse(format!(
                "the peer's certificate ({name}, fingerprint {fingerprint}) is not in {}: ask the peer \
                 for its cert.pem, run `hushtable identity trust` with it, and compare fingerprints by \
                 another way than this connection",
                self.identity.trusted_path().display(),
            )));
        }
        match validity_problem(certificate) {
            Some(problem) => {
                Err(refuse(format!("the peer's certificate ({name}, fingerprint {fingerprint}) {problem}")))
            }
            None => Ok(()),
        }
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
