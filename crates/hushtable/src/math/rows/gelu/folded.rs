//! A function that is a line on either side of 0, by a residual over one side: the number is folded first.
//!
//! # Functionality
//! In: additive shares of x, with F bits behind the point. Out: shares of `a x - r`, where a is 0 or 1 and the residual
//! `r(|x|)` is 0 from a bound on. `r(y)` is to be smooth around 0, with `a x - r(2 a x - x)` the function for both a.
//!
//! # Protocol
//! Let m be a public factor, and units those of `m x`; a piece has `2^s` of them, and `2^(w+F) = 2^(k+s)` hold the domain.
//! 1. Each party cuts its share of `m x + 2^(w+F)` into s bits, which are dropped, and H_p above. Of their sum H the low k
//!    bits are left alone, bit k is h, and those above are W. A comparison of k bits tells the carry into h, hence h; the
//!    carry into W is the majority of that and of both parties' bits k: an AND.
//! 2. [`Upper`] tells the sides of W: `m x` is in `-2^(w+F) .. 2^(w+F)` if `W = 0`, and `a = 1` if `W > 0`, or `W = 0` and
//!    `h = 1`. W may be the least number of its ring, next to the end of the smallest rings that hold the domain, where
//!    [`Upper`] may call it inside and above: then `h = 1` and y is beyond, so x counts as below. H may be one too small,
//!    so for x next to 0 a may be 0 though it is not negative: `x < 2^s / m`.
//! 3. x is multiplied with a: shares of `y = 2 a x - x`, which is `|x|`, or a bit less than 0.
//! 4. Each party cuts its share of `m y + 2^s + 2^(s-q)` into `u_p` of s bits and an index above. A comparison tells the
//!    carry of the upper q bits of both `u_p`; it is converted and added to the indices. No index is negative.
//! 5. [`Lines`] reads the line at `u_0 + u_1`, less `2^s` for the carry, and gives shares of the index's bit k: whether y is
//!    beyond the last piece, as the pieces begin below 0. r is multiplied with whether x is inside and y not beyond.
//!
//! # Cost, a number
//! A one-hot vector of `2^k` entries and lines with a sign, a carry and `u_p`'s bits; comparisons of k and of q bits; a
//! conversion of the bits of W and their order, and one of `k + 1` bits; three ANDs; two multiplexers, of x and of r; an
//! extension.
//!
//! # Source
//! functions-beyond 1, form C. There m is 1, and the numbers between the last piece and the end of the domain are
//! overlooked.

use prim::ring::low;
use zeroize::Zeroizing;

use super::residual::{FormJob, Residual};
use crate::{
    arith::{CompareDomain, CompareJob, Comparison, Upper, UpperJob, truncate_reduce},
    bill::Bill,
    error::Result,
    gates::{B2a, Bits, Mux, Triples, and},
    lut::read::{Line, Lines},
    math::linear,
    net::Role,
    session::Session,
    share::AShare,
    source::Source,
};

/// One-time material for a batch of numbers.
pub(super) struct Folded {
    job: FormJob,
    sign: Comparison,
    ands: [Triples; 3],
    sides: Upper,
    number: Mux,
    carry: Comparison,
    convert: B2a,
    lines: Lines,
    inside: Mux,
    rest: Residual,
}

impl FormJob {
    /// Width of a ring that holds `m x`.
    fn wide(&self) -> u32 {
        (self.ring + self.pieces.times.ilog2()).min(self.bits)
    }

    /// Bits of `m x` below W.
    fn inner(&self) -> u32 {
        self.pieces.domain + self.pieces.scale + 1
    }

    fn upper(&self) -> Result<UpperJob> {
        UpperJob::new(self.wide() - self.inner(), true, false, self.objective)
    }

    /// Of the bit above so many.
    fn above(&self, bits: u32) -> Result<CompareJob> {
        CompareJob::new(bits + 1, CompareDomain::Near, self.objective)
    }
}

impl Folded {
    /// What a number costs.
    ///
    /// # Errors
    /// None for a job that was checked.
    pub(super) fn bill(job: &FormJob) -> Result<Bill> {
        let pieces = job.pieces;
        let sign = job.above(pieces.index)?.bill()? + Triples::bill(1);
        let fold = job.upper()?.bill()? + Triples::bill(1) + Mux::bill(&[job.ring]);
        let index = job.above(pieces.carry)?.bill()? + B2a::bill(pieces.index + 1);
        let lines = Lines::bill(pieces.index, pieces.shape());
        Ok(sign + fold + index + lines + Triples::bill(1) + Mux::bill(&[pieces.rest]) + Residual::bill(job)?)
    }

