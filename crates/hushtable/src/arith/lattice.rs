//! Products of a shared matrix with a matrix that one party knows, by a lattice.
//!
//! # Functionality
//! Offline, one party gives B: `k x n` signed numbers of b bits, the *owner*. Online, in: additive shares mod `2^l` of A,
//! `m x k` numbers; out: shares of `A B`. Any number of such products at once.
//!
//! # Protocol
//! Offline, the other party draws R, `m x k`, and encrypts it in tiles under a key of its own, which the session keeps. The
//! owner multiplies the tiles by those of B, adds them up, packs, and answers: so both have shares of `R B`. Online, the
//! other party sends its share of A less R. The owner multiplies its share of A, and that, by B.
//!
//! # Cost
//! Without correlated OTs. Offline, after the session's keys: the ciphertexts of R, `30 * 8192` bits for each prime and 64,
//! and the responses, `8192 (l + 11)` bits and `l + 3` for each output; 2 rounds. Online `m k l` bits of the other party in
//! 1 round. Of keys, once a session, for each set of parameters: a ciphertext, and for each level of packing as many digits.
//!
//! # Security
//! The owner sees ciphertexts under a key that it does not have, and a masked share: R is uniform and serves once. The other
//! party sees responses, in which fresh encryptions of zero and flooding hide all of B but the sums:
//! [`he::respond`]. Parameters follow from the shape and b, so nothing about B shows in them.
//!
//! # Source
//! docs/spec/lattice-spec.md, sections 4 and 5. Huang, Lu, Hong, Ding, "Cheetah" (USENIX Security 2022); moving the product
//! before the inputs: Mishra et al., "Delphi" (USENIX Security 2020).

mod keys;

use he::{Ciphertext, Multiplier, Packer, Params, Plain, Response, Seeded, Side, Tiling};
use prim::{
    Wiped,
    pack::{pack, packed_len, unpack},
    ring::{Ring, low},
};
use zeroize::Zeroizing;

use self::keys::{Keys, NUMBER, keys, packing, put, receive, told};
use super::{
    known_matrix::SmallMatrixJob,
    product::{share, words},
};
use crate::{
    bill::{Bill, Phase},
    error::{Result, same},
    net::Role,
    party::Party,
    session::Session,
    share::AShare,
};

/// Products with matrices that one party knows, and how they are cut. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LatticeJob {
    job: SmallMatrixJob,
    tiling: Tiling,
    params: Params,
}

/// One-time material for such products, and what the owner knows.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::LatticeProduct};
/// fn twice(p: &mut Party, m: LatticeProduct, a: &AShare<u32>) -> Result<()> {
///     m.multiply(p, a)?;
///     m.multiply(p, a)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct LatticeProduct {
    job: SmallMatrixJob,
    /// The owner's matrices; nothing at the other party.
    numbers: Zeroizing<Vec<u64>>,
    /// The other party's R; nothing at the owner.
    masks: Wiped<u64>,
    /// Shares of R times the matrices.
    products: Wiped<u64>,
}

