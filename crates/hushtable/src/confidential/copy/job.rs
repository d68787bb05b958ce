//! What of a table is public.

use crate::{
    chance::Chance,
    confidential::prf::{Cipher, MAX_INPUT_BITS, MAX_OUTPUT_BITS, PrfJob},
    error::{Error, Result, within},
    fss::{MAX_KEYS, MAX_POSITION_BITS, PIECE_BITS},
    net::Role,
    terms::{Terms, Value},
};

/// Most bits of a copy: 4 GiB.
const MAX_BITS: u64 = 1 << 35;

/// Most keys of a table with [`Keys::Sparse`].
pub const MAX_ROWS: u32 = 1 << 24;

/// Most updates of a version.
pub(super) const MAX_UPDATES: u32 = 127;

/// Bits of zero behind a row of [`Keys::Sparse`], at least: enough for 8192 lookups.
pub(super) const TAG_BITS: u32 = 54;

/// Most lookups of a job in a table with [`Keys::Sparse`].
pub const MAX_JOB: u32 = 1 << 30;

// What a key of the function may show.
const _: () = assert!(MAX_ROWS.ilog2() <= MAX_POSITION_BITS);

/// Which keys a table has, and where their rows stand in a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keys {
    /// All keys of so many bits, 1 to 24: none is absent.
    All {
        /// Bits of a key.
        bits: u32,
    },
    /// Some keys of so many bits, 1 to 24; the copy has a place for each that there could be.
    Dense {
        /// Bits of a key.
        bits: u32,
    },
    /// As [`Dense`](Self::Dense), and rows may change, appear and go without a new version of the table.
    Changing {
        /// Bits of a key.
        bits: u32,
        /// How many updates a version may get, 1 to 127.
        updates: u32,
    },
    /// Some keys of so many bits, 1 to 96, no more than `rows`; a key has a cell in each third of the copy.
    Sparse {
        /// Bits of a key.
        bits: u32,
        /// Most keys that the table may have, 1 to `2^24`.
        rows: u32,
        /// Most lookups of a job, in all its batches, 1 to `2^30`: of so many absent keys one seems present with
        /// probability `2^-41` at most.
        lookups: u32,
    },
}

impl From<Keys> for Value {
    fn from(keys: Keys) -> Self {
        keys.terms().into()
    }
}

impl Keys {
    fn terms(self) -> Terms {
        match self {
            Self::All { bits } => Terms::of("all").with("bits", bits),
            Self::Dense { bits } => Terms::of("dense").with("bits", bits),
            Self::Changing { bits, updates } => {
                Terms::of("changing").with("bits", bits).with("updates", updates)
            }
            Self::Sparse { bits, rows, lookups } => {
                Terms::of("sparse").with("bits", bits).with("at most", rows).with("lookups of a job", lookups)
            }
        }
    }

    /// Bits of a key.
    pub fn bits(self) -> u32 {
        match self {
            Self::All { bits } | Self::Dense { bits } => bits,
            Self::Changing { bits, .. } | Self::Sparse { bits, .. } => bits,
        }
    }

    /// Whether keys may be absent.
    pub fn absent(self) -> bool {
        !matches!(self, Self::All { .. })
    }

    /// Whether a row stands in three cells.
    pub(super) fn sparse(self) -> bool {
        matches!(self, Self::Sparse { .. })
    }

    /// What stands behind a row: nothing, a bit of presence, or zeros.
    pub(in crate::confidential) fn tag_bits(self) -> u32 {
        match self {
            Self::All { .. } => 0,
            Self::Dense { .. } | Self::Changing { .. } => 1,
            Self::Sparse { lookups, .. } => {
                TAG_BITS.max(41 + lookups.min(MAX_JOB).next_power_of_two().trailing_zeros())
            }
        }
    }

    /// Updates that a version may get.
    pub(super) fn most_updates(self) -> u32 {
        match self {
            Self::Changing { updates, .. } => updates,
            Self::All { .. } | Self::Dense { .. } | Self::Sparse { .. } => 0,
        }
    }

    /// Bits of the number of a row's last update, which stands behind it in clear.
    pub(super) fn update_bits(self) -> u32 {
        32 - self.most_updates().leading_zeros()
    }

    /// In how many parts the copy is.
    pub(super) fn parts(self) -> usize {
        if self.sparse() { 3 } else { 1 }
    }

    /// Bits of a position in a part.
    pub(super) fn position_bits(self) -> u32 {
        match self {
            Self::All { bits } | Self::Dense { bits } | Self::Changing { bits, .. } => bits,
            // 1.25 cells a key and more.
            Self::Sparse { rows, .. } => {
                (5 * u64::from(rows)).div_ceil(12).next_power_of_two().ilog2().max(1)
            }
        }
    }
}

/// A table's form. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CopyJob {
    /// Who has the table.
    pub owner: Role,
    /// What it is encrypted with.
    pub cipher: Cipher,
    /// Its keys.
    pub keys: Keys,
    /// Bits of a row, 1 to `2^19`.
    pub row_bits: u32,
}

