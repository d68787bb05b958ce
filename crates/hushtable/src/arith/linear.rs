//! Linear maps that one party knows, of small numbers: products with matrices, and convolutions; by correlated OTs.
//!
//! # Functionality
//! In: additive shares mod `2^l` of A; one party knows B, signed numbers of b bits, the *owner*. Out: shares of `A B`: of
//! matrices of `m x k` and `k x n` numbers, any number of such products at once; or of a convolution of images by filters.
//!
//! # Protocol
//! The owner adds `2^(b-1)` to its numbers, which makes them positive: both subtract `2^(b-1)` times the
//! sum of the numbers of A that an output is made of, locally. Its share of A is multiplied locally. Each of its numbers with
//! the other party's share of the column of A that it meets: Gilboa's, with rows of m words.
//!
//! # Cost
//! `k n b` correlated OTs; online `k n b + m k n b (2 l - b + 1) / 2` bits: 1 round. Of a convolution, m is the pixels of
//! a result, and k the numbers that an output is made of, filled up to whole strides.
//!
//! # Source
//! Mohassel, Zhang, "SecureML" (S&P 2017), section 5, with numbers of fewer bits than the ring.

use std::fmt;

use he::{Shape, Window};
use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use super::{
    convolution::ConvolutionShape,
    gilboa::{Factors, Gilboa},
    matrix::MatrixShape,
    product::{share, words},
};
use crate::{
    bill::Bill,
    cores,
    error::{Error, Result, same},
    net::Role,
    session::Session,
    share::AShare,
    source::Source,
    terms::{Terms, Value},
};

/// A linear map: of what to what. Public.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinearShape {
    /// Products with matrices.
    Matrices(MatrixShape),
    /// Convolutions with filters.
    Convolution(ConvolutionShape),
}

/// Linear maps that one party knows. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinearJob {
    /// What is mapped to what.
    pub shape: LinearShape,
    /// Width of the shared numbers.
    pub bits: u32,
    /// Bits of a known number, its sign included: 1 to 63, and at most those of the shares.
    pub number_bits: u32,
    /// Who knows the map.
    pub owner: Role,
}

/// One-time material for such products.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::LinearProduct};
/// fn twice(p: &mut Party, m: LinearProduct, a: &AShare<u32>, b: &[i64]) -> Result<()> {
///     m.multiply(p, a, b)?;
///     m.multiply(p, a, b)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct LinearProduct {
    job: LinearJob,
    items: usize,
    gilboa: Gilboa,
}

/// In the same words at both parties.
impl fmt::Display for LinearShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Matrices(MatrixShape { batch, rows, inner, columns }) => {
                write!(f, "{batch} of {rows} x {inner} x {columns}")
            }
            Self::Convolution(shape) => shape.fmt(f),
        }
    }
}

impl From<MatrixShape> for LinearShape {
    fn from(shape: MatrixShape) -> Self {
        Self::Matrices(shape)
    }
}

impl From<ConvolutionShape> for LinearShape {
    fn from(shape: ConvolutionShape) -> Self {
        Self::Convolution(shape)
    }
}

impl LinearShape {
    /// Numbers that are mapped.
    pub fn left(&self) -> usize {
        match self {
            Self::Matrices(shape) => shape.left(),
            Self::Convolution(shape) => shape.left(),
        }
    }

    /// Numbers of the map.
    pub fn right(&self) -> usize {
        match self {
            Self::Matrices(shape) => shape.right(),
            Self::Convolution(shape) => shape.right(),
        }
    }

    /// Numbers of the results.
    pub fn out(&self) -> usize {
        match self {
            Self::Matrices(shape) => shape.out(),
            Self::Convolution(shape) => shape.out(),
        }
    }

    /// Numbers of a result that have the same number added to them all.
    pub fn columns(&self) -> usize {
        match self {
            Self::Matrices(shape) => shape.columns,
            Self::Convolution(shape) => shape.filters,
        }
    }

