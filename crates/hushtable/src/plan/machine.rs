//! How fast machines are.

/// How fast a pair of machines is: seconds without the link's delay, or nanoseconds an item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// Seconds from connecting to the end of the base OTs.
    pub start: f64,
    /// Seconds that a round takes besides the link's delay: waking the peer up.
    pub round: f64,
    /// Nanoseconds a correlated OT from SoftSpoken.
    pub soft_ot: f64,
    /// Seconds to start Ferret with set S, and nanoseconds a correlated OT from it.
    pub small_start: f64,
    /// See [`small_start`](Self::small_start).
    pub small_ot: f64,
    /// Seconds to start Ferret with set M once S runs, and nanoseconds a correlated OT from it.
    pub large_start: f64,
    /// See [`large_start`](Self::large_start).
    pub large_ot: f64,
    /// Nanoseconds a block through the hash, in bulk.
    pub hash: f64,
}

impl Machine {
    /// The machine on which the model of local work was fitted: two cores of an AMD EPYC (Zen 3).
    pub const REFERENCE: Self = Self {
        start: 16.2e-3,
        round: 50e-6,
        soft_ot: 60.0,
        small_start: 2.2e-3,
        small_ot: 30.0,
        large_start: 9.1e-3,
        large_ot: 22.0,
        hash: 0.99,
    };

    /// Of two ends the slower in each respect: what a session of both runs at.
    pub fn slower(self, peer: Self) -> Self {
        Self {
            start: self.start.max(peer.start),
            round: self.round.max(peer.round),
            soft_ot: self.soft_ot.max(peer.soft_ot),
            small_start: self.small_start.max(peer.small_start),
            small_ot: self.small_ot.max(peer.small_ot),
            large_start: self.large_start.max(peer.large_start),
            large_ot: self.large_ot.max(peer.large_ot),
            hash: self.hash.max(peer.hash),
        }
    }
}
