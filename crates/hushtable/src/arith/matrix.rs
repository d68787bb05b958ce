//! Matrix products in one round.
//!
//! # Functionality
//! In: a matrix A of `m x k` and B of `k x n` numbers mod `2^l`, row by row: public, known to one
//! party, or additively shared. Out: additive shares of `A B`. Any number of such products at once.
//!
//! # Protocol
//! With a public factor the product is local. Otherwise `A B` is the sum over the parties of the
//! local `A_p B_p` and of `A_p B_{1-p}`, which is made of products of a number with a row, Gilboa's:
//! each number of B with its column of A (`m` words of payload), or each number of A with its row of
//! B (`n` words), whichever takes fewer correlated OTs. Both directions cross; a direction in which
//! a factor is not shared falls away.
//!
//! # Cost
//! With `s = min(m, n)`, a direction: `k s l` correlated OTs and `k s l + m k n l (l + 1) / 2` bits.
//! Two directions if both factors are shared, else one. 1 round.
//!
//! # Source
//! Mohassel, Zhang, "SecureML" (S&P 2017), section 5, vectorised OT-based products.

use prim::ring::Ring;
use zeroize::Zeroizing;

use super::{
    gilboa::{self, Factors, Numbers},
    product::{share, words},
};
use crate::{
    error::{Error, Result, same},
    net::Role,
    party::Party,
    share::AShare,
};

/// The shape of a batch of matrix products; a product of numbers has 1 of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Products in the batch.
    pub batch: usize,
    /// Rows of the left factor.
    pub rows: usize,
    /// Columns of the left factor and rows of the right one.
    pub inner: usize,
    /// Columns of the right factor.
    pub columns: usize,
}

/// A factor and who knows it.
#[derive(Clone, Copy)]
pub struct Factor<'a, R: Ring> {
    /// The numbers, row by row; if one party knows them, zeros at the other.
    pub share: &'a AShare<R>,
    /// Who knows them; `None` if they are shared.
    pub known_to: Option<Role>,
}

/// Shares of `A B`: 1 round.
///
/// # Errors
/// [`Error::Shape`] unless the factors have the numbers of the shape and one width,
/// [`Error::Param`] if one party knows both, and those of the channel.
pub fn matrix_product<R: Ring>(p: &mut Party, shape: Shape, a: Factor<R>, b: Factor<R>) -> Result<AShare<R>> {
    shape.check(a.share, b.share)?;
    if a.known_to.is_some() && a.known_to == b.known_to {
        let accepted = "at most one factor: the other product is local".into();
        return Err(Error::Param { what: "factors known to one party", got: "2".into(), accepted });
    }
    let (mine, peer) = (p.role(), p.role().peer());
    let directions =
        Directions { left: a.is_with(mine) && b.is_with(peer), right: b.is_with(mine) && a.is_with(peer) };
    let bits = a.share.bits();
    let (a, b) = (words(a.share.words()), words(b.share.words()));
    let mut out = Zeroizing::new(shape.local(&a, &b));
    cross(p, bits, shape, directions, (&a, &b), &mut out)?;
    Ok(share(bits, &out))
}

/// Shares of `A B` for a public A, row by row. Local.
///
/// # Errors
/// [`Error::Shape`] unless the factors have the numbers of the shape.
pub fn public_times_shared<R: Ring>(shape: Shape, a: &[R], b: &AShare<R>) -> Result<AShare<R>> {
    let a = AShare::new(b.bits(), a.to_vec());
    shape.check(&a, b)?;
    Ok(share(b.bits(), &Zeroizing::new(shape.local(&words(a.words()), &words(b.words())))))
}

/// Shares of `A B` for a public B, row by row. Local.
///
/// # Errors
/// [`Error::Shape`] unless the factors have the numbers of the shape.
pub fn shared_times_public<R: Ring>(shape: Shape, a: &AShare<R>, b: &[R]) -> Result<AShare<R>> {
    let b = AShare::new(a.bits(), b.to_vec());
    shape.check(a, &b)?;
    Ok(share(a.bits(), &Zeroizing::new(shape.local(&words(a.words()), &words(b.words())))))
}

/// In which directions a party takes part in the mixed products.
#[derive(Clone, Copy)]
pub(super) struct Directions {
    /// With its share of the left factor.
    pub(super) left: bool,
    /// With its share of the right one.
    pub(super) right: bool,
}

