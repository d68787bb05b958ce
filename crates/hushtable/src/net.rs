//! The two parties' connection: framed messages over memory, TCP or TLS, with their cost.
//!
//! Blocking throughout. One writer thread per connection takes what is sent, so both parties may
//! send first without a deadlock; `recv` and `exchange` are the only calls that wait for the peer.
//! Both parties know the length of every message beforehand: no number from the peer chooses an
//! allocation.

mod agree;
mod channel;
mod connection;
mod frame;
mod inbox;
mod memory;
mod outbox;
mod shape;
mod transport;

pub use channel::{Channel, Cost};
pub use connection::Connection;
pub use frame::wire_len;
pub use shape::Shape;

use std::time::Duration;

/// The version of the wire format. Parties of different versions refuse each other.
pub const WIRE_VERSION: u16 = 1;

/// Which of the two parties this is. Over a network `P0` listens and `P1` connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The party that listens.
    P0,
    /// The party that connects.
    P1,
}

impl Role {
    /// The other one.
    pub fn peer(self) -> Self {
        match self {
            Role::P0 => Role::P1,
            Role::P1 => Role::P0,
        }
    }
}

/// When a connection gives its peer up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Longest wait without progress in the protocol.
    pub timeout: Duration,
    /// An idle writer shows that its process lives this often.
    pub heartbeat: Duration,
    /// Longest wait without any byte, heartbeats included.
    pub silence: Duration,
    /// Longest wait for the last bytes to leave, and for the peer to hang up too, when a
    /// connection is dropped.
    pub linger: Duration,
}

impl Default for Timing {
    /// 30 s without progress; a heartbeat every 2 s, missed for 8 s; 2 s to part.
    fn default() -> Self {
        Timing {
            timeout: Duration::from_secs(30),
            heartbeat: Duration::from_secs(2),
            silence: Duration::from_secs(8),
            linger: Duration::from_secs(2),
        }
    }
}
