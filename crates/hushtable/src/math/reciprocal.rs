//! Reciprocals of positive shared numbers, and division by them.
//!
//! # Functionality
//! In: additive shares mod `2^l` of x, a number with s bits behind the point in public bounds
//! `low <= x <= high`. Out: shares mod `2^l` of `1 / x` with t bits behind the point, with a relative
//! error of at most `1e-5` and an error of at most 1.5 units in the last place beside it.
//!
//! # Protocol
//! 1. x is extended to the ring of the steps, of w bits, and normalised: `z = x / 2^j`.
//! 2. A lookup gives `m = (1 - e) / z`, `|e| <= 1/512`.
//! 3. One Newton step, `m (2 - z m) = (1 - e^2) / z`, which is then multiplied by `2^-j`.
//!
//! *Division* multiplies that by another number and truncates.
//!
//! # Outside the bounds
//! The result is not meaningful. Zero and negative numbers have no octave.
//!
//! # Cost, a number
//! Normalising (`math::normalise`) and a lookup among 1024 numbers; 3 products of w bits, 3
//! truncations, 1 extension: 13 rounds. `w = max(40, s + lo + k + 3, k + 23)` bits, for k powers of two
//! from `2^lo`; at least l, and what quotients and reciprocals need.
//!
//! # Source
//! lut-spec 11.5 step 5; Newton's iteration as in Rathee et al., "SiRNN" (S&P 2021), section IV.

use prim::ring::Ring;

use super::{
    Cost, linear,
    mantissa::{self, M, Mantissa},
    normalise::{Normalise, Octaves, Z},
    predict,
};
use crate::{
    arith::{Fixed, multiply, sign_extend_bounded},
    error::{Error, Result, same},
    party::Party,
    share::AShare,
};

/// What the reciprocals of a batch have in common. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReciprocalJob {
    /// Width of the numbers, and of the reciprocals.
    pub bits: u32,
    /// Bits behind the point of a number.
    pub scale: u32,
    /// Bits behind the point of a reciprocal.
    pub scale_out: u32,
    /// The least and the greatest number, at most `2^16` apart.
    pub bounds: [f64; 2],
    /// The greatest number, without its sign, that is divided; 0 if none is.
    pub dividend: f64,
}

/// One-time material for a batch of reciprocals or divisions.
///
/// ```compile_fail,E0382
/// # use hushtable::{Party, Result, arith::Fixed, math::Reciprocal};
/// fn twice(p: &mut Party, m: Reciprocal, x: &Fixed<u64>) -> Result<()> {
///     m.eval(p, x)?;
///     m.eval(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Reciprocal {
    job: ReciprocalJob,
    ring: u32,
    octaves: Octaves,
    normalise: Normalise,
    mantissa: Mantissa,
}

impl ReciprocalJob {
    /// Width of the ring in which the steps are done.
    ///
    /// # Errors
    /// [`Error::Param`] for bounds or scales that are not supported.
    pub fn ring(&self) -> Result<u32> {
        let octaves = Octaves::of(self.bounds[0], self.bounds[1])?;
        let product = octaves.count + Z + 3;
        let out = (self.scale_out as i32 - octaves.lo + 3).max(0) as u32;
        let ring = octaves.ring(self.scale).max(product).max(out).max(Z + M + 4).max(self.bits);
        let quotient = libm::log2((self.dividend / self.bounds[0]).max(f64::MIN_POSITIVE)).ceil() as i32;
        let ring = ring.max((self.scale as i32 + self.scale_out as i32 + quotient + 3).max(0) as u32);
        // What is truncated keeps two bits.
        let z_scale = self.scale as i32 + octaves.lo + octaves.count as i32 - 1;
        let last = Z as i32 + octaves.lo + octaves.count as i32 - 1 - self.scale_out as i32;
        let ring = ring.max((z_scale - Z as i32).max(last).max(0) as u32 + 2);
        self.check_ends(ring)?;
        if ring > 64 {
            let (what, got) = ("bits of the steps of a reciprocal", ring.to_string());
            return Err(Error::Param { what, got, accepted: "at most 64".into() });
        }
        Ok(ring)
    }

    /// Whether numbers can be extended, and results fit.
    fn check_ends(&self, ring: u32) -> Result<()> {
        let bits = |v: f64, scale: u32| (libm::log2(v).floor() as i32 + scale as i32 + 1).max(0) as u32;
        let [low, high] = self.bounds;
        let largest = bits(high.max(self.dividend), self.scale) + if ring > self.bits { 2 } else { 1 };
        let quotient = if self.dividend > 0.0 { bits(self.dividend / low, self.scale) + 1 } else { 0 };
        let needed = largest.max(bits(1.0 / low, self.scale_out) + 1).max(quotient);
        match needed <= self.bits {
            true => Ok(()),
            false => Err(too_wide("numbers and results of a reciprocal", needed, self.bits)),
        }
    }

