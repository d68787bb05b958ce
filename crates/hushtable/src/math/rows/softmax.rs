//! Softmax of rows of shared numbers.
//!
//! # Functionality
//! In: additive shares mod `2^l` of rows of d numbers with F bits behind the point, `-2^m <= x < 2^m` for `m = l-3-F` or
//! less that is known. Out: shares of `e^(x_i) / (e^(x_1) + ... + e^(x_d))` of each row, with F bits behind the point, wrong
//! by 2 units in the last place at most, or for networks by `1.2 * 2^-8`. That is measured, on random rows and hard ones,
//! not proven: the last truncation makes a unit of it at most; roundings of what is looked up and of what the parties
//! compute are the same for equal numbers and add up over a row, so that they have more bits; the rest is independent and
//! 0 on average, also for shares that are no masks: signs of lookups, which are random, complement the factors' bits.
//!
//! # Protocol
//! With n bits behind the point, F or for networks 10:
//! 1. *Maximum*: each party shifts its shares by `F - 2` bits; a tree finds the maximum of what they then share, `M`.
//!    With `(M + 2) / 4 + 1/2` for the maximum, `t_i`, the maximum minus `x_i`, is above 1/2, and at most 1 for the largest
//!    number: softmax is the same.
//! 2. *Exponential* ([`Exponential`]) of `-t_i`, with `n + 8` bits behind the point, for networks `n + 6`, and for rows of
//!    more than 256 numbers one more for each power of 4.
//! 3. *Sum* of each row, before anything is rounded to fewer bits.
//! 4. *Reciprocal* ([`Reciprocal`](super::Reciprocal)) of the sum, which is above `1/4` and less than d.
//! 5. *Products* ([`RowProducts`]) of the exponentials with the reciprocal of their row, in `n + 2` bits and some guard
//!    bits, extended to the ring of l bits.
//!
//! # Cost, a number
//! Near 1 maximum of `m + 4` bits for numbers of m bits before the point, an exponential, a product of `2 (n + 7)` payloads
//! of `n + 6` bits (networks: `2 (n + 5)` of `n + 4`), and an extension from `n + 2` to l bits; and for each row the
//! reciprocal. [`SoftmaxJob::bill`] has the sum.
//!
//! # Source
//! functions-beyond 2. Before it lut-spec 11.5; Hou et al., "CipherGPT" (2023). The maximum is that of coarser numbers; the
//! exponential takes one lookup, see there, and is 0 for numbers far below the maximum.

use prim::ring::Ring;

use super::{
    Precision,
    exponential::{Exponential, ExponentialJob},
    reciprocal::{Reciprocal, ReciprocalJob, too_wide},
};
use crate::{
    arith::{
        CompareDomain, CompareJob, ComparePlan, Fixed, Objective, RowProductJob, RowProducts, VectorMaximum,
        truncate_reduce,
    },
    bill::Bill,
    error::{Error, Result, same, within},
    math::{
        functions::{TensorCard, rounded_up},
        linear::{self, Widening},
    },
    net::Role,
    session::Session,
    share::AShare,
    source::Source,
    terms::Terms,
};

/// Bits behind the point of the numbers whose maximum is found.
const MAX_SCALE: u32 = 2;

/// Units that a result has more, so that it is not negative.
const MORE: u64 = 2;

/// What the rows of a batch have in common. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SoftmaxJob {
    /// Rows.
    pub rows: usize,
    /// Numbers in a row, d.
    pub len: usize,
    /// Width of a number, l.
    pub bits: u32,
    /// Bits behind the point, F, 8 to 14; 10 to 14 for networks.
    pub scale: u32,
    /// How accurate results are.
    pub precision: Precision,
    /// Bits m before the point, where numbers are known to be `-2^m <= x < 2^m`. What is not is not noticed.
    pub magnitude: Option<u32>,
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
    exponential: Exponential,
    reciprocal: Reciprocal,
    product: RowProducts,
    widening: Widening,
}

/// Bits behind the point, and guard bits. Public.
#[derive(Clone, Copy)]
struct Form {
    /// Of the numbers and of the results.
    scale: u32,
    /// Of the exponentials, and of their factors.
    exponential: u32,
    factor: u32,
    /// Guard bits of the last product.
    guard: u32,
    /// Of the reciprocal.
    inverse: u32,
}

