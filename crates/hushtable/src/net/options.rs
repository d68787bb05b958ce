//! How to connect.

use super::farewell::Farewell;
use super::log::Log;
use super::patience::{Patience, SLOWEST, Timing};
use super::secure::Identity;
use super::shape::LinkShape;
use std::time::Duration;

/// How to connect.
#[derive(Clone, Debug)]
pub struct Options {
    /// Who this party is and whom it trusts; `None`: plain TCP, without any protection.
    pub identity: Option<Identity>,
    /// The name of the peer, as the identity has it that trusts it: nobody else is let in. `None`: the only one
    /// that is trusted.
    pub peer: Option<String>,
    /// At a listening party that serves many, in place of `peer`: the names of the peers that may come; empty:
    /// nobody. See [`Listener::visitors`](super::Listener::visitors).
    pub guests: Option<Vec<String>>,
    /// A network to simulate.
    pub shape: LinkShape,
    /// Longest wait for a peer whose process lives but makes no progress in a message. In all a message
    /// may take this long and the time for its bytes at 8 KiB/s, or half the rate of a simulated link if
    /// that is less.
    pub timeout: Duration,
    /// Longest wait for a peer whose process lives to begin its next message: how long it may be idle.
    pub idle: Duration,
    /// Longest wait for the peer to appear, and to have time for this party.
    pub wait: Duration,
    /// What the parties must have in common, as (name, value), within the limits of
    /// [`Connection::agree`](super::Connection::agree): compared when a peer probes, see [`diagnose`](super::diagnose).
    pub parameters: Vec<(String, String)>,
    /// Ends the connections that are made with it.
    pub farewell: Farewell,
    /// Is told whom a listening party turned away, and by a connecting one that it tries again.
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
            guests: None,
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

    /// The parameters, as they are compared.
    pub(super) fn fields(&self) -> Vec<(&str, String)> {
        self.parameters.iter().map(|(name, value)| (name.as_str(), value.clone())).collect()
    }

    /// How long its connections wait.
    pub(super) fn patience(&self) -> Patience {
        let Options { shape, timeout, idle, timing, .. } = *self;
        let simulated = shape.mbit_per_s.map_or(f64::INFINITY, |rate| rate * 1e6 / 8.0 / 2.0);
        Patience { timeout, idle, slowest: simulated.min(SLOWEST), timing }
    }
}
