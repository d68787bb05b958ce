//! Reading tables through a one-hot vector: opening the index, then XOR outputs. Additive ones are
//! in [`signed`], several lookups in the same rounds in [`many`].
//!
//! # Functionality
//! In: public tables of `n = 2^d` entries of `l` bits, shares of `x`. Out: XOR shares of `T[x]`.
//!
//! # Protocol
//! With `OneHot` material `(s, B)`:
//! 1. open `m = x - s` in the index group; `E_p = shift_m(B_p)` are XOR shares of `e_x`;
//! 2. `y_p = XOR of T[j] over j with E_p[j] = 1`. Local, for any number of tables.
//!
//! # Cost, a lookup
//! `2d` bits, 1 round.
//!
//! # Source
//! Hou et al., "ROTL" (PoPETs 2026), section 5.2, up to the sign. Deviation: XOR outputs and indices
//! without conversion.

pub mod folded;
mod lines;
pub mod many;
mod pads;
pub mod polynomial;
pub mod signed;
mod stored;

use prim::{
    Wiped, ct,
    lookup::{self, Reader, Xors},
    ring::Ring,
};
use zeroize::Zeroizing;

pub use folded::Folded;
pub(crate) use lines::{Line, Lines};
pub use many::Read;
pub use polynomial::{Polynomial, PolynomialShape};
pub use signed::Signed;
pub(crate) use stored::Vectors;

use super::Table;
use crate::{
    error::{Result, same},
    onehot::{Group, OneHot},
    party::Party,
    session::Session,
    share::{AShare, BShare, Share},
};

/// XOR shares of the one-hot vectors of a batch of indices. Local reads only: any number of tables
/// at these indices, never another index.
pub struct Position {
    d: u32,
    rows: Wiped<u64>,
}

impl<G: Group> OneHot<G> {
    /// Online, 1 round: spends the material to open where `x` lies relative to it. The low bits of
    /// a wider index count: they are cut off locally before anything is sent.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless there are as many indices as lookups;
    /// [`Error::Param`](crate::Error::Param) if `x` is narrower than the table's index.
    pub fn open_index<R: Ring>(self, s: &mut Session, x: &Share<G::Kind, R>) -> Result<Position> {
        let masked = self.mask(x)?;
        // Public: the offset is uniform and serves no other opening, since `self` is spent.
        let m = s.open(&masked)?;
        Ok(self.shifted(&m))
    }

    /// Online, 1 round: XOR shares of `T[x]`, for a table of one column. Spends this material.
    ///
    /// # Errors
    /// As [`open_index`](Self::open_index), and [`Error::Shape`](crate::Error::Shape) if the table
    /// has another length.
    pub fn lookup_xor<R: Ring>(
        self,
        s: &mut Session,
        table: &Table<R>,
        x: &Share<G::Kind, u32>,
    ) -> Result<BShare<R>> {
        check_single(table)?;
        Ok(self.lookup_xor_all(s, &[table], x)?.remove(0))
    }

    /// Online, 1 round: XOR shares of every column of several tables at the same index, in order.
    ///
    /// # Errors
    /// As [`lookup_xor`](Self::lookup_xor).
    pub fn lookup_xor_all<R: Ring>(
        self,
        s: &mut Session,
        tables: &[&Table<R>],
        x: &Share<G::Kind, u32>,
    ) -> Result<Vec<BShare<R>>> {
        Ok(many::lookup_xor(s, vec![Read { material: self, tables, x }])?.remove(0))
    }

    /// Offline, 1 round: prepares additive outputs of the given widths in bits (1 to 64), one for
    /// each column that will be read.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for a width outside 1 to 64, and those of the channel.
    pub fn signed(self, p: &mut Party, widths: &[u32]) -> Result<Signed<G>> {
        Ok(many::signed(p, vec![(self, widths)])?.remove(0))
    }