impl SoftmaxJob {
    /// No rows of `len` numbers, of no known bound, with 2 units.
    pub fn new(len: usize, bits: u32, scale: u32) -> Self {
        let (precision, objective) = (Precision::Fine, Objective::Total);
        Self { rows: 0, len, bits, scale, precision, magnitude: None, objective }
    }

    /// What rows have in common, however many there are.
    pub(crate) fn terms(&self) -> Terms {
        Terms::of("softmax")
            .with("numbers of a row", self.len)
            .with("bits", self.bits)
            .with("fraction bits", self.scale)
            .with("precision", self.precision.name())
            .with("bits before the point", self.magnitude)
            .with("objective", self.objective)
    }

    /// `Ok(())` if there are such rows.
    ///
    /// # Errors
    /// [`Error::Param`] that says what is supported.
    pub fn check(&self) -> Result<()> {
        let Self { len, bits, scale, .. } = *self;
        let least = if self.precision == Precision::Fine { 8 } else { 10 };
        within("bits behind the point of softmax", scale, least..=14)?;
        if !(1..=1 << 14).contains(&len) {
            let (what, got) = ("numbers in a row of softmax", len.to_string());
            return Err(Error::Param { what, got, accepted: "1 to 16384".into() });
        }
        within("bits of a number of softmax", bits, scale + 8..=64)?;
        if let Some(magnitude) = self.magnitude {
            within("bits before the point of softmax", magnitude, 4..=bits - 3 - scale)?;
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
        let exponentials = self.exponential().bill()?.times(numbers);
        let inverses = self.reciprocal().bill()?.times(self.rows);
        let out = Widening::bill(self.widths())?.times(numbers);
        Ok(maximum + exponentials + inverses + self.products().bill() + out)
    }

    /// What is known of it.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn card(&self) -> Result<TensorCard> {
        let most = 2f64.powi(self.before_point() as i32);
        let max_ulp = match self.precision {
            Precision::Fine => "2".into(),
            Precision::Network => rounded_up(1.2 * libm::exp2(f64::from(self.scale) - 8.0)),
        };
        Ok(TensorCard {
            function: "softmax of each row",
            shape: [self.rows, self.len],
            ring: self.bits,
            scale: self.scale,
            max_ulp,
            outside: format!("numbers of {most} and more, or below -{most}, are not allowed, not checked"),
            bill: self.bill()?,
        })
    }

    /// Units in the last place within which results are surely near 0 to 1.
    pub(crate) fn most_off(&self) -> i64 {
        8 << self.scale.saturating_sub(self.form().scale)
    }

