//! Rows of shared numbers times one small shared number each, without the low bits of the products.
//!
//! # Functionality
//! In: additive shares of rows of numbers x mod `2^L`, and for each row of y mod `2^b`, `y < 2^(b-1)`. Out: shares mod
//! `2^(L-f)` of about `x y / 2^f`.
//!
//! # Protocol
//! As integers the shares of y sum to `y + 2^b w`, so that `x y` is the sum over both parties p of `x_p y_p`, of
//! `x_p y_{1-p}`, and of `-2^b w x_p`:
//! 1. w is the OR of the top bits of the shares of y; shares of it by XOR, by a correlated OT;
//! 2. `2^b x` mod `2^L` without its low f bits is multiplied with w, by a multiplexer of rows;
//! 3. `x_p y_{1-p}` by Gilboa's products that are cut; all numbers of a row share the correlated OTs.
//!
//! Each party drops the low f bits of its local product, of `2^b x_p` and of each payload, which loses half a unit on
//! average, one at most: together [`RowProductJob::lost`] on average, for uniform shares.
//!
//! # Cost
//! A row `2 b + 3` correlated OTs and online `2 b + 4` bits, a number twice the sum of `L - max(j, f)` over `j < b` and
//! `2 (L - f)` bits; 3 rounds.
//!
//! # Source
//! Gilboa (CRYPTO 1999); functions-beyond 0, T1, and 2.

use prim::ring::low;
use zeroize::Zeroizing;

use super::{
    bit_product::BitProducts,
    gilboa::{Factors, Gilboa},
    product::share,
};
use crate::{
    bill::Bill,
    error::{Result, same},
    gates::{Bits, Mux},
    session::Session,
    share::AShare,
    source::Source,
};

/// What the rows of a batch have in common. Public.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowProductJob {
    /// Rows, and numbers in a row.
    pub(crate) rows: usize,
    pub(crate) len: usize,
    /// Width of a number, L, and of the number of a row, b.
    pub(crate) bits: u32,
    pub(crate) number_bits: u32,
    /// Low bits of a product that are dropped, f.
    pub(crate) cut: u32,
}

/// One-time material for a batch of rows.
#[must_use = "one-time material that is not used was generated for nothing"]
pub(crate) struct RowProducts {
    job: RowProductJob,
    wraps: BitProducts,
    wrapped: Mux,
    gilboa: Gilboa,
}

impl RowProductJob {
    /// What all rows cost.
    pub(crate) fn bill(&self) -> Bill {
        let mixed = Gilboa::cut_bill(self.bits, self.number_bits, self.cut, self.len);
        let wrapped = BitProducts::bill(1).then(Mux::bill(&self.widths()));
        wrapped.then(mixed.beside(mixed.swapped())).times(self.rows)
    }

    /// Units that a product loses, on average.
    pub(crate) fn lost(&self) -> u64 {
        // Half a unit of each party's own, of both words that are wrapped, which count negatively, and of the payloads for
        // half of the bits.
        u64::from(self.number_bits / 2)
    }

    /// Widths of a row's words that are wrapped.
    fn widths(&self) -> Vec<u32> {
        vec![self.bits - self.cut; self.len]
    }
}

impl RowProducts {
    /// Offline.
    ///
    /// # Errors
    /// Those of the channel.
    pub(crate) fn prepare(p: &mut dyn Source, job: RowProductJob) -> Result<Self> {
        let wraps = BitProducts::prepare(p, 1, job.rows)?;
        let wrapped = Mux::prepare(p, job.rows, &job.widths())?;
        let gilboa = Gilboa::prepare(p, job.number_bits, job.rows, job.rows)?;
        Ok(Self { job, wraps, wrapped, gilboa })
    }

    /// Online: shares of the products, row by row. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless numbers and widths are those prepared for, and those of the channel.
    pub(crate) fn multiply(self, s: &mut Session, x: &AShare<u64>, y: &AShare<u64>) -> Result<AShare<u64>> {
        let Self { job, wraps, wrapped, gilboa } = self;
        let RowProductJob { rows, len, bits, number_bits, cut } = job;
        for (what, want, got) in [
            ("numbers to multiply", rows * len, x.len()),
            ("numbers of rows", rows, y.len()),
            ("bits of the numbers to multiply", bits as usize, x.bits() as usize),
            ("bits of the numbers of rows", number_bits as usize, y.bits() as usize),
        ] {
            same(what, want, got)?;
        }
        let tops = Zeroizing::new(y.words().iter().map(|y| y >> (number_bits - 1)).collect::<Vec<_>>());
        let wraps = Bits::collect(wraps.or(s, &tops)?.iter().copied());
        let column = |k: usize| {
            let words = x.words()[k..].iter().step_by(len).map(|&x| low(x << number_bits, bits) >> cut);
            AShare::new(bits - cut, words.collect::<Vec<u64>>())
        };
        let columns = (0..len).map(column).collect::<Vec<_>>();
        let wrapped = wrapped.select_all(s, &wraps, &columns.iter().collect::<Vec<_>>())?;
        let local = x.words().iter().enumerate().map(|(i, x)| {
            let own = low(x.wrapping_mul(y.words()[i / len]), bits) >> cut;
            own.wrapping_sub(wrapped[i % len].words()[i / len])
        });
        let mut out = Zeroizing::new(local.collect::<Vec<u64>>());
        let word = |i: usize, k: usize| x.words()[i * len + k];
        let factors = Factors { bits, cut, row: len, word: &word, numbers: Some(y.words()) };
        gilboa.multiply(s, &factors, &mut |i, k, share| {
            out[i * len + k] = out[i * len + k].wrapping_add(share);
        })?;
        Ok(share(bits - cut, &out))
    }
}
