//! A function that is a line on either side of 0, by a residual over both sides.
//!
//! # Functionality
//! In: additive shares of x, with F bits behind the point. Out: shares of `a x - r`, where a is 0 or 1 and the residual r
//! is 0 outside `-b .. b`, of `2^w` units of 1.
//!
//! # Protocol
//! 1. Each party cuts its share of `x + b` into `u_p` of s bits and H_p above. Their sum H, with no carry asked for, is
//!    `floor((x + b) / 2^s)` or one less. Its low k bits are the index of a piece, its upper ones V: x is inside if
//!    `V = 0`, above if `V > 0`. A piece is `2^(s+1)` units wide. With its index it is known, too, whether a is 1: from
//!    the piece that begins at 0 on. So r is a function of the index and of `u_0 + u_1`, though a may be wrong for x
//!    next to 0, and a line for each piece is near it.
//! 2. [`Lines`] reads the line at `u_0 + u_1`, with few bits, and gives shares of the carry into V and of the index's top
//!    bit.
//! 3. [`Upper`] tells the sides of V, where numbers are in the smallest ring that holds them.
//! 4. r and the top bit are multiplied with whether x is inside; r is extended to that ring, x multiplied with a.
//!
//! # Cost, a number
//! A one-hot vector of `2^k` entries and lines with a sign and `u_p`'s bits; a conversion of the bits of V and their
//! order; two multiplexers, of r and one bit and of x; an extension.
//!
//! # Source
//! functions-beyond 1, forms A and D without carry. Before it lut-spec 11.4; Hou et al., "CipherGPT" (2023).

use prim::ring::low;
use zeroize::Zeroizing;

use super::residual::{FormJob, Residual};
use crate::{
    arith::{Upper, UpperJob, truncate_reduce},
    bill::Bill,
    error::Result,
    gates::{Bits, Mux},
    lut::read::{Line, Lines},
    math::linear,
    session::Session,
    share::AShare,
    source::Source,
};

/// One-time material for a batch of numbers.
pub(super) struct Straight {
    job: FormJob,
    lines: Lines,
    sides: Upper,
    inside: Mux,
    rest: Residual,
    number: Mux,
}

fn sides(job: &FormJob) -> Result<UpperJob> {
    UpperJob::new(job.ring - job.pieces.domain - job.pieces.scale, true, false, job.objective)
}

impl Straight {
    /// What a number costs.
    ///
    /// # Errors
    /// None for a job that was checked.
    pub(super) fn bill(job: &FormJob) -> Result<Bill> {
        let pieces = job.pieces;
        let lines = Lines::bill(pieces.index, pieces.shape());
        let inside = sides(job)?.bill()? + Mux::bill(&[pieces.rest, 1]);
        Ok(lines + inside + Residual::bill(job)? + Mux::bill(&[job.ring]))
    }

    /// Offline, for `batch` numbers.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn prepare(p: &mut dyn Source, job: FormJob, batch: usize) -> Result<Self> {
        let pieces = job.pieces;
        let lines = Lines::prepare(p, pieces.index, pieces.shape(), batch)?;
        let sides = Upper::prepare(p, sides(&job)?, batch)?;
        let inside = Mux::prepare(p, batch, &[pieces.rest, 1])?;
        let rest = Residual::prepare(p, &job, batch)?;
        let number = Mux::prepare(p, batch, &[job.ring])?;
        Ok(Self { job, lines, sides, inside, rest, number })
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
        let Self { job, lines, sides, inside, rest, number } = self;
        let (pieces, role) = (job.pieces, s.role());
        let half = 1i64 << (pieces.domain + pieces.scale - 1);
        let from_0 = 1i64 << (pieces.index - 1);
        let fitted = pieces.fit(-half, |i, x| if i >= from_0 { x } else { 0.0 } - function(x))?;
        let x = x.low_bits::<u64>(job.ring)?;
        let moved = linear::plus(role, &x, half as u64);
        let low_bits = pieces.low_bits();
        let index = linear::map(&moved, pieces.index + 1, |x| x >> low_bits);
        let mine = Zeroizing::new(
            moved.words().iter().map(|&x| low(x, low_bits) >> pieces.dropped).collect::<Vec<_>>(),
        );
        let found = lines.eval(s, &fitted.table, Line::Sum, &index, &mine)?;
        // H's bit k is that of the upper bits' sum and of the carry.
        let upper = || moved.words().iter().map(|x| x >> (low_bits + pieces.index));
        let carry = &found.carry ^ &Bits::collect(upper());
        let [under, above] = sides.sides(s, upper(), &carry)?;
        let within = (&under ^ &above).not(role);
        let half: AShare<u64> = AShare::new(1, found.half.iter().collect());
        let line = truncate_reduce(&found.lines, pieces.guard)?;
        let selected = inside.select_all(s, &within, &[&line, &half])?;
        let positive = &above ^ &Bits::collect(selected[1].words().iter().copied());
        let r = rest.extend(s, &job, &selected[0], fitted.more)?;
        Ok(&number.select(s, &positive, &x)? - &r)
    }
}
