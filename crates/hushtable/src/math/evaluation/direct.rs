//! A function as one table of all its values.
//!
//! # Functionality
//! In: additive shares mod `2^l` of numbers x. Out: shares mod `2^l` of the value at x, rounded to nearest.
//!
//! # Protocol
//! The index is `x - lo` mod `2^c`, at which the [table](Reading) is read. Where `c = l`, it has the values outside the
//! domain too; else it has those of the domain alone. Two functions are read at one opened index. Where few rounds are asked
//! for and the table is short, it is read in one.
//!
//! # Cost, a number
//! That of a reading at an index of c bits.
//!
//! # Source
//! Hou et al., "ROTL" (PoPETs 2026), section 5; lut-beyond 2.5 and 4; fss-beyond B7 i.

use prim::ring::{Ring, low};

use crate::{
    arith::{Fixed, Objective},
    bill::Bill,
    error::{Error, Result},
    math::{
        functions::target::Target,
        tables::{Entries, MAX_TABLE_BITS, Material, Reading},
    },
    net::Role,
    session::Session,
    share::AShare,
    source::Source,
};

/// How many times the domain a table may cover to hold all of a ring, as a power of two.
const COVER: u32 = 2;

/// A table of values. Public.
pub(super) struct Direct {
    lo: i64,
    reading: Reading,
    entries: Entries,
}

impl Direct {
    /// The table for a ring of `bits` bits, read with this objective.
    ///
    /// # Errors
    /// [`Error::Param`] for a domain of more than `2^16` numbers, or a value that does not fit the ring.
    pub(super) fn new(target: &Target, bits: u32, objective: Objective) -> Result<Self> {
        let index_bits = index_bits(target, bits)?;
        let unused = 64 - bits;
        let signed = |i: i64| (target.grid.lo + i) << unused >> unused;
        let number = |i: i64| if index_bits == bits { signed(i) - target.grid.lo } else { i };
        let word = |i: i64| target.rounded(number(i), bits).map(|value| low(value as u64, bits));
        let words = (0..1i64 << index_bits).map(word).collect::<Result<Vec<_>>>()?;
        let reading = Reading::suiting(index_bits, bits, objective);
        Ok(Self { lo: target.grid.lo, reading, entries: Entries::new(bits, &words)? })
    }

    /// The result at `lo + x`, for a number inside.
    pub(super) fn result(&self, x: u64) -> i64 {
        self.entries.value(x as usize)
    }

    /// Index bits, value bits and columns of the table.
    pub(super) fn table(&self) -> (u32, u32, usize) {
        (self.reading.index_bits, self.reading.bits, 1)
    }

    /// Whether it has an entry for every number of the ring.
    pub(super) fn covers(&self) -> bool {
        self.reading.index_bits == self.reading.bits
    }

    /// All of it as numbers, for a digest.
    pub(super) fn words(&self) -> Vec<u64> {
        let Self { lo, reading: Reading { index_bits, bits, one_round }, .. } = *self;
        let entries = (0..1 << index_bits).map(|i| self.result(i) as u64);
        let head = [lo as u64, index_bits.into(), bits.into()];
        head.into_iter().chain(entries).chain(one_round.then_some(1)).collect()
    }

    /// Offline, for so many functions.
    pub(super) fn prepare(&self, p: &mut dyn Source, functions: usize, batch: usize) -> Result<Material> {
        self.reading.prepare(p, functions, batch)
    }

    /// What a number costs, for so many functions.
    pub(super) fn bill(&self, functions: usize) -> Result<Bill> {
        self.reading.bill(functions)
    }

    /// Online: of several functions over one domain the shares of each. Spends the material.
    pub(super) fn eval<R: Ring>(
        of: &[&Self],
        s: &mut Session,
        material: Material,
        x: &Fixed<R>,
    ) -> Result<Vec<AShare<R>>> {
        let &Self { lo, reading, .. } = of[0];
        let lo = if s.role() == Role::P0 { lo as u64 } else { 0 };
        let words = x.share().words().iter().map(|w| w.to_u64().wrapping_sub(lo) as u32);
        let index = AShare::<u32>::new(reading.index_bits, words.collect());
        material.read(s, &of.iter().map(|direct| &direct.entries).collect::<Vec<_>>(), &index)
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
