//! The angle of a vector in the plane.
//!
//! # Functionality
//! In: additive shares mod `2^l` of x and y with the same bits behind the point, of which the larger one in size lies in
//! public bounds. Out: shares mod `2^l` of `atan2(y, x)` in radians, from `-pi` to `pi`, with F bits behind the point,
//! off by at most [`Atan2Job::error`]. For `y = 0` and negative x it is `pi`.
//!
//! # Protocol
//! 1. The signs of x and y, and with them `|x|` and `|y|`.
//! 2. Whether `|x| < |y|`; then they change places.
//! 3. The quotient `q <= 1` of the smaller one by the larger one, by [`Reciprocal`] in a ring that holds reciprocals,
//!    and `a = atan q` by a table or a spline.
//! 4. The angle is a, with a sign, and a constant: the three bits are the index of a table of the constants, and their
//!    XOR selects the sign.
//!
//! # Outside the bounds
//! The result is not meaningful. The vector `(0, 0)` has no angle.
//!
//! # Cost, a vector
//! Three comparisons of l bits, four selections, two bounded extensions, a division, an arctangent over `[-0.5, 1.5)` and
//! a lookup in 8 entries:
//! [`Atan2Job::bill`].
//!
//! # Source
//! The reduction to an octant is that of C libraries, as in Cody, Waite, "Software Manual for the Elementary Functions"
//! (1980); the parts are this library's.

use std::f64::consts::{FRAC_PI_2, PI};

use prim::ring::Ring;

use super::reciprocal::{Reciprocal, ReciprocalJob};
use crate::{
    arith::{CompareDomain, CompareJob, Comparison, Fixed, Objective},
    bill::Bill,
    error::{Error, Result, same},
    gates::{Bits, Mux},
    lut::{LookupJob, Protocol, Table, arithmetic::Arithmetic},
    math::{
        evaluation::{Evaluation, Prepared},
        functions::{Bounds, Function, Options, Outside, TensorCard, rounded_up},
        linear::Widening,
    },
    onehot::Xor,
    session::Session,
    share::{AShare, Sharing},
    source::Source,
};

/// Most bits behind the point of an angle: a reciprocal is no finer.
const MAX_FRACTION: u32 = 20;

/// Bits behind the point that a quotient has more than the angle.
const GUARD: u32 = 4;

/// Largest relative error of a reciprocal, and of its last place.
const RELATIVE: f64 = 1e-5;
const PLACES: f64 = 1.5;

/// What the angles of a batch have in common. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Atan2Job {
    /// Width of the numbers, and of the angles.
    pub bits: u32,
    /// Bits behind the point of the numbers.
    pub scale: u32,
    /// Bits behind the point of an angle, 0 to 20.
    pub scale_out: u32,
    /// The least and the greatest size of the larger number of a vector, at most `2^16` apart, the least 4 units or more.
    pub bounds: [f64; 2],
    /// What is to be small, where there is a choice.
    pub objective: Objective,
}

/// One-time material for a batch of vectors.
///
/// ```compile_fail,E0382
/// # use hushtable::{Party, Result, arith::Fixed, math::Atan2};
/// fn twice(p: &mut Party, m: Atan2, y: &Fixed<u64>, x: &Fixed<u64>) -> Result<()> {
///     m.eval(p, y, x)?;
///     m.eval(p, y, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Atan2 {
    job: Atan2Job,
    signs: Comparison,
    sizes: Mux,
    order: Comparison,
    swap: Mux,
    widening: Widening,
    quotient: Reciprocal,
    arctangent: Prepared,
    sign: Mux,
    constants: Arithmetic<Xor, u64>,
}

impl Atan2Job {
    /// What a vector costs.
    ///
    /// # Errors
    /// [`Error::Param`] for widths, scales or bounds that are not supported.
    pub fn bill(&self) -> Result<Bill> {
        let select = Mux::bill(&[self.bits]);
        let compare = self.comparison()?.bill()?;
        let (index, output) = (Sharing::Xor, Sharing::Additive);
        let constants = LookupJob { index, output, index_bits: 3, value_bits: 64 };
        let steps = [
            compare.times(2),
            select.times(2),
            compare,
            select,
            Widening::bill([self.bits, self.reciprocal()?.bits])?.times(2),
            self.reciprocal()?.bill()?,
            self.arctangent()?.bill(1),
            select,
            Protocol::Arithmetic.bill(&constants, 1)?,
        ];
        Ok(steps.into_iter().fold(Bill::FREE, Bill::then))
    }

