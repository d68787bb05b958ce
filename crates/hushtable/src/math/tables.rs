//! Tables of a function's values, read at shared indices.
//!
//! # Functionality
//! In: public tables of `2^n` values in a ring of l bits, additive shares of an index mod `2^n`. Out: shares mod `2^l` of the
//! values there.
//!
//! # Protocol
//! A one-hot vector reads the tables with additive outputs, all at one opened index. In *one round* the vector itself is
//! additive, and no sign is left to remove.
//!
//! # Cost, an index
//! That of the one-hot vector of `2^n` entries by [`OneHot::tree`] and of [`Signed::lookup`], 2 rounds. In one round
//! that of [`Arithmetic`], for any number of tables.
//!
//! # Source
//! Hou et al., "ROTL" (PoPETs 2026), section 5; lut-beyond 2.5 and 4; fss-beyond B7 i.

use prim::ring::Ring;

use crate::{
    arith::Objective,
    bill::{Bill, Effort},
    error::Result,
    lut::{
        LookupJob, Protocol, Table,
        arithmetic::Arithmetic,
        read::{Signed, Vectors},
    },
    onehot::{Cyclic, OneHot},
    session::Session,
    share::{AShare, Sharing},
    source::Source,
};

/// Widest index of a table.
pub(super) const MAX_TABLE_BITS: u32 = 16;

/// Widest index of a table that is read in one round: an additive vector has a word for each entry.
const ONE_ROUND_BITS: u32 = 12;

/// How tables are read. Public.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    /// Bits of an index, n.
    pub(super) index_bits: u32,
    /// Width of a value, l.
    pub(super) bits: u32,
    pub(super) one_round: bool,
}

/// Values, in the narrowest words that hold their ring.
pub(super) enum Entries {
    U16(Table<u16>),
    U32(Table<u32>),
    U64(Table<u64>),
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

impl Reading {
    /// Of tables of so many index bits, in one round if few are asked for and they are short.
    pub(super) fn suiting(index_bits: u32, bits: u32, objective: Objective) -> Self {
        // Additive vectors have words no wider than the ring needs.
        let one_round = objective == Objective::Rounds && index_bits <= ONE_ROUND_BITS && bits > 8;
        Self { index_bits, bits, one_round }
    }

    /// What an index costs, for so many tables.
    pub(super) fn bill(&self, tables: usize) -> Result<Bill> {
        let Self { index_bits, bits, one_round } = *self;
        if one_round {
            return Protocol::Arithmetic.bill(&self.job(), 1);
        }
        Ok(OneHot::<Cyclic>::tree_bill(index_bits) + Signed::<Cyclic>::bill(index_bits, &vec![bits; tables])?)
    }

    /// What a batch of indices takes, of one table.
    pub(super) fn effort(&self, batch: usize) -> Result<Effort> {
        let protocol = if self.one_round { Protocol::Arithmetic } else { Protocol::Tree };
        protocol.effort(&self.job(), batch)
    }

    /// Offline, for so many tables.
    pub(super) fn prepare(&self, p: &mut dyn Source, tables: usize, batch: usize) -> Result<Material> {
        Ok(match self.bits {
            ..=16 => Material::U16(self.vector(p, tables, batch)?),
            17..=32 => Material::U32(self.vector(p, tables, batch)?),
            _ => Material::U64(self.vector(p, tables, batch)?),
        })
    }

    fn vector<T: Ring>(&self, p: &mut dyn Source, tables: usize, batch: usize) -> Result<Vector<T>> {
        let Self { index_bits: n, bits, one_round } = *self;
        Ok(match one_round {
            true => Vector::Additive(Arithmetic::of(p, n, bits, batch)?),
            false => Vector::Signed(Signed::prepare(p, Vectors::Tree, n, &vec![bits; tables], batch)?),
        })
    }

    fn job(&self) -> LookupJob {
        let (index, output) = (Sharing::Additive, Sharing::Additive);
        LookupJob { index, output, index_bits: self.index_bits, value_bits: self.bits }
    }
}

impl Entries {
    /// These values, of `bits` bits.
    pub(super) fn new(bits: u32, words: &[u64]) -> Result<Self> {
        Ok(match bits {
            ..=16 => Self::U16(narrowed(bits, words)?),
            17..=32 => Self::U32(narrowed(bits, words)?),
            _ => Self::U64(narrowed(bits, words)?),
        })
    }

    /// The value at an index, which is public.
    pub(super) fn value(&self, index: usize) -> i64 {
        let (bits, word) = match self {
            Self::U16(t) => (t.bits(), t.columns()[0][index].to_u64()),
            Self::U32(t) => (t.bits(), t.columns()[0][index].to_u64()),
            Self::U64(t) => (t.bits(), t.columns()[0][index]),
        };
        (word << (64 - bits)) as i64 >> (64 - bits)
    }
}

impl Material {
    /// Online: shares of the value in each table. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless indices and tables are those prepared for, and those of the channel.
    pub(super) fn read<R: Ring>(
        self,
        s: &mut Session,
        tables: &[&Entries],
        index: &AShare<u32>,
    ) -> Result<Vec<AShare<R>>> {
        let tables = tables.iter().copied();
        match self {
            Self::U16(vector) => {
                let tables = tables.filter_map(|t| if let Entries::U16(t) = t { Some(t) } else { None });
                vector.read(s, &tables.collect::<Vec<_>>(), index)
            }
            Self::U32(vector) => {
                let tables = tables.filter_map(|t| if let Entries::U32(t) = t { Some(t) } else { None });
                vector.read(s, &tables.collect::<Vec<_>>(), index)
            }
            Self::U64(vector) => {
                let tables = tables.filter_map(|t| if let Entries::U64(t) = t { Some(t) } else { None });
                vector.read(s, &tables.collect::<Vec<_>>(), index)
            }
        }
    }
}

impl<T: Ring> Vector<T> {
    /// The values, in the words of the numbers.
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

fn narrowed<R: Ring>(bits: u32, words: &[u64]) -> Result<Table<R>> {
    Table::new(bits, words.iter().map(|&w| R::from_u64(w)).collect())
}
