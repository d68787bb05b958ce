//! SP-LUT in a table of one party, which sends in all lookups: what `confidential::splut` is made of.

use prim::ring::Ring;

use super::{MAX_ENTRIES, PAD_BITS, SpLut, exchange, run::Form};
use crate::{
    error::{Error, Result, same},
    net::Role,
    onehot::Xor,
    ot::one_of_n,
    party::Party,
    session::Session,
    share::{BShare, Bitwise},
};

/// Most bits of an index into one party's table.
pub(crate) const MAX_INDEX_BITS: u32 = MAX_ENTRIES.ilog2();

/// Widest row of one party's table: its columns share a pad.
pub(crate) const MAX_ROW_BITS: u32 = PAD_BITS as u32;

/// Most bits of one party's table: it goes in a message for each lookup.
pub(crate) const MAX_TABLE_BITS: u64 = 1 << 26;

impl SpLut<Xor> {
    /// Offline phase for lookups in a table of `2^d` entries that the owner alone has.
    pub(crate) fn prepare_private(p: &mut Party, owner: Role, d: u32, count: usize) -> Result<Self> {
        let counts = if p.role() == owner { (count, 0) } else { (0, count) };
        Self::prepare_halves(p, 1 << d, counts)
    }

    /// Online: shares of all columns, so many of so many bits, at shared indices. The owner gives the columns, the other
    /// party none.
    pub(crate) fn lookup_private<R: Ring>(
        self,
        s: &mut Session,
        [width, bits]: [u32; 2],
        columns: &[Vec<R>],
        x: &BShare<u32>,
    ) -> Result<Vec<BShare<R>>> {
        let (sends, entries) = (self.inc.is_empty(), self.entries);
        same("indices", self.len(), x.len())?;
        same("columns of the table", if sends { width as usize } else { 0 }, columns.len())?;
        columns.iter().try_for_each(|column| same("entries of the table", entries, column.len()))?;
        let index_bits = one_of_n::index_bits(entries) as u32;
        if x.bits() != index_bits {
            let accepted = format!("{index_bits} bits, those of the table's keys");
            return Err(Error::Param { what: "width of an index", got: x.bits().to_string(), accepted });
        }
        let [mine, theirs]: [&[u32]; 2] = if sends { [x.words(), &[]] } else { [&[], x.words()] };
        let u = exchange(s, &self.masked(theirs), mine.len(), index_bits)?;
        let form = Form::private(entries, bits, width as usize, columns);
        let [sent, received] = self.answer::<Bitwise, R>(s, form, [mine, theirs], &u)?;
        let columns = if sends { sent } else { received };
        Ok(columns.into_iter().map(|words| BShare::new(bits, words)).collect())
    }
}
