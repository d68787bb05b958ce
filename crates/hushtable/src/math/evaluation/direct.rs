//! A function as one table of all its values.
//!
//! # Functionality
//! In: additive shares mod `2^l` of numbers x. Out: shares mod `2^l` of the value at x, rounded to nearest.
//!
//! # Protocol
//! The index is `x - lo` mod `2^c`, by which a one-hot vector reads the table with additive outputs. Where
//! `c = l`, the table has the values outside the domain too; else it has those of the domain alone. Two functions are
//! read at one opened index. Where few rounds are asked for and the table is short, the vector itself is additive, and
//! no sign is left to remove.
//!
//! # Cost, a number
//! That of the one-hot vector of `2^c` entries by [`OneHot::tree`] and of [`Signed::lookup`], 2 rounds. In one round
//! that of [`Arithmetic`], for any number of functions.
//!
//! # Source
//! Hou et al., "ROTL" (PoPETs 2026), section 5; lut-beyond 2.5 and 4; fss-beyond B7 i.

use prim::ring::{Ring, low};

use crate::{
    arith::{Fixed, Objective},
    bill::Bill,
    error::{Error, Result},
    lut::{
        LookupJob, Protocol, Table,
        arithmetic::Arithmetic,
        read::{Signed, Vectors},
    },
    math::functions::target::Target,
    net::Role,
    onehot::{Cyclic, OneHot},
    session::Session,
    share::{AShare, Sharing},
    source::Source,
};

/// Widest index of a table.
pub(super) const MAX_TABLE_BITS: u32 = 16;

/// How many times the domain a table may cover to hold all of a ring, as a power of two.
const COVER: u32 = 2;

/// Widest index of a table that is read in one round: an additive vector has a word for each entry.
const ONE_ROUND_BITS: u32 = 12;

/// A table of values. Public.
pub(super) struct Direct {
    lo: i64,
    index_bits: u32,
    one_round: bool,
    table: Words,
}

/// One-time material, by the words of the tables.
pub(super) enum Material {
    U16(Vector<u16>),
    U32(Vector<u32>),
    U64(Vector<u64>),
}

/// What reads tables.
pub(super) enum Vector<T: Ring> {
    Signed(Signed<Cyclic>),
    Additive(Arithmetic<Cyclic, T>),
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
        Ok(Self { lo: target.grid.lo, index_bits, one_round: false, table })
    }

    /// The same, read in one round if few are asked for and the table is short.
    pub(super) fn suiting(self, objective: Objective) -> Self {
        // Additive vectors have words no wider than the ring needs.
        let one_round =
            objective == Objective::Rounds && self.index_bits <= ONE_ROUND_BITS && self.bits() > 8;
        Self { one_round, ..self }
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
        let Self { lo, index_bits, one_round, table: _ } = *self;
        let entries = (0..1 << index_bits).map(|i| self.result(i) as u64);
        let head = [lo as u64, index_bits.into(), self.bits().into()];
        head.into_iter().chain(entries).chain(one_round.then_some(1)).collect()
    }

    /// Offline, for so many functions.
    pub(super) fn prepare(&self, p: &mut dyn Source, functions: usize, batch: usize) -> Result<Material> {
        Ok(match &self.table {
            Words::U16(_) => Material::U16(self.vector(p, functions, batch)?),
            Words::U32(_) => Material::U32(self.vector(p, functions, batch)?),
            Words::U64(_) => Material::U64(self.vector(p, functions, batch)?),
        })
    }

    fn vector<T: Ring>(&self, p: &mut dyn Source, functions: usize, batch: usize) -> Result<Vector<T>> {
        let (n, bits) = (self.index_bits, self.bits());
        Ok(match self.one_round {
            true => Vector::Additive(Arithmetic::of(p, n, bits, batch)?),
            false => Vector::Signed(Signed::prepare(p, Vectors::Tree, n, &vec![bits; functions], batch)?),
        })
    }

    /// What a number costs, for so many functions.
    pub(super) fn bill(&self, functions: usize) -> Result<Bill> {
        let (n, bits) = (self.index_bits, self.bits());
        if self.one_round {
            let (index, output) = (Sharing::Additive, Sharing::Additive);
            return Protocol::Arithmetic
                .bill(&LookupJob { index, output, index_bits: n, value_bits: bits }, 1);
        }
        Ok(OneHot::<Cyclic>::tree_bill(n) + Signed::<Cyclic>::bill(n, &vec![bits; functions])?)
    }

    /// Online: of several functions over one domain the shares of each. Spends the material.
    pub(super) fn eval<R: Ring>(
        of: &[&Self],
        s: &mut Session,
        material: Material,
        x: &Fixed<R>,
    ) -> Result<Vec<AShare<R>>> {
        let &Self { lo, index_bits, .. } = of[0];
        let lo = if s.role() == Role::P0 { lo as u64 } else { 0 };
        let words = x.share().words().iter().map(|w| w.to_u64().wrapping_sub(lo) as u32);
        let index = AShare::<u32>::new(index_bits, words.collect());
        let tables = of.iter().map(|direct| &direct.table);
        match material {
            Material::U16(vector) => {
                let tables = tables.filter_map(|t| if let Words::U16(t) = t { Some(t) } else { None });
                vector.read(s, &tables.collect::<Vec<_>>(), &index)
            }
            Material::U32(vector) => {
                let tables = tables.filter_map(|t| if let Words::U32(t) = t { Some(t) } else { None });
                vector.read(s, &tables.collect::<Vec<_>>(), &index)
            }
            Material::U64(vector) => {
                let tables = tables.filter_map(|t| if let Words::U64(t) = t { Some(t) } else { None });
                vector.read(s, &tables.collect::<Vec<_>>(), &index)
            }
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

impl<T: Ring> Vector<T> {
    /// The entries, in the words of the numbers.
    fn read<R: Ring>(
        self,
        s: &mut Session,
        tables: &[&Table<T>],
        index: &AShare<u32>,
    ) -> Result<Vec<AShare<R>>> {
        let columns = match self {
            Self::Signed(vectors) => vectors.lookup_all(s, tables, index)?,
            Self::Additive(vectors) => vectors.lookup_all(s, tables, index)?,
        };
        columns.iter().map(|column| column.low_bits(column.bits())).collect()
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
