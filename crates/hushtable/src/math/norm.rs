//! Layer norm of rows of shared numbers.
//!
//! # Functionality
//! In: additive shares mod `2^l` of rows of d numbers with F bits behind the point; gains and offsets,
//! one of each for a column, public or known to one party. Out: shares of
//! `g_i (x_i - mean) / sqrt(variance + epsilon) + b_i` of each row, with F bits behind the point.
//!
//! The error is at most `1 + |g| / 4 + |g| / (4 s)` units in the last place, s being the root, and
//! `2e-5 + 2^(-2F) / s^2` of the result without the offset.
//!
//! # Protocol
//! All in a ring of w bits, to which x is extended:
//! 1. The mean, with `F + 4` bits behind the point, is the sum of a row times the public `1/d`, truncated;
//!    `c_i = x_i - mean`.
//! 2. d times the variance: the sum of the squares of the `c_i` with F bits behind the point. It is too
//!    large by d times the square of the mean's error, which is a unit at most.
//! 3. `sqrt(d) / sqrt(..)` of it, plus `d epsilon` (`math::root`).
//! 4. Its products with the `c_i` share the correlated OTs of a row, and are truncated.
//! 5. Those with the gains, local for public ones, are truncated after the offsets are added.
//!
//! # Outside the bounds
//! A row whose variance, with epsilon, or whose numbers are beyond the bounds gives numbers without
//! meaning. A gain or offset beyond its bound ends both parties, who learn whose it is and no more.
//!
//! # Cost, a number
//! A bounded extension, a square and a product with one number for the row in w bits, two truncations;
//! for private gains a product with one number for the column, in one direction.
//!
//! # Source
//! Ba, Kiros, Hinton, "Layer Normalization" (2016); lut-spec 11.5 for the normalisation.

use prim::ring::Ring;

use super::{
    Cost, TensorCard,
    affine::Affine,
    linear, predict,
    reciprocal::{extended, too_wide},
    root::{Root, RootJob},
};
use crate::{
    arith::{Factor, Fixed, Shape, matrix_product, square},
    error::{Error, Result, same},
    party::Party,
    share::AShare,
};

/// Bits behind the point, beside F, of the numbers less their mean.
const MORE: u32 = 4;

/// What the rows of a batch have in common. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormJob {
    /// Rows.
    pub rows: usize,
    /// Numbers in a row, d.
    pub len: usize,
    /// Width of a number, l.
    pub bits: u32,
    /// Bits behind the point, F.
    pub scale: u32,
    /// The greatest `|x|`.
    pub largest: f64,
    /// The least and the greatest variance with epsilon, at most `2^15` apart.
    pub variance: [f64; 2],
    /// What is added to the variance.
    pub epsilon: f64,
    /// The greatest gain or offset, without its sign.
    pub gain: f64,
}

/// One-time material for a batch of rows.
///
/// ```compile_fail,E0382
/// # use hushtable::{Party, Result, arith::Fixed, math::{Affine, Norm}};
/// fn twice(p: &mut Party, m: Norm, x: &Fixed<u64>, a: &Affine) -> Result<()> {
///     m.eval(p, x, a)?;
///     m.eval(p, x, a)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Norm {
    job: NormJob,
    root: Root,
}

