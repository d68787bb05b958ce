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
mod countersign;
mod difference;
mod doctor;
mod establish;
mod farewell;
mod frame;
mod hang_up;
mod hello;
mod identity;
mod inbox;
mod listen;
mod log;
mod memory;
mod options;
mod outbox;
mod over;
mod patience;
mod pin;
mod raw;
mod reception;
mod role;
mod shape;
mod tcp;
mod text;
mod tls;
mod transport;

pub(crate) use announce::message as announcement;
pub use channel::{Channel, Cost};
pub use connection::Connection;
pub use countersign::Signed;
pub use doctor::{Stage, diagnose};
pub use farewell::Farewell;
pub use frame::wire_len;
pub use hang_up::HangUp;
pub use hello::WIRE_VERSION;
pub use identity::{Certificate, Fingerprint, Identity, Peer};
pub use listen::{Listener, Visitors, connect};
pub use log::Log;
pub use options::Options;
pub use outbox::Sent;
pub use patience::Timing;
#[doc(hidden)]
pub use raw::RawPeer;
pub use role::Role;
pub use shape::LinkShape;
pub use transport::Transport;
