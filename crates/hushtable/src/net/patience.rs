//! How long a party waits for its peer.

use std::time::Duration;

/// How fast a dead peer is noticed. Both parties need about the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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

impl Timing {
    /// With such a heartbeat.
    #[must_use]
    pub fn heartbeat(self, heartbeat: Duration) -> Self {
        Self { heartbeat, ..self }
    }

    /// With this longest wait without any byte.
    #[must_use]
    pub fn silence(self, silence: Duration) -> Self {
        Self { silence, ..self }
    }

    /// With this longest wait for the last bytes.
    #[must_use]
    pub fn linger(self, linger: Duration) -> Self {
        Self { linger, ..self }
    }
}

/// Bytes per second of the slowest link in use: 64 kbit/s for each lane.
pub(super) const SLOWEST: f64 = 8192.0;

/// How long a connection waits for what: see [`Options`](super::Options) and [`Timing`].
#[derive(Clone, Copy)]
pub(super) struct Patience {
    pub(super) timeout: Duration,
    pub(super) idle: Duration,
    /// Bytes per second of a message that makes progress.
    pub(super) slowest: f64,
    pub(super) timing: Timing,
}

impl Patience {
    /// For so many bytes in all.
    pub(super) fn for_bytes(&self, len: usize) -> Duration {
        self.timeout + Duration::from_secs_f64(len as f64 / self.slowest)
    }
}
