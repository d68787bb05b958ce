//! The exponential of negative shared numbers.
//!
//! # Functionality
//! In: additive shares mod `2^(F+5)` of t with F bits behind the point, `1/32 <= t < 31`. Out: shares of
//! `e^-t` with `F + 10` bits behind the point, in a ring of any width. The error is at most
//! `1.7 e^-t 2^-(F+3)` and 5 units: the first from rounding what the parties compute, which in a softmax
//! matters by its share of the result only; the rest is 0 on average and independent of other numbers'.
//!
//! # Protocol
//! Each party cuts its share into 6 upper bits `i_p` and `u_p`; then `t = i / 2 + u_0 + u_1`, where
//! `i = i_0 + i_1` mod 64 is the number of halves in t or one less, and no sum of `u_p` is reduced. Hence
//! `e^-t = e^(-i/2) e^(-u_0) e^(-u_1)`:
//! 1. a lookup at i, where 63 stands for -1, in a table with `F + 11` bits behind the point;
//! 2. both products at once (`arith::times_both`): party p computes `e^(-u_p)` by itself, with `F + 3`
//!    bits behind the point; its low `F + 5` bits are not multiplied;
//! 3. the shares are shifted, and extended to the ring wanted.
//!
//! # Cost, a number
//! A one-hot vector of 64 entries and its reading with an output of `3F + 18` bits; `2b` correlated OTs
//! and `2b + b (4F + 27 - b)` bits of `b = F + 2`; a bounded extension from `F + 11` bits: 4 rounds.
//!
//! # Source
//! lut-spec 11.5 step 3, with one lookup in place of two, as the lower factor is a product of what the
//! parties know; Kelkar et al., "Secure Poisson Regression" (USENIX Security 2022), for that.

use prim::ring::low;
use zeroize::Zeroizing;

use super::exponent::complement;
use crate::{
    arith::SmallProducts,
    bill::Bill,
    error::{Result, same},
    lut::{
        Table,
        read::{Signed, Vectors},
    },
    math::linear::{self, Widening},
    onehot::{Cyclic, OneHot},
    session::Session,
    share::AShare,
    source::Source,
};

/// Bits of an index.
const INDEX: u32 = 6;

/// What the exponentials of a batch have in common.
#[derive(Clone, Copy)]
pub(super) struct ExponentialJob {
    /// Bits behind the point, 8 to 14.
    pub(super) scale: u32,
    pub(super) batch: usize,
    /// Width of the ring of the results.
    pub(super) ring: u32,
}

/// One-time material.
pub(super) struct Exponential {
    job: ExponentialJob,
    table: Table<u64>,
    material: Signed<Cyclic>,
    products: SmallProducts,
    widening: Widening,
}

impl ExponentialJob {
    /// Width of t.
    pub(super) fn bits(scale: u32) -> u32 {
        scale - 1 + INDEX
    }

    /// What an exponential costs.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for a scale that is not supported.
    pub(super) fn bill(&self) -> Result<Bill> {
        let f = self.scale;
        let read = OneHot::<Cyclic>::tree_bill(INDEX) + Signed::<Cyclic>::bill(INDEX, &[3 * f + 18])?;
        Ok(read + SmallProducts::bill(2 * f + 13, f + 2)? + Widening::bill([f + 11, self.ring])?)
    }

    /// Bits behind the point of a result.
    pub(super) fn scale_out(scale: u32) -> u32 {
        scale + 10
    }
}

impl Exponential {
    /// Offline.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn prepare(p: &mut dyn Source, job: ExponentialJob) -> Result<Self> {
        let width = 3 * job.scale + 18;
        let entry = |i: u64| {
            let halves = if i == 63 { -1.0 } else { i as f64 };
            (libm::exp(-halves / 2.0) * f64::from(1u32 << (job.scale + 11))).round() as u64
        };
        let material = Signed::prepare(p, Vectors::Tree, INDEX, &[width], job.batch)?;
        let products = SmallProducts::prepare(p, job.scale + 2, job.batch)?;
        let widening = Widening::prepare(p, [job.scale + 11, job.ring], job.batch)?;
        Ok(Self { job, table: Table::tabulate(INDEX, width, entry)?, material, products, widening })
    }

    /// Online. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless numbers and width are those prepared for, and those of
    /// the channel.
    pub(super) fn eval(self, s: &mut Session, t: &AShare<u64>) -> Result<AShare<u64>> {
        let f = self.job.scale;
        same("bits of the numbers of an exponential", ExponentialJob::bits(f) as usize, t.bits() as usize)?;
        let index: AShare<u32> = linear::map(t, INDEX, |t| t >> (f - 1));
        let upper = self.material.lookup(s, &self.table, &index)?;
        let lower = t.words().iter().map(|&t| complement(low(t, f - 1), f, f + 3));
        let lower = Zeroizing::new(lower.collect::<Vec<_>>());
        let product = self.products.times_both(s, &upper, &lower, 1 << (f + 3), f + 5)?;
        // Some units more, so that none is negative.
        let (some, role) = (4u64, s.role());
        let out = linear::cut(role, &linear::plus(role, &product, some << (f + 2)), f + 2)?;
        let out = self.widening.zero(s, &out)?;
        Ok(linear::plus(role, &out, some.wrapping_neg()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Party, net::Role, run_pair};

    /// Every number of the domain, in splits of all kinds.
    #[test]
    fn the_whole_domain_is_as_accurate_as_documented() {
        for scale in [8u32, 12, 14] {
            let (from, to) = (1u64 << (scale - 5), 31u64 << scale);
            let all: Vec<u64> = (from..to).step_by(1 << scale.saturating_sub(9)).chain([to - 1]).collect();
            let (bits, out) = (ExponentialJob::bits(scale), ExponentialJob::scale_out(scale));
            let job = ExponentialJob { scale, batch: all.len(), ring: out + 3 };
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
            let unit = 2f64.powi(out as i32);
            for (t, y) in all.iter().zip(y) {
                let want = libm::exp(-(*t as f64) / 2f64.powi(scale as i32)) * unit;
                let error = ((y << (61 - out)) as i64 >> (61 - out)) as f64 - want;
                let most = 1.7 * want * 2f64.powi(-(scale as i32 + 3)) + 5.0;
                assert!(error.abs() <= most, "e^-{t}/2^{scale}: {error} units off, {most} allowed");
            }
        }
    }
}
