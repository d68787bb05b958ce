//! Softmax of rows of shared numbers.
//!
//! # Functionality
//! In: additive shares mod `2^l` of rows of d numbers with F bits behind the point, `|x| < 2^(l-3-F)`.
//! Out: shares of `e^(x_i) / (e^(x_1) + ... + e^(x_d))` of each row, with F bits behind the point, wrong
//! by 2 units in the last place at most. That is measured, on random rows and hard ones, not proven: the
//! last truncation makes a unit of it at most, the reciprocal and what the parties compute less than half
//! of one; the errors of the d terms of a sum are independent and 0 on average, so that theirs has a
//! deviation of `sqrt(d) / 1000` units.
//!
//! # Protocol
//! 1. *Maximum*: each party shifts its shares by `F - 4` bits; a tree finds the maximum of what they
//!    then share, `M`. With `2^(F-4) (M + 2)` plus `1/32` for the maximum, `t_i`, the maximum minus
//!    `x_i`, is positive and `1/32` to `5/32` for the largest number: softmax is the same.
//! 2. *Exponential* ([`Exponential`]) of `-t_i`, with `F + 10` bits behind the point.
//! 3. *Sum* of each row, before anything is rounded to fewer bits.
//! 4. *Reciprocal* ([`Reciprocal`](super::Reciprocal)) of the sum, which is at least `1/2` and at most d.
//! 5. The products, `F + 3` bits behind the point in each factor, share the correlated OTs of a row;
//!    they are truncated into a ring of `F + 2` bits and extended to the ring of l bits.
//!
//! # Cost, a number
//! Near 1 maximum of `l - F + 4` bits, an exponential, a product with one number for the row,
//! `v (v + 1) + 2 v / d` bits of `v = 2F + 8`, and an extension from `F + 2` to l bits; and for each row
//! the reciprocal. [`SoftmaxJob::bill`] has the sum.
//!
//! # Source
//! lut-spec 11.5; Hou et al., "CipherGPT" (2023). Deviations: the maximum is that of coarser numbers;
//! the exponential takes one lookup, see there; numbers far below the maximum are held before the
//! exponential, so that they do not count in the sum.

use prim::ring::Ring;

use super::{
    exponential::{Exponential, ExponentialJob},
    norm::{repeated, row_sums},
    reciprocal::{Reciprocal, ReciprocalJob, too_wide},
};
use crate::{
    arith::{
        CompareDomain, CompareJob, ComparePlan, Comparison, Fixed, MatrixJob, MatrixProduct, MatrixShape,
        Objective, VectorMaximum, truncate_reduce,
    },
    bill::Bill,
    error::{Error, Result, same},
    gates::{Bits, Mux},
    math::{
        functions::TensorCard,
        linear::{self, Widening},
    },
    session::Session,
    share::AShare,
    source::Source,
    terms::Terms,
};

/// Bits behind the point of the numbers whose maximum is found.
const MAX_SCALE: u32 = 4;

/// What the rows of a batch have in common. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SoftmaxJob {
    /// Rows.
    pub rows: usize,
    /// Numbers in a row, d.
    pub len: usize,
    /// Width of a number, l.
    pub bits: u32,
    /// Bits behind the point, F, 8 to 14.
    pub scale: u32,
    /// What the comparisons are to have least of.
    pub objective: Objective,
}

/// One-time material for a batch of rows.
///
/// ```compile_fail,E0382
/// # use hushtable::{Party, Result, arith::Fixed, math::Softmax};
/// fn twice(p: &mut Party, m: Softmax, x: &Fixed<u64>) -> Result<()> {
///     m.eval(p, x)?;
///     m.eval(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Softmax {
    job: SoftmaxJob,
    maximum: VectorMaximum,
    far: Comparison,
    hold: Mux,
    exponential: Exponential,
    reciprocal: Reciprocal,
    product: MatrixProduct,
    widening: Widening,
}

impl SoftmaxJob {
    /// What rows have in common, however many there are.
    pub(crate) fn terms(&self) -> Terms {
        Terms::of("softmax")
            .with("numbers of a row", self.len)
            .with("bits", self.bits)
            .with("fraction bits", self.scale)
            .with("objective", self.objective)
    }

