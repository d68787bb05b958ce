//! Functions of normalised numbers, to start an iteration with.
//!
//! # Functionality
//! In: shares of `1 <= z < 2.25` with 20 bits behind the point. Out: shares of about `f(z)`, with 16.
//!
//! # Protocol
//! 1. Each party shifts its share of `z - 1`: shares of `i = floor(512 (z - 1))` or of one less.
//! 2. One lookup reads a value that suits all of `1 + [i, i + 2) / 512`.
//!
//! # Cost, a number
//! A one-hot vector of 1024 entries and its reading: 2 rounds.
//!
//! # Source
//! lut-spec 11.2 (the double interval), 11.5 step 5.

use super::normalise::Z;
use crate::{
    arith::truncate_reduce,
    bill::Bill,
    error::Result,
    lut::{
        Table,
        read::{Signed, Vectors},
    },
    math::linear,
    onehot::{Cyclic, OneHot},
    session::Session,
    share::AShare,
    source::Source,
};

/// Bits behind the point of what is read.
pub(super) const M: u32 = 16;

/// Bits of an index, for numbers of `[1, 3)`.
const INDEX: u32 = 10;

/// What a reading costs, with outputs of w bits.
///
/// # Errors
/// [`Error::Param`](crate::Error::Param) unless w is 1 to 64.
pub(super) fn bill(w: u32) -> Result<Bill> {
    Ok(OneHot::<Cyclic>::tree_bill(INDEX) + Signed::<Cyclic>::bill(INDEX, &[w])?)
}

/// One-time material for a batch.
pub(super) struct Mantissa {
    table: Table<u64>,
    material: Signed<Cyclic>,
}

impl Mantissa {
    /// Offline, for `batch` numbers and outputs of w bits; `f(a, b)` suits all numbers of `[a, b)`.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn prepare(
        p: &mut dyn Source,
        w: u32,
        f: impl Fn(f64, f64) -> f64,
        batch: usize,
    ) -> Result<Self> {
        // The last indices stand for numbers below 1: z was rounded.
        let step = |i: u64| if i < 7 << (INDEX - 3) { i as f64 } else { i as f64 - f64::from(1u32 << INDEX) };
        let at = |i: f64| 1.0 + i / f64::from(1u32 << (INDEX - 1));
        let entry = |i: u64| (f(at(step(i)), at(step(i) + 2.0)) * f64::from(1u32 << M)).round() as u64;
        let material = Signed::prepare(p, Vectors::Tree, INDEX, &[w], batch)?;
        Ok(Self { table: Table::tabulate(INDEX, w, entry)?, material })
    }

    /// Online. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if numbers are not those prepared for, and those of the
    /// channel.
    pub(super) fn read(self, s: &mut Session, z: &AShare<u64>) -> Result<AShare<u64>> {
        let from_one = linear::plus(s.role(), z, (1u64 << Z).wrapping_neg()).low_bits::<u64>(Z + 1)?;
        let index = truncate_reduce(&from_one, Z + 1 - INDEX)?.low_bits::<u32>(INDEX)?;
        self.material.lookup(s, &self.table, &index)
    }
}
