//! Reads at masked places, which need no check.

use crate::Block;

/// A table of `2^k` blocks.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a> {
    blocks: &'a [Block],
    mask: usize,
}

impl<'a> Table<'a> {
    /// # Panics
    /// Unless the length is a power of two.
    #[inline]
    pub fn new(blocks: &'a [Block]) -> Self {
        assert!(blocks.len().is_power_of_two(), "table length");
        Self { blocks, mask: blocks.len() - 1 }
    }

    /// The entry at `word` mod the table's length.
    #[inline(always)]
    pub fn get(self, word: u32) -> Block {
        // SAFETY: the mask is the length less one, so the index is below the length
        unsafe { *self.blocks.get_unchecked(word as usize & self.mask) }
    }
}
