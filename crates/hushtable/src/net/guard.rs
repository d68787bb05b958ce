//! What authenticates the peer of a connection, and hides what it carries. Here is no kind of it: see
//! [`Identity`](super::Identity).

use super::establish::Secured;
use super::role::Role;
use super::tcp::Tcp;
use super::transport::Deadline;
use crate::error::Error;
use zeroize::Zeroizing;

/// First byte of every TLS connection: a handshake record. A party without TLS knows it too.
pub(super) const FIRST_BYTE: u8 = 22;

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