    /// For shapes of material.
    pub(super) fn terms(&self) -> Terms {
        match *self {
            Self::Matrices(MatrixShape { batch, rows, inner, columns }) => Terms::of("matrices")
                .with("batch", batch)
                .with("rows", rows)
                .with("inner", inner)
                .with("columns", columns),
            Self::Convolution(shape) => {
                let ConvolutionShape { images, image, channels, filters, window, stride, padding, groups } =
                    shape;
                let pair = |sides: [usize; 2]| Value::List(sides.map(Value::from).to_vec());
                Terms::of("convolution")
                    .with("images", images)
                    .with("image", pair(image))
                    .with("channels", channels)
                    .with("filters", filters)
                    .with("window", pair(window))
                    .with("stride", pair(stride))
                    .with("padding", Value::List(padding.map(pair).to_vec()))
                    .with("groups", groups)
            }
        }
    }

    /// Products that have maps of their own.
    pub(super) fn batch(&self) -> usize {
        match self {
            Self::Matrices(shape) => shape.batch,
            Self::Convolution(shape) => shape.groups,
        }
    }

    /// Whether many maps by the same numbers are one, of matrices that stand on top of one another.
    pub(super) fn stacks(&self) -> bool {
        matches!(self, Self::Matrices(MatrixShape { batch: 1, .. }))
    }

    /// So many on top of one another; 1 of what does not [stack](Self::stacks).
    pub(super) fn stacked(self, count: usize) -> Self {
        match self {
            Self::Matrices(shape) => {
                Self::Matrices(MatrixShape { rows: shape.rows.saturating_mul(count), ..shape })
            }
            Self::Convolution(_) => self,
        }
    }

    /// How many products it consists of, and what each is.
    pub(super) fn products(&self) -> Result<(usize, Shape)> {
        match self {
            Self::Matrices(shape) => {
                let MatrixShape { batch, rows, inner, columns } = *shape;
                let all = [[rows, inner], [inner, columns], [rows, columns]];
                let most = |[a, b]: [usize; 2]| batch.checked_mul(a).and_then(|ab| ab.checked_mul(b));
                if all.into_iter().any(|sides| most(sides).is_none_or(|numbers| numbers > 1 << 40)) {
                    let (what, got) = ("numbers of products of matrices", self.to_string());
                    return Err(Error::Param { what, got, accepted: "at most 2^40 of each kind".into() });
                }
                let shape = Shape::new([rows, inner, columns], Window::ONE).map_err(Error::of_lattice)?;
                Ok((batch, shape))
            }
            Self::Convolution(shape) => {
                shape.check()?;
                Ok((shape.groups, shape.of_group()))
            }
        }
    }

    /// Numbers that are mapped, as the left matrices of the products; none where a party has none.
    pub(super) fn left_matrices(&self, x: &[u64]) -> Zeroizing<Vec<u64>> {
        Zeroizing::new(match self {
            Self::Convolution(shape) if !x.is_empty() => shape.left_matrices(x),
            _ => x.to_vec(),
        })
    }

    /// Numbers of the map, as the right matrices of the products; none where a party has none.
    pub(super) fn right_matrices(&self, numbers: &[i64]) -> Zeroizing<Vec<i64>> {
        Zeroizing::new(match self {
            Self::Convolution(shape) if !numbers.is_empty() => shape.right_matrices(numbers),
            _ => numbers.to_vec(),
        })
    }

    /// The results of the products of so many maps in their order.
    pub(super) fn results(&self, items: usize, products: Zeroizing<Vec<u64>>) -> Zeroizing<Vec<u64>> {
        let Self::Convolution(shape) = self else { return products };
        let mut out = Zeroizing::new(Vec::with_capacity(products.len()));
        let each = products.len() / items.max(1);
        (0..items).for_each(|i| shape.results(&products[i * each..(i + 1) * each], &mut out));
        out
    }
}

