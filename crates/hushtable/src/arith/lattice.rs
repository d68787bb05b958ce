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
    cross: Cross,
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
        let cross = Cross::new(job.shape, job.bits, job.number_bits, &[Side::Left], job.owner.peer())?;
        Ok(Self { job, cross })
    }

    /// What is multiplied.
    pub fn job(&self) -> SmallMatrixJob {
        self.job
    }

    /// What the products cost, without the keys.
    pub fn bill(&self) -> Bill {
        let SmallMatrixJob { shape, bits, .. } = self.job;
        let sent = [0, shape.left() as u64 * u64::from(bits)];
        let online = Bill { online: Phase { bits: sent, rounds: 1 }, ..Bill::FREE };
        let online = if self.job.owner == Role::P0 { online } else { online.swapped() };
        (self.cross.bill() + online).keeping((shape.left() + shape.out()) as u64 * u64::from(bits))
    }

    /// What the keys cost that the session keeps, before the first products with these parameters.
    pub fn keys_bill(&self) -> Bill {
        self.cross.keys_bill()
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
        let mut products = Wiped::zeros(job.shape.out());
        let [encrypted, known, out] = cross.sizes().map(|size| size * cross.together());
        for (i, products) in products.chunks_mut(out).enumerate() {
            cross.send(s, &ready, part(&masks, i, encrypted))?;
            cross.answer(s, &ready, part(numbers, i, known), products)?;
            cross.open(s, &ready, products)?;
        }
        let numbers = Zeroizing::new(numbers.iter().map(|v| *v as u64).collect());
        Ok(Self { job: *job, numbers, masks, products })
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

/// Part i of so many each; nothing of nothing.
pub(super) fn part<T>(all: &[T], i: usize, each: usize) -> &[T] {
    &all[all.len().min(i * each)..all.len().min((i + 1) * each)]
}