    /// What an angle is off at most, in units in its last place: by the errors of quotient, arctangent and constants.
    /// That of the arctangent is proven, or over all numbers: see its [card](Self::arctangent).
    ///
    /// # Errors
    /// As [`bill`](Self::bill).
    pub fn error(&self) -> Result<f64> {
        let (job, unit) = (self.reciprocal()?, 2f64.powi(self.scale_out as i32));
        let inverse = RELATIVE + PLACES * job.bounds[1] * 2f64.powi(-(job.scale_out as i32));
        let quotient = inverse + 2.0 * 2f64.powi(-(job.scale as i32));
        Ok(quotient * unit + self.arctangent()?.card().max_ulp() + 0.5)
    }

    /// What is known of it, for so many vectors.
    ///
    /// # Errors
    /// As [`bill`](Self::bill).
    pub fn card(&self, batch: usize) -> Result<TensorCard> {
        let [least, greatest] = self.bounds;
        Ok(TensorCard {
            function: "atan2",
            shape: [batch, 1],
            ring: self.bits,
            scale: self.scale_out,
            max_ulp: rounded_up(self.error()?),
            outside: format!("not allowed, not checked: the larger number in {least} to {greatest}"),
            bill: self.bill()?.times(batch),
        })
    }

    /// The arctangent of quotients.
    ///
    /// # Errors
    /// [`Error::Param`] for scales that are not supported.
    pub fn arctangent(&self) -> Result<Evaluation> {
        if self.scale_out > MAX_FRACTION {
            let (what, got) = ("bits behind the point of an angle", self.scale_out.to_string());
            return Err(Error::Param { what, got, accepted: format!("0 to {MAX_FRACTION}") });
        }
        let least = (self.scale_out + GUARD + 3).max(self.scale + 1);
        if !(least..=64).contains(&self.bits) {
            let (what, got) = ("width of the ring", self.bits.to_string());
            let accepted = format!("{least} to 64, for numbers, angles and quotients");
            return Err(Error::Param { what, got, accepted });
        }
        let options = Options {
            domain: Some(Bounds { lo: -0.5, hi: 1.5 }),
            outside: Outside::Wrap,
            fraction_out: Some(self.scale_out),
            objective: self.objective,
            ..Options::default()
        };
        Evaluation::new(Function::Atan, self.bits, self.scale_out + GUARD, &options)
    }

    fn comparison(&self) -> Result<CompareJob> {
        CompareJob::new(self.bits, CompareDomain::Near, self.objective)
    }

    /// A quotient has the scale of what is divided, and angles do not depend on that: so numbers are read at that of the
    /// quotients.
    fn reciprocal(&self) -> Result<ReciprocalJob> {
        let [least, greatest] = self.bounds;
        if !(least > 0.0 && least <= greatest && greatest.is_finite()) {
            let (what, got) = ("bounds of the larger number", format!("{least} to {greatest}"));
            return Err(Error::Param { what, got, accepted: "positive ones, the first not above".into() });
        }
        let half = 2f64.powi(self.bits as i32 - 2 - self.scale as i32);
        if greatest > half {
            let (what, got) = ("bounds of the larger number", format!("{least} to {greatest}"));
            return Err(Error::Param {
                what,
                got,
                accepted: format!("at most {half}, a quarter of the ring"),
            });
        }
        let scale = self.scale_out + GUARD;
        let moved = 2f64.powi(self.scale as i32 - scale as i32);
        let bounds = self.bounds.map(|bound| bound * moved);
        let finer = libm::log2(bounds[1]).ceil().max(0.0) as u32 + 1;
        let scale_out = scale + finer;
        // Reciprocals have more bits than numbers and angles.
        let inverse = (scale_out as i32 - libm::log2(bounds[0]).floor() as i32 + 2).max(0) as u32;
        let numbers = (scale as i32 + libm::log2(bounds[1]).floor() as i32 + 3).max(0) as u32;
        let bits = self.bits.max(inverse).max(numbers).max(scale + 2);
        let job = ReciprocalJob { bits, scale, scale_out, bounds, dividend: bounds[0] };
        job.ring()?;
        Ok(job)
    }

