//! Products of a matrix that one party encrypts and a matrix, or one for each place of a window, that the other one knows.
//!
//! # Functionality
//! In: of the encryptor X, numbers mod `2^l`; of the evaluator Y, signed numbers of b bits. Out: additive
//! shares mod `2^l` of `X Y` or of `Y X`, which is made as the transposed matrices' product. Any number of such products at
//! once.
//!
//! # Protocol
//! X is encrypted in tiles. The other party multiplies them by tiles of Y, adds them up, packs, and answers with
//! [`he::respond`]: its share is the mask of the response, that of the encryptor what it decrypts.
//!
//! # Cost
//! Without the keys: a ciphertext for each tile of X, `30 * 8192` bits for each prime and 64; for each response
//! `8192 (l + 11)` bits and `l + 3` for each output. 2 rounds, or for a batch twice as many as there are 16 MiB of either.
//!
//! # Security
//! Parameters are those for the outputs of the whole batch: all its responses together are `2^-40` from what shows nothing.

mod making;

use std::sync::Arc;

use he::{PackingKey, Params, Response, Seeded, Shape, Tiling};

use super::keys::{self, Keys, NUMBER, keys, packing};
use crate::{
    bill::{Bill, Objective, Once, Phase, Work},
    error::{Error, Result},
    net::Role,
    party::Party,
};

/// Bytes that a channel takes at least from each party while neither reads.
const HELD: usize = 16 << 20;

/// Bytes that count as much as a microsecond of a core: those of a link of 50 Mbit/s. Faster links are not asked about, since
/// where traffic is paid for it costs more than cores.
const BYTES: f64 = 6.25;

/// The same where bytes are to be least: those of a link of 8 Mbit/s.
const LEAST_BYTES: f64 = 1.0;

/// Batches that keys serve, about: a network has as many layers of a kind.
const SERVED: f64 = 8.0;

/// Which matrix of a product is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::arith) enum Side {
    Left,
    Right,
}

/// Such products. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::arith) struct Cross {
    /// Who encrypts.
    encryptor: Role,
    /// How many.
    batch: usize,
    bits: u32,
    side: Side,
    /// Of the product, or of the transposed one where the right matrix is encrypted.
    tiling: Tiling,
    params: Params,
    objective: Objective,
}

/// The keys of a session for such products.
pub(in crate::arith) struct Ready {
    keys: Keys,
    packing: Vec<Arc<Option<PackingKey>>>,
}

