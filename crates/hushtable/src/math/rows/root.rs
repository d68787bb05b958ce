//! Reciprocal square roots of positive shared numbers.
//!
//! # Functionality
//! In: additive shares mod `2^w` of x, a number with s bits behind the point in public bounds
//! `low <= x <= high`. Out: shares mod `2^w` of `c / sqrt(x)` with t bits behind the point, for a public
//! c, with a relative error of at most `1e-5` and of at most a unit in the last place beside it.
//!
//! # Protocol
//! 1. x is normalised: `z = x / 2^j`; the lookup of the octave reads `c 2^(-j/2)` with 20 digits.
//! 2. A lookup gives `m = (1 + e) / sqrt(z)`, `|e| <= 1/1000`.
//! 3. One Newton step, `m (3 - z m^2) / 2`, which is then multiplied by that of step 1.
//!
//! # Outside the bounds
//! The result is not meaningful.
//!
//! # Cost, a number
//! Normalising (`math::normalise`) and a lookup among 1024 numbers; 4 products of w bits, 4 truncations:
//! 14 rounds.
//!
//! # Source
//! lut-spec 11.5 step 5 for the reciprocal; Newton's iteration.

use super::{
    mantissa::{self, M, Mantissa},
    normalise::{Normalise, Octaves, Z},
};
use crate::math::linear::{self, RescaledProduct};
use crate::{bill::Bill, error::Result, session::Session, share::AShare, source::Source};

/// Digits of the function of the octave.
const DIGITS: i32 = 20;

/// What the roots of a batch have in common. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RootJob {
    /// Width of the ring.
    pub(super) ring: u32,
    /// Bits behind the point of a number.
    pub(super) scale: u32,
    /// Bits behind the point of a result.
    pub(super) scale_out: u32,
    /// The least and the greatest number, at most `2^16` apart.
    pub(super) bounds: [f64; 2],
    /// What is divided.
    pub(super) factor: f64,
}

/// One-time material for a batch of reciprocal roots.
pub(super) struct Root {
    normalise: Normalise,
    mantissa: Mantissa,
    products: [RescaledProduct; 4],
}

impl RootJob {
    /// Width of the ring that the steps need.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for bounds that are not supported.
    pub(super) fn needed(&self) -> Result<u32> {
        let octaves = Octaves::of(self.bounds[0], self.bounds[1])?;
        let (largest, smallest) = (self.of(octaves.lo), self.of(octaves.lo + octaves.count as i32));
        let spread = libm::log2(largest / smallest).ceil() as u32;
        let out = (self.scale_out as i32 + libm::log2(largest).ceil() as i32 + 3).max(0) as u32;
        let product = Z + DIGITS as u32 + spread + 3;
        // What is truncated keeps two bits.
        let z_scale = self.scale as i32 + octaves.lo + octaves.count as i32 - 1;
        let last = Z as i32 + self.power(&octaves) - self.scale_out as i32;
        let cut = (z_scale - Z as i32).max(last).max(0) as u32 + 2;
        Ok(octaves.ring(self.scale)?.max(product).max(out).max(Z + M + 4).max(cut))
    }

    /// What a root costs.
    ///
    /// # Errors
    /// As [`needed`](Self::needed).
    pub(super) fn bill(&self) -> Result<Bill> {
        let (w, octaves) = (self.ring, Octaves::of(self.bounds[0], self.bounds[1])?);
        let steps = self.steps(&octaves).map(|(scale, to)| RescaledProduct::bill(w, scale, to));
        Ok(steps.into_iter().fold(octaves.bill(self.scale, w)? + mantissa::bill(w)?, Bill::then))
    }

    /// Bits behind the point of the product of each step, and what it is rescaled to.
    fn steps(&self, octaves: &Octaves) -> [(i32, u32); 4] {
        let product = (Z + M) as i32;
        // The third is halved: one bit more behind the point.
        [(product, Z), (product, Z), (product + 1, Z), (Z as i32 + self.power(octaves), self.scale_out)]
    }

    /// Bits behind the point of the function of the octave, whose least value has [`DIGITS`] digits.
    fn power(&self, octaves: &Octaves) -> i32 {
        DIGITS - libm::log2(self.of(octaves.lo + octaves.count as i32 - 1)).floor() as i32
    }

    /// `c 2^(-j/2)`.
    fn of(&self, j: i32) -> f64 {
        self.factor * libm::exp2(-f64::from(j) / 2.0)
    }
}

impl Root {
    /// Offline, for `batch` numbers.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for bounds, scales or rings that are not supported, and
    /// those of the channel.
    pub(super) fn prepare(p: &mut dyn Source, job: RootJob, batch: usize) -> Result<Self> {
        let octaves = Octaves::of(job.bounds[0], job.bounds[1])?;
        let power = job.power(&octaves);
        let entry = |j: i32| (job.of(j) * 2f64.powi(power)).round() as u64;
        let normalise = Normalise::prepare(p, octaves, job.scale, job.ring, entry, batch)?;
        let middle = |a: f64, b: f64| 2.0 / (a.sqrt() + b.sqrt());
        let mantissa = Mantissa::prepare(p, job.ring, middle, batch)?;
        let [zm, zmm, root, out] = job.steps(&octaves);
        let mut product = |(scale, to)| RescaledProduct::prepare(p, job.ring, scale, to, batch);
        let products = [product(zm)?, product(zmm)?, product(root)?, product(out)?];
        Ok(Self { normalise, mantissa, products })
    }

    /// Online. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if numbers or widths are not those prepared for, and those
    /// of the channel.
    pub(super) fn eval(self, s: &mut Session, x: &AShare<u64>) -> Result<AShare<u64>> {
        let [zm, zmm, root, out] = self.products;
        let (z, octave) = self.normalise.run(s, x)?;
        let m = self.mantissa.read(s, &z)?;
        let zm = zm.multiply(s, &z, &m)?;
        let zmm = zmm.multiply(s, &zm, &m)?;
        let rest = linear::from(s.role(), 3 << Z, &zmm);
        let root = root.multiply(s, &m, &rest)?;
        out.multiply(s, &root, &octave)
    }
}
