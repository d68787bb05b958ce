//! The greeting: 64 bytes from the connecting party, then 64 from the listening one.
//!
//! | bytes | content |
//! |---|---|
//! | 0..8 | `hushtabl`, for ever |
//! | 8..10 | wire version, for ever; what follows may differ in another version |
//! | 10 | intent |
//! | 11 | role |
//! | 12 | 1 if the sender insists on TLS and this connection is plain |
//! | 13..15 | lane |
//! | 15 | 0 |
//! | 16..48 | nonce |
//! | 48..64 | a lane's token, else 0 |

use super::role::Role;
use super::text::printable;
use super::transport::{Deadline, Transport};
use crate::error::{Error, Result};

/// The version of the wire format. Parties of different versions refuse each other.
pub const WIRE_VERSION: u16 = 3;

/// Bytes of a greeting.
pub(super) const LEN: usize = 64;
/// How every greeting begins.
pub(super) const MAGIC: [u8; 8] = *b"hushtabl";

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Intent {
    /// A new session.
    Session = 0,
    /// A look whether a session would come about.
    Probe = 1,
    /// A sibling of a session.
    Lane = 2,
}

/// A greeting; the fields of the table above.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hello {
    pub(super) version: u16,
    pub(super) intent: u8,
    pub(super) role: u8,
    pub(super) secure: bool,
    pub(super) lane: u16,
    pub(super) nonce: [u8; 32],
    pub(super) token: [u8; 16],
}

impl Hello {
    /// A greeting with a fresh nonce.
    pub(super) fn new(role: Role, intent: Intent) -> Self {
        let mut nonce = [0; 32];
        getrandom::fill(&mut nonce).expect("the operating system has randomness");
        Hello {
            version: WIRE_VERSION,
            intent: intent as u8,
            role: role as u8,
            secure: false,
            lane: 0,
            nonce,
            token: [0; 16],
        }
    }

    fn to_bytes(&self) -> [u8; LEN] {
        let mut bytes = [0; LEN];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..10].copy_from_slice(&self.version.to_le_bytes());
        bytes[10..13].copy_from_slice(&[self.intent, self.role, u8::from(self.secure)]);
        bytes[13..15].copy_from_slice(&self.lane.to_le_bytes());
        bytes[16..48].copy_from_slice(&self.nonce);
        bytes[48..].copy_from_slice(&self.token);
        bytes
    }

    /// `None` if this is not a greeting at all.
    fn from_bytes(bytes: &[u8; LEN]) -> Option<Self> {
        let part = |start: usize, len: usize| &bytes[start..start + len];
        let word = |start| u16::from_le_bytes([bytes[start], bytes[start + 1]]);
        (part(0, 8) == MAGIC).then(|| Hello {
            version: word(8),
            intent: bytes[10],
            role: bytes[11],
            secure: bytes[12] != 0,
            lane: word(13),
            nonce: std::array::from_fn(|i| bytes[16 + i]),
            token: std::array::from_fn(|i| bytes[48 + i]),
        })
    }

    /// What the connection is for; `None` if this version knows no such thing.
    pub(super) fn intent(&self) -> Option<Intent> {
        [Intent::Session, Intent::Probe, Intent::Lane].into_iter().find(|&intent| intent as u8 == self.intent)
    }

    /// Whether it is to be a session.
    pub(super) fn is_session(&self) -> bool {
        self.intent() == Some(Intent::Session)
    }

    /// Writes the greeting.
    pub(super) fn send(&self, transport: &dyn Transport, deadline: &Deadline) -> Result<()> {
        let bytes = self.to_bytes();
        let mut done = 0;
        while done < LEN {
            done += deadline.patiently(|left| transport.write(&bytes[done..], &[], left))?;
        }
        deadline.patiently(|left| transport.flush(left))
    }

    /// Reads the peer's greeting.
    pub(super) fn recv(transport: &dyn Transport, deadline: &Deadline) -> Result<Hello> {
        let mut bytes = [0; LEN];
        let mut done = 0;
        while done < LEN {
            match deadline.patiently(|left| transport.read(&mut bytes[done..], left))? {
                0 => return Err(Error::Closed),
                n => done += n,
            }
            let n = done.min(MAGIC.len());
            if bytes[..n] != MAGIC[..n] {
                let shown = printable(&bytes[..done.min(16)]);
                return Err(Error::Peer(format!("this is not hushtable: it began with \"{shown}\"")));
            }
        }
        Hello::from_bytes(&bytes).ok_or_else(|| Error::Peer("not a greeting".into()))
    }

    /// Checks the peer's greeting against the party `role`: version, TLS or not, opposite roles.
    pub(super) fn check(&self, role: Role) -> Result<()> {
        let differ = |field: &str, ours: String, theirs: String| {
            Err(Error::Handshake { field: field.into(), ours, theirs })
        };
        if self.version != WIRE_VERSION {
            return differ("wire version", WIRE_VERSION.to_string(), self.version.to_string());
        }
        if self.secure {
            return Err(Error::Tls("the peer insists on TLS, this party uses plain TCP".into()));
        }
        let name = |role: u8| match role {
            0 => "P0 (the listening party)".to_string(),
            1 => "P1 (the connecting party)".to_string(),
            other => format!("unknown ({other})"),
        };
        if self.role != role.peer() as u8 {
            return differ("role", name(role as u8), name(self.role));
        }
        Ok(())
    }
}

/// A session's id, from both greetings.
pub(super) fn session_id(p0: &Hello, p1: &Hello) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("hushtable 2026 session id");
    hasher.update(&WIRE_VERSION.to_le_bytes());
    for hello in [p0, p1] {
        hasher.update(&[hello.role]).update(&hello.nonce);
    }
    *hasher.finalize().as_bytes()
}

/// The id of a session's lane.
pub(super) fn lane_id(parent: &[u8; 32], lane: u16) -> [u8; 32] {
    derive(parent, b"lane", lane)
}

/// What `role` shows to prove that its connection is this lane of the session.
pub(super) fn lane_token(parent: &[u8; 32], lane: u16, role: Role) -> [u8; 16] {
    let label: &[u8] = if role == Role::P0 { b"token of P0" } else { b"token of P1" };
    let token = derive(parent, label, lane);
    std::array::from_fn(|i| token[i])
}

fn derive(parent: &[u8; 32], label: &[u8], lane: u16) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_keyed(parent);
    hasher.update(label).update(&lane.to_le_bytes());
    *hasher.finalize().as_bytes()
}