impl LatticeJob {
    /// These products, in the tiles that take least time.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for what a [`SmallMatrixProduct`](super::SmallMatrixProduct) refuses, for
    /// products without a row, for less than 8 bits, and where the noise does not fit any parameters.
    pub fn new(job: SmallMatrixJob) -> Result<Self> {
        job.check()?;
        let shape = [job.shape.rows, job.shape.inner, job.shape.columns];
        Tiling::new(shape, [1; 3], Side::Left).map_err(told)?;
        let mut best: Option<(f64, Self)> = None;
        let mut refused = None;
        for tiling in Tiling::candidates(shape, Side::Left) {
            match Params::fitting(job.bits, &tiling.product(job.number_bits)) {
                Ok(params) => {
                    let one = Self { job, tiling, params };
                    let cost = one.transforms();
                    if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                        best = Some((cost, one));
                    }
                }
                Err(error) => refused = Some(error),
            }
        }
        best.map(|(_, job)| job).ok_or_else(|| refused.map_or_else(|| unreachable!("no tiling"), told))
    }

    /// What is multiplied.
    pub fn job(&self) -> SmallMatrixJob {
        self.job
    }

    /// What the products cost, without the keys.
    pub fn bill(&self) -> Bill {
        let (counts, params, shape) = (self.tiling.counts(), self.params, self.job.shape);
        let batch = shape.batch as u64;
        let up = batch * 8 * (counts.encrypted * (NUMBER + Seeded::len(params))) as u64;
        let down: usize =
            (0..counts.responses).map(|i| Response::len(params, self.tiling.outputs(i).len())).sum();
        let bits = u64::from(self.job.bits);
        let kept = (shape.left() + shape.out()) as u64 * bits;
        let bill = Bill {
            offline: Phase { bits: [8 * batch * down as u64, up], rounds: 2 },
            online: Phase { bits: [0, shape.left() as u64 * bits], rounds: 1 },
            kept,
            ..Bill::FREE
        };
        if self.job.owner == Role::P0 { bill } else { bill.swapped() }
    }

    /// What the keys cost that the session keeps, before the first products with these parameters.
    pub fn keys_bill(&self) -> Bill {
        let bits = 8 * keys::len(self.params, self.levels()) as u64;
        let bill = Bill { offline: Phase { bits: [0, bits], rounds: 1 }, ..Bill::FREE };
        if self.job.owner == Role::P0 { bill } else { bill.swapped() }
    }

    /// Makes the keys that the session keeps, 1 round, where it has none: [`LatticeProduct::prepare`] does so, too.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn set_up(&self, p: &mut Party) -> Result<()> {
        let owner = self.job.owner.peer();
        let keys = keys(p, owner, self.params)?;
        packing(p, owner, &keys, self.levels()).map(drop)
    }

    /// Transforms of a product, and what takes as long: a product of two is a fifth of one, a byte on a link of 3 Gbit/s
    /// 1/3700.
    fn transforms(&self) -> f64 {
        let (counts, limbs) = (self.tiling.counts(), self.params.limbs() as f64);
        let switch = 7.0 * limbs;
        let bytes =
            counts.encrypted * Seeded::len(self.params) + counts.responses * Response::len(self.params, 0);
        limbs * (counts.plain as f64 + 2.0 * 0.2 * counts.products as f64)
            + switch * counts.switches as f64
            + 12.0 * limbs * (counts.encrypted + counts.responses) as f64
            + bytes as f64 / 3700.0
    }

    fn levels(&self) -> u32 {
        self.tiling.packed().ilog2()
    }
}

impl LatticeProduct {
    /// Offline, 2 rounds. `numbers` are the matrices at the owner, row by row, and nothing at the other party.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for other numbers than the shape has,
    /// [`Error::Param`](crate::Error::Param) for one that does not fit its bits, and those of the channel.
    pub fn prepare(p: &mut Party, job: &LatticeJob, numbers: &[i64]) -> Result<Self> {
        let owner = job.job.owner;
        job.job.check_numbers(p.role(), numbers)?;
        let keys = keys(p, owner.peer(), job.params)?;
        let packing = packing(p, owner.peer(), &keys, job.levels())?;
        let (shape, bits) = (job.job.shape, job.job.bits);
        let mut masks = Wiped::zeros(if p.role() == owner { 0 } else { shape.left() });
        p.session().rng().words(bits, &mut masks);
        let mut products = Wiped::zeros(shape.out());
        let s = p.session();
        match &*keys {
            Keys::Owner(key) => {
                for r in masks.chunks_exact(shape.rows * shape.inner) {
                    for tile in 0..job.tiling.counts().encrypted {
                        let mut message = Vec::with_capacity(NUMBER + Seeded::len(job.params));
                        let tile = Wiped::from(job.tiling.encrypted_tile(r, tile));
                        put(&key.encrypt(s.rng(), &tile), &mut message);
                        s.send(message)?;
                    }
                }
                for product in products.chunks_exact_mut(shape.rows * shape.columns) {
                    for response in 0..job.tiling.counts().responses {
                        let (places, at): (Vec<usize>, Vec<usize>) =
                            job.tiling.outputs(response).into_iter().unzip();
                        let bytes = s.recv(Response::len(job.params, places.len()))?;
                        let response = Response::decode(job.params, places.len(), &bytes).map_err(told)?;
                        let opened = key.open(&response, &places);
                        at.into_iter().zip(opened.iter()).for_each(|(at, x)| product[at] = *x);
                    }
                }
            }
            Keys::Evaluator(evaluator, seed) => {
                let ring = evaluator.ring();
                let levels: Vec<_> =
                    packing.iter().map(|key| (**key).as_ref().expect("a key that was sent")).collect();
                let mut packer = Packer::new(ring, levels);
                let tiles = job.tiling.counts().encrypted;
                let mut encrypted = Vec::with_capacity(tiles * shape.batch);
                for _ in 0..tiles * shape.batch {
                    encrypted.push(receive(s, ring, seed)?);
                }
                let each = numbers.chunks_exact(shape.inner * shape.columns);
                let all = each.zip(encrypted.chunks_exact(tiles.max(1)));
                for ((numbers, x), product) in all.zip(products.chunks_exact_mut(shape.rows * shape.columns))
                {
                    respond(s, job, evaluator, &mut packer, x, numbers, product)?;
                }
            }
        }
        let numbers = Zeroizing::new(numbers.iter().map(|v| *v as u64).collect());
        Ok(Self { job: job.job, numbers, masks, products })
    }