impl CopyJob {
    /// What the parties compare of it.
    pub(in crate::confidential) fn terms(&self) -> Terms {
        Terms::of("copy")
            .with("owner", self.owner)
            .with("encrypted with", &self.cipher.to_string()[..])
            .with("keys", self.keys)
            .with("bits of a row", self.row_bits)
    }

    /// `Ok(())` if there are copies of this form.
    pub(in crate::confidential) fn check(&self) -> Result<()> {
        let most = match self.keys {
            Keys::All { .. } | Keys::Dense { .. } => MAX_POSITION_BITS,
            Keys::Changing { updates, .. } => {
                within("updates of a table", updates, 1..=MAX_UPDATES)?;
                MAX_POSITION_BITS
            }
            Keys::Sparse { rows, lookups, .. } => {
                within("rows of a table", rows, 1..=MAX_ROWS)?;
                within("lookups of a job in a table", lookups, 1..=MAX_JOB)?;
                MAX_INPUT_BITS
            }
        };
        within("bits of a table's key", self.keys.bits(), 1..=most)?;
        let beside = self.prf_beside();
        within("bits of a table's row", self.row_bits, 1..=MAX_OUTPUT_BITS - 1 - beside)?;
        match self.copy_bits() <= MAX_BITS {
            true => Ok(()),
            false => Err(Error::Param {
                what: "bits of a table's copy",
                got: self.copy_bits().to_string(),
                accepted: format!("up to {MAX_BITS}"),
            }),
        }
    }

    /// What chance can spoil in so many lookups, in all batches.
    pub fn chance(&self, lookups: u64) -> Chance {
        match self.keys {
            Keys::Sparse { .. } => {
                Chance::of("absent keys that seem present", lookups as f64, -(self.keys.tag_bits() as i32))
            }
            _ => Chance::NONE,
        }
    }

    /// `Ok(())` if so many lookups are made at once.
    pub(super) fn check_count(&self, count: usize) -> Result<()> {
        self.check()?;
        let most = MAX_KEYS / self.keys.parts();
        within("lookups at once", count.try_into().unwrap_or(u32::MAX), 1..=most as u32)?;
        self.prf().check_count(count)
    }

    /// Bits of the copy, which are sent once for each version.
    pub fn copy_bits(&self) -> u64 {
        (self.words() as u64).saturating_mul(64).saturating_mul(self.planes() as u64)
    }

    /// Words of a row as it is given.
    pub fn row_words(&self) -> usize {
        self.row_bits.div_ceil(64) as usize
    }

    /// Words of a key as it is looked up.
    pub fn key_words(&self) -> usize {
        self.keys.bits().div_ceil(64) as usize
    }

    /// Most lookups at once.
    pub fn most(&self) -> usize {
        self.prf().most().min(MAX_KEYS / self.keys.parts())
    }

    /// The function whose values say where the rows stand, if keys are sparse, and mask them.
    pub(super) fn prf(&self) -> PrfJob {
        let output_bits = self.row_bits.saturating_add(self.place_bits() as u32 + self.keys.tag_bits());
        let input_bits = self.keys.bits().saturating_add(self.keys.update_bits());
        PrfJob { cipher: self.cipher, owner: self.owner, input_bits, output_bits }
    }

    /// Bits of a value that say where a row stands: the first ones.
    pub(super) fn place_bits(&self) -> usize {
        match self.keys {
            Keys::All { .. } | Keys::Dense { .. } | Keys::Changing { .. } => 0,
            Keys::Sparse { .. } => 3 * self.keys.position_bits() as usize,
        }
    }

    /// Bits of a value that mask no bit of a row that is given.
    fn prf_beside(&self) -> u32 {
        match self.keys {
            Keys::All { .. } | Keys::Dense { .. } | Keys::Changing { .. } => 0,
            Keys::Sparse { .. } => self.place_bits() as u32 + self.keys.tag_bits() - 1,
        }
    }

    /// Bits of a row of the copy that are masked: the row, and what stands behind it.
    pub(in crate::confidential) fn masked(&self) -> usize {
        self.row_bits as usize + self.keys.tag_bits() as usize
    }

    /// Bits of a row of the copy.
    pub(in crate::confidential) fn planes(&self) -> usize {
        self.masked() + self.keys.update_bits() as usize
    }

    /// Words of a plane, of all parts.
    pub(super) fn words(&self) -> usize {
        self.keys.parts() * self.part_words()
    }

    /// Words of a plane in a part.
    pub(super) fn part_words(&self) -> usize {
        (1usize << self.keys.position_bits().min(40)).div_ceil(64)
    }

    /// Words of a plane in a piece.
    pub(super) fn piece_words(&self) -> usize {
        self.part_words().min(1 << (PIECE_BITS - 6))
    }
}
