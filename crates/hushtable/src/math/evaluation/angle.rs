//! A sine or cosine by angle addition, of numbers of any precision.
//!
//! # Functionality
//! In: additive shares mod `2^l` of numbers x. Out: shares mod `2^l` of `sin x` or `cos x`, less than
//! [`AngleJob::error`] units off, and a twentieth more for radians.
//!
//! # Protocol
//! In turns and half turns the period is a power of two of units, and each party reduces its share by itself: right
//! for every number of the ring. In radians it is irrational: [`Radians`] makes turns of them first, for
//! `-2^(l-2) <= x < 2^(l-2)` units. Then [`Angles`].
//!
//! # Cost, a number
//! That of [`Angles`]; for radians, that of [`Radians`] before it.
//!
//! # Source
//! fss-beyond B7 iii.

use prim::ring::Ring;

use crate::{
    arith::{AngleJob, Angles, Fixed, Radians},
    bill::Bill,
    error::{Error, Result},
    math::functions::Function,
    session::Session,
    share::AShare,
    source::Source,
};

/// Bits that an angle in radians has as part of a turn, more than a result behind the point: its error of 2 units is
/// `4 pi / 2^8 < 0.05` units of the result.
const RADIANS: u32 = 8;
const RADIANS_ERROR: f64 = 0.05;

/// What the roundings of the shares are off on average.
const MEAN: f64 = 1.0 / 3.0;

/// Which of the two, and how. Public.
#[derive(Clone, Copy, Debug)]
pub(super) struct Angle {
    cosine: bool,
    /// For numbers in radians, their bits behind the point.
    radians: Option<u32>,
    job: AngleJob,
}

/// One-time material.
pub(super) struct Material {
    radians: Option<Radians>,
    angles: Angles,
}

impl Angle {
    /// For numbers with `fraction` bits behind the point in a ring of `bits` bits, and results with `fraction_out`.
    ///
    /// # Errors
    /// [`Error::Param`] for a function that is no sine and no cosine, and for a format that is not supported.
    pub(super) fn new(function: Function, bits: u32, fraction: u32, fraction_out: u32) -> Result<Self> {
        let Some((cosine, units)) = function.wave() else {
            let accepted = "sin, cos, sinpi, cospi, sin2pi, cos2pi".into();
            return Err(Error::Param { what: "angle addition of", got: function.name().into(), accepted });
        };
        let turn_bits = units.map_or(fraction_out + RADIANS, |units| fraction + units.ilog2());
        if units.is_some() && turn_bits > bits {
            let accepted = format!("a ring that holds a period, {turn_bits} bits or more");
            return Err(Error::Param { what: "width of the ring", got: bits.to_string(), accepted });
        }
        let radians = if units.is_none() { Some(fraction) } else { None };
        Ok(Self { cosine, radians, job: AngleJob::new(turn_bits, bits, fraction_out)? })
    }

    /// Whether it is right for every number of the ring.
    pub(super) fn repeats(&self) -> bool {
        self.radians.is_none()
    }

    /// What a result is off at most, and on average.
    pub(super) fn error(&self) -> [f64; 2] {
        let radians = if self.repeats() { 0.0 } else { RADIANS_ERROR };
        [self.job.error() + radians, MEAN]
    }

    /// Bits behind the point of a result.
    pub(super) fn fraction(&self) -> u32 {
        self.job.fraction
    }

    /// The least and the greatest result.
    pub(super) fn results(&self) -> [i64; 2] {
        let one = 1 << self.job.fraction;
        [-one - 1, one + 1]
    }

    /// All of it as numbers, for a digest.
    pub(super) fn words(&self) -> Vec<u64> {
        let Self { cosine, radians, job: AngleJob { turn_bits, bits, fraction } } = *self;
        let of_radians = radians.map_or(0, |fraction| 1 + u64::from(fraction));
        vec![cosine.into(), of_radians, turn_bits.into(), bits.into(), fraction.into()]
    }

    /// Offline.
    pub(super) fn prepare(&self, p: &mut dyn Source, batch: usize) -> Result<Material> {
        let turns = self.job.turn_bits;
        let radians = self.radians.map(|_| Radians::prepare(p, turns, batch)).transpose()?;
        Ok(Material { radians, angles: Angles::prepare(p, self.job, batch)? })
    }

    /// What a number costs.
    pub(super) fn bill(&self) -> Bill {
        let radians = self.radians.map_or(Bill::FREE, |_| Radians::bill(self.job.turn_bits));
        radians + self.job.bill()
    }

    /// Online. Spends the material.
    pub(super) fn eval<R: Ring>(
        &self,
        s: &mut Session,
        material: Material,
        x: &Fixed<R>,
    ) -> Result<AShare<R>> {
        let turns = self.turns(s, material.radians, x)?;
        let angles = material.angles;
        if self.cosine { angles.cos(s, &turns) } else { angles.sin(s, &turns) }?.low_bits(self.job.bits)
    }

    /// Online: the sine and the cosine. Spends the material.
    pub(super) fn both<R: Ring>(
        &self,
        s: &mut Session,
        material: Material,
        x: &Fixed<R>,
    ) -> Result<Vec<AShare<R>>> {
        let turns = self.turns(s, material.radians, x)?;
        let both = material.angles.sin_cos(s, &turns)?;
        both.iter().map(|y| y.low_bits(self.job.bits)).collect()
    }

    fn turns<R: Ring>(
        &self,
        s: &mut Session,
        material: Option<Radians>,
        x: &Fixed<R>,
    ) -> Result<AShare<u64>> {
        match (material, self.radians) {
            (Some(radians), Some(fraction)) => radians.turns(s, x.share(), fraction),
            _ => x.share().low_bits(self.job.turn_bits),
        }
    }
}
