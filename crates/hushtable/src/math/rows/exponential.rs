//! The exponential of negative shared numbers.
//!
//! # Functionality
//! In: additive shares mod `2^l` of t with F bits behind the point, `t >= 1/2`. Out: shares of `e^-t` with f bits behind
//! the point, in a ring of any width; of 0 from 16 on, or from a half more.
//!
//! # Protocol
//! Each party cuts its share into `u_p` below and H_p above halves; then `t = H / 2 + u_0 + u_1`, where the sum H is the
//! number of halves in t or one less, and no sum of `u_p` is reduced. Of H the low 5 bits are i, the upper ones V: then
//! `e^-t = e^(-i/2) e^(-u_0) e^(-u_1)` if `V = 0`, and else it is less than a unit:
//! 1. [`Lines`] reads i in a table with up to 16 bits more behind the point than a result and multiplies it with both factors, of which
//!    party p computes `e^(-u_p)` by itself, with B bits behind the point; and gives shares of the carry into V.
//! 2. The carry is converted, V compared with 0, and the product multiplied with that.
//! 3. The product is extended to the ring wanted.
//!
//! A rounding of the table is the same wherever it is met, and adds up in a sum: so it has as many bits as fit. The rest
//! is 0 on average, for even B, and independent of other numbers'.
//!
//! # Cost, a number
//! A one-hot vector of 32 entries; B correlated OTs and `B (f + g + 3)` bits each way for g guard bits; a conversion of
//! V's bits and an equality; a multiplexer of `f + 2` bits and an extension.
//!
//! # Source
//! functions-beyond 2. Before it lut-spec 11.5 step 3, with one lookup in place of two, as the lower factor is a product
//! of what the parties know; Kelkar et al., "Secure Poisson Regression" (USENIX Security 2022), for that.

use prim::ring::low;
use zeroize::Zeroizing;

use super::exponent::complement;
use crate::{
    arith::{Equality, Objective, truncate_reduce},
    bill::Bill,
    error::{Result, same},
    gates::{B2a, Bits, Mux},
    lut::{
        Table,
        read::{Line, Lines, PolynomialShape},
    },
    math::linear::{self, Widening},
    session::Session,
    share::AShare,
    source::Source,
};

/// Bits of an index.
const INDEX: u32 = 5;

/// Bits of an entry below those of a result, at most: they are only used locally.
const FINER: u32 = 16;

/// Units that a result has more, so that it is not negative.
const MORE: u64 = 4;

/// What the exponentials of a batch have in common.
#[derive(Clone, Copy)]
pub(super) struct ExponentialJob {
    pub(super) batch: usize,
    /// Width of t, l, and bits behind its point, F, 8 to 14.
    pub(super) bits: u32,
    pub(super) scale: u32,
    /// Bits behind the point of a result, f, and of a factor, B, an even number.
    pub(super) scale_out: u32,
    pub(super) factor: u32,
    /// Guard bits of a product, g.
    pub(super) guard: u32,
    /// Width of the ring of the results.
    pub(super) ring: u32,
    pub(super) objective: Objective,
}

/// One-time material.
pub(super) struct Exponential {
    job: ExponentialJob,
    table: Table<u64>,
    lines: Lines,
    carry: B2a,
    near: Equality,
    hold: Mux,
    widening: Widening,
}

impl ExponentialJob {
    /// What an exponential costs.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for widths that are not supported.
    pub(super) fn bill(&self) -> Result<Bill> {
        let (upper, narrow) = (self.upper(), self.narrow());
        let near = B2a::bill(upper) + Equality::bill(upper, self.digit()?)? + Mux::bill(&[narrow]);
        Ok(Lines::bill(INDEX, self.shape()) + near + Widening::bill([narrow, self.ring])?)
    }

    /// Bits of V.
    fn upper(&self) -> u32 {
        self.bits - self.low_bits() - INDEX
    }

    /// Bits of `u_p`.
    fn low_bits(&self) -> u32 {
        self.scale - 1
    }

    /// Width of a product.
    fn narrow(&self) -> u32 {
        self.scale_out + 2
    }

    fn digit(&self) -> Result<u32> {
        Equality::best_digit(self.upper(), self.objective)
    }

    /// Bits of an entry below those of a result.
    fn finer(&self) -> u32 {
        FINER.min(64 - self.narrow() - 2 * self.factor)
    }

    /// Of `e^-u >= 1/2` what is missing to 1 has a bit less than the factor.
    fn shape(&self) -> PolynomialShape {
        let excess = self.finer() + 2 * self.factor;
        let [ring, cut] = [self.narrow() + excess, excess - self.guard];
        PolynomialShape { degree: 1, bits: self.factor - 1, ring, cut, carry: false }
    }

