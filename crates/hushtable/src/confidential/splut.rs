//! Lookups of shared keys in one party's small table, which goes over masked for each of them.
//!
//! # Functionality
//! That of [`copy`](super::copy), for [`Keys::All`] and [`Keys::Dense`] of up to [`MAX_KEY_BITS`] bits: of the table's
//! owner the table, of both XOR shares of the keys; XOR shares of the rows, and if keys may be absent of a bit that says
//! whether each is present. Neither party learns a key, or which are equal; the other party learns nothing of the table.
//!
//! # Protocol
//! [SP-LUT](crate::lut::splut) in the XOR group. The owner (S) is the sender of all lookups, the other party (R)
//! receives. `x_S`, `x_R` are their shares of a key x, `T` has a row for each of the n keys that there could be, with
//! the bit of presence behind it.
//! 1. *Offline*: 1-of-n OT of random pads: S has `m_0, ..., m_{n-1}`, R a uniform s and `m_s`.
//! 2. R sends `u = s ^ x_R`, uniform.
//! 3. S sends `V_i = T[i ^ x_S] ^ m_{i ^ u} ^ z` for all i but 0, with its share `z` such that `V_0` is 0. R's share is
//!    `V_{x_R} ^ m_s`.
//!
//! Nothing is kept between batches: the table may be another one for each.
//!
//! # Cost, a lookup
//! Offline d correlated OTs with S as the sender, for `n = 2^d`. Online `d` bits of R and `(n - 1) w` bits of S for rows
//! of w bits, the bit of presence included, in 2 rounds; a row of more than 64 bits goes in two columns of
//! `ceil(w / 2)` bits. S hashes about n blocks and moves the table by its share, R reads n rows.
//!
//! # Source
//! Dessouky et al., "Pushing the Communication Barrier" (NDSS 2017), section IV-D, which FABLE compares with as SP-LUT+:
//! with OTs that are expanded from a short seed, as here.
//!
//! # Security
//! Of the pads R knows one. Of what it is sent, each row is masked by a pad that it does not know, but for the one at
//! its own share, which has S's random `z` on it; where R's share is 0 it is sent n - 1 rows under n - 1 unknown pads. S
//! sees u alone, under an s that serves once. The table's owner reads and moves its table in the same order whatever the
//! shares are.

use prim::low;
use zeroize::Zeroizing;

use super::{
    copy::{CopyJob, Keys, Rows},
    prf::Cipher,
    thin::Table,
};
use crate::{
    bill::{Bill, Phase, Work},
    error::{Error, Result, same, within},
    gates::Bits,
    lut::splut::{self, SpLut},
    net::Role,
    onehot::Xor,
    party::Party,
    session::Session,
    share::BShare,
};

/// Most bits of a key.
pub const MAX_KEY_BITS: u32 = splut::MAX_INDEX_BITS;

/// A table's form. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpLutJob {
    /// Who has the table.
    pub owner: Role,
    /// Its keys: [`Keys::All`] or [`Keys::Dense`].
    pub keys: Keys,
    /// Bits of a row, 1 to 128 with the bit of presence.
    pub row_bits: u32,
}

/// The owner's table. Secret.
pub struct SpLutTable {
    job: SpLutJob,
    /// Of all keys that there could be, with the bit of presence.
    columns: Zeroizing<Vec<Vec<u64>>>,
}

/// One-time material for a batch of lookups, in any table of a job.
///
/// ```compile_fail,E0382
/// # use hushtable::{BShare, Result, confidential::splut::SpLutLookups, session::Session};
/// fn twice(s: &mut Session, m: SpLutLookups, x: &BShare<u64>) -> Result<()> {
///     m.eval(s, None, x)?;
///     m.eval(s, None, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct SpLutLookups {
    job: SpLutJob,
    lookups: SpLut<Xor>,
}

impl SpLutJob {
    /// `Ok(())` if there are such tables.
    pub(super) fn check(&self) -> Result<()> {
        let (Keys::All { bits } | Keys::Dense { bits }) = self.keys else {
            let (what, got) = ("keys of a table that is sent whole", format!("{:?}", self.keys));
            return Err(Error::Param { what, got, accepted: "Keys::All or Keys::Dense".into() });
        };
        within("bits of a table's key", bits, 1..=MAX_KEY_BITS)?;
        let beside = self.keys.tag_bits();
        within("bits of a table's row", self.row_bits, 1..=splut::MAX_ROW_BITS - beside)?;
        let table = u64::from(self.masked()) << bits;
        if table <= splut::MAX_TABLE_BITS {
            return Ok(());
        }
        let accepted = format!("up to {}", splut::MAX_TABLE_BITS);
        Err(Error::Param { what: "bits of a table that is sent whole", got: table.to_string(), accepted })
    }

