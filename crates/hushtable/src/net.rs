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
mod difference;
mod doctor;
mod establish;
mod farewell;
mod fingerprint;
mod frame;
mod guard;
mod hang_up;
mod hello;
mod inbox;
mod listen;
mod log;
mod memory;
mod options;
mod outbox;
mod over;
mod patience;
mod raw;
mod reception;
mod role;
#[cfg(feature = "tls")]
mod secure;
#[cfg(not(feature = "tls"))]
#[path = "net/without_tls.rs"]
mod secure;
mod shape;
mod tcp;
mod text;
mod transport;

pub(crate) use announce::message as announcement;
pub use channel::{Channel, Cost};
pub use connection::Connection;
pub use doctor::{Stage, diagnose};
pub use farewell::Farewell;
pub use fingerprint::Fingerprint;
pub use frame::wire_len;
pub(crate) use guard::{SEAL, Seal};
pub use hang_up::HangUp;
pub use hello::WIRE_VERSION;
pub use listen::{Listener, Visitors, connect};
pub use log::Log;
pub use options::Options;
pub(crate) use outbox::DIRECT;
pub use outbox::Sent;
pub use patience::Timing;
#[doc(hidden)]
pub use raw::RawPeer;
pub use role::Role;
pub use secure::*;
pub use shape::LinkShape;
pub use transport::Transport;
