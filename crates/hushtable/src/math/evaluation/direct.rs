//! A function as one table of all its values.
//!
//! # Functionality
//! In: additive shares mod `2^l` of numbers x. Out: shares mod `2^l` of the value at x, rounded to nearest.
//!
//! # Protocol
//! The index is `x - lo` mod `2^c`, by which a one-hot vector reads the table with additive outputs. Where
//! `c = l`, the table has the values outside the domain too; else it has those of the domain alone.
//!
//! # Cost, a number
//! That of the one-hot vector of `2^c` entries by [`OneHot::tree`] and of [`Signed::lookup`].
//!
//! # Source
//! Hou et al., "ROTL" (PoPETs 2026), section 5; lut-beyond 4.

use prim::ring::{Ring, low};

use crate::{
    arith::Fixed,
    bill::Bill,
    error::{Error, Result},
    lut::{
        Table,
        read::{Signed, Vectors},
    },
    math::functions::target::Target,
    net::Role,
    onehot::{Cyclic, OneHot},
    session::Session,
    share::AShare,
    source::Source,
};

/// Widest index of a table.
pub(super) const MAX_TABLE_BITS: u32 = 16;

/// How many times the domain a table may cover to hold all of a ring, as a power of two.
const COVER: u32 = 2;

/// A table of values. Public.
pub(super) struct Direct {
    lo: i64,
    index_bits: u32,
    table: Words,
}

/// In the narrowest words that hold the ring.
enum Words {
    U16(Table<u16>),
    U32(Table<u32>),
    U64(Table<u64>),
}

impl Direct {
    /// The table for a ring of `bits` bits.
    ///
    /// # Errors
    /// [`Error::Param`] for a domain of more than `2^16` numbers, or a value that does not fit the ring.
    pub(super) fn new(target: &Target, bits: u32) -> Result<Self> {
        let index_bits = index_bits(target, bits)?;
        let unused = 64 - bits;
        let signed = |i: i64| (target.grid.lo + i) << unused >> unused;
        let number = |i: i64| if index_bits == bits { signed(i) - target.grid.lo } else { i };
        let word = |i: i64| target.rounded(number(i), bits).map(|value| low(value as u64, bits));
        let words = (0..1i64 << index_bits).map(word).collect::<Result<Vec<_>>>()?;
        let table = match bits {
            ..=16 => Words::U16(narrowed(bits, &words)?),
            17..=32 => Words::U32(narrowed(bits, &words)?),
            _ => Words::U64(narrowed(bits, &words)?),
        };
        Ok(Self { lo: target.grid.lo, index_bits, table })
    }

    /// The result at `lo + x`, for a number inside.
    pub(super) fn result(&self, x: u64) -> i64 {
        let (bits, word) = match &self.table {
            Words::U16(t) => (t.bits(), t.columns()[0][x as usize].to_u64()),
            Words::U32(t) => (t.bits(), t.columns()[0][x as usize].to_u64()),
            Words::U64(t) => (t.bits(), t.columns()[0][x as usize]),
        };
        (word << (64 - bits)) as i64 >> (64 - bits)
    }

    /// Index bits, value bits and columns of the table.
    pub(super) fn table(&self) -> (u32, u32, usize) {
        (self.index_bits, self.bits(), 1)
    }

    /// Whether it has an entry for every number of the ring.
    pub(super) fn covers(&self) -> bool {
        self.index_bits == self.bits()
    }

    /// All of it as numbers, for a digest.
    pub(super) fn words(&self) -> Vec<u64> {
        let Self { lo, index_bits, table: _ } = *self;
        let entries = (0..1 << index_bits).map(|i| self.result(i) as u64);
        [lo as u64, index_bits.into(), self.bits().into()].into_iter().chain(entries).collect()
    }

    /// Offline.
    pub(super) fn prepare(&self, p: &mut impl Source, batch: usize) -> Result<Signed<Cyclic>> {
        Signed::prepare(p, Vectors::Tree, self.index_bits, &[self.bits()], batch)
    }

    /// What a number costs.
    pub(super) fn bill(&self) -> Result<Bill> {
        let n = self.index_bits;
        Ok(OneHot::<Cyclic>::tree_bill(n) + Signed::<Cyclic>::bill(n, &[self.bits()])?)
    }

    /// Online. Spends the material.
    pub(super) fn eval<R: Ring>(
        &self,
        s: &mut Session,
        material: Signed<Cyclic>,
        x: &Fixed<R>,
    ) -> Result<AShare<R>> {
        let lo = if s.role() == Role::P0 { self.lo as u64 } else { 0 };
        let words = x.share().words().iter().map(|w| w.to_u64().wrapping_sub(lo) as u32);
        let index = AShare::<u32>::new(self.index_bits, words.collect());
        match &self.table {
            Words::U16(t) => material.lookup(s, t, &index)?.low_bits(self.bits()),
            Words::U32(t) => material.lookup(s, t, &index)?.low_bits(self.bits()),
            Words::U64(t) => material.lookup(s, t, &index)?.low_bits(self.bits()),
        }
    }

    fn bits(&self) -> u32 {
        match &self.table {
            Words::U16(t) => t.bits(),
            Words::U32(t) => t.bits(),
            Words::U64(t) => t.bits(),
        }
    }
}

fn index_bits(target: &Target, bits: u32) -> Result<u32> {
    // What repeats has no values outside.
    if !target.repeats && bits <= MAX_TABLE_BITS && bits <= target.grid.bits() + COVER {
        return Ok(bits);
    }
    let index_bits = target.grid.bits();
    if index_bits > MAX_TABLE_BITS {
        let got = format!("{} numbers", target.grid.count);
        let accepted = format!("at most 2^{MAX_TABLE_BITS} numbers");
        return Err(Error::Param { what: "domain of a table", got, accepted });
    }
    Ok(index_bits)
}

fn narrowed<R: Ring>(bits: u32, words: &[u64]) -> Result<Table<R>> {
    Table::new(bits, words.iter().map(|&w| R::from_u64(w)).collect())
}