/// Rows that are multiplied together, so that a row of the right matrix is read once for all of them.
const ROWS: usize = 8;

/// Products of numbers that are worth a thread.
const WORTH: usize = 1 << 20;

/// The products themselves, mod `2^64`, on so many cores: of left matrices and right ones, the numbers of which `word` makes
/// words.
pub(super) fn local<T: Copy + Sync>(
    cores: usize,
    (batch, shape): (usize, Shape),
    left: &[u64],
    right: &[T],
    word: impl Fn(T) -> u64 + Sync,
) -> Zeroizing<Vec<u64>> {
    let (inner, columns) = (shape.inner(), shape.columns());
    let mut out = Zeroizing::new(vec![0u64; batch * shape.out()]);
    let starts: Vec<usize> = (0..shape.rows()).filter(|row| shape.output(*row).is_some()).collect();
    let all = left.chunks_exact(shape.left()).zip(right.chunks_exact(shape.right()));
    let pieces = all.zip(out.chunks_exact_mut(shape.out())).flat_map(|((left, right), out)| {
        let rows = starts.chunks(ROWS).zip(out.chunks_mut(ROWS * columns));
        rows.map(move |(starts, out)| (left, right, starts, out))
    });
    let worth = batch * shape.out() * shape.places() * inner / WORTH;
    cores::map(
        cores.min(worth),
        pieces.collect(),
        || (),
        |(), (left, right, starts, out)| {
            for (offset, right) in shape.offsets().zip(right.chunks_exact(inner * columns)) {
                for (k, right) in right.chunks_exact(columns).enumerate() {
                    for (start, out) in starts.iter().zip(out.chunks_exact_mut(columns)) {
                        let x = left[(start + offset) * inner + k];
                        out.iter_mut()
                            .zip(right)
                            .for_each(|(o, y)| *o = o.wrapping_add(x.wrapping_mul(word(*y))));
                    }
                }
            }
        },
    );
    out
}

impl LinearJob {
    /// What it costs by correlated OTs.
    ///
    /// # Errors
    /// [`Error::Param`] for what [`LinearProduct::prepare`] refuses.
    pub fn bill(&self) -> Result<Bill> {
        self.check()?;
        let (batch, shape) = self.shape.products()?;
        let item = Gilboa::bill(self.bits, self.number_bits, shape.out() / shape.columns());
        let bill = item.times(batch * shape.right());
        Ok(if self.owner == Role::P1 { bill } else { bill.swapped() })
    }

    pub(super) fn check(&self) -> Result<()> {
        let most = self.bits.min(63);
        self.shape.products()?;
        if (1..=most).contains(&self.number_bits) && self.bits <= 64 {
            return Ok(());
        }
        let (what, got) = ("bits of a small number", self.number_bits.to_string());
        Err(Error::Param { what, got, accepted: format!("1 to {most}") })
    }

    /// That these are the owner's numbers; or none, at the other party.
    pub(crate) fn check_numbers(&self, role: Role, numbers: &[i64]) -> Result<()> {
        let owned = if role == self.owner { self.shape.right() } else { 0 };
        same("numbers of a linear map", owned, numbers.len())?;
        let half = 1i64 << (self.number_bits - 1);
        if let Some(i) = numbers.iter().position(|v| !(-half..half).contains(v)) {
            // The owner's numbers belong in no message.
            let got = format!("the one at {i}");
            let accepted = format!("-2^{0} to 2^{0} - 1", self.number_bits - 1);
            return Err(Error::Param { what: "number of a linear map", got, accepted });
        }
        Ok(())
    }

