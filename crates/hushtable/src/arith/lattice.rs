//! Linear maps that one party knows: products with matrices, and convolutions; by a lattice.
//!
//! # Functionality
//! Offline, one party gives B: `k x n` signed numbers of b bits, the *owner*; or filters. Online, in: additive shares mod
//! `2^l` of A, `m x k` numbers, or images; out: shares of `A B`. Any number of such products at once.
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

mod cross;
mod keys;

use he::Side;
use prim::{
    Wiped,
    pack::{pack, packed_len, unpack},
    ring::{Ring, low},
};
use zeroize::Zeroizing;

pub(super) use self::cross::Cross;
use super::{
    linear::{LinearJob, local},
    product::{share, words},
};
use crate::{
    bill::{Bill, Phase, Work},
    error::{Result, same},
    net::Role,
    party::Party,
    session::Session,
    share::AShare,
};

/// Linear maps that one party knows, and how they are cut. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LatticeJob {
    job: LinearJob,
    cross: Cross,
}

/// One-time material for such maps, and what the owner knows.
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
    job: LinearJob,
    /// The owner's right matrices; nothing at the other party.
    numbers: Zeroizing<Vec<i64>>,
    /// The other party's R; nothing at the owner.
    masks: Wiped<u64>,
    /// Shares of R times the matrices, product by product.
    products: Zeroizing<Vec<u64>>,
}

impl LatticeJob {
    /// These maps, in the tiles that take least time and bytes.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for what a [`LinearProduct`](super::LinearProduct) refuses, for
    /// less than 8 bits, for windows that reach over more than 8192 pixels, and where the noise does not fit any parameters.
    pub fn new(job: LinearJob) -> Result<Self> {
        job.check()?;
        let (batch, shape) = job.shape.products()?;
        let cross = Cross::new((batch, shape), job.bits, job.number_bits, &[Side::Left], job.owner.peer())?;
        Ok(Self { job, cross })
    }

    /// What is multiplied.
    pub fn job(&self) -> LinearJob {
        self.job
    }

    /// What the products cost, without the keys.
    pub fn bill(&self) -> Bill {
        let LinearJob { shape, bits, .. } = self.job;
        let sent = [0, shape.left() as u64 * u64::from(bits)];
        let online = Bill { online: Phase { bits: sent, rounds: 1 }, ..Bill::FREE };
        let online = if self.job.owner == Role::P0 { online } else { online.swapped() };
        (self.cross.bill() + online).keeping((shape.left() + shape.out()) as u64 * u64::from(bits))
    }

    /// What the keys cost that the session keeps, before the first products with these parameters.
    pub fn keys_bill(&self) -> Bill {
        self.cross.keys_bill()
    }

    /// Local work: before the inputs, and then.
    pub(super) fn work(&self) -> [Work; 2] {
        // 2.5 products of numbers to a nanosecond.
        let products = self.job.shape.right() as f64 * self.job.shape.out() as f64;
        let products = products / (self.job.shape.columns() * self.job.shape.batch()) as f64;
        [self.cross.work(), Work::vectors(products / 2500.0)]
    }

    /// Bytes of ciphertexts and keys at P0 and at P1.
    pub(super) fn memory(&self) -> [u64; 2] {
        let memory = self.cross.memory();
        if self.job.owner == Role::P0 { [memory, 0] } else { [0, memory] }
    }

    /// Makes the keys that the session keeps, 1 round, where it has none: [`LatticeProduct::prepare`] does so, too.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn set_up(&self, p: &mut Party) -> Result<()> {
        self.cross.ready(p).map(drop)
    }
}

impl LatticeProduct {
    /// Offline, 2 rounds, or as many as the [bill](LatticeJob::bill) says. `numbers` are the matrices at the owner, row by
    /// row, and nothing at the other party.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for other numbers than the shape has,
    /// [`Error::Param`](crate::Error::Param) for one that does not fit its bits, and those of the channel.
    pub fn prepare(p: &mut Party, job: &LatticeJob, numbers: &[i64]) -> Result<Self> {
        let LatticeJob { job, cross } = job;
        job.check_numbers(p.role(), numbers)?;
        let ready = cross.ready(p)?;
        let s = p.session();
        let mut masks = Wiped::zeros(if s.role() == job.owner { 0 } else { job.shape.left() });
        s.rng().words(job.bits, &mut masks);
        let (left, right) = (job.shape.left_matrices(&masks), job.shape.right_matrices(numbers));
        let [encrypted, known, out] = cross.sizes().map(|size| size * cross.together());
        let mut products = Zeroizing::new(vec![0; cross.outputs()]);
        for (i, products) in products.chunks_mut(out).enumerate() {
            cross.send(s, &ready, part(&left, i, encrypted))?;
            cross.answer(s, &ready, part(&right, i, known), products)?;
            cross.open(s, &ready, products)?;
        }
        Ok(Self { job: *job, numbers: right, masks, products })
    }

    /// Online, 1 round: shares of `A B`. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless the factors have the numbers of the shape, and those of the channel.
    pub fn multiply<R: Ring>(self, s: &mut Session, a: &AShare<R>) -> Result<AShare<R>> {
        let LinearJob { shape, bits, owner, .. } = self.job;
        same("numbers that are mapped", shape.left(), a.len())?;
        same("bits of the numbers that are mapped", bits as usize, a.bits() as usize)?;
        let mut a = words(a.words());
        if s.role() != owner {
            a.iter_mut().zip(self.masks.iter()).for_each(|(a, r)| *a = low(a.wrapping_sub(*r), bits));
            let mut message = Vec::with_capacity(packed_len(a.len(), bits));
            pack(&a, bits, &mut message);
            s.send(message)?;
            return Ok(share(bits, &shape.results(self.products)));
        }
        let message = s.recv(packed_len(a.len(), bits))?;
        let mut rest = vec![0u64; a.len()];
        unpack(&message, bits, &mut rest);
        a.iter_mut().zip(&rest).for_each(|(a, rest)| *a = a.wrapping_add(*rest));
        let mut out = local(shape.products()?, &shape.left_matrices(&a), &self.numbers, |y| y as u64);
        out.iter_mut().zip(self.products.iter()).for_each(|(out, share)| *out = out.wrapping_add(*share));
        Ok(share(bits, &shape.results(out)))
    }
}

/// Part i of so many each; nothing of nothing.
pub(super) fn part<T>(all: &[T], i: usize, each: usize) -> &[T] {
    &all[all.len().min(i * each)..all.len().min((i + 1) * each)]
}
