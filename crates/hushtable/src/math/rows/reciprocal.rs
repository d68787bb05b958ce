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
    mantissa::{self, M, Mantissa},
    normalise::{Normalise, Octaves, Z},
};
use crate::{
    arith::Fixed,
    bill::Bill,
    error::{Error, Result, same},
    math::linear::{self, RescaledProduct, Widening},
    session::Session,
    share::AShare,
    source::Source,
    terms::Terms,
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
    widening: Widening,
    normalise: Normalise,
    mantissa: Mantissa,
    products: [RescaledProduct; 3],
    quotient: Option<Quotient>,
}

/// What a division takes besides.
struct Quotient {
    widening: Widening,
    product: RescaledProduct,
}

impl ReciprocalJob {
    fn terms(&self) -> Terms {
        Terms::of("reciprocal")
            .with("bits", self.bits)
            .with("fraction bits", self.scale)
            .with("fraction bits of a reciprocal", self.scale_out)
            .with("bounds", &self.bounds[..])
            .with("largest dividend", self.dividend)
    }

    /// Width of the ring in which the steps are done.
    ///
    /// # Errors
    /// [`Error::Param`] for bounds or scales that are not supported.
    pub fn ring(&self) -> Result<u32> {
        check_scale(self.scale)?;
        check_scale(self.scale_out)?;
        let octaves = Octaves::of(self.bounds[0], self.bounds[1])?;
        let product = octaves.count + Z + 3;
        let out = (self.scale_out as i32 - octaves.lo + 3).max(0) as u32;
        let ring = octaves.ring(self.scale)?.max(product).max(out).max(Z + M + 4).max(self.bits);
        let quotient = libm::log2((self.dividend / self.bounds[0]).max(f64::MIN_POSITIVE)).ceil() as i32;
        let ring = ring.max((self.scale as i32 + self.scale_out as i32 + quotient + 3).max(0) as u32);
        // What is truncated keeps two bits.
        let z_scale = self.scale as i32 + octaves.lo + octaves.count as i32 - 1;
        let last = Z as i32 + octaves.lo + octaves.count as i32 - 1 - self.scale_out as i32;
        let quotient = if self.dividend > 0.0 { self.scale_out as i32 } else { 0 };
        let ring = ring.max((z_scale - Z as i32).max(last).max(quotient) as u32 + 2);
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
        // Bits behind the point are fewer than all; quotients have those of the numbers.
        let scale = if self.dividend > 0.0 { self.scale } else { self.scale.max(self.scale_out) };
        let needed = largest.max(bits(1.0 / low, self.scale_out) + 1).max(quotient).max(scale + 1);
        match needed <= self.bits {
            true => Ok(()),
            false => Err(too_wide("numbers and results of a reciprocal", needed, self.bits)),
        }
    }

    /// What a reciprocal costs; with a dividend, a quotient.
    ///
    /// # Errors
    /// As [`ring`](Self::ring).
    pub fn bill(&self) -> Result<Bill> {
        let (w, octaves) = (self.ring()?, Octaves::of(self.bounds[0], self.bounds[1])?);
        let normalised = Widening::bill([self.bits, w])? + octaves.bill(self.scale, w)?;
        let steps = self.steps(&octaves).map(|(scale, to)| RescaledProduct::bill(w, scale, to));
        let inverse = steps.into_iter().fold(normalised + mantissa::bill(w)?, Bill::then);
        let divided =
            Widening::bill([self.bits, w])? + RescaledProduct::bill(w, self.quotient_scale(), self.scale);
        Ok(if self.dividend > 0.0 { inverse + divided } else { inverse })
    }

    /// Bits behind the point of the product of each step, and what it is rescaled to.
    fn steps(&self, octaves: &Octaves) -> [(i32, u32); 3] {
        let (product, last) = ((Z + M) as i32, Z as i32 + octaves.lo + octaves.count as i32 - 1);
        [(product, Z), (product, Z), (last, self.scale_out)]
    }

    /// Bits behind the point of a number times a reciprocal.
    fn quotient_scale(&self) -> i32 {
        (self.scale + self.scale_out) as i32
    }
}

