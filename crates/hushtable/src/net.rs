//! The two parties' connection: framed messages over memory, TCP or TLS, with their cost.
//!
//! Blocking throughout. One writer thread per connection takes what is sent, so both parties may
//! send first without a deadlock; `recv` and `exchange` are the only calls that wait for the peer.
//! Both parties know the length of every message beforehand: no number from the peer chooses an
//! allocation.

mod agree;
mod announce;
mod channel;
mod connection;
mod doctor;
mod establish;
mod farewell;
mod frame;
mod hello;
mod identity;
mod inbox;
mod listen;
mod log;
mod memory;
mod outbox;
mod pin;
mod raw;
mod reception;
mod shape;
mod tcp;
mod tls;
mod transport;

pub use channel::{Channel, Cost, HangUp};
pub use connection::Connection;
pub use doctor::{Stage, diagnose};
pub use farewell::Farewell;
pub use frame::wire_len;
pub use identity::{Fingerprint, Identity, Peer};
pub use listen::{Listener, connect};
pub use log::Log;
#[doc(hidden)]
pub use raw::RawPeer;
pub use shape::LinkShape;

use std::time::Duration;

/// The version of the wire format. Parties of different versions refuse each other.
pub const WIRE_VERSION: u16 = 2;

/// Which of the two parties this is. Over a network `P0` listens and `P1` connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// How to connect.
#[derive(Clone, Debug)]
pub struct Options {
    /// Who this party is and whom it trusts; `None`: plain TCP, without any protection.
    pub identity: Option<Identity>,
    /// The name of the peer, as [`Identity::trust`] has it: nobody else is let in. `None`: the only one
    /// that is trusted.
    pub peer: Option<String>,
    /// A network to simulate.
    pub shape: LinkShape,
    /// Longest wait for a peer whose process lives but makes no progress in a message. In all a message
    /// may take this long and the time for its bytes at 8 KiB/s, or half the rate of a simulated link if
    /// that is less.
    pub timeout: Duration,
    /// Longest wait for a peer whose process lives to begin its next message: how long it may be idle.
    pub idle: Duration,
    /// Longest wait for the peer to appear.
    pub wait: Duration,
    /// What the parties must have in common, as (name, value), within the limits of
    /// [`Connection::agree`]: compared when a peer probes, see [`diagnose`].
    pub parameters: Vec<(String, String)>,
    /// Ends the connections that are made with it.
    pub farewell: Farewell,
    /// Is told whom a listening party turned away.
    pub log: Log,
    /// How fast a peer whose process or network died is noticed.
    pub timing: Timing,
}

impl Options {
    /// TLS 1.3 with both certificates pinned, 30 s without progress or message, 10 min for the peer to appear.
    pub fn secure(identity: Identity) -> Self {
        Options { identity: Some(identity), ..Options::plain() }
    }

    /// Plain TCP: anybody on the way can read and change everything. Otherwise as
    /// [`secure`](Self::secure).
    pub fn plain() -> Self {
        Options {
            identity: None,
            peer: None,
            shape: LinkShape::LOOPBACK,
            timeout: Duration::from_secs(30),
            idle: Duration::from_secs(30),
            wait: Duration::from_secs(600),
            parameters: Vec::new(),
            farewell: Farewell::default(),
            log: Log::default(),
            timing: Timing::default(),
        }
    }

    fn fields(&self) -> Vec<(&str, String)> {
        self.parameters.iter().map(|(name, value)| (name.as_str(), value.clone())).collect()
    }

    fn patience(&self) -> Patience {
        let Options { shape, timeout, idle, timing, .. } = *self;
        let simulated = shape.mbit_per_s.map_or(f64::INFINITY, |rate| rate * 1e6 / 8.0 / 2.0);
        Patience { timeout, idle, slowest: simulated.min(SLOWEST), timing }
    }
}

/// Bytes per second of the slowest link in use: 64 kbit/s for each lane.
const SLOWEST: f64 = 8192.0;

/// How long a connection waits for what: see [`Options`] and [`Timing`].
#[derive(Clone, Copy)]
struct Patience {
    timeout: Duration,
    idle: Duration,
    /// Bytes per second of a message that makes progress.
    slowest: f64,
    timing: Timing,
}

impl Patience {
    /// For so many bytes in all.
    fn for_bytes(&self, len: usize) -> Duration {
        self.timeout + Duration::from_secs_f64(len as f64 / self.slowest)
    }
}

/// How fast a dead peer is noticed. Both parties need about the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// An idle writer shows this often that its process lives.
    pub heartbeat: Duration,
    /// Longest wait without any byte, heartbeats included. A few heartbeats.
    pub silence: Duration,
    /// Longest wait for the last bytes to leave, and for the peer to hang up too, when a
    /// connection is dropped.
    pub linger: Duration,
}

impl Default for Timing {
    /// A heartbeat every 2 s, missed for 8 s; 2 s to part.
    fn default() -> Self {
        Timing {
            heartbeat: Duration::from_secs(2),
            silence: Duration::from_secs(8),
            linger: Duration::from_secs(2),
        }
    }
}
