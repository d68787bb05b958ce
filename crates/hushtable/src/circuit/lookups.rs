//! What a netlist needs of the lookups in it, whatever protocol they are by.

use crate::{error::Result, gates::Bits, share::BShare};

/// Material for all lookups of a netlist.
pub(crate) trait Reads: Send {
    /// Cuts off that of so many lookups in a table, by its number.
    fn take(&mut self, table: usize, lookups: usize) -> Result<Box<dyn Stock>>;
}

/// Material for lookups in a table that open one value each.
pub(crate) trait Stock: Send {
    /// This party's shares of what is opened.
    fn masked(&self, index: &BShare<u32>) -> Result<BShare<u32>>;

    /// Shares of the rows' bits, from what was opened.
    fn read(self: Box<Self>, opened: &[u32]) -> Result<Vec<Bits>>;
}
