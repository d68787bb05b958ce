//! The residual of a function that is a line on either side of 0, but for what is near: read off lines.
//!
//! # Functionality
//! The function is `a x - r`, where a is 0 or 1 and r is small, and 0 far away. The domain of r is cut into `2^k` pieces of
//! `2^s` units each. At an index and two numbers `u_0`, `u_1` of s bits, r is near the line of the piece there, at
//! `u_0 + u_1`. That sum may be greater than a piece, so its line fits r somewhat beyond its end:
//! * *without a carry* of the sum, up to twice its width;
//! * where the carry of the upper q bits of both is *known*, and added to the index, up to `1 + 2^-q` times.
//!
//! # Protocol
//! [`Lines`](crate::lut::read::Lines) reads and multiplies with few bits. What cuts lose on average is in the lines. r is
//! moved to where it is not negative, and extended to the ring of the numbers.
//!
//! # Cost, a number
//! Of the extension: a correlated OT. The lines' is theirs.
//!
//! # Source
//! functions-beyond 0, T1 and T4, and 1.

use prim::ring::low;

use crate::{
    arith::Objective,
    bill::Bill,
    error::Result,
    lut::{Table, read::PolynomialShape},
    math::linear::{self, Widening},
    session::Session,
    share::AShare,
    source::Source,
};

/// At how many places, but one, a line is compared with r.
const STEPS: u32 = 128;

/// How r is read. Public.
#[derive(Clone, Copy)]
pub(super) struct Pieces {
    /// Bits behind the point of the numbers, F.
    pub(super) scale: u32,
    /// A factor of the numbers before they are cut: 1 or 3. A unit is that of the product.
    pub(super) times: u64,
    /// Bits before the point of the domain, w, and of an index, k.
    pub(super) domain: u32,
    pub(super) index: u32,
    /// Upper bits of `u_p` whose carry is known, q; 0 for none.
    pub(super) carry: u32,
    /// Bits behind the point that r does not have.
    pub(super) coarser: u32,
    /// Low bits of `u_p` that are not multiplied.
    pub(super) dropped: u32,
    /// Guard bits of a product.
    pub(super) guard: u32,
    /// Bits of r.
    pub(super) rest: u32,
}

/// What a form of evaluation is told. Public.
#[derive(Clone, Copy)]
pub(super) struct FormJob {
    pub(super) pieces: Pieces,
    /// Width of the numbers as they are given, and of the smallest ring that holds them.
    pub(super) bits: u32,
    pub(super) ring: u32,
    pub(super) objective: Objective,
}

/// The lines of r, and what is added to it so that it is not negative.
pub(super) struct Fitted {
    pub(super) table: Table<u64>,
    pub(super) more: u64,
}

/// One-time material: residuals in the ring of the numbers.
pub(super) struct Residual {
    widening: Widening,
}

impl Pieces {
    /// Bits of `u_p`, s.
    pub(super) fn low_bits(&self) -> u32 {
        self.domain + self.scale - self.index
    }

    /// Bits of a line below those of r.
    fn cut(&self) -> u32 {
        let finer = if self.carry == 0 { 4 } else { 8 };
        self.low_bits() - self.dropped + finer
    }

    pub(super) fn shape(&self) -> PolynomialShape {
        let (bits, cut, carry) = (self.low_bits() - self.dropped, self.cut(), self.carry > 0);
        PolynomialShape { degree: 1, bits, ring: self.rest + cut, cut: cut - self.guard, carry }
    }

    /// Lines that are near `rest` of a piece and a number, the first piece being from so many units on.
    pub(super) fn fit(&self, first: i64, rest: impl Fn(i64, f64) -> f64) -> Result<Fitted> {
        let shape = self.shape();
        let behind = self.scale - self.coarser;
        let (unit, piece) = (libm::exp2(f64::from(behind)), libm::exp2(f64::from(self.low_bits())));
        let (cut, guard) = (libm::exp2(f64::from(self.cut())), libm::exp2(-f64::from(self.guard)));
        // Pieces that a line is near, from its own beginning on.
        let width = if self.carry == 0 { 2.0 } else { 1.0 + libm::exp2(-f64::from(self.carry)) };
        // What the drops lose on average: both last ones, those of the numbers' words, and both local ones.
        let words = f64::from(shape.bits) + f64::from(u8::from(shape.carry));
        let lost = 1.0 - guard + (0.5 * words + 1.5) * guard;
        // What is lost of the numbers themselves.
        let dropped = libm::exp2(f64::from(self.dropped));
        let (mut d, mut k, mut least) = (Vec::new(), Vec::new(), 0f64);
        for i in 0..1i64 << self.index {
            // In equal steps.
            let at = |t: u32| f64::from(t) / f64::from(STEPS) * width;
            let number = |t: u32| {
                let units = first as f64 + (i as f64 + at(t)) * piece;
                units / self.times as f64 * libm::exp2(-f64::from(self.scale))
            };
            let rest = |t: u32| rest(i, number(t)) * unit;
            // Of the line through both ends.
            let slope = (rest(STEPS) - rest(0)) / (width * piece);
            let gap = |t: u32| rest(t) - slope * at(t) * piece;
            // Halfway between the least and the greatest difference from it.
            let gaps = (0..=STEPS).map(gap).fold((f64::MAX, f64::MIN), |(a, b), g| (a.min(g), b.max(g)));
            let offset = (gaps.0 + gaps.1) / 2.0 + slope * (dropped - 1.0) + lost;
            least = (0..=STEPS).map(rest).fold(least, f64::min);
            d.push(low((offset * cut).round() as i64 as u64, shape.ring));
            k.push(low((slope * dropped * cut).round() as i64 as u64, shape.ring));
        }
        Ok(Fitted { table: Table::vector(shape.ring, vec![d, k])?, more: (-least).ceil() as u64 + 3 })
    }
}

impl FormJob {
    /// Widths of r, and of what it is extended to.
    fn rest(&self) -> [u32; 2] {
        [self.pieces.rest, self.ring - self.pieces.coarser]
    }
}

impl Residual {
    /// Offline, for `batch` numbers.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn prepare(p: &mut dyn Source, job: &FormJob, batch: usize) -> Result<Self> {
        Ok(Self { widening: Widening::prepare(p, job.rest(), batch)? })
    }

    /// What a number costs.
    ///
    /// # Errors
    /// None for a job that was checked.
    pub(super) fn bill(job: &FormJob) -> Result<Bill> {
        Widening::bill(job.rest())
    }

    /// Online: shares in the numbers' ring, with as many bits behind the point, of r from those of R bits. Spends the
    /// material.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn extend(
        self,
        s: &mut Session,
        job: &FormJob,
        r: &AShare<u64>,
        more: u64,
    ) -> Result<AShare<u64>> {
        let role = s.role();
        let r: AShare<u64> = self.widening.zero(s, &linear::plus(role, r, more))?;
        let r = linear::plus(role, &r, more.wrapping_neg());
        Ok(linear::map(&r, job.ring, |r| r << job.pieces.coarser))
    }
}
