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
//! With `s = min(m, n)`, a direction: `k s l` correlated OTs; online `k s l + m k n l (l + 1) / 2` bits.
//! Two directions if both factors are shared, else one. 1 round.
//!
//! # Source
//! Mohassel, Zhang, "SecureML" (S&P 2017), section 5, vectorised OT-based products.

use prim::ring::Ring;
use zeroize::Zeroizing;

use super::{
    gilboa::{Factors, Gilboa},
    product::{check_width, share, words},
};
use crate::{
    bill::Bill,
    error::{Error, Result, same},
    net::Role,
    session::Session,
    share::AShare,
    source::Source,
};

/// The shape of a batch of matrix products; a product of numbers has 1 of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatrixShape {
    /// Products in the batch.
    pub batch: usize,
    /// Rows of the left factor.
    pub rows: usize,
    /// Columns of the left factor and rows of the right one.
    pub inner: usize,
    /// Columns of the right factor.
    pub columns: usize,
}

/// Matrix products of a shape. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatrixJob {
    /// The shape.
    pub shape: MatrixShape,
    /// Width of the numbers.
    pub bits: u32,
    /// Who knows the left factor, and the right one; `None` if it is shared.
    pub known_to: [Option<Role>; 2],
}

/// One-time material for matrix products.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::MatrixProduct};
/// fn twice(p: &mut Party, m: MatrixProduct, a: &AShare<u32>, b: &AShare<u32>) -> Result<()> {
///     m.multiply(p, a, b)?;
///     m.multiply(p, a, b)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct MatrixProduct {
    job: MatrixJob,
    mixed: Mixed,
}

impl MatrixJob {
    /// Of shared factors.
    pub fn shared(shape: MatrixShape, bits: u32) -> Self {
        Self { shape, bits, known_to: [None; 2] }
    }

    /// What the products cost.
    pub fn bill(&self) -> Bill {
        let of = |role| self.shape.mixed_bill(self.bits, self.directions(role));
        of(Role::P0).beside(of(Role::P1).swapped())
    }

    /// In which directions the party `role` takes part in the mixed products.
    fn directions(&self, role: Role) -> Directions {
        let [left, right] = self.known_to;
        let has = |known: Option<Role>, role| known.is_none_or(|known| known == role);
        Directions {
            left: has(left, role) && has(right, role.peer()),
            right: has(right, role) && has(left, role.peer()),
        }
    }
}

impl MatrixProduct {
    /// Offline.
    ///
    /// # Errors
    /// [`Error::Param`] if one party knows both factors and for widths other than 1 to 64, and those of the
    /// channel.
    pub fn prepare(p: &mut dyn Source, job: MatrixJob) -> Result<Self> {
        check_width::<u64>(job.bits)?;
        if job.known_to[0].is_some() && job.known_to[0] == job.known_to[1] {
            let accepted = "at most one factor: the other product is local".into();
            return Err(Error::Param { what: "factors known to one party", got: "2".into(), accepted });
        }
        let directions = job.directions(p.role());
        Ok(Self { job, mixed: Mixed::prepare(p, job.bits, job.shape, directions)? })
    }

    /// Online, 1 round: shares of `A B`, from the numbers of each factor, row by row: shares, or if one party knows
    /// them, zeros at the other. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless the factors have the numbers of the shape and its width, and those of the channel.
    pub fn multiply<R: Ring>(self, s: &mut Session, a: &AShare<R>, b: &AShare<R>) -> Result<AShare<R>> {
        let MatrixJob { shape, bits, .. } = self.job;
        shape.check(a, b)?;
        same("bits of the factors", bits as usize, a.bits() as usize)?;
        let (a, b) = (words(a.words()), words(b.words()));
        let mut out = Zeroizing::new(shape.local(&a, &b));
        let numbers = match self.mixed.numbers() {
            0 => &[][..],
            _ if shape.numbers_are_right() => &b,
            _ => &a,
        };
        self.mixed.add(s, (&a, &b), Some(numbers), &mut out)?;
        Ok(share(bits, &out))
    }
}