    /// How the comparisons of the maximum are done.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn plan(&self) -> Result<ComparePlan> {
        self.check()?;
        Ok(self.max_job()?.plan)
    }

    /// Bits of a number before the point.
    fn before_point(&self) -> u32 {
        self.magnitude.unwrap_or(self.bits - 3 - self.scale)
    }

    fn form(&self) -> Form {
        let (scale, finer, inverse, guard) = match self.precision {
            Precision::Fine => (self.scale, 8, 3, 4),
            Precision::Network => (10, 6, 1, 2),
        };
        let factor = if self.precision == Precision::Fine { (scale + 3) & !1 } else { scale };
        // The terms' errors add up to the root of their number.
        let long = (self.len.next_power_of_two().trailing_zeros().saturating_sub(8)).div_ceil(2);
        Form { scale, exponential: scale + finer + long, factor, guard, inverse: scale + inverse }
    }

    fn max_job(&self) -> Result<CompareJob> {
        // Rounded down, perhaps by one more, numbers lie as far apart as twice the range.
        CompareJob::new(self.before_point() + 3 + MAX_SCALE, CompareDomain::Near, self.objective)
    }

    fn exponential(&self) -> ExponentialJob {
        let Form { scale, exponential, factor, .. } = self.form();
        ExponentialJob {
            batch: self.rows * self.len,
            bits: self.before_point() + 2 + scale,
            scale,
            scale_out: exponential,
            factor,
            guard: 1,
            ring: self.sum_bits(),
            objective: self.objective,
        }
    }

    /// Step 5: the products of a row with one number.
    fn products(&self) -> RowProductJob {
        let Form { scale, exponential, guard, inverse, .. } = self.form();
        RowProductJob {
            rows: self.rows,
            len: self.len,
            bits: exponential + inverse + 2,
            // The reciprocal is less than 4.
            number_bits: inverse + 3,
            cut: exponential + inverse - scale - guard,
        }
    }

    /// Of what step 5 extends, and to what.
    fn widths(&self) -> [u32; 2] {
        let scale = self.form().scale;
        [scale + 2, self.bits - (self.scale - scale)]
    }

    /// Width of the exponentials and of their sums, whose low bits are those of the products.
    fn sum_bits(&self) -> u32 {
        let sum = self.form().exponential + self.len.next_power_of_two().trailing_zeros() + 2;
        sum.max(self.products().bits)
    }

    fn reciprocal(&self) -> ReciprocalJob {
        let Form { exponential, inverse, .. } = self.form();
        ReciprocalJob {
            bits: self.sum_bits(),
            scale: exponential,
            scale_out: inverse,
            // e^-1 and less than e^-(1/2) for each.
            bounds: [0.25, 0.61 * self.len as f64],
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
        let exponential = Exponential::prepare(p, job.exponential())?;
        let reciprocal = Reciprocal::prepare(p, job.reciprocal(), job.rows)?;
        let product = RowProducts::prepare(p, job.products())?;
        let widening = Widening::prepare(p, job.widths(), numbers)?;
        Ok(Self { job, maximum, exponential, reciprocal, product, widening })
    }

    /// Online: shares of the softmax of each row; the rows stand one behind the other. Spends the
    /// material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless numbers, width and scale are those prepared for, and those of the channel.
    pub fn eval<R: Ring>(self, s: &mut Session, x: &Fixed<R>) -> Result<Fixed<R>> {
        let Self { job, maximum, exponential, reciprocal, product, widening } = self;
        same("numbers of softmax, rows times numbers in a row", job.rows * job.len, x.len())?;
        same("bits of the numbers of softmax", job.bits as usize, x.bits() as usize)?;
        same("scale of the numbers of softmax", job.scale as usize, x.scale() as usize)?;
        let (form, narrow) = (job.form(), job.before_point() + 2 + job.scale);
        let coarse = truncate_reduce(&x.share().low_bits::<u64>(narrow + 1)?, job.scale - MAX_SCALE)?;
        let x = x.share().low_bits::<u64>(narrow)?;
        let max = linear::repeated(&maximum.max(s, &coarse)?, job.len);
        let exps = exponential.eval(s, &job.below(s.role(), &max, &x)?)?;
        let sums = Fixed::new(linear::row_sums(&exps, job.len), form.exponential)?;
        let inverses = reciprocal.in_ring(s, &sums)?;
        let products = job.products();
        let inverses = inverses.low_bits::<u64>(products.number_bits)?;
        let y = product.multiply(s, &exps.low_bits(products.bits)?, &inverses)?;
        let more = (MORE << form.guard) + (1 << form.guard) - 1 + products.lost();
        let y = truncate_reduce(&linear::plus(s.role(), &y, more), form.guard)?;
        let y: AShare<u64> = widening.zero(s, &y)?;
        let y = linear::plus(s.role(), &y, MORE.wrapping_neg());
        Fixed::new(linear::map(&y, job.bits, |y| y << (job.scale - form.scale)), job.scale)
    }
}

impl SoftmaxJob {
    /// Step 1: t.
    fn below(&self, role: Role, max: &AShare<u64>, x: &AShare<u64>) -> Result<AShare<u64>> {
        let scale = self.form().scale;
        let x = if scale < self.scale { truncate_reduce(x, self.scale - scale)? } else { x.clone() };
        let max: AShare<u64> = linear::map(max, x.bits(), |m| m << (scale - MAX_SCALE));
        let more = (2u64 << (scale - MAX_SCALE)) + (1 << (scale - 1));
        Ok(linear::plus(role, &(&max - &x), more))
    }
}
