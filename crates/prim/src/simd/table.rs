//! Reads at masked places, which need no check.

/// A table of `2^k` entries.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a, T> {
    entries: &'a [T],
    mask: usize,
}

impl<'a, T> Table<'a, T> {
    /// # Panics
    /// Unless the length is a power of two.
    #[inline]
    pub fn new(entries: &'a [T]) -> Self {
        assert!(entries.len().is_power_of_two(), "table length");
        Self { entries, mask: entries.len() - 1 }
    }

    /// The entry at `word` mod the table's length.
    #[inline(always)]
    pub fn get(self, word: u32) -> &'a T {
        // SAFETY: the mask is the length less one, so the index is below the length
        unsafe { self.entries.get_unchecked(word as usize & self.mask) }
    }
}