impl NormJob {
    /// Width of the ring in which the steps are done: the overflow of none of them fits it.
    ///
    /// # Errors
    /// [`Error::Param`] for bounds that are not supported, and for a ring of more than 64 bits, with the
    /// bits needed.
    pub fn ring(&self) -> Result<u32> {
        for (what, v) in [("largest number of a layer norm", self.largest), ("largest gain", self.gain)] {
            if !(v > 0.0 && v.is_finite()) {
                return Err(Error::Param { what, got: v.to_string(), accepted: "above 0".into() });
            }
        }
        if !(self.epsilon >= 0.0 && self.epsilon <= self.variance[1]) {
            let (what, got) = ("epsilon of a layer norm", self.epsilon.to_string());
            return Err(Error::Param { what, got, accepted: "0 to the greatest variance".into() });
        }
        if self.len == 0 {
            let (what, got) = ("numbers in a row of a layer norm", "0".into());
            return Err(Error::Param { what, got, accepted: "1 and more".into() });
        }
        let bits = |v: f64| libm::log2(v).ceil().max(0.0) as u32;
        let (f, d) = (self.scale, self.len as f64);
        let mean = f + self.mean_digits() + bits(self.largest) + 3;
        let squares = 2 * f + bits(d * self.variance[1]) + 3;
        let scaled = f + MORE + self.root_scale() + bits(d.sqrt()) + 3;
        let gains = 2 * f + MORE + bits(self.gain * (d.sqrt() + 1.0)) + 3;
        let needed = [mean, squares, scaled, gains, self.root(64).needed()?, self.bits];
        let out = f + bits(self.gain * (d.sqrt() + 1.0)) + 1;
        // The numbers themselves are extended: two bits are for that.
        let own = out.max(f + bits(self.largest) + 3);
        if self.bits < own {
            return Err(too_wide("numbers and results of a layer norm", own, self.bits));
        }
        match needed.into_iter().max() {
            Some(ring @ ..=64) => Ok(ring),
            ring => Err(too_wide("ring of a layer norm", ring.unwrap_or(0), 64)),
        }
    }

    /// What all rows cost.
    ///
    /// # Errors
    /// As [`ring`](Self::ring).
    pub fn cost(&self, private_gains: bool) -> Result<Cost> {
        let (w, f, numbers) = (self.ring()?, self.scale, self.rows * self.len);
        let finer = f + MORE;
        let fine = predict::rescaling((f + self.mean_digits()) as i32, finer);
        let mean = (fine + predict::rescaling(finer as i32, f)).times(self.rows);
        let first = predict::extension(self.bits, w).times(numbers) + mean;
        let root = self.root(w).cost()?.times(self.rows);
        let scaled = predict::products_with_one(w, self.len).times(self.rows)
            + predict::rescaling((finer + self.root_scale()) as i32, finer).times(numbers);
        let gains =
            if private_gains { predict::known(w, self.rows).times(self.len) } else { Cost::default() };
        let last = predict::rescaling((finer + f) as i32, f).times(numbers);
        Ok(first + predict::square(w).times(numbers) + root + scaled + gains + last)
    }

    /// What is known of it.
    ///
    /// # Errors
    /// As [`ring`](Self::ring).
    pub fn card(&self, private_gains: bool) -> Result<TensorCard> {
        let (largest, [low, high]) = (self.largest, self.variance);
        Ok(TensorCard {
            function: "layer norm of each row",
            shape: [self.rows, self.len],
            ring: self.bits,
            scale: self.scale,
            max_ulp: "1 + |g|/4 (1 + 1/s), for gain g and deviation s, and 2e-5 of the result".into(),
            outside: format!(
                "numbers beyond {largest} and variances outside {low} to {high} are not allowed, not checked"
            ),
            cost: self.cost(private_gains)?,
        })
    }

    /// Bits behind the point of `1/d`.
    fn mean_digits(&self) -> u32 {
        let sum = libm::log2(self.largest * self.len as f64).ceil().max(0.0) as u32;
        self.scale + MORE + 1 + sum
    }

    /// Those of the reciprocal root: errors of the products are an eighth of a unit.
    fn root_scale(&self) -> u32 {
        let largest = (2.0 * self.largest).min((self.len as f64 * self.variance[1]).sqrt());
        self.scale + 3 + libm::log2(largest).ceil().max(0.0) as u32
    }

    fn root(&self, ring: u32) -> RootJob {
        let (d, unit) = (self.len as f64, 2f64.powi(-(self.scale as i32)));
        RootJob {
            ring,
            scale: 2 * self.scale,
            scale_out: self.root_scale(),
            // With the error of the mean.
            bounds: [self.variance[0] * d, (self.variance[1] + 4.0 * unit * unit) * d],
            factor: d.sqrt(),
        }
    }
}

