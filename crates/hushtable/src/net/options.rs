//! How to connect.

use super::farewell::Farewell;
use super::log::Log;
use super::patience::{Patience, SLOWEST, Timing};
use super::secure::Identity;
use super::shape::LinkShape;
use std::time::Duration;

/// How to connect.
///
/// ```
/// use std::time::Duration;
///
/// use hushtable::net::Options;
///
/// let options = Options::plain().wait(Duration::from_secs(20));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
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

    /// With TLS as this identity, or plain TCP.
    #[must_use]
    pub fn identity(self, identity: impl Into<Option<Identity>>) -> Self {
        Self { identity: identity.into(), ..self }
    }

    /// With the peer of this name only.
    #[must_use]
    pub fn peer(self, peer: impl Into<Option<String>>) -> Self {
        Self { peer: peer.into(), ..self }
    }

    /// With peers of these names only, at a party that serves many.
    #[must_use]
    pub fn guests(self, guests: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { guests: Some(guests.into_iter().map(Into::into).collect()), ..self }
    }

    /// Over such a network, which is simulated.
    #[must_use]
    pub fn shape(self, shape: LinkShape) -> Self {
        Self { shape, ..self }
    }

    /// With this longest wait for progress in a message.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// With this longest wait for the next message.
    #[must_use]
    pub fn idle(self, idle: Duration) -> Self {
        Self { idle, ..self }
    }

    /// With this longest wait for the peer to appear.
    #[must_use]
    pub fn wait(self, wait: Duration) -> Self {
        Self { wait, ..self }
    }

    /// With these parameters in common.
    #[must_use]
    pub fn parameters(self, parameters: Vec<(String, String)>) -> Self {
        Self { parameters, ..self }
    }

    /// Ended by this.
    #[must_use]
    pub fn farewell(self, farewell: Farewell) -> Self {
        Self { farewell, ..self }
    }

    /// With this told whom a listening party turned away.
    #[must_use]
    pub fn log(self, log: Log) -> Self {
        Self { log, ..self }
    }

    /// With a dead peer noticed so fast.
    #[must_use]
    pub fn timing(self, timing: Timing) -> Self {
        Self { timing, ..self }
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
