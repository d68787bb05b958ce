//! How fast machines are.

use crate::bill::Work;

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
    /// Nanoseconds a word that is packed and unpacked, as work on words one by one goes.
    pub word: f64,
    /// Nanoseconds a byte that vector instructions pass over in the cache.
    pub byte: f64,
    /// Nanoseconds a byte that a party sends or receives, besides what the link takes.
    pub wire: f64,
}

impl Machine {
    /// What `hushtable calibrate` finds on two cores of an AMD EPYC (Zen 3).
    pub const REFERENCE: Self = Self {
        start: 16.2e-3,
        round: 50e-6,
        soft_ot: 60.0,
        small_start: 2.2e-3,
        small_ot: 30.0,
        large_start: 9.1e-3,
        large_ot: 22.0,
        hash: 0.99,
        word: 2.0,
        byte: 0.05,
        wire: 0.8,
    };

    /// Of two ends the slower in each respect: what a session of both runs at.
    pub fn slower(self, peer: Self) -> Self {
        let (mut mine, theirs) = (self.figures(), peer.figures());
        mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine = mine.max(theirs));
        Self::from(mine)
    }

    /// Its figures, in the order of the fields.
    pub fn figures(self) -> [f64; 11] {
        let Self { start, round, soft_ot, small_start, small_ot, large_start, large_ot, .. } = self;
        let Self { hash, word, byte, wire, .. } = self;
        [start, round, soft_ot, small_start, small_ot, large_start, large_ot, hash, word, byte, wire]
    }

    /// Seconds of local work, of so many lookups.
    pub(crate) fn seconds(&self, work: Work, batch: usize) -> f64 {
        let Work { hashes, words, bytes } = work;
        (hashes * self.hash + words * self.word + bytes * self.byte) * 1e-9 * batch as f64
    }

    /// Seconds of sending and receiving so many bits of both parties, besides what the link takes.
    pub(super) fn handling(&self, bits: u64) -> f64 {
        bits as f64 / 8.0 * self.wire * 1e-9
    }
}

/// From its [`figures`](Machine::figures).
impl From<[f64; 11]> for Machine {
    fn from(figures: [f64; 11]) -> Self {
        let [start, round, soft_ot, small_start, small_ot, large_start, large_ot, rates @ ..] = figures;
        let [hash, word, byte, wire] = rates;
        Self { start, round, soft_ot, small_start, small_ot, large_start, large_ot, hash, word, byte, wire }
    }
}
