//! How fast machines are.

use crate::{
    bill::{Objective, Prices, Work},
    net::LinkShape,
    ot::{Rates, Scheme, Setting},
};

/// How fast a pair of machines is: seconds without the link's delay, or nanoseconds an item.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Machine {
    /// Seconds from connecting to the end of the base OTs.
    pub start: f64,
    /// Seconds that a round takes besides the link's delay: waking the peer up.
    pub round: f64,
    /// Correlated OTs.
    pub ots: Rates,
    /// Nanoseconds a block through the hash, in bulk.
    pub hash: f64,
    /// Nanoseconds a word that is packed and unpacked, as work on words one by one goes.
    pub word: f64,
    /// Nanoseconds a byte that vector instructions pass over in the cache.
    pub byte: f64,
    /// Nanoseconds a byte that a party sends or receives, besides what the link takes.
    pub wire: f64,
    /// The extension that makes correlated OTs, if one is asked for; no figure of the machine.
    pub asked: Option<Scheme>,
    /// What a session makes least, if it says so: of bytes the extension follows. No figure of the machine.
    pub objective: Option<Objective>,
    /// What P0 and P1 pay. No figure of the machine.
    pub prices: [Prices; 2],
}

impl Default for Machine {
    fn default() -> Self {
        Self::REFERENCE
    }
}

impl Machine {
    /// What `hushtable calibrate` finds, as for [`Rates::REFERENCE`].
    pub const REFERENCE: Self = Self {
        start: 11.2e-3,
        round: 50e-6,
        ots: Rates::REFERENCE,
        hash: 0.70,
        word: 1.95,
        byte: 0.021,
        wire: 0.12,
        asked: None,
        objective: None,
        prices: [Prices::USUAL; 2],
    };

    /// What parties with such machines come to over this link.
    pub fn setting(&self, link: LinkShape) -> Setting {
        let made = Setting { prices: self.prices, ..Setting::new(self.asked, link, &self.ots) };
        match self.asked {
            None => made.objective(self.objective),
            Some(_) => Setting { objective: self.objective, ..made },
        }
    }

    /// With this extension.
    #[must_use]
    pub fn asked(self, asked: impl Into<Option<Scheme>>) -> Self {
        Self { asked: asked.into(), ..self }
    }

    /// In a session that makes this least.
    #[must_use]
    pub fn objective(self, objective: Option<Objective>) -> Self {
        Self { objective, ..self }
    }

    /// Where P0 and P1 pay these prices.
    #[must_use]
    pub fn prices(self, prices: [Prices; 2]) -> Self {
        Self { prices, ..self }
    }

    /// Of two ends the slower in each respect: what a session of both runs at.
    pub fn slower(self, peer: Self) -> Self {
        let (mut mine, theirs) = (self.figures(), peer.figures());
        mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine = mine.max(theirs));
        let (asked, objective) = (self.asked.or(peer.asked), self.objective.or(peer.objective));
        Self { asked, objective, prices: self.prices, ..Self::from(mine) }
    }

    /// The names of its [`figures`](Self::figures).
    pub const NAMES: [&str; 16] = [
        "start",
        "round",
        "iknp_ot",
        "soft2_ot",
        "soft4_ot",
        "soft8_ot",
        "small_ot",
        "large_ot",
        "largest_ot",
        "small_start",
        "large_start",
        "largest_start",
        "hash",
        "word",
        "byte",
        "wire",
    ];

    /// Its figures, in the order of the fields.
    pub fn figures(self) -> [f64; 16] {
        let Self { start, round, ots: Rates { soft, ferret, start: starts }, hash, word, byte, wire, .. } =
            self;
        let ([a, b, c, d], [e, f, g], [h, i, j]) = (soft, ferret, starts);
        [start, round, a, b, c, d, e, f, g, h, i, j, hash, word, byte, wire]
    }

    /// Seconds of local work.
    pub(crate) fn seconds(&self, work: Work) -> f64 {
        let Work { hashes, words, bytes } = work;
        (hashes * self.hash + words * self.word + bytes * self.byte) * 1e-9
    }

    /// Seconds of sending and receiving so many bits of both parties, besides what the link takes.
    pub(super) fn handling(&self, bits: u64) -> f64 {
        bits as f64 / 8.0 * self.wire * 1e-9
    }
}

/// From its [`figures`](Machine::figures).
impl From<[f64; 16]> for Machine {
    fn from(figures: [f64; 16]) -> Self {
        let [start, round, a, b, c, d, e, f, g, h, i, j, hash, word, byte, wire] = figures;
        let ots = Rates { soft: [a, b, c, d], ferret: [e, f, g], start: [h, i, j] };
        Self { start, round, ots, hash, word, byte, wire, ..Self::REFERENCE }
    }
}