    fn check_count(&self, count: usize) -> Result<()> {
        self.check()?;
        within("lookups at once", u32::try_from(count).unwrap_or(u32::MAX), 1..=1 << 24)
    }

    /// Bits of a row and of what stands behind it.
    fn masked(&self) -> u32 {
        self.row_bits + self.keys.tag_bits()
    }

    /// Columns of a row, and bits of each.
    fn columns(&self) -> [u32; 2] {
        let width = self.masked().div_ceil(64);
        [width, self.masked().div_ceil(width)]
    }

    /// The form of the same table as a copy's, by which it is checked; no function is evaluated.
    fn table(&self) -> CopyJob {
        let Self { owner, keys, row_bits } = *self;
        CopyJob { owner, cipher: Cipher::LowMc, keys, row_bits }
    }

    /// Bytes of the table at its owner.
    pub(super) fn table_bytes(&self) -> u64 {
        (8 * u64::from(self.columns()[0])) << self.keys.bits()
    }

    /// Local work of a lookup online, of both parties together.
    pub(super) fn work(&self) -> Work {
        let [n, width] = [1 << self.keys.bits(), self.columns()[0] as usize];
        Work::hashes(n) + Work::words(3 * n * width)
    }
}

impl SpLutTable {
    /// A table with [`row_words`](CopyJob::row_words) words for each of `keys`, lowest first.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes that are not supported, and as [`Table::new`].
    pub fn new(job: SpLutJob, keys: &[u128], rows: &[u64]) -> Result<Self> {
        job.check()?;
        let by_key = Table::new(job.table(), keys, rows)?.by_key();
        let ([width, bits], len) = (job.columns(), job.masked().div_ceil(64) as usize);
        let cut = |row: &[u64], from: u32| {
            let row = row.iter().rev().fold(0u128, |all, &word| all << 64 | u128::from(word));
            low((row >> from) as u64, bits)
        };
        let column = |c: u32| by_key.chunks_exact(len).map(|row| cut(row, c * bits)).collect();
        Ok(Self { job, columns: Zeroizing::new((0..width).map(column).collect()) })
    }

    /// Its form.
    pub fn job(&self) -> &SpLutJob {
        &self.job
    }
}

impl SpLutLookups {
    /// Offline: for `count` lookups, 1 to `2^24`. Any table of the job will do.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes that are not supported, and those of the channel.
    pub fn prepare(p: &mut Party, job: SpLutJob, count: usize) -> Result<Self> {
        job.check_count(count)?;
        Ok(Self { job, lookups: SpLut::prepare_private(p, job.owner, job.keys.bits(), count)? })
    }

    /// What `count` lookups cost.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes that are not supported.
    pub fn bill(job: &SpLutJob, count: usize) -> Result<Bill> {
        job.check_count(count)?;
        let (d, [width, bits]) = (job.keys.bits(), job.columns());
        let sent = ((1u64 << d) - 1) * u64::from(width * bits);
        let online = Phase { bits: [sent, d.into()], rounds: 2 };
        let by_p0 = Bill { online, kept: 128 * u64::from(d), ..Bill::of_cots([d.into(), 0]) };
        let each = if job.owner == Role::P0 { by_p0 } else { by_p0.swapped() };
        Ok(each.times(count))
    }

    /// Lookups there is material for.
    pub fn len(&self) -> usize {
        self.lookups.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lookups.is_empty()
    }

    /// Online: shares of the rows at the keys x. The owner gives its table, the other party none. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is a key for each lookup; [`Error::Param`] for keys of another width, and unless the
    /// owner alone gives a table, of the job; and those of the channel.
    pub fn eval(self, s: &mut Session, table: Option<&SpLutTable>, x: &BShare<u64>) -> Result<Rows> {
        let owner = s.role() == self.job.owner;
        if owner != table.is_some() || table.is_some_and(|table| table.job != self.job) {
            let got = table.map_or("none".into(), |table| format!("{:?}", table.job));
            let accepted = format!("{:?} at its owner, none at the other party", self.job);
            return Err(Error::Param { what: "table to look up in", got, accepted });
        }
        same("keys to look up", self.len(), x.len())?;
        same("bits of a key", self.job.keys.bits() as usize, x.bits() as usize)?;
        let columns: &[Vec<u64>] = table.map_or(&[], |table| &table.columns);
        let found = self.lookups.lookup_private(s, self.job.columns(), columns, &x.low_bits(x.bits())?)?;
        let mut bits: Vec<Bits> = found.iter().flat_map(Bits::from_share).collect();
        bits.truncate(self.job.masked() as usize);
        let present = if self.job.keys.absent() { bits.pop() } else { None };
        Ok(Rows { words: bits.chunks(64).map(Bits::to_share).collect::<Result<_>>()?, present })
    }
}