impl Shape {
    /// A batch of products of numbers.
    pub fn numbers(batch: usize) -> Self {
        Self { batch, rows: 1, inner: 1, columns: 1 }
    }

    /// Numbers of the left factors.
    pub fn left(&self) -> usize {
        self.batch * self.rows * self.inner
    }

    /// Numbers of the right factors.
    pub fn right(&self) -> usize {
        self.batch * self.inner * self.columns
    }

    /// Numbers of the products.
    pub fn out(&self) -> usize {
        self.batch * self.rows * self.columns
    }

    /// Correlated OTs of a direction, for numbers of `bits` bits.
    pub fn cots(&self, bits: u32) -> usize {
        self.left().min(self.right()) * bits as usize
    }

    fn check<R: Ring>(&self, a: &AShare<R>, b: &AShare<R>) -> Result<()> {
        same("numbers of the left factors", self.left(), a.len())?;
        same("numbers of the right factors", self.right(), b.len())?;
        same("bits of the factors", a.bits() as usize, b.bits() as usize)
    }

    /// The products themselves, mod `2^64`.
    pub(super) fn local(&self, a: &[u64], b: &[u64]) -> Vec<u64> {
        let Self { rows, inner, columns, .. } = *self;
        let mut out = vec![0u64; self.out()];
        for (i, &x) in a.iter().enumerate() {
            let (row, k, batch) = (i / inner, i % inner, i / (rows * inner));
            let b = &b[(batch * inner + k) * columns..][..columns];
            let out = &mut out[row * columns..][..columns];
            out.iter_mut().zip(b).for_each(|(o, y)| *o = o.wrapping_add(x.wrapping_mul(*y)));
        }
        out
    }

    /// Whether the numbers are those of the right factor, and the rows columns of the left one.
    pub(super) fn numbers_are_right(&self) -> bool {
        self.columns <= self.rows
    }
}

impl<'a, R: Ring> Factor<'a, R> {
    /// A shared factor.
    pub fn shared(share: &'a AShare<R>) -> Self {
        Self { share, known_to: None }
    }

    fn is_with(&self, role: Role) -> bool {
        self.known_to.is_none_or(|known| known == role)
    }
}

/// Adds shares of the mixed products of what the parties have of the factors.
fn cross(
    p: &mut Party,
    bits: u32,
    shape: Shape,
    directions: Directions,
    (a, b): (&[u64], &[u64]),
    out: &mut [u64],
) -> Result<()> {
    let numbers = match shape.numbers_are_right() {
        true if directions.right => b,
        false if directions.left => a,
        _ => &[],
    };
    let factors = Numbers::Chosen(numbers);
    cross_with(p, bits, shape, directions, (a, b), factors, out).map(drop)
}

/// [`cross`] with numbers that are chosen, or random: then returns this party's.
pub(super) fn cross_with(
    p: &mut Party,
    bits: u32,
    shape: Shape,
    directions: Directions,
    (a, b): (&[u64], &[u64]),
    numbers: Numbers,
    out: &mut [u64],
) -> Result<Zeroizing<Vec<u64>>> {
    let Shape { rows, inner, columns, .. } = shape;
    let mut add = |at: usize, share| out[at] = out[at].wrapping_add(share);
    if shape.numbers_are_right() {
        // Item i is number i of B, of row `i / columns` over the batch.
        let place = |i: usize| (i / (inner * columns), i / columns % inner, i % columns);
        let word = |i: usize, r: usize| {
            let (batch, k, _) = place(i);
            a[(batch * rows + r) * inner + k]
        };
        let count = if directions.left { shape.right() } else { 0 };
        let factors = Factors { bits, number_bits: bits, row: rows, rows: count, word: &word, numbers };
        return gilboa::multiply(p, &factors, &mut |i, r, share| {
            let (batch, _, column) = place(i);
            add((batch * rows + r) * columns + column, share);
        });
    }
    // Item i is number i of A.
    let word = |i: usize, c: usize| b[(i / (rows * inner) * inner + i % inner) * columns + c];
    let count = if directions.right { shape.left() } else { 0 };
    let factors = Factors { bits, number_bits: bits, row: columns, rows: count, word: &word, numbers };
    gilboa::multiply(p, &factors, &mut |i, c, share| add(i / inner * columns + c, share))
}