/// Shares of `A B` for a public A, row by row. Local.
///
/// # Errors
/// [`Error::Shape`] unless the factors have the numbers of the shape.
pub fn public_times_shared<R: Ring>(shape: MatrixShape, a: &[R], b: &AShare<R>) -> Result<AShare<R>> {
    let a = AShare::new(b.bits(), a.to_vec());
    shape.check(&a, b)?;
    Ok(share(b.bits(), &Zeroizing::new(shape.local(&words(a.words()), &words(b.words())))))
}

/// Shares of `A B` for a public B, row by row. Local.
///
/// # Errors
/// [`Error::Shape`] unless the factors have the numbers of the shape.
pub fn shared_times_public<R: Ring>(shape: MatrixShape, a: &AShare<R>, b: &[R]) -> Result<AShare<R>> {
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

impl MatrixShape {
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

    /// What the directions of the mixed products cost in which P0 has the rows, `directions` being P0's.
    pub(super) fn mixed_bill(&self, bits: u32, directions: Directions) -> Bill {
        Gilboa::bill(bits, bits, self.row()).times(self.items(directions).0)
    }

    /// Words of a row that a number is multiplied with.
    fn row(&self) -> usize {
        if self.numbers_are_right() { self.rows } else { self.columns }
    }

    /// Of how many items a party has the row, and of how many the number.
    fn items(&self, Directions { left, right }: Directions) -> (usize, usize) {
        let of = |takes_part, count| if takes_part { count } else { 0 };
        match self.numbers_are_right() {
            true => (of(left, self.right()), of(right, self.right())),
            false => (of(right, self.left()), of(left, self.left())),
        }
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

/// One-time material for the mixed products of what the parties have of the factors.
pub(super) struct Mixed {
    bits: u32,
    shape: MatrixShape,
    gilboa: Gilboa,
}

impl Mixed {
    pub(super) fn prepare(
        p: &mut dyn Source,
        bits: u32,
        shape: MatrixShape,
        directions: Directions,
    ) -> Result<Self> {
        let (rows, numbers) = shape.items(directions);
        Ok(Self { bits, shape, gilboa: Gilboa::prepare(p, bits, rows, numbers)? })
    }

    /// How many numbers this party multiplies rows of the peer's with.
    pub(super) fn numbers(&self) -> usize {
        self.gilboa.numbers()
    }

    /// Those, if both parties' are random.
    pub(super) fn random_numbers(&self) -> Zeroizing<Vec<u64>> {
        self.gilboa.random_numbers(self.shape.row())
    }

    /// Adds shares of the products: of `numbers`, or of random ones. 1 round. Spends the material.
    pub(super) fn add(
        self,
        s: &mut Session,
        (a, b): (&[u64], &[u64]),
        numbers: Option<&[u64]>,
        out: &mut [u64],
    ) -> Result<()> {
        let Self { bits, shape, gilboa } = self;
        let MatrixShape { rows, inner, columns, .. } = shape;
        let mut add = |at: usize, share| out[at] = out[at].wrapping_add(share);
        if shape.numbers_are_right() {
            // Item i is number i of B, of row `i / columns` over the batch.
            let place = |i: usize| (i / (inner * columns), i / columns % inner, i % columns);
            let word = |i: usize, r: usize| {
                let (batch, k, _) = place(i);
                a[(batch * rows + r) * inner + k]
            };
            let factors = Factors { bits, cut: 0, row: rows, word: &word, numbers };
            return gilboa.multiply(s, &factors, &mut |i, r, share| {
                let (batch, _, column) = place(i);
                add((batch * rows + r) * columns + column, share);
            });
        }
        // Item i is number i of A.
        let word = |i: usize, c: usize| b[(i / (rows * inner) * inner + i % inner) * columns + c];
        let factors = Factors { bits, cut: 0, row: columns, word: &word, numbers };
        gilboa.multiply(s, &factors, &mut |i, c, share| add(i / inner * columns + c, share))
    }
}