    /// Online, 1 round: shares of `A B`. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless the factors have the numbers of the shape, and those of the channel.
    pub fn multiply<R: Ring>(self, s: &mut Session, a: &AShare<R>) -> Result<AShare<R>> {
        let SmallMatrixJob { shape, bits, owner, .. } = self.job;
        same("numbers of the left factors", shape.left(), a.len())?;
        same("bits of the left factors", bits as usize, a.bits() as usize)?;
        let mut a = words(a.words());
        if s.role() != owner {
            a.iter_mut().zip(self.masks.iter()).for_each(|(a, r)| *a = low(a.wrapping_sub(*r), bits));
            let mut message = Vec::with_capacity(packed_len(a.len(), bits));
            pack(&a, bits, &mut message);
            s.send(message)?;
            return Ok(share(bits, &self.products));
        }
        let message = s.recv(packed_len(a.len(), bits))?;
        let mut rest = vec![0u64; a.len()];
        unpack(&message, bits, &mut rest);
        a.iter_mut().zip(&rest).for_each(|(a, rest)| *a = a.wrapping_add(*rest));
        let mut out = Zeroizing::new(shape.local(&a, &self.numbers));
        out.iter_mut().zip(self.products.iter()).for_each(|(out, share)| *out = out.wrapping_add(*share));
        Ok(share(bits, &out))
    }
}

/// The owner's part of a product: a response for each group of column tiles and each row tile, and its share of the
/// outputs.
fn respond(
    s: &mut Session,
    job: &LatticeJob,
    evaluator: &he::Evaluator,
    packer: &mut Packer<'_>,
    encrypted: &[Ciphertext],
    numbers: &[i64],
    product: &mut [u64],
) -> Result<()> {
    let (tiling, ring, packed) = (&job.tiling, evaluator.ring(), job.tiling.packed());
    let (rows, mut multiplier, mut plain) = (tiling.row_tiles(), Multiplier::new(ring), Vec::new());
    for first in (0..tiling.counts().responses).step_by(rows) {
        // Each known tile is transformed once, for all row tiles.
        let sums = packer.pack(rows, &mut |part, sums| {
            for (q, [_, tile]) in tiling.pairs(first, part).enumerate() {
                if plain.len() == q {
                    plain.push(multiplier.zero());
                }
                let tile = Zeroizing::new(tiling.plain_tile(numbers, tile));
                multiplier.plain(&tile, packed, &mut plain[q]);
            }
            for (row, sum) in sums.iter_mut().enumerate() {
                let pairs: Vec<(&Ciphertext, &Plain)> = tiling
                    .pairs(first + row, part)
                    .zip(&plain)
                    .map(|([x, _], plain)| (&encrypted[x], plain))
                    .collect();
                multiplier.products(&pairs, sum);
            }
        });
        for (row, sum) in sums.iter().enumerate() {
            let (places, at): (Vec<usize>, Vec<usize>) = tiling.outputs(first + row).into_iter().unzip();
            let (response, mask) = evaluator.respond(s.rng(), sum, &places);
            at.into_iter().zip(mask.iter()).for_each(|(at, r)| product[at] = *r);
            let mut message = Vec::with_capacity(Response::len(job.params, places.len()));
            response.encode(job.params, &mut message);
            s.send(message)?;
        }
        packer.take_back(sums);
    }
    Ok(())
}