impl Cross {
    /// In the tiles that take least time and bytes, as `objective` weighs them; `encryptor` encrypts the matrix of one side, and the
    /// other one's numbers have the second number of bits.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for less than 8 bits, for a shape without a number, and where the noise fits no
    /// parameters.
    pub(in crate::arith) fn new(
        (batch, shape): (usize, Shape),
        [bits, known_bits]: [u32; 2],
        sides: &[Side],
        encryptor: Role,
        objective: Objective,
    ) -> Result<Self> {
        let (mut best, mut refused): (Option<(f64, Self)>, _) = (None, None);
        let of = |side: &Side| {
            let shape = if *side == Side::Left { Some(shape) } else { shape.transposed() };
            let side = *side;
            shape.into_iter().flat_map(Tiling::candidates).map(move |tiling| (side, tiling))
        };
        for (side, tiling) in sides.iter().flat_map(of) {
            match Params::fitting(bits, &tiling.product(known_bits, batch)) {
                Ok(params) => {
                    let one = Self { encryptor, batch, bits, side, tiling, params, objective };
                    let cost = one.microseconds();
                    if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                        best = Some((cost, one));
                    }
                }
                Err(error) => refused = Some(error),
            }
        }
        let reaching = || Error::Param {
            what: "window of a convolution by a lattice",
            got: format!("{shape}, over {} pixels", shape.reach()),
            accepted: format!("windows that reach over less than {} pixels", prim::ntt::DEGREE),
        };
        best.map(|(_, one)| one).ok_or_else(|| refused.map_or_else(reaching, Error::of_lattice))
    }

    /// What the products cost, without the keys.
    pub(in crate::arith) fn bill(&self) -> Bill {
        let batch = self.batch;
        let rounds = 2 * batch.div_ceil(self.together()) as u32;
        let bits = self.sent().map(|bytes| 8 * (batch * bytes) as u64);
        let bill = Bill { offline: Phase { bits, rounds }, ..Bill::FREE };
        if self.encryptor == Role::P0 { bill } else { bill.swapped() }
    }

    /// Bytes of a product: of who encrypts and of the other party.
    fn sent(&self) -> [usize; 2] {
        let (counts, params) = (self.tiling.counts(), self.params);
        let answers =
            self.tiling.response_counts().map(|[many, outputs]| many * Response::len(params, outputs));
        [counts.encrypted * (NUMBER + Seeded::len(params)), answers.sum()]
    }

    /// How many products are sent before an answer is read: no more than the channel holds while both parties send.
    pub(in crate::arith) fn together(&self) -> usize {
        let [up, down] = self.sent();
        (HELD / up.max(down)).max(1)
    }

    /// Whether the channel holds a product while both parties send one.
    pub(in crate::arith) fn is_held(&self) -> bool {
        self.sent().into_iter().all(|bytes| bytes <= HELD)
    }

    /// The keys that the session keeps.
    pub(in crate::arith) fn keys(&self) -> Once {
        keys::once(self.encryptor, self.params, self.levels())
    }

    /// What a product takes besides sending, at both parties together, in microseconds of one core with vectors of 512 bits,
    /// as measured.
    fn local(&self) -> f64 {
        let (counts, limbs) = (self.tiling.counts(), self.params.limbs() as f64);
        let plain = if self.tiling.is_short() { 2.1 } else { 5.4 };
        let answered =
            plain * counts.plain as f64 + 6.0 * counts.products as f64 + 65.0 * counts.switches as f64;
        limbs * (answered + 85.0 * counts.encrypted as f64 + 300.0 * counts.responses as f64)
    }

    /// By which tiles are compared: what a product takes.
    fn microseconds(&self) -> f64 {
        let (counts, params) = (self.tiling.counts(), self.params);
        let bytes = counts.encrypted * Seeded::len(params) + counts.responses * Response::len(params, 0);
        self.local() + bytes as f64 / self.weight()
    }

    /// Bytes that count as much as a microsecond.
    fn weight(&self) -> f64 {
        if self.objective.by_counts() == Objective::Bytes { LEAST_BYTES } else { BYTES }
    }

    /// By which ways to the same are compared, with the keys, which serve several batches.
    pub(in crate::arith) fn price(&self) -> f64 {
        let keys = keys::len(self.params, self.levels()) as f64 / self.weight();
        self.batch as f64 * self.microseconds() + keys / SERVED
    }

    /// The work of all products.
    pub(in crate::arith) fn work(&self) -> Work {
        Work::vectors(self.local() * self.batch as f64)
    }

    /// Bytes of ciphertexts and keys that the party that answers holds. Each of its cores works with some MB more: for each level
    /// of packing a ciphertext of each row of tiles, 32 at most.
    pub(in crate::arith) fn memory(&self) -> u64 {
        let (keys, [up, _]) = (keys::len(self.params, self.levels()), self.sent());
        2 * (up.max(HELD.min(self.batch * up)) + keys) as u64
    }

    /// Whether it is the left matrix that is encrypted.
    pub(in crate::arith) fn encrypts_left(&self) -> bool {
        self.side == Side::Left
    }

    fn levels(&self) -> u32 {
        self.tiling.packed().ilog2()
    }

    /// The keys: of the session, or new ones, which takes a message of who encrypts.
    ///
    /// # Errors
    /// Those of the channel.
    pub(in crate::arith) fn ready(&self, p: &mut Party) -> Result<Ready> {
        // How tiles are chosen is computed in floating point.
        let Self { encryptor, bits, params, tiling, .. } = self;
        let (batch, primes) = (self.batch, params.limbs());
        let what = if self.encrypts_left() { "left" } else { "right, transposed," };
        p.announce(&format!(
            "lattice: {encryptor} encrypts the {what} of {batch} of {tiling}, {bits} bits, {primes} primes"
        ))?;
        let keys = keys(p, self.encryptor, self.params)?;
        let packing = packing(p, self.encryptor, &keys, self.levels())?;
        Ok(Ready { keys, packing })
    }

    /// Numbers of a product's matrix that is encrypted, and of the one that is known.
    pub(in crate::arith) fn sizes(&self) -> [usize; 2] {
        let shape = self.tiling.shape();
        [shape.left(), shape.right()]
    }

    /// Numbers of all products.
    pub(in crate::arith) fn outputs(&self) -> usize {
        self.batch * self.tiling.shape().out()
    }
}

#[cfg(test)]
mod tests;