    /// What a reciprocal costs.
    ///
    /// # Errors
    /// As [`ring`](Self::ring).
    pub fn cost(&self) -> Result<Cost> {
        let (w, octaves) = (self.ring()?, Octaves::of(self.bounds[0], self.bounds[1])?);
        let product = predict::product(w);
        let newton = product + predict::rescaling((Z + M) as i32, Z);
        let scale = Z as i32 + octaves.lo + octaves.count as i32 - 1;
        let normalised = predict::extension(self.bits, w) + octaves.cost(self.scale, w);
        let scaled = product + predict::rescaling(scale, self.scale_out);
        Ok(normalised + mantissa::cost(w) + newton + newton + scaled)
    }
}

impl Reciprocal {
    /// Offline, for `batch` numbers.
    ///
    /// # Errors
    /// As [`ReciprocalJob::ring`], and those of the channel.
    pub fn prepare(p: &mut Party, job: ReciprocalJob, batch: usize) -> Result<Self> {
        let (ring, octaves) = (job.ring()?, Octaves::of(job.bounds[0], job.bounds[1])?);
        p.announce(&format!("reciprocal {job:?}"))?;
        let power = |j: i32| 1 << (octaves.lo + octaves.count as i32 - 1 - j);
        let normalise = Normalise::prepare(p, octaves, job.scale, ring, power, batch)?;
        let mantissa = Mantissa::prepare(p, ring, |a, b| 2.0 / (a + b), batch)?;
        Ok(Self { job, ring, octaves, normalise, mantissa })
    }

    /// Online: shares of the reciprocals. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if numbers, widths or scales are not those prepared for, and those of the channel.
    pub fn eval<R: Ring>(self, p: &mut Party, x: &Fixed<R>) -> Result<Fixed<R>> {
        let (bits, scale) = (self.job.bits, self.job.scale_out);
        let y = self.in_ring(p, x)?;
        Fixed::new(y.low_bits(bits)?, scale)
    }

    /// Online: shares of `x / y` with the scale of x, of numbers of one width and scale, `|x|` being at
    /// most the job's dividend. Spends the material.
    ///
    /// # Errors
    /// As [`eval`](Self::eval), and [`Error::Shape`] if x has other numbers or another width than y.
    pub fn divide<R: Ring>(self, p: &mut Party, x: &Fixed<R>, y: &Fixed<R>) -> Result<Fixed<R>> {
        same("numbers to divide", y.len(), x.len())?;
        same("bits of the numbers to divide", y.bits() as usize, x.bits() as usize)?;
        same("scale of the numbers to divide", y.scale() as usize, x.scale() as usize)?;
        let (ring, scale) = (self.ring, self.job.scale_out);
        let inverse = self.in_ring(p, y)?;
        let x_in_ring = extended(p, x.share(), ring)?;
        let quotient = multiply(p, &x_in_ring, &inverse)?;
        let quotient = linear::rescale(p, &quotient, (x.scale() + scale) as i32, x.scale())?;
        Fixed::new(quotient.low_bits(x.bits())?, x.scale())
    }

    /// In the ring of the steps.
    pub(super) fn in_ring<R: Ring>(self, p: &mut Party, x: &Fixed<R>) -> Result<AShare<u64>> {
        same("scale of the numbers", self.job.scale as usize, x.scale() as usize)?;
        same("bits of the numbers", self.job.bits as usize, x.bits() as usize)?;
        let x = extended(p, x.share(), self.ring)?;
        let (z, power) = self.normalise.run(p, &x)?;
        let m = self.mantissa.read(p, &z)?;
        let zm = multiply(p, &z, &m)?;
        let rest = linear::from(p.role(), 2 << (Z + M), &zm);
        let rest = linear::rescale(p, &rest, (Z + M) as i32, Z)?;
        let inverse = multiply(p, &m, &rest)?;
        let inverse = linear::rescale(p, &inverse, (Z + M) as i32, Z)?;
        let scaled = multiply(p, &inverse, &power)?;
        let scale = Z as i32 + self.octaves.lo + self.octaves.count as i32 - 1;
        linear::rescale(p, &scaled, scale, self.job.scale_out)
    }
}

/// The signed numbers in a ring of `w` bits; they are far from the ends of their own.
pub(super) fn extended<R: Ring>(p: &mut Party, x: &AShare<R>, w: u32) -> Result<AShare<u64>> {
    if x.bits() == w { x.low_bits(w) } else { sign_extend_bounded(p, x, w) }
}

impl std::fmt::Debug for Reciprocal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Reciprocal({:?})", self.job)
    }
}

/// The error of a job that does not fit.
pub(super) fn too_wide(what: &'static str, needed: u32, have: u32) -> Error {
    Error::Param { what, got: format!("{have} bits"), accepted: format!("at least {needed} bits") }
}
