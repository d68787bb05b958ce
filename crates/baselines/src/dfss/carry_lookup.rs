//! Tables read at the sum of two numbers, one known to each party: carries of sums, in one opening.
//!
//! # Functionality
//! P0 and P1 have numbers of k bits, or of more bits of which the low ones count. Out: additive shares of the entry of
//! a public table at their sum, as that of the carry.
//!
//! # Protocol
//! The numbers are shares of an index of `k + 1` bits, at which an additive one-hot vector reads. Several tables of any
//! lengths in the same opening.
//!
//! # Cost
//! That of [`Arithmetic`] for each; 1 round online.
//!
//! # Source
//! fss-spec 7; lut-beyond 2.5.

use prim::ring::Ring;

use hushtable::{
    bill::Bill,
    error::{Error, Result},
    inner::{AdditiveLookup, look_up_together},
    lut::{LookupJob, Protocol, Table, arithmetic::Arithmetic},
    onehot::Cyclic,
    session::Session,
    share::{AShare, Sharing},
    source::Source,
};

/// Most bits of which the carry is looked up: the work doubles with each.
pub const MAX_CARRY_BITS: u32 = 15;

/// A table that is read at the sum of the parties' numbers.
pub(super) struct Looked<R: Ring> {
    table: Table<R>,
    material: Arithmetic<Cyclic, R>,
}

impl<R: Ring> Looked<R> {
    /// Offline.
    pub(super) fn prepare(p: &mut impl Source, table: Table<R>, batch: usize) -> Result<Self> {
        let material = Arithmetic::of(p, table.index_bits(), table.bits(), batch)?;
        Ok(Self { table, material })
    }

    /// The carry out of k bits, in a ring of `ring` bits.
    ///
    /// # Errors
    /// [`Error::Param`] unless words `R` are the narrowest that hold the ring, and those of the channel.
    pub(super) fn carry(p: &mut impl Source, k: u32, ring: u32, batch: usize) -> Result<Self> {
        let narrowest = ring.next_power_of_two().max(8);
        if R::WIDTH != narrowest {
            let (got, accepted) = (format!("{} bits", R::WIDTH), format!("{narrowest} bits"));
            return Err(Error::Param { what: "words for a carry", got, accepted });
        }
        Self::prepare(p, Table::tabulate(k + 1, ring, |sum| sum >> k)?, batch)
    }

    /// How many numbers it serves.
    pub(super) fn len(&self) -> usize {
        self.material.len()
    }
}

/// All lookups in 1 round, at the sums of the parties' numbers.
pub(super) fn together<R: Ring>(
    s: &mut Session,
    looked: Vec<(Looked<R>, impl Iterator<Item = u64>)>,
) -> Result<Vec<AShare<R>>> {
    let count = looked.len();
    let mut parts = Vec::with_capacity(count);
    for (Looked { table, material }, numbers) in looked {
        let x = AShare::<u32>::new(table.index_bits(), numbers.map(|n| n as u32).collect());
        parts.push((table, x, material));
    }
    let (mut given, mut materials) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for (table, x, material) in parts {
        given.push((table, x));
        materials.push(material);
    }
    let tables: Vec<[&Table<R>; 1]> = given.iter().map(|(table, _)| [table]).collect();
    let with = materials.into_iter().zip(&given).zip(&tables);
    let jobs = with.map(|((material, (_, x)), tables)| AdditiveLookup { material, tables, x }).collect();
    Ok(look_up_together(s, jobs)?.into_iter().map(|mut columns| columns.swap_remove(0)).collect())
}

/// What a lookup with an index of d bits in words of `bits` costs.
///
/// # Errors
/// [`Error::Param`] for widths that are not supported.
pub(super) fn bill(d: u32, bits: u32) -> Result<Bill> {
    let (index, output) = (Sharing::Additive, Sharing::Additive);
    Protocol::Arithmetic.bill(&LookupJob { index, output, index_bits: d, value_bits: bits }, 1)
}