    /// Of the bits "y is negative", "x is negative" and "they change places", highest first, the constant.
    fn constants(&self) -> Result<Table<u64>> {
        let unit = 2f64.powi(self.scale_out as i32);
        Table::tabulate(3, 64, |bits| {
            let [y, x, swapped] = [2, 1, 0].map(|at| bits >> at & 1 == 1);
            let octant = if swapped { FRAC_PI_2 } else { 0.0 };
            let angle = if x { PI - octant } else { octant };
            (if y { -angle * unit } else { angle * unit }).round() as i64 as u64
        })
    }
}

impl Atan2 {
    /// Offline, for `batch` vectors.
    ///
    /// # Errors
    /// As [`Atan2Job::bill`], and those of the channel.
    pub fn prepare(p: &mut dyn Source, job: Atan2Job, batch: usize) -> Result<Self> {
        let (compare, arctangent, reciprocal) = (job.comparison()?, job.arctangent()?, job.reciprocal()?);
        p.announce(&format!("angles of vectors {job:?}"))?;
        let mut select = |count: usize| Mux::prepare(p, count, &[job.bits]);
        let (sizes, swap, sign) = (select(2 * batch)?, select(batch)?, select(batch)?);
        Ok(Self {
            job,
            signs: Comparison::prepare(p, compare, 2 * batch)?,
            sizes,
            order: Comparison::prepare(p, compare, batch)?,
            swap,
            widening: Widening::prepare(p, [job.bits, reciprocal.bits], 2 * batch)?,
            quotient: Reciprocal::prepare(p, reciprocal, batch)?,
            arctangent: arctangent.prepare(p, batch)?,
            sign,
            constants: Arithmetic::of(p, 3, 64, batch)?,
        })
    }

    /// Online: shares of the angles of the vectors `(x, y)`. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if numbers, widths or scales are not those prepared for, and those of the channel.
    pub fn eval<R: Ring>(self, s: &mut Session, y: &Fixed<R>, x: &Fixed<R>) -> Result<Fixed<R>> {
        let (job, batch) = (self.job, self.constants.len());
        for number in [x, y] {
            same("vectors", batch, number.len())?;
            same("bits of the numbers", job.bits as usize, number.bits() as usize)?;
            same("scale of the numbers", job.scale as usize, number.scale() as usize)?;
        }
        // 1.
        let mut both = x.share().clone();
        both.append(y.share())?;
        let mut x_negative = self.signs.negative(s, &both)?;
        let mut x_size = less_twice(&both, &self.sizes.select(s, &x_negative, &both)?);
        let (y_negative, y_size) = (x_negative.split_off(batch), x_size.split_off(batch));
        // 2.
        let swapped = self.order.less(s, &x_size, &y_size)?;
        let moved = self.swap.select(s, &swapped, &(&x_size - &y_size))?;
        let mut sizes = &x_size - &moved;
        sizes.append(&(&y_size + &moved))?;
        // 3. The smaller one may exceed the least bound, which is the job's dividend; it never exceeds what divides it.
        // `divide` asks for `|x| <= dividend` so that the quotient fits the ring: here it is 1 at most.
        let scale = job.scale_out + GUARD;
        let mut larger: AShare<u64> = self.widening.sign(s, &sizes)?;
        let smaller = Fixed::new(larger.split_off(batch), scale)?;
        let quotient = self.quotient.divide(s, &smaller, &Fixed::new(larger, scale)?)?;
        let quotient = quotient.share().low_bits::<R>(job.bits)?;
        let angle = self.arctangent.eval(s, &Fixed::new(quotient, scale)?)?;
        // 4.
        let negative = &(&x_negative ^ &y_negative) ^ &swapped;
        let angle = less_twice(angle.share(), &self.sign.select(s, &negative, angle.share())?);
        let index = Bits::to_share::<u32>(&[swapped, x_negative, y_negative])?;
        let constant = self.constants.lookup(s, &job.constants()?, &index)?;
        Fixed::new(&angle + &constant.low_bits(job.bits)?, job.scale_out)
    }
}

/// `x - 2 y`.
fn less_twice<R: Ring>(x: &AShare<R>, y: &AShare<R>) -> AShare<R> {
    let word = |(x, y): (&R, &R)| R::from_u64(x.to_u64().wrapping_sub(y.to_u64() << 1));
    AShare::new(x.bits(), x.words().iter().zip(y.words()).map(word).collect())
}