    /// What a product loses on average, with the guard bits behind the point: both last drops, those of the words, and both
    /// local ones.
    fn lost(&self) -> u64 {
        (1 << self.guard) - 1 + (u64::from(self.factor) - 1 + 3) / 2
    }
}

impl Exponential {
    /// Offline.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn prepare(p: &mut dyn Source, job: ExponentialJob) -> Result<Self> {
        let (shape, batch) = (job.shape(), job.batch);
        let unit = libm::exp2(f64::from(job.scale_out + job.finer()));
        let entry = |i: u64| (libm::exp(-(i as f64) / 2.0) * unit).round() as u64;
        Ok(Self {
            table: Table::tabulate(INDEX, shape.ring, entry)?,
            lines: Lines::prepare(p, INDEX, shape, batch)?,
            carry: B2a::prepare(p, job.upper(), batch)?,
            near: Equality::prepare(p, job.upper(), job.digit()?, batch)?,
            hold: Mux::prepare(p, batch, &[job.narrow()])?,
            widening: Widening::prepare(p, [job.narrow(), job.ring], batch)?,
            job,
        })
    }

    /// Online. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless numbers and width are those prepared for, and those of
    /// the channel.
    pub(super) fn eval(self, s: &mut Session, t: &AShare<u64>) -> Result<AShare<u64>> {
        let Self { job, table, lines, carry, near, hold, widening } = self;
        same("bits of the numbers of an exponential", job.bits as usize, t.bits() as usize)?;
        let (role, low_bits, upper) = (s.role(), job.low_bits(), job.upper());
        let index = linear::map(t, INDEX + 1, |t| t >> low_bits);
        let missing = t.words().iter().map(|&t| complement(low(t, low_bits), job.scale, job.factor));
        let missing = Zeroizing::new(missing.collect::<Vec<_>>());
        let found = lines.eval(s, &table, Line::Product(1 << job.factor), &index, &missing)?;
        // V without the carry, whose lowest bit is in the index's top bit.
        let v = linear::map::<u64, u64>(t, upper, |t| t >> (low_bits + INDEX));
        let into = &found.carry ^ &Bits::collect(v.words().iter().map(|v| v & 1));
        let v = &v + &carry.convert(s, &into)?;
        let zero = AShare::new(upper, vec![0; v.len()]);
        let near = near.eq(s, &v, &zero)?;
        let product = linear::plus(role, &found.lines, job.lost());
        let held = hold.select(s, &near, &truncate_reduce(&product, job.guard)?)?;
        let out = widening.zero(s, &linear::plus(role, &held, MORE))?;
        Ok(linear::plus(role, &out, MORE.wrapping_neg()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Party, net::Role, run_pair};

    /// Every number from a half to 20, and some far ones, in splits of all kinds.
    #[test]
    fn the_whole_domain_is_as_accurate_as_documented() {
        for scale in [8u32, 12, 14] {
            let (from, to) = (1u64 << (scale - 1), 20u64 << scale);
            let far = (1..8).map(|i| (i << (scale + 9)) - 1);
            let all: Vec<u64> = (from..to).step_by(1 << scale.saturating_sub(9)).chain(far).collect();
            let (bits, scale_out) = (scale + 13, scale + 8);
            let job = ExponentialJob {
                batch: all.len(),
                bits,
                scale,
                scale_out,
                factor: scale + 2,
                guard: 1,
                ring: scale_out + 9,
                objective: Objective::Total,
            };
            let run = |p: &mut Party| {
                let mask = |i: u64| low((i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7, bits);
                let word = |(i, t): (usize, &u64)| match p.role() {
                    Role::P0 => mask(i as u64),
                    Role::P1 => t.wrapping_sub(mask(i as u64)),
                };
                let t = AShare::<u64>::new(bits, all.iter().enumerate().map(word).collect());
                let y = Exponential::prepare(p, job)?.eval(p, &t)?;
                p.open(&y)
            };
            let (y, _) = run_pair(Party::pair().unwrap(), run, run).unwrap();
            let unit = 2f64.powi(scale_out as i32);
            let unused = 64 - job.ring;
            for (t, y) in all.iter().zip(y) {
                let want = libm::exp(-(*t as f64) / 2f64.powi(scale as i32)) * unit;
                let error = ((y << unused) as i64 >> unused) as f64 - want;
                let most = 1.2 * want * 2f64.powi(-(scale as i32 + 2)) + 7.0;
                assert!(error.abs() <= most, "e^-{t}/2^{scale}: {error} units off, {most} allowed");
            }
        }
    }
}
