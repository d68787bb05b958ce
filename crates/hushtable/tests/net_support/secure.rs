//! Identities, and callers who show certificates.

use super::plain;
use hushtable::net::{Identity, Options, Peer};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection};
use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// TLS with little patience.
pub fn secure(dir: &Path) -> Options {
    plain().identity(Identity::load(dir).expect("a sound identity"))
}

/// Two identities; which trusts which is up to the test.
pub struct Folders {
    pub root: TempDir,
    pub bank: PathBuf,
    pub telecom: PathBuf,
}

impl Folders {
    pub fn strangers() -> Self {
        let root = tempfile::tempdir().unwrap();
        let [bank, telecom] = ["bank", "telecom"].map(|name| {
            let dir = root.path().join(format!("{name}.id"));
            Identity::create(&dir, name).unwrap();
            dir
        });
        Folders { root, bank, telecom }
    }

    pub fn friends() -> Self {
        let folders = Self::strangers();
        folders.bank_trusts_telecom();
        folders.telecom_trusts_bank();
        folders
    }

    pub fn bank_trusts_telecom(&self) {
        trust(&self.bank, &self.telecom, None);
    }

    pub fn telecom_trusts_bank(&self) {
        trust(&self.telecom, &self.bank, None);
    }

    /// A third identity; nobody trusts it, and it trusts nobody.
    pub fn third(&self, name: &str) -> PathBuf {
        let dir = self.root.path().join(format!("{name}.id"));
        Identity::create(&dir, name).unwrap();
        dir
    }
}

/// The identity in `dir` trusts that in `peer`, after a look at its fingerprint.
pub fn trust(dir: &Path, peer: &Path, name: Option<&str>) -> Peer {
    let fingerprint = Identity::load(peer).unwrap().fingerprint();
    Identity::trust(dir, &peer.join("cert.pem"), fingerprint, name).unwrap()
}

/// A caller with the identity in this folder, whose TLS handshake is over and who then says nothing.
pub fn mute(dir: &Path, addr: SocketAddr) -> rustls::StreamOwned<ClientConnection, TcpStream> {
    let [key, certificate] = ["key.pem", "cert.pem"].map(|name| fs::read(dir.join(name)).unwrap());
    let certificate = CertificateDer::from_pem_slice(&certificate).unwrap();
    let key = PrivateKeyDer::from_pem_slice(&key).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anybody))
        .with_client_auth_cert(vec![certificate], key)
        .unwrap();
    config.enable_sni = false;
    let session = ClientConnection::new(Arc::new(config), ServerName::try_from("x").unwrap()).unwrap();
    let mut caller = rustls::StreamOwned::new(session, TcpStream::connect(addr).unwrap());
    caller.conn.complete_io(&mut caller.sock).unwrap();
    caller
}

/// Accepts every certificate.
#[derive(Debug)]
pub struct Anybody;

impl rustls::client::danger::ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> std::result::Result<rustls::client::danger::ServerCertVerified, rustls::Error> {
        Ok(rustls::client::danger::ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &rustls::DigitallySignedStruct,
    ) -> std::result::Result<rustls::client::danger::HandshakeSignatureValid, rustls::Error> {
        Ok(rustls::client::danger::HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &rustls::DigitallySignedStruct,
    ) -> std::result::Result<rustls::client::danger::HandshakeSignatureValid, rustls::Error> {
        Ok(rustls::client::danger::HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<rustls::SignatureScheme> {
        ring::default_provider().signature_verification_algorithms.supported_schemes()
    }
}
