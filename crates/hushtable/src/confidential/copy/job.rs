//! What of a table is public.

use crate::{
    confidential::prf::{Cipher, MAX_OUTPUT_BITS, PrfJob},
    error::{Error, Result, within},
    fss::{MAX_KEYS, MAX_POSITION_BITS, PIECE_BITS},
    net::Role,
};

/// Most bits of a copy: 4 GiB.
const MAX_BITS: u64 = 1 << 35;

/// A table's form. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CopyJob {
    /// Who has the table.
    pub owner: Role,
    /// What it is encrypted with.
    pub cipher: Cipher,
    /// Bits of a key, 1 to 24.
    pub key_bits: u32,
    /// Bits of a row, 1 to `2^19`.
    pub row_bits: u32,
    /// Whether keys may be absent; else the table has a row for each key.
    pub absent: bool,
}

impl CopyJob {
    /// `Ok(())` if there are copies of this form.
    pub(super) fn check(&self) -> Result<()> {
        within("bits of a table's key", self.key_bits, 1..=MAX_POSITION_BITS)?;
        within("bits of a table's row", self.row_bits, 1..=MAX_OUTPUT_BITS - 1)?;
        match self.copy_bits() <= MAX_BITS {
            true => Ok(()),
            false => Err(Error::Param {
                what: "bits of a table's copy",
                got: self.copy_bits().to_string(),
                accepted: format!("up to {MAX_BITS}"),
            }),
        }
    }

    /// `Ok(())` if so many lookups are made at once.
    pub(super) fn check_count(&self, count: usize) -> Result<()> {
        self.check()?;
        within("lookups at once", count.try_into().unwrap_or(u32::MAX), 1..=MAX_KEYS as u32)?;
        self.prf().check_count(count)
    }

    /// Bits of the copy, which are sent once for each version.
    pub fn copy_bits(&self) -> u64 {
        64 * (self.words() * self.planes()) as u64
    }

    /// Words of a row as it is given.
    pub fn row_words(&self) -> usize {
        self.row_bits.div_ceil(64) as usize
    }

    /// The function whose values mask the rows.
    pub(super) fn prf(&self) -> PrfJob {
        let output_bits = self.row_bits + u32::from(self.absent);
        PrfJob { cipher: self.cipher, owner: self.owner, input_bits: self.key_bits, output_bits }
    }

    /// Bits of a row of the copy.
    pub(super) fn planes(&self) -> usize {
        self.prf().output_bits as usize
    }

    /// Words of a plane, of all pieces.
    pub(super) fn words(&self) -> usize {
        (1usize << self.key_bits).div_ceil(64)
    }

    /// Words of a plane in a piece.
    pub(super) fn piece_words(&self) -> usize {
        self.words().min(1 << (PIECE_BITS - 6))
    }
}
