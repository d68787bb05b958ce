//! Embeddings: rows of one party's private matrix, or sums of rows, at token ids that are shared.
//!
//! # Functionality
//! In: the *owner*'s matrix of V rows of D signed numbers of w bits; shares of m ids by XOR, which may be one party's own
//! numbers. Out: additive shares, in a ring of l bits, of the rows at these ids, or of the sums of each g of them.
//! Public are V, D, w, l, g, m and who the owner is. Nobody learns an id, nor which are equal.
//!
//! Behind the matrix there are rows of zeros, up to a power of two. A shared id of such a row gives zeros and is seen by
//! nobody; who knows its ids checks them before: [`EmbeddingJob::check_ids`]. The first of them, [`EmbeddingJob::padding`],
//! fills bags of words of which there are fewer.
//!
//! # Protocol
//! 1. *Once a version* of the matrix: the [encrypted copy](hushtable::confidential::copy), with a row's numbers packed.
//! 2. Lookups in it give shares of rows by XOR, which become [additive](hushtable::arith::XorToAdditive).
//! 3. Sums are local. With `g > 1` numbers become additive in a ring that just holds the sum with room for its sign, and
//!    the sums alone are [extended](hushtable::arith::BoundedExtension) to l bits.
//!
//! # Cost
//! That of its parts: `m` lookups with rows of `D w` bits, `m D` conversions, and `m D / g` extensions.
//!
//! # Source
//! confidential-beyond 1 and figures-checked, "Confidential tables".

mod operation;

pub use operation::Embedding;

use hushtable::{
    Error, Result, Role,
    arith::{BoundedExtension, XorToAdditive},
    bill::Bill,
    confidential::{
        copy::{CopyJob, Keys, Lookups, Owner},
        prf::Cipher,
    },
    error::{same, within},
};
use prim::{Wiped, ring::low};

use crate::held_table::{lookups_at_once, pack};

/// Most rows of a matrix.
pub const MAX_ROWS: u32 = 1 << 24;

/// Numbers in a batch.
const ENTRIES: usize = 1 << 17;

/// What is looked up. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbeddingJob {
    /// Who has the matrix.
    pub owner: Role,
    /// What it is encrypted with.
    pub cipher: Cipher,
    /// Rows, 1 to [`MAX_ROWS`].
    pub rows: u32,
    /// Numbers of a row.
    pub columns: u32,
    /// Bits of a number, 1 to 64, in two's complement.
    pub entry_bits: u32,
    /// Bits of a result, as many or more, at most 64.
    pub bits: u32,
    /// Bits behind the point, of a number and of a result.
    pub fraction: u32,
    /// How many rows are added up; 1: none.
    pub bag: u32,
}

impl EmbeddingJob {
    /// Rows of numbers of `entry_bits` bits, without a fraction, in a ring of `bits` bits; encrypted with AES.
    pub fn new(owner: Role, [rows, columns]: [u32; 2], entry_bits: u32, bits: u32) -> Self {
        Self { owner, cipher: Cipher::Aes128, rows, columns, entry_bits, bits, fraction: 0, bag: 1 }
    }

    /// `Ok(())` if there are such embeddings.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes and widths that are not supported, and for a ring that does not hold the sums.
    pub fn check(&self) -> Result<()> {
        within("rows of an embedding", self.rows, 1..=MAX_ROWS)?;
        within("numbers of an embedding's row", self.columns, 1..=1 << 19)?;
        within("bits of an embedding's numbers", self.entry_bits, 1..=64)?;
        within("bits of a number and of a row", self.columns.saturating_mul(self.entry_bits), 1..=1 << 19)?;
        within("rows of a sum", self.bag, 1..=1 << 20)?;
        within("bits of an embedding's results", self.bits, self.entry_bits + self.sum_bits()..=64)?;
        within("fraction bits of an embedding", self.fraction, 0..=self.bits.min(52))?;
        Lookups::bill(&self.copy(), 1).map(drop)
    }

    /// The form of the copy.
    pub fn copy(&self) -> CopyJob {
        let bits = self.rows.next_power_of_two().ilog2().max(1);
        let row_bits = self.columns.saturating_mul(self.entry_bits);
        CopyJob { owner: self.owner, cipher: self.cipher, keys: Keys::All { bits }, row_bits }
    }