    /// Step 1 before the opening: `x - s`.
    pub(super) fn mask<R: Ring>(&self, x: &Share<G::Kind, R>) -> Result<Share<G::Kind, u32>> {
        same("indices", self.len(), x.len())?;
        Ok(x.low_bits::<u32>(self.index_bits())?.minus(self.offset()))
    }

    /// Step 2, for a table of one column, with what was opened from [`mask`](Self::mask).
    pub(super) fn read_xor<R: Ring>(self, table: &Table<R>, m: &[u32]) -> Result<BShare<R>> {
        check_single(table)?;
        table.check_index(self.index_bits())?;
        same("opened values", self.len(), m.len())?;
        let mut column = self.selected::<R, false>(m, &[table]).remove(0);
        Ok(Share::new(table.bits(), std::mem::take(&mut *column)))
    }

    /// Step 1 after it. The caller has opened `m` from [`mask`](Self::mask).
    fn shifted(self, m: &[u32]) -> Position {
        let d = self.index_bits();
        let mut rows = self.into_rows();
        lookup::shift_rows(&mut rows, 1 << d, G::SHIFT, m);
        Position { d, rows }
    }

    /// Steps 1 and 2 after the opening, `ADD`: with sums, for every column of several tables. Spends some
    /// rows after others, long ones part by part, each wiped while it is in the cache.
    fn selected<R: Ring, const ADD: bool>(self, m: &[u32], tables: &[&Table<R>]) -> Vec<Zeroizing<Vec<R>>> {
        let columns: Vec<_> =
            tables.iter().flat_map(|t| t.columns().iter().map(|c| (t.bits(), &c[..]))).collect();
        let reader = Reader::<R, ADD>::in_parts(&columns, m.len(), self.parts());
        let mut out = vec![Zeroizing::new(vec![R::default(); m.len()]); columns.len()];
        self.spend_shifted(m, reader.parts(), |part, at, rows| {
            let mut out: Vec<&mut [R]> = out.iter_mut().map(|out| &mut out[at.clone()]).collect();
            reader.add(part, rows, &mut out);
        });
        out
    }
}

impl<G: Group> Signed<G> {
    /// Online, 2 rounds: additive shares of `T[x]` mod `2^l`, for a table of one column of `l`
    /// bits. Spends this material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if number, length or width differ from what was prepared.
    pub fn lookup<R: Ring>(
        self,
        s: &mut Session,
        table: &Table<R>,
        x: &Share<G::Kind, u32>,
    ) -> Result<AShare<R>> {
        check_single(table)?;
        Ok(self.lookup_all(s, &[table], x)?.remove(0))
    }

    /// Online, 2 rounds: additive shares of every column of several tables at the same index.
    ///
    /// # Errors
    /// As [`lookup`](Self::lookup).
    pub fn lookup_all<R: Ring>(
        self,
        s: &mut Session,
        tables: &[&Table<R>],
        x: &Share<G::Kind, u32>,
    ) -> Result<Vec<AShare<R>>> {
        Ok(many::lookup(s, vec![Read { material: self, tables, x }])?.remove(0))
    }
}

impl Position {
    /// XOR shares of every column of `table` at the opened indices. Local.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the table has another length.
    pub fn read_xor<R: Ring>(&self, table: &Table<R>) -> Result<Vec<BShare<R>>> {
        table.check_index(self.d)?;
        let columns: Vec<_> = table.columns().iter().map(|c| (table.bits(), &c[..])).collect();
        let count = self.rows.len() / ct::row_words(1 << self.d);
        let mut out = vec![vec![R::default(); count]; columns.len()];
        let mut room: Vec<&mut [R]> = out.iter_mut().map(|out| &mut out[..]).collect();
        Xors::new(&columns, count).add(0, &self.rows, &mut room);
        Ok(out.into_iter().map(|out| Share::new(table.bits(), out)).collect())
    }
}

/// `Ok(())` for a table of one column.
fn check_single<R: Ring>(table: &Table<R>) -> Result<()> {
    same("columns of the table", 1, table.columns().len())
}