impl Reciprocal {
    /// Offline, for `batch` numbers; for quotients too if the job has a dividend.
    ///
    /// # Errors
    /// As [`ReciprocalJob::ring`], and those of the channel.
    pub fn prepare(p: &mut dyn Source, job: ReciprocalJob, batch: usize) -> Result<Self> {
        let (ring, octaves) = (job.ring()?, Octaves::of(job.bounds[0], job.bounds[1])?);
        p.announce(&job.terms().to_string())?;
        let power = |j: i32| 1 << (octaves.lo + octaves.count as i32 - 1 - j);
        let widening = Widening::prepare(p, [job.bits, ring], batch)?;
        let normalise = Normalise::prepare(p, octaves, job.scale, ring, power, batch)?;
        let mantissa = Mantissa::prepare(p, ring, |a, b| 2.0 / (a + b), batch)?;
        let [zm, inverse, scaled] = job.steps(&octaves);
        let mut product = |(scale, to)| RescaledProduct::prepare(p, ring, scale, to, batch);
        let products = [product(zm)?, product(inverse)?, product(scaled)?];
        let quotient = match job.dividend > 0.0 {
            true => Some(Quotient {
                widening: Widening::prepare(p, [job.bits, ring], batch)?,
                product: RescaledProduct::prepare(p, ring, job.quotient_scale(), job.scale, batch)?,
            }),
            false => None,
        };
        Ok(Self { job, widening, normalise, mantissa, products, quotient })
    }

    /// Online: shares of the reciprocals. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if numbers, widths or scales are not those prepared for, and those of the channel.
    pub fn eval<R: Ring>(self, s: &mut Session, x: &Fixed<R>) -> Result<Fixed<R>> {
        let (bits, scale) = (self.job.bits, self.job.scale_out);
        let y = self.in_ring(s, x)?;
        Fixed::new(y.low_bits(bits)?, scale)
    }

    /// Online: shares of `x / y` with the scale of x, of numbers of one width and scale, `|x|` being at
    /// most the job's dividend. Spends the material.
    ///
    /// # Errors
    /// As [`eval`](Self::eval), [`Error::Shape`] if x has other numbers or another width than y, and
    /// [`Error::Param`] for a job without a dividend.
    pub fn divide<R: Ring>(mut self, s: &mut Session, x: &Fixed<R>, y: &Fixed<R>) -> Result<Fixed<R>> {
        same("numbers to divide", y.len(), x.len())?;
        same("bits of the numbers to divide", y.bits() as usize, x.bits() as usize)?;
        same("scale of the numbers to divide", y.scale() as usize, x.scale() as usize)?;
        let Some(Quotient { widening, product }) = self.quotient.take() else {
            let (what, got) = ("dividend of the reciprocals", self.job.dividend.to_string());
            return Err(Error::Param { what, got, accepted: "above 0, to divide".into() });
        };
        let inverse = self.in_ring(s, y)?;
        let x_in_ring = widening.sign(s, x.share())?;
        let quotient = product.multiply(s, &x_in_ring, &inverse)?;
        Fixed::new(quotient.low_bits(x.bits())?, x.scale())
    }

    /// In the ring of the steps.
    pub(super) fn in_ring<R: Ring>(self, s: &mut Session, x: &Fixed<R>) -> Result<AShare<u64>> {
        same("scale of the numbers", self.job.scale as usize, x.scale() as usize)?;
        same("bits of the numbers", self.job.bits as usize, x.bits() as usize)?;
        let [rest, inverse, scaled] = self.products;
        let x = self.widening.sign(s, x.share())?;
        let (z, power) = self.normalise.run(s, &x)?;
        let m = self.mantissa.read(s, &z)?;
        // 2 - z m.
        let rest = rest.with(s, &z, &m, |role, zm| linear::from(role, 2 << (Z + M), zm))?;
        let inverse = inverse.multiply(s, &m, &rest)?;
        scaled.multiply(s, &inverse, &power)
    }
}

impl std::fmt::Debug for Reciprocal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Reciprocal({:?})", self.job)
    }
}

/// `Ok(())` for bits behind the point that a ring may have.
pub(super) fn check_scale(scale: u32) -> Result<()> {
    match scale {
        0..=63 => Ok(()),
        _ => {
            let (what, got) = ("bits behind the point", scale.to_string());
            Err(Error::Param { what, got, accepted: "0 to 63".into() })
        }
    }
}

/// The error of a job that does not fit.
pub(super) fn too_wide(what: &'static str, needed: u32, have: u32) -> Error {
    Error::Param { what, got: format!("{have} bits"), accepted: format!("at least {needed} bits") }
}