    /// The owner's numbers plus `2^(b-1)`; none at the other party.
    fn positive(&self, role: Role, numbers: &[i64]) -> Result<Zeroizing<Vec<u64>>> {
        self.check_numbers(role, numbers)?;
        let half = 1i64 << (self.number_bits - 1);
        let numbers = self.shape.right_matrices(numbers);
        let moved = numbers.iter().map(|v| low(v.wrapping_add(half) as u64, self.number_bits));
        Ok(Zeroizing::new(moved.collect()))
    }
}

impl LinearProduct {
    /// Offline.
    ///
    /// # Errors
    /// [`Error::Param`] for a shape with a zero and for numbers of too many bits, and those of the channel.
    pub fn prepare(p: &mut dyn Source, job: LinearJob) -> Result<Self> {
        Self::of(p, job, 1)
    }

    /// For so many maps by the same numbers.
    pub(super) fn of(p: &mut dyn Source, job: LinearJob, items: usize) -> Result<Self> {
        job.check()?;
        let (batch, shape) = job.shape.products()?;
        let all = items * batch * shape.right();
        let (rows, numbers) = if job.owner == p.role() { (0, all) } else { (all, 0) };
        Ok(Self { job, items, gilboa: Gilboa::prepare(p, job.number_bits, rows, numbers)? })
    }

    /// Online, 1 round: shares of `A B`; `numbers` is B at the owner, and empty at the other party.
    /// Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless the factors have the numbers of the shape, [`Error::Param`] for a number that
    /// does not fit its bits, and those of the channel.
    pub fn multiply<R: Ring>(self, s: &mut Session, a: &AShare<R>, numbers: &[i64]) -> Result<AShare<R>> {
        let Self { job: LinearJob { shape: map, bits, number_bits, .. }, items, .. } = self;
        same("numbers that are mapped", items * map.left(), a.len())?;
        same("bits of the numbers that are mapped", bits as usize, a.bits() as usize)?;
        let (batch, shape) = map.products()?;
        let batch = items * batch;
        let numbers = Zeroizing::new(self.job.positive(s.role(), numbers)?.repeat(items));
        let mut left = Zeroizing::new(Vec::with_capacity(batch * shape.left()));
        words(a.words()).chunks_exact(map.left()).for_each(|a| left.extend_from_slice(&map.left_matrices(a)));
        let a = left;
        let mut out = match numbers.is_empty() {
            true => Zeroizing::new(vec![0; batch * shape.out()]),
            false => local(s.cores(), (batch, shape), &a, &numbers, |y| y),
        };
        let (inner, columns) = (shape.inner(), shape.columns());
        let starts: Vec<usize> = (0..shape.rows()).filter(|row| shape.output(*row).is_some()).collect();
        let offsets: Vec<usize> = shape.offsets().collect();
        // Item i is number i of B: its product, its place of the window, its row and its column.
        let place = |i: usize| {
            let (number, of) = (i % shape.right(), i / shape.right());
            (of, number / (inner * columns), number / columns % inner, number % columns)
        };
        let word = |i: usize, r: usize| {
            let (of, window, k, _) = place(i);
            a[of * shape.left() + (starts[r] + offsets[window]) * inner + k]
        };
        let factors = Factors { bits, cut: 0, row: starts.len(), word: &word, numbers: Some(&numbers) };
        self.gilboa.multiply(s, &factors, &mut |i, r, share| {
            let (of, _, _, column) = place(i);
            let out = &mut out[of * shape.out() + r * columns + column];
            *out = out.wrapping_add(share);
        })?;
        for (out, a) in out.chunks_exact_mut(shape.out()).zip(a.chunks_exact(shape.left())) {
            for (out, start) in out.chunks_exact_mut(columns).zip(&starts) {
                let rows = offsets.iter().flat_map(|offset| &a[(start + offset) * inner..][..inner]);
                let sum = rows.fold(0u64, |sum, x| sum.wrapping_add(*x)) << (number_bits - 1);
                out.iter_mut().for_each(|o| *o = o.wrapping_sub(sum));
            }
        }
        Ok(share(bits, &map.results(items, out)))
    }
}