    /// Offline, for `batch` numbers.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn prepare(p: &mut dyn Source, job: FormJob, batch: usize) -> Result<Self> {
        let pieces = job.pieces;
        let sign = Comparison::prepare(p, job.above(pieces.index)?, batch)?;
        let mut triples = || Triples::random(p, batch);
        let ands = [triples()?, triples()?, triples()?];
        let sides = Upper::prepare(p, job.upper()?, batch)?;
        let number = Mux::prepare(p, batch, &[job.ring])?;
        let carry = Comparison::prepare(p, job.above(pieces.carry)?, batch)?;
        let convert = B2a::prepare(p, pieces.index + 1, batch)?;
        let lines = Lines::prepare(p, pieces.index, pieces.shape(), batch)?;
        let inside = Mux::prepare(p, batch, &[pieces.rest])?;
        let rest = Residual::prepare(p, &job, batch)?;
        Ok(Self { job, sign, ands, sides, number, carry, convert, lines, inside, rest })
    }

    /// Online: shares of the function, in the smallest ring that holds the numbers. Spends the material.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn eval(
        self,
        s: &mut Session,
        x: &AShare<u64>,
        function: impl Fn(f64) -> f64,
    ) -> Result<AShare<u64>> {
        let Self {
            job,
            sign,
            ands: [majority, top, end],
            sides,
            number,
            carry,
            convert,
            lines,
            inside,
            rest,
        } = self;
        let (pieces, role) = (job.pieces, s.role());
        let (k, low_bits, inner) = (pieces.index, pieces.low_bits(), job.inner());
        let times =
            |x: &AShare<u64>, bits| linear::map::<u64, u64>(x, bits, |x| x.wrapping_mul(pieces.times));

        // 1
        let moved = linear::plus(role, &times(&x.low_bits(job.wide())?, job.wide()), 1 << (inner - 1));
        let upper = linear::map::<u64, u64>(&moved, k + 1, |x| x >> low_bits);
        let h = sign.negative(s, &upper)?;
        let into_h = &h ^ &Bits::collect(upper.words().iter().map(|x| x >> k & 1));
        // The majority of the carry c and both bits b is `c ^ (b_0 ^ c)(b_1 ^ c)`. c is shared, and so is h, with the
        // own bit in each share: P0's share of h and P1's of c make `b_0 ^ c`.
        let [first, second] = match role {
            Role::P0 => [&h, &into_h],
            Role::P1 => [&into_h, &h],
        };
        let into_w = &and(s, majority, first, second)? ^ &into_h;

        // 2 and 3
        let [under, above] = sides.sides(s, moved.words().iter().map(|x| x >> inner), &into_w)?;
        let within = (&under ^ &above).not(role);
        let positive = &above ^ &and(s, top, &within, &h)?;
        let x = x.low_bits::<u64>(job.ring)?;
        let upright = number.select(s, &positive, &x)?;

        // 4
        let first = (1u64 << low_bits) + (1 << (low_bits - pieces.carry));
        let y = linear::plus(role, &times(&(&(&upright + &upright) - &x), inner), first);
        let tops =
            linear::map::<u64, u64>(&y, pieces.carry + 1, |y| low(y, low_bits) >> (low_bits - pieces.carry));
        let carry = carry.negative(s, &tops)?;
        let carries: AShare<u64> = convert.convert(s, &carry)?;
        let index = &linear::map(&y, k + 1, |y| y >> low_bits) + &carries;
        let multiplied = low_bits - pieces.dropped;
        let mine = y.words().iter().zip(carry.iter());
        let mine = mine.map(|(&y, carry)| low(y, low_bits) >> pieces.dropped | carry << multiplied);
        let mine = Zeroizing::new(mine.collect::<Vec<_>>());

        // 5
        let fitted = pieces.fit(-(first as i64), |_, y| -function(-y))?;
        let found = lines.eval(s, &fitted.table, Line::Sum, &index, &mine)?;
        let near = and(s, end, &within, &found.carry.not(role))?;
        let r = inside.select(s, &near, &truncate_reduce(&found.lines, pieces.guard)?)?;
        Ok(&upright - &rest.extend(s, &job, &r, fitted.more)?)
    }
}
