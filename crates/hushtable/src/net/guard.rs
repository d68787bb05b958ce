//! What authenticates the peer of a connection, and hides what it carries. Here is no kind of it: see
//! [`Identity`](super::Identity).

use super::fingerprint::Fingerprint;
use super::role::Role;
use super::shape::LinkShape;
use super::tcp::Tcp;
use super::transport::{Deadline, Transport};
use crate::error::Error;
use std::sync::Arc;
use zeroize::Zeroizing;

/// First byte of every TLS connection: a handshake record. A party without TLS knows it too.
pub(super) const FIRST_BYTE: u8 = 22;

/// A connection whose peer is authenticated, unless it is plain TCP.
pub(super) struct Secured {
    pub(super) transport: Arc<dyn Transport>,
    pub(super) peer_name: String,
    /// Of its certificate, with TLS.
    pub(super) peer: Option<Fingerprint>,
    /// What is known of the link.
    pub(super) link: Option<LinkShape>,
}

impl Secured {
    /// A stream that the program brings, to the peer that it knows.
    pub(super) fn over(transport: Arc<dyn Transport>, peer: &str) -> Self {
        Secured { transport, peer_name: peer.into(), peer: None, link: None }
    }

    /// A connection to anybody.
    pub(super) fn plain(socket: Tcp) -> Self {
        let (peer_name, link) = (socket.addr().to_string(), socket.link());
        Secured { transport: Arc::new(socket), peer_name, peer: None, link }
    }
}

/// Secures the connections of one party.
pub(super) trait Guard: Send + Sync {
    /// The connection, with a peer that has shown who it is.
    fn secure(&self, role: Role, socket: Tcp, deadline: &Deadline) -> std::result::Result<Secured, Refusal>;
}

/// Why no secure connection came about.
pub(super) struct Refusal {
    /// One party does not accept the other's certificate; otherwise TLS itself failed.
    pub(super) pin: bool,
    pub(super) error: Error,
}

/// Bytes that a sealed file has besides what is in it: a tag and a nonce.
pub(crate) const SEAL: usize = 16 + 12;

/// Encrypts files on disk under one key, and authenticates with each what it is, which is not in it.
pub(crate) trait Seal: Send + Sync {
    /// Puts in place of the bytes those of the file: [`SEAL`] more.
    fn seal(&self, about: &[u8], bytes: &mut Zeroizing<Vec<u8>>) -> Result<(), Error>;

    /// What is in these bytes of a file; `None` if they are not what [`seal`](Self::seal) made.
    fn open<'a>(&self, about: &[u8], bytes: &'a mut [u8]) -> Option<&'a [u8]>;
}
