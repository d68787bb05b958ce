//! Queries that join shared rows with the other party's private table: what comes out of one join goes into the next,
//! is filtered and added up, and only the result is opened.
//!
//! # Functionality
//! * *Join*: in, shares of m keys and of a bit of each, whether its row counts; the *owner*'s table, with up to r rows of
//!   a key. Out, for each key r rows: shares of the bit whether there is such a row and its key counts, and shares of the
//!   owner's columns by XOR. Keys of either party are shares too, those of the other being 0. They may be equal: so the
//!   rows of a table of n rows meet those of one of m as `m r` places, in the order of the keys.
//! * [`Filter`]: of the rows that count, those where one number is at least another one.
//! * [`Aggregate`]: counts and sums by groups, of which each row has shares of a bit.
//!
//! Public are sizes, widths, r and what the query is; nobody learns which keys match, nor how many rows count, but by the
//! result. **The owner's table must not have more rows of a key than r**, which is told before any session; and how large
//! r is chosen tells as much about the data.
//!
//! # Protocol
//! 1. *Once a version* of the table: its [encrypted copy](hushtable::confidential::copy), with a key's rows packed, and
//!    before each a bit that says that there is one, if r is not 1.
//! 2. *Join*: lookups in it, and an AND of each such bit, or of the bit of presence, with the key's.
//! 3. *Filter*: numbers become [additive](hushtable::arith::XorToAdditive) where they are not; a comparison, an AND.
//! 4. *Aggregate*: an AND of the rows' bits with those of each group, then those of [`GroupShape`](crate::statistics::GroupShape).
//!
//! # Cost
//! Of a join, m lookups of rows of `r (1 + w)` bits, and m operands with r ANDs, in 1 round. Of the others, those of their
//! parts: see the bills.
//!
//! # Source
//! Su et al., "FABLE" (USENIX Security 2025), section 6.4, for joins as lookups, of keys with one row.

mod operation;
mod sums;

pub use operation::{JoinQuery, Joined};
pub use sums::{Aggregate, Filter};

use hushtable::{
    Error, Result, Role,
    bill::Bill,
    confidential::{
        copy::{CopyJob, Keys, Lookups, Owner},
        prf::Cipher,
    },
    error::{same, within},
    gates::Triples,
};
use prim::Wiped;

use crate::held_table::pack;

/// Most rows of a key.
pub const MAX_PER_KEY: u32 = 64;

/// Most columns of a table.
pub const MAX_COLUMNS: u32 = 1 << 10;

/// What is joined with. Public, the same at both parties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinJob {
    /// Who has the table.
    pub owner: Role,
    /// What it is encrypted with.
    pub cipher: Cipher,
    /// Its keys; of sparse ones, how many there may be, whatever their rows.
    pub keys: Keys,
    /// Widths of its columns, 1 to 64 each.
    pub columns: Vec<u32>,
    /// Most rows of a key, 1 to [`MAX_PER_KEY`].
    pub per_key: u32,
}

impl JoinJob {
    /// `Ok(())` if there are such joins.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes and widths that are not supported.
    pub fn check(&self) -> Result<()> {
        within("rows of a key", self.per_key, 1..=MAX_PER_KEY)?;
        within("columns of a table to join", self.columns.len() as u32, 1..=MAX_COLUMNS)?;
        self.columns.iter().try_for_each(|&bits| within("width of a joined column", bits, 1..=64))?;
        Lookups::bill(&self.copy(), 1).map(drop)
    }

    /// The form of the copy.
    pub fn copy(&self) -> CopyJob {
        CopyJob {
            owner: self.owner,
            cipher: self.cipher,
            keys: self.keys,
            row_bits: self.per_key * self.place_bits(),
        }
    }

    /// The owner's table, encrypted under a key of its own: a version. Rows of a key come out in their order.
    ///
    /// # Errors
    /// Those of [`check`](Self::check); [`Error::Shape`] unless there are as many columns, and as many values in each as
    /// keys; [`Error::Param`] that names the row of a value that is too wide, or the key of too many rows; and those of
    /// [`Owner::encrypt`].
    pub fn encrypt(&self, keys: &[u128], columns: &[&[u64]]) -> Result<Owner> {
        let (keys, rows) = self.packed(keys, columns)?;
        Owner::encrypt(self.copy(), &keys, &rows)
    }

    /// The version of which this is the table, and the [secret](Owner::secret).
    ///
    /// # Errors
    /// As [`encrypt`](Self::encrypt), and [`Error::Store`] for the secret of another version.
    pub fn restore(&self, keys: &[u128], columns: &[&[u64]], secret: &[u8]) -> Result<Owner> {
        let (keys, rows) = self.packed(keys, columns)?;
        Owner::restore(self.copy(), &keys, &rows, secret)
    }

    /// Every key once, in order, and what stands at it.
    fn packed(&self, keys: &[u128], columns: &[&[u64]]) -> Result<(Vec<u128>, Wiped<u64>)> {
        self.check()?;
        same("columns of a table to join", self.columns.len(), columns.len())?;
        for (i, (column, &bits)) in columns.iter().zip(&self.columns).enumerate() {
            same("values of a column", keys.len(), column.len())?;
            let wide = column.iter().position(|&value| bits < 64 && value >> bits > 0);
            if let Some(row) = wide {
                let got = format!("{} in row {row} of column {i}", column[row]);
                let accepted = format!("0 to {}", (1u64 << bits) - 1);
                return Err(Error::Param { what: "value of a table to join", got, accepted });
            }
        }
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by_key(|&row| keys[row]);
        let groups: Vec<&[usize]> = order.chunk_by(|&a, &b| keys[a] == keys[b]).collect();
        let words = self.copy().row_words();
        let mut rows = Wiped::zeros(groups.len() * words);
        for (row, group) in rows.chunks_exact_mut(words).zip(&groups) {
            if group.len() > self.per_key as usize {
                let got =
                    format!("{} of key {}, one of which is row {}", group.len(), keys[group[0]], group[0]);
                let accepted = format!("up to {}", self.per_key);
                return Err(Error::Param { what: "rows of a key", got, accepted });
            }
            let value = |&row: &usize| self.columns.iter().zip(columns).map(move |(&bits, c)| (c[row], bits));
            let there = (self.per_key > 1).then_some((1, 1));
            pack(group.iter().flat_map(|row| there.into_iter().chain(value(row))), row);
        }
        Ok((groups.iter().map(|group| keys[group[0]]).collect(), rows))
    }

    /// What a join of so many keys costs.
    ///
    /// # Errors
    /// Those of [`check`](Self::check).
    pub fn bill(&self, keys: usize) -> Result<Bill> {
        self.check()?;
        if keys == 0 {
            return Ok(Bill::FREE);
        }
        let found = Lookups::bill(&self.copy(), keys)?;
        Ok(if self.ands() > 0 { found + Triples::bill(self.ands()).times(keys) } else { found })
    }

    /// Bits of a row of a key.
    fn place_bits(&self) -> u32 {
        let values = self.columns.iter().fold(0u32, |sum, &bits| sum.saturating_add(bits));
        values.saturating_add(u32::from(self.per_key > 1))
    }

    /// ANDs with the bit of a key.
    fn ands(&self) -> usize {
        match self.per_key {
            1 => usize::from(self.keys.absent()),
            more => more as usize,
        }
    }
}