    /// `Ok(())` if there are such rows.
    ///
    /// # Errors
    /// [`Error::Param`] that says what is supported.
    pub fn check(&self) -> Result<()> {
        let Self { len, bits, scale, .. } = *self;
        if !(8..=14).contains(&scale) {
            let (what, got) = ("bits behind the point of softmax", scale.to_string());
            return Err(Error::Param { what, got, accepted: "8 to 14".into() });
        }
        if !(1..=1 << 14).contains(&len) {
            let (what, got) = ("numbers in a row of softmax", len.to_string());
            return Err(Error::Param { what, got, accepted: "1 to 16384".into() });
        }
        if bits < scale + 8 || bits > 64 {
            let (what, got) = ("bits of a number of softmax", bits.to_string());
            return Err(Error::Param { what, got, accepted: format!("{} to 64", scale + 8) });
        }
        match self.sum_bits() {
            0..=62 => Ok(()),
            needed => Err(too_wide("sum of a row of softmax", needed, 62)),
        }
    }

    /// What all rows cost.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn bill(&self) -> Result<Bill> {
        self.check()?;
        let numbers = self.rows * self.len;
        let maximum = VectorMaximum::bill(&self.max_job()?, self.len, false)?.times(self.rows);
        let held = self.far_job()?.bill()? + Mux::bill(&[ExponentialJob::bits(self.scale)]);
        let exponentials = (held + self.exponential().bill()?).times(numbers);
        let inverses = self.reciprocal().bill()?.times(self.rows);
        let out = Widening::bill(self.widths())?.times(numbers);
        Ok(maximum + exponentials + inverses + self.products().bill() + out)
    }

    /// What is known of it.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn card(&self) -> Result<TensorCard> {
        let most = 2f64.powi(self.bits as i32 - 3 - self.scale as i32);
        Ok(TensorCard {
            function: "softmax of each row",
            shape: [self.rows, self.len],
            ring: self.bits,
            scale: self.scale,
            max_ulp: "2".into(),
            outside: format!("numbers of {most} and more, or -{most} and less, are not allowed, not checked"),
            bill: self.bill()?,
        })
    }

    /// How the comparisons of the maximum are done, and those of numbers far below it.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn plans(&self) -> Result<[ComparePlan; 2]> {
        self.check()?;
        Ok([self.max_job()?.plan, self.far_job()?.plan])
    }

    fn max_job(&self) -> Result<CompareJob> {
        CompareJob::new(self.bits - self.scale + MAX_SCALE, CompareDomain::Near, self.objective)
    }

    /// The comparison of numbers in units of 4.
    fn far_job(&self) -> Result<CompareJob> {
        CompareJob::new(self.bits - self.scale - 2, CompareDomain::Near, self.objective)
    }

    fn exponential(&self) -> ExponentialJob {
        ExponentialJob { scale: self.scale, batch: self.rows * self.len, ring: self.sum_bits() }
    }

    /// Bits behind the point of the factors of step 5, and of their ring.
    fn product(&self) -> [u32; 2] {
        [self.scale + 3, 2 * self.scale + 8]
    }

    /// Step 5: the products of a row with one number.
    fn products(&self) -> MatrixJob {
        let shape = MatrixShape { batch: self.rows, rows: self.len, inner: 1, columns: 1 };
        MatrixJob::shared(shape, self.product()[1])
    }

    /// Of what step 5 extends, and to what.
    fn widths(&self) -> [u32; 2] {
        [self.scale + 2, self.bits]
    }

    /// Width of the exponentials' sums, which leaves the product's ring when their scale is cut.
    fn sum_bits(&self) -> u32 {
        let sum = ExponentialJob::scale_out(self.scale) + self.len.next_power_of_two().trailing_zeros() + 2;
        let [scale, ring] = self.product();
        sum.max(ring + ExponentialJob::scale_out(self.scale) - scale)
    }

    fn reciprocal(&self) -> ReciprocalJob {
        ReciprocalJob {
            bits: self.sum_bits(),
            scale: ExponentialJob::scale_out(self.scale),
            scale_out: self.product()[0],
            bounds: [0.5, self.len as f64],
            dividend: 0.0,
        }
    }
}

