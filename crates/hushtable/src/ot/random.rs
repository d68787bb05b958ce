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

use std::ops::Range;

use prim::{Wiped, block::Block, hash::CcrHash};

use super::{
    one_of_n,
    products::Pads,
    rcot::{CotReceiver, CotSender},
};
use crate::{error::Result, session::Session};

/// Hashes under one key.
const UNDER_KEY: usize = 1 << 20;

/// Both halves that a party has.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct RandomOts {
    n: usize,
    out: one_of_n::Sender,
    /// Of the pads, each for the OTs of one of [`pieces`].
    keys: Vec<CcrHash>,
    choices: Wiped<u32>,
    chosen: Wiped<Block>,
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
        let (out, inc) = one_of_n::by_code(s, n, cots, counts)?;
        let keys = pieces(n, counts.0).map(|_| out.key(s)).collect();
        let mut chosen = Wiped::zeros(counts.1);
        for at in pieces(n, counts.1) {
            let key = inc.key(s);
            chosen[at.clone()].copy_from_slice(&inc.pads(&key, at));
        }
        Ok(Self { n, out, keys, choices: inc.choices().to_vec().into(), chosen })
    }

    /// Lets `read` have the n pads of each OT sent, one after the other. They are hashed as they are read.
    pub fn visit_sent(&self, mut read: impl FnMut(&[Block])) {
        let mut room = Pads::new(self.n);
        for (at, key) in pieces(self.n, self.out.len()).zip(&self.keys) {
            at.for_each(|j| read(self.out.pads(key, j, 0, &mut room)));
        }
    }

    /// The index and the pad of each OT received.
    pub fn received(&self) -> impl Iterator<Item = (u32, Block)> {
        self.choices.iter().copied().zip(self.chosen.iter().copied())
    }
}

/// Prints the shape only.
impl std::fmt::Debug for RandomOts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (send, recv) = (self.out.len(), self.choices.len());
        write!(f, "RandomOts({send} + {recv} of 1 of {})", self.n)
    }
}

/// The OTs under each key.
fn pieces(n: usize, count: usize) -> impl Iterator<Item = Range<usize>> {
    let piece = UNDER_KEY / n;
    (0..count).step_by(piece).map(move |from| from..count.min(from + piece))
}