    /// An id whose row is zeros, if there is one: not if the number of rows is a power of two from 2 on.
    pub fn padding(&self) -> Option<u32> {
        (u64::from(self.rows) < 1 << self.copy().keys.bits()).then_some(self.rows)
    }

    /// `Ok(())` if all ids, which this party knows, are those of rows.
    ///
    /// # Errors
    /// [`Error::Param`] with the place of the first one that is not.
    pub fn check_ids(&self, ids: &[u64]) -> Result<()> {
        let wrong = ids.iter().position(|&id| id >= u64::from(self.rows));
        let Some(i) = wrong else { return Ok(()) };
        let accepted = format!("0 to {}", self.rows - 1);
        Err(Error::Param { what: "token id", got: format!("{} at index {i}", ids[i]), accepted })
    }

    /// The owner's matrix, encrypted under a key of its own: a version. The numbers of the first row come first.
    ///
    /// # Errors
    /// Those of [`check`](Self::check), [`Error::Shape`] unless there are as many numbers as rows and columns say, and
    /// [`Error::Param`] that names row and column of a number that does not fit.
    pub fn encrypt(&self, entries: &[i64]) -> Result<Owner> {
        Owner::encrypt(self.copy(), &self.keys()?, &self.packed(entries)?)
    }

    /// The version of which this is the matrix, and the [secret](Owner::secret).
    ///
    /// # Errors
    /// As [`encrypt`](Self::encrypt), and [`Error::Store`] for the secret of another version.
    pub fn restore(&self, entries: &[i64], secret: &[u8]) -> Result<Owner> {
        Owner::restore(self.copy(), &self.keys()?, &self.packed(entries)?, secret)
    }

    fn keys(&self) -> Result<Vec<u128>> {
        self.check()?;
        Ok((0..1 << self.copy().keys.bits()).collect())
    }

    /// The rows of the table, those of zeros with them.
    fn packed(&self, entries: &[i64]) -> Result<Wiped<u64>> {
        let (columns, copy) = (self.columns as usize, self.copy());
        same("numbers of the embedding", self.rows as usize * columns, entries.len())?;
        let half = 1i64 << (self.entry_bits - 1).min(62);
        let fits = |entry: i64| self.entry_bits == 64 || (-half..half).contains(&entry);
        if let Some(i) = entries.iter().position(|&entry| !fits(entry)) {
            let got = format!("{} in row {}, column {}", entries[i], i / columns, i % columns);
            let accepted = format!("{} to {}", -half, half - 1);
            return Err(Error::Param { what: "number of an embedding", got, accepted });
        }
        let words = copy.row_words();
        let mut rows = Wiped::zeros(words << copy.keys.bits());
        for (row, entries) in rows.chunks_exact_mut(words).zip(entries.chunks_exact(columns)) {
            pack(entries.iter().map(|&entry| (low(entry as u64, self.entry_bits), self.entry_bits)), row);
        }
        Ok(rows)
    }

    /// What so many results cost: rows, or sums of rows.
    ///
    /// # Errors
    /// Those of [`check`](Self::check).
    pub fn bill(&self, results: usize) -> Result<Bill> {
        self.check()?;
        if results == 0 {
            return Ok(Bill::FREE);
        }
        let (columns, bag) = (self.columns as usize, self.bag as usize);
        let [w, sum, l] = self.widths();
        let found = Lookups::bill(&self.copy(), results * bag)?;
        let numbers = found + XorToAdditive::bill([w, sum])?.times(results * bag * columns);
        Ok(match sum < l {
            true => numbers + BoundedExtension::bill([sum, l])?.times(results * columns),
            false => numbers,
        })
    }

    /// Bits of the numbers, of the shares that are added up, and of the results.
    fn widths(&self) -> [u32; 3] {
        let [w, l] = [self.entry_bits, self.bits];
        // An extension of what may be half as large takes one correlated OT.
        let sum = w + self.sum_bits() + 1;
        [w, if self.bag > 1 && sum < l { sum } else { l }, l]
    }

    /// By how many bits a sum is longer than its numbers.
    fn sum_bits(&self) -> u32 {
        self.bag.next_power_of_two().ilog2()
    }

    /// Results whose material fits memory together.
    fn most(&self) -> usize {
        let ids = lookups_at_once(&self.copy()).min(ENTRIES / self.columns.max(1) as usize);
        (ids / self.bag as usize).max(1)
    }
}
