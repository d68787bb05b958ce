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
//! `k n b` correlated OTs and `k n b + m k n b (2 l - b + 1) / 2` bits: 1 round.
//!
//! # Source
//! Mohassel, Zhang, "SecureML" (S&P 2017), section 5, with numbers of fewer bits than the ring.

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use super::{
    gilboa::{self, Factors, Numbers},
    matrix::Shape,
    product::{share, words},
};
use crate::{
    error::{Error, Result, same},
    net::Role,
    party::Party,
    share::AShare,
};

/// A matrix that one party knows.
#[derive(Clone, Copy)]
pub struct SmallMatrix<'a> {
    /// Who knows it.
    pub owner: Role,
    /// The numbers, row by row, at the owner; none at the other party.
    pub numbers: &'a [i64],
    /// Bits of a number, its sign included: 1 to 63, and at most those of the shares.
    pub bits: u32,
}

/// Shares of `A B`: 1 round.
///
/// # Errors
/// [`Error::Shape`] unless the factors have the numbers of the shape, [`Error::Param`] for a number that
/// does not fit its bits, and those of the channel.
pub fn shared_times_small<R: Ring>(
    p: &mut Party,
    shape: Shape,
    a: &AShare<R>,
    b: SmallMatrix,
) -> Result<AShare<R>> {
    let bits = a.bits();
    same("numbers of the left factors", shape.left(), a.len())?;
    let numbers = b.positive(shape, p.role(), bits)?;
    let a = words(a.words());
    let mut out = Zeroizing::new(match numbers.is_empty() {
        true => vec![0; shape.out()],
        false => shape.local(&a, &numbers),
    });
    let Shape { rows, inner, columns, .. } = shape;
    // Item i is number i of B, of row `i / columns` over the batch.
    let place = |i: usize| (i / (inner * columns), i / columns % inner, i % columns);
    let word = |i: usize, r: usize| {
        let (batch, k, _) = place(i);
        a[(batch * rows + r) * inner + k]
    };
    let count = if b.owner == p.role() { 0 } else { shape.right() };
    let numbers = Numbers::Chosen(&numbers);
    let factors = Factors { bits, number_bits: b.bits, row: rows, rows: count, word: &word, numbers };
    gilboa::multiply(p, &factors, &mut |i, r, share| {
        let (batch, _, column) = place(i);
        let out = &mut out[(batch * rows + r) * columns + column];
        *out = out.wrapping_add(share);
    })?;
    for (out, row) in out.chunks_exact_mut(columns).zip(a.chunks_exact(inner)) {
        let sum = row.iter().fold(0u64, |sum, x| sum.wrapping_add(*x)) << (b.bits - 1);
        out.iter_mut().for_each(|o| *o = o.wrapping_sub(sum));
    }
    Ok(share(bits, &out))
}

impl SmallMatrix<'_> {
    /// Bits that [`shared_times_small`] sends in all, for shares of `l` bits, without framing.
    pub fn cost_bits(shape: Shape, l: u32, b: u32) -> u64 {
        let (numbers, rows) = (shape.right() as u64, shape.rows as u64);
        let payload = u64::from(b) * u64::from(2 * l - b + 1) / 2;
        numbers * (u64::from(b) + rows * payload)
    }

    /// The owner's numbers plus `2^(b-1)`; none at the other party.
    fn positive(&self, shape: Shape, role: Role, l: u32) -> Result<Zeroizing<Vec<u64>>> {
        if !(1..=l.min(63)).contains(&self.bits) {
            let (what, got) = ("bits of a small number", self.bits.to_string());
            return Err(Error::Param { what, got, accepted: format!("1 to {}", l.min(63)) });
        }
        let owned = if role == self.owner { shape.right() } else { 0 };
        same("numbers of the right factors", owned, self.numbers.len())?;
        let half = 1i64 << (self.bits - 1);
        if self.numbers.iter().any(|v| !(-half..half).contains(v)) {
            // The owner's numbers belong in no message.
            let got = "one that does not fit".into();
            let accepted = format!("-2^{0} to 2^{0} - 1", self.bits - 1);
            return Err(Error::Param { what: "number of a small matrix", got, accepted });
        }
        let moved = self.numbers.iter().map(|v| low(v.wrapping_add(half) as u64, self.bits));
        Ok(Zeroizing::new(moved.collect()))
    }
}
