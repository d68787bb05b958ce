//! Public tables.

use prim::ring::{Ring, low};

use crate::error::{Error, Result, same};

/// Most rows of a table.
const MAX_ROWS: usize = 1 << 20;

/// A public table, with one or several columns of `bits`-bit entries in words `R`.
///
/// Several columns make a vector-valued table: one lookup gives one entry of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table<R: Ring> {
    bits: u32,
    columns: Vec<Vec<R>>,
}

impl<R: Ring> Table<R> {
    /// A table of one column; `bits` is the width of an entry.
    ///
    /// # Errors
    /// [`Error::Param`] if the width does not fit `R`, an entry does not fit the width, or there
    /// are fewer than 2 or more than 2^20 entries.
    pub fn new(bits: u32, entries: Vec<R>) -> Result<Self> {
        Self::vector(bits, vec![entries])
    }

    /// A vector-valued table, from its columns.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`Error::Shape`] if the columns differ in length.
    pub fn vector(bits: u32, columns: Vec<Vec<R>>) -> Result<Self> {
        let param = |what, got: String, accepted: String| Err(Error::Param { what, got, accepted });
        if !(1..=R::WIDTH).contains(&bits) {
            return param("width of a table's entries", bits.to_string(), format!("1 to {}", R::WIDTH));
        }
        let Some(len) = columns.first().map(Vec::len) else {
            return param("columns of a table", "0".into(), "1 and more".into());
        };
        if !(2..=MAX_ROWS).contains(&len) {
            return param("entries of a table", len.to_string(), "2 to 2^20".into());
        }
        for column in &columns {
            same("entries of a column", len, column.len())?;
            check_entries(bits, column)?;
        }
        Ok(Self { bits, columns })
    }

    /// The table of `f` on `0..2^d`, each value reduced to `bits`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn tabulate(d: u32, bits: u32, f: impl Fn(u64) -> u64) -> Result<Self> {
        if d > MAX_ROWS.ilog2() {
            let accepted = format!("1 to {}", MAX_ROWS.ilog2());
            return Err(Error::Param { what: "index bits of a table", got: d.to_string(), accepted });
        }
        Self::new(bits, (0..1u64 << d).map(|x| R::from_u64(low(f(x), bits))).collect())
    }

    /// The same table with rows of `fill` behind its own, `2^d` in all: for protocols that need a
    /// power of two, and for an index wider than the table needs.
    ///
    /// # Errors
    /// [`Error::Param`] if `fill` does not fit the entries' width or `2^d` is less than the rows
    /// there are or more than 2^20.
    pub fn pad(mut self, d: u32, fill: R) -> Result<Self> {
        if !(self.index_bits()..=MAX_ROWS.ilog2()).contains(&d) {
            let accepted = format!("{} to {}", self.index_bits(), MAX_ROWS.ilog2());
            return Err(Error::Param { what: "index bits of a padded table", got: d.to_string(), accepted });
        }
        check_entries(self.bits, &[fill])?;
        self.columns.iter_mut().for_each(|column| column.resize(1 << d, fill));
        Ok(self)
    }

    /// Width of an index that covers the table: the base-2 logarithm of its length, rounded up.
    pub fn index_bits(&self) -> u32 {
        self.len().next_power_of_two().ilog2()
    }

    /// Width of an entry.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.columns[0].len()
    }

    /// Never: a table has at least 2 rows.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The columns.
    pub fn columns(&self) -> &[Vec<R>] {
        &self.columns
    }

    /// `Ok(())` if a `d`-bit index covers the table exactly.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are more entries or fewer.
    pub fn check_index(&self, d: u32) -> Result<()> {
        same("entries of the table (2^index bits: pad a shorter one with Table::pad)", 1 << d, self.len())
    }
}

/// `Ok(())` if every entry has `bits` bits.
fn check_entries<R: Ring>(bits: u32, entries: &[R]) -> Result<()> {
    let Some(wide) = entries.iter().find(|e| low(e.to_u64(), bits) != e.to_u64()) else { return Ok(()) };
    let (got, accepted) = (wide.to_u64().to_string(), format!("values of {bits} bits"));
    Err(Error::Param { what: "table entry", got, accepted })
}