impl Softmax {
    /// Offline, for the rows of the job.
    ///
    /// # Errors
    /// As [`SoftmaxJob::check`], and those of the channel.
    pub fn prepare(p: &mut dyn Source, job: SoftmaxJob) -> Result<Self> {
        job.check()?;
        p.announce(&job.terms().with("rows", job.rows).to_string())?;
        let numbers = job.rows * job.len;
        let maximum = VectorMaximum::prepare(p, job.max_job()?, job.rows, job.len)?;
        let far = Comparison::prepare(p, job.far_job()?, numbers)?;
        let hold = Mux::prepare(p, numbers, &[ExponentialJob::bits(job.scale)])?;
        let exponential = Exponential::prepare(p, job.exponential())?;
        let reciprocal = Reciprocal::prepare(p, job.reciprocal(), job.rows)?;
        let product = MatrixProduct::prepare(p, job.products())?;
        let widening = Widening::prepare(p, job.widths(), numbers)?;
        Ok(Self { job, maximum, far, hold, exponential, reciprocal, product, widening })
    }

    /// Online: shares of the softmax of each row; the rows stand one behind the other. Spends the
    /// material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless numbers, width and scale are those prepared for, and those of the channel.
    pub fn eval<R: Ring>(self, s: &mut Session, x: &Fixed<R>) -> Result<Fixed<R>> {
        let Self { job, maximum, far, hold, exponential, reciprocal, product, widening } = self;
        same("numbers of softmax, rows times numbers in a row", job.rows * job.len, x.len())?;
        same("bits of the numbers of softmax", job.bits as usize, x.bits() as usize)?;
        same("scale of the numbers of softmax", job.scale as usize, x.scale() as usize)?;
        let x = x.share().low_bits::<u64>(job.bits)?;
        let coarse = truncate_reduce(&x, job.scale - MAX_SCALE)?;
        let max = repeated(&maximum.max(s, &coarse)?, job.len);
        let near = job.near(s, far, &(&max - &coarse))?;
        let t = job.held(s, hold, &near, &max, &x)?;
        let exps = exponential.eval(s, &t)?;
        let scale = ExponentialJob::scale_out(job.scale);
        let inverses = reciprocal.in_ring(s, &Fixed::new(row_sums(&exps, job.len), scale)?)?;
        let out = job.scaled(s, product, widening, &exps, &inverses)?;
        Fixed::new(out, job.scale)
    }
}

impl SoftmaxJob {
    /// Step 1: whether t is less than 28, at least if it is less than 23; from the maximum less the number,
    /// in units of 1/16.
    fn near(&self, s: &mut Session, far: Comparison, below: &AShare<u64>) -> Result<Bits> {
        let below = truncate_reduce(&linear::plus(s.role(), below, 2), MAX_SCALE + 2)?;
        far.negative(s, &linear::plus(s.role(), &below, 6u64.wrapping_neg()))
    }

    /// Step 1: t in the ring of the exponential, and 24 where it is far.
    fn held(
        &self,
        s: &mut Session,
        hold: Mux,
        near: &Bits,
        max: &AShare<u64>,
        x: &AShare<u64>,
    ) -> Result<AShare<u64>> {
        let (f, bits, role) = (self.scale, ExponentialJob::bits(self.scale), s.role());
        let max: AShare<u64> = linear::map(max, bits, |m| m << (f - MAX_SCALE));
        let most = 24u64 << f;
        let more = (2u64 << (f - MAX_SCALE)) + (1 << (f - 5));
        let above = linear::plus(role, &(&max - &x.low_bits(bits)?), more.wrapping_sub(most));
        Ok(linear::plus(role, &hold.select(s, near, &above)?, most))
    }

    /// Step 5.
    fn scaled<R: Ring>(
        &self,
        s: &mut Session,
        products: MatrixProduct,
        widening: Widening,
        exps: &AShare<u64>,
        inverses: &AShare<u64>,
    ) -> Result<AShare<R>> {
        let ([scale, ring], role) = (self.product(), s.role());
        let exps = linear::cut(role, exps, ExponentialJob::scale_out(self.scale) - scale)?;
        let (exps, inverses) = (exps.low_bits::<u64>(ring)?, inverses.low_bits::<u64>(ring)?);
        let product = products.multiply(s, &exps, &inverses)?;
        // Some units more, so that none is negative.
        let (some, excess) = (4u64, 2 * scale - self.scale);
        let out = linear::cut(role, &linear::plus(role, &product, some << excess), excess)?;
        let out = widening.zero(s, &out)?;
        Ok(linear::plus(role, &out, some.wrapping_neg()))
    }
}
