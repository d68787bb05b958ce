//! Products of a shared matrix with a matrix of small numbers that one party knows.
//!
//! # Functionality
//! In: additive shares mod `2^l` of A, `m x k` numbers; one party knows B, `k x n` signed numbers of b
//! bits, the *owner*. Out: shares of `A B`. Any number of such products at once.
//!
//! # Protocol
//! The owner adds `2^(b-1)` to its numbers, which makes them positive: both subtract `2^(b-1)` times the
//! sum of each row of A, locally. Its share of A is multiplied locally. Each of its numbers with the other
//! party's share of the column of A that it meets: Gilboa's, with rows of m words.
//!
//! # Cost
//! `k n b` correlated OTs; online `k n b + m k n b (2 l - b + 1) / 2` bits: 1 round.
//!
//! # Source
//! Mohassel, Zhang, "SecureML" (S&P 2017), section 5, with numbers of fewer bits than the ring.

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use super::{
    gilboa::{Factors, Gilboa},
    matrix::MatrixShape,
    product::{share, words},
};
use crate::{
    bill::Bill,
    error::{Error, Result, same},
    net::Role,
    session::Session,
    share::AShare,
    source::Source,
};

/// Products with matrices that one party knows. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SmallMatrixJob {
    /// The shape.
    pub shape: MatrixShape,
    /// Width of the shared numbers.
    pub bits: u32,
    /// Bits of a number of the known matrix, its sign included: 1 to 63, and at most those of the shares.
    pub number_bits: u32,
    /// Who knows it.
    pub owner: Role,
}

/// One-time material for such products.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::SmallMatrixProduct};
/// fn twice(p: &mut Party, m: SmallMatrixProduct, a: &AShare<u32>, b: &[i64]) -> Result<()> {
///     m.multiply(p, a, b)?;
///     m.multiply(p, a, b)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct SmallMatrixProduct {
    job: SmallMatrixJob,
    gilboa: Gilboa,
}

impl SmallMatrixJob {
    /// What the products cost.
    pub fn bill(&self) -> Bill {
        let item = Gilboa::bill(self.bits, self.number_bits, self.shape.rows);
        let bill = item.times(self.shape.right());
        if self.owner == Role::P1 { bill } else { bill.swapped() }
    }

    pub(super) fn check(&self) -> Result<()> {
        let most = self.bits.min(63);
        if self.shape.inner == 0 || self.shape.columns == 0 {
            let got = format!("{} x {}", self.shape.inner, self.shape.columns);
            return Err(Error::Param {
                what: "shape of a small matrix",
                got,
                accepted: "1 x 1 and more".into(),
            });
        }
        if (1..=most).contains(&self.number_bits) && self.bits <= 64 {
            return Ok(());
        }
        let (what, got) = ("bits of a small number", self.number_bits.to_string());
        Err(Error::Param { what, got, accepted: format!("1 to {most}") })
    }

    /// That these are the owner's numbers; or none, at the other party.
    pub(super) fn check_numbers(&self, role: Role, numbers: &[i64]) -> Result<()> {
        let owned = if role == self.owner { self.shape.right() } else { 0 };
        same("numbers of the right factors", owned, numbers.len())?;
        let half = 1i64 << (self.number_bits - 1);
        if numbers.iter().any(|v| !(-half..half).contains(v)) {
            // The owner's numbers belong in no message.
            let got = "one that does not fit".into();
            let accepted = format!("-2^{0} to 2^{0} - 1", self.number_bits - 1);
            return Err(Error::Param { what: "number of a small matrix", got, accepted });
        }
        Ok(())
    }

    /// The owner's numbers plus `2^(b-1)`; none at the other party.
    fn positive(&self, role: Role, numbers: &[i64]) -> Result<Zeroizing<Vec<u64>>> {
        self.check_numbers(role, numbers)?;
        let half = 1i64 << (self.number_bits - 1);
        let moved = numbers.iter().map(|v| low(v.wrapping_add(half) as u64, self.number_bits));
        Ok(Zeroizing::new(moved.collect()))
    }
}

impl SmallMatrixProduct {
    /// Offline.
    ///
    /// # Errors
    /// [`Error::Param`] for numbers of too many bits, and those of the channel.
    pub fn prepare(p: &mut dyn Source, job: SmallMatrixJob) -> Result<Self> {
        job.check()?;
        let items = job.shape.right();
        let (rows, numbers) = if job.owner == p.role() { (0, items) } else { (items, 0) };
        Ok(Self { job, gilboa: Gilboa::prepare(p, job.number_bits, rows, numbers)? })
    }

    /// Online, 1 round: shares of `A B`; `numbers` is B row by row at the owner, and empty at the other party.
    /// Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless the factors have the numbers of the shape, [`Error::Param`] for a number that
    /// does not fit its bits, and those of the channel.
    pub fn multiply<R: Ring>(self, s: &mut Session, a: &AShare<R>, numbers: &[i64]) -> Result<AShare<R>> {
        let SmallMatrixJob { shape, bits, number_bits, .. } = self.job;
        same("numbers of the left factors", shape.left(), a.len())?;
        same("bits of the left factors", bits as usize, a.bits() as usize)?;
        let numbers = self.job.positive(s.role(), numbers)?;
        let a = words(a.words());
        let mut out = Zeroizing::new(match numbers.is_empty() {
            true => vec![0; shape.out()],
            false => shape.local(&a, &numbers),
        });
        let MatrixShape { rows, inner, columns, .. } = shape;
        // Item i is number i of B, of row `i / columns` over the batch.
        let place = |i: usize| (i / (inner * columns), i / columns % inner, i % columns);
        let word = |i: usize, r: usize| {
            let (batch, k, _) = place(i);
            a[(batch * rows + r) * inner + k]
        };
        let factors = Factors { bits, cut: 0, row: rows, word: &word, numbers: Some(&numbers) };
        self.gilboa.multiply(s, &factors, &mut |i, r, share| {
            let (batch, _, column) = place(i);
            let out = &mut out[(batch * rows + r) * columns + column];
            *out = out.wrapping_add(share);
        })?;
        for (out, row) in out.chunks_exact_mut(columns).zip(a.chunks_exact(inner)) {
            let sum = row.iter().fold(0u64, |sum, x| sum.wrapping_add(*x)) << (number_bits - 1);
            out.iter_mut().for_each(|o| *o = o.wrapping_sub(sum));
        }
        Ok(share(bits, &out))
    }
}