impl Norm {
    /// Offline, for the rows of the job.
    ///
    /// # Errors
    /// As [`NormJob::ring`], and those of the channel.
    pub fn prepare(p: &mut Party, job: NormJob) -> Result<Self> {
        let ring = job.ring()?;
        p.announce(&format!("layer norm {job:?}"))?;
        let root = Root::prepare(p, job.root(ring), job.rows)?;
        Ok(Self { job, root })
    }

    /// Online: shares of the norm of each row; the rows stand one behind the other. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless numbers, widths, scales, gains and offsets are those prepared for,
    /// [`Error::Param`] for a gain above the bound, at both parties whoever knows it,
    /// [`Error::Handshake`] for public gains that differ, and those of the channel.
    pub fn eval<R: Ring>(self, p: &mut Party, x: &Fixed<R>, affine: &Affine) -> Result<Fixed<R>> {
        let job = self.job;
        same("numbers of a layer norm, rows times numbers in a row", job.rows * job.len, x.len())?;
        same("bits of the numbers of a layer norm", job.bits as usize, x.bits() as usize)?;
        same("scale of the numbers of a layer norm", job.scale as usize, x.scale() as usize)?;
        affine.agree(p, job.len, job.gain)?;
        let out = self.rows(p, x, affine).map_err(|error| affine.explain(job.gain, error))?;
        Fixed::new(out.low_bits(job.bits)?, job.scale)
    }

    /// The steps.
    fn rows<R: Ring>(self, p: &mut Party, x: &Fixed<R>, affine: &Affine) -> Result<AShare<u64>> {
        let (job, role) = (self.job, p.role());
        let ring = job.ring()?;
        let x = extended(p, x.share(), ring)?;
        let (centred, coarse) = job.centred(p, &x)?;
        let squares = row_sums(&square(p, &coarse)?, job.len);
        let epsilon = job.epsilon * job.len as f64 * 2f64.powi(2 * job.scale as i32);
        let root = self.root.eval(p, &linear::plus(role, &squares, epsilon.round() as u64))?;
        let shape = Shape { batch: job.rows, rows: job.len, inner: 1, columns: 1 };
        let scaled = matrix_product(p, shape, Factor::shared(&centred), Factor::shared(&root))?;
        let finer = job.scale + MORE;
        let scaled = linear::rescale(p, &scaled, (finer + job.root_scale()) as i32, finer)?;
        let out = affine.apply(p, &scaled, job.len, job.scale, finer)?;
        linear::rescale(p, &out, (finer + job.scale) as i32, job.scale)
    }
}

impl NormJob {
    /// Step 1: the numbers less their mean, with `F + 4` and with F bits behind the point.
    fn centred(&self, p: &mut Party, x: &AShare<u64>) -> Result<(AShare<u64>, AShare<u64>)> {
        let digits = self.mean_digits();
        let part = (2f64.powi(digits as i32) / self.len as f64).round() as u64;
        let sums = row_sums(x, self.len);
        let scaled: AShare<u64> = linear::map(&sums, x.bits(), |s| s.wrapping_mul(part));
        let fine = linear::rescale(p, &scaled, (self.scale + digits) as i32, self.scale + MORE)?;
        let coarse = linear::rescale(p, &fine, (self.scale + MORE) as i32, self.scale)?;
        let finer: AShare<u64> = linear::map(x, x.bits(), |x| x << MORE);
        Ok((&finer - &repeated(&fine, self.len), x - &repeated(&coarse, self.len)))
    }
}

/// The number of each row once for each of its numbers.
pub(super) fn repeated(x: &AShare<u64>, len: usize) -> AShare<u64> {
    // As long as it will be: growing leaves copies that are not wiped.
    let mut words = Vec::with_capacity(len * x.len());
    x.words().iter().for_each(|&w| words.extend(std::iter::repeat_n(w, len)));
    AShare::new(x.bits(), words)
}

/// The sum of each row.
pub(super) fn row_sums(x: &AShare<u64>, len: usize) -> AShare<u64> {
    let sum = |row: &[u64]| row.iter().fold(0u64, |sum, x| sum.wrapping_add(*x));
    AShare::new(x.bits(), x.words().chunks_exact(len).map(sum).collect())
}
