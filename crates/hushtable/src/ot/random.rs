//! Random 1-of-n OTs as blocks.
//!
//! # Functionality
//! For each OT the sender gets n uniform pads, the receiver a uniform index below n and the pad there.
//!
//! # Protocol
//! [KK13](super::one_of_n::by_code) with the receiver's own choices; the pads are hashed under a key for
//! every `2^20` of them.
//!
//! # Cost
//! Those of the OTs.
//!
//! # Source
//! That of the OTs.

use prim::{Wiped, block::Block};

use super::{
    one_of_n,
    products::Pads,
    rcot::{CotReceiver, CotSender},
};
use crate::{
    error::Result,
    session::{Session, pieces},
};

/// Hashes under one key.
const UNDER_KEY: usize = 1 << 20;

/// Both halves that a party has.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct RandomOts {
    n: usize,
    out: one_of_n::Sender,
    /// Of the pads, each for the OTs of one of [`pieces`].
    keys: Vec<one_of_n::Keys>,
    choices: Wiped<u32>,
    chosen: Wiped<Block>,
}

/// The receiver's half, the party's own.
pub struct Received {
    /// The index in each OT.
    pub choices: Wiped<u32>,
    /// The pad there.
    pub pads: Wiped<Block>,
}

impl RandomOts {
    /// Of `counts` OTs as sender and as receiver, `2 <= n <= 2^13`, from
    /// [`code_cots`](one_of_n::code_cots): 1 round, and another if n is no power of two.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for another n, and those of the channel.
    pub fn by_code(
        s: &mut Session,
        n: usize,
        cots: (CotSender, CotReceiver),
        counts: (usize, usize),
    ) -> Result<Self> {
        let (out, mut inc) = one_of_n::by_code(s, n, cots, counts)?;
        let keys = pieces(counts.0, UNDER_KEY / n).map(|_| out.key(s)).collect();
        let mut chosen = Wiped::zeros(counts.1);
        for at in pieces(counts.1, UNDER_KEY / n) {
            let key = inc.key(s);
            chosen[at.clone()].copy_from_slice(&inc.pads(&key, at));
        }
        Ok(Self { n, out, keys, choices: inc.choices().to_vec().into(), chosen })
    }

    /// Lets `read` have the n pads of each OT sent, one after the other, hashed as they are read. Returns the
    /// index and the pad of each OT received.
    ///
    /// ```compile_fail,E0382
    /// # use hushtable::ot::random::RandomOts;
    /// fn twice(ots: RandomOts) { ots.spend(|_| ()); ots.spend(|_| ()); } // use of moved value
    /// ```
    pub fn spend(mut self, mut read: impl FnMut(&[Block])) -> Received {
        let mut room = Pads::new(self.n);
        for (at, key) in pieces(self.out.len(), UNDER_KEY / self.n).zip(&self.keys) {
            at.for_each(|j| read(self.out.pads(key, j, 0, &mut room)));
        }
        Received { choices: self.choices, pads: self.chosen }
    }
}

/// Prints the shape only.
impl std::fmt::Debug for RandomOts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (send, recv) = (self.out.len(), self.choices.len());
        write!(f, "RandomOts({send} + {recv} of 1 of {})", self.n)
    }
}
