//! The owner's side: its table is encrypted, once for each version, each under a key of its own.

use prim::{Block, Wiped};
use zeroize::{Zeroize, Zeroizing};

use super::{
    dense,
    encrypted::EncryptedCopy,
    job::{CopyJob, Keys},
    sparse,
};
use crate::{
    codec::{Reader, Writer, malformed},
    confidential::prf::Key,
    error::{Error, Result, same},
    process::Process,
    session::Session,
};

/// A version of the owner's table: its copy, and the key that the copy is encrypted with.
///
/// A key is made with the copy and never serves another. Whatever changes in the table, also a single row, is a new
/// version: [`Owner::encrypt`] again, and the copy is sent anew. The client would learn the XOR of the old and the new
/// row from two copies under one key. Where rows change often and nobody minds that the client sees which,
/// [`Keys::Changing`] sends them alone ([`Owner::update`]).
pub struct Owner {
    pub(super) copy: EncryptedCopy,
    secret: Block,
    pub(super) key: Key,
    /// Updates that there may still be: none of a version that was restored.
    pub(super) updates: u32,
    /// In a fork of it, an update would have the number of another one, and the same masks.
    pub(super) process: Process,
}

impl Owner {
    /// What a [secret](Self::secret) begins with.
    pub const SECRET_BEGINS: &[u8; 16] = b"hushtable-key-1\n";

    /// Bytes of a secret.
    pub const SECRET_BYTES: usize = 64;

    /// Encrypts a table under a fresh key of the operating system's randomness. `rows` has
    /// [`CopyJob::row_words`] words for each of `keys`, lowest first. To be done before a peer waits for the copy: the time
    /// that it takes follows from the number of rows. Takes as much memory as three copies.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes that are not supported, an empty table or one with more rows than it may have, a key
    /// that is too large, stands twice or is absent where none may be, and bits beyond those of a row; [`Error::Shape`]
    /// unless there is a row for each key; [`Error::Io`] if the system gives no randomness.
    pub fn encrypt(job: CopyJob, keys: &[u128], rows: &[u64]) -> Result<Self> {
        let mut random = Zeroizing::new([0; 16]);
        getrandom::fill(&mut *random).map_err(|e| Error::Io {
            what: "system randomness".into(),
            source: std::io::Error::other(e.to_string()),
        })?;
        Self::insecure_with_key(job, keys, rows, Block(u128::from_le_bytes(*random)))
    }

    /// [`encrypt`](Self::encrypt) under a given key, for tests: two tables under one key show each other.
    ///
    /// # Errors
    /// As there.
    #[doc(hidden)]
    pub fn insecure_with_key(job: CopyJob, keys: &[u128], rows: &[u64], secret: Block) -> Result<Self> {
        job.check()?;
        check(&job, keys, rows)?;
        let (key, words) = match job.keys {
            Keys::All { .. } | Keys::Dense { .. } | Keys::Changing { .. } => {
                dense::encrypt(&job, keys, rows, secret)?
            }
            Keys::Sparse { .. } => sparse::encrypt(&job, keys, rows, secret)?,
        };
        let updates = job.keys.most_updates();
        Ok(Self { copy: EncryptedCopy::of(job, words), secret, key, updates, process: Process::current() })
    }

    /// The copy.
    pub fn copy(&self) -> &EncryptedCopy {
        &self.copy
    }

    /// Sends the copy; the other party [receives](EncryptedCopy::receive) it.
    ///
    /// # Errors
    /// [`Error::Param`] at the other party, and those of the channel.
    pub fn send(&self, s: &mut Session) -> Result<()> {
        self.sends(s)?;
        self.copy.send(s)
    }

    /// Sends the messages of the copy from the one with this number on, counted from 0, to a party that has those before
    /// ([`Arriving`](super::Arriving)).
    ///
    /// # Errors
    /// [`Error::Param`] at the other party, and those of the channel.
    pub fn send_from(&self, s: &mut Session, first: usize) -> Result<()> {
        self.sends(s)?;
        self.copy.send_from(s, first)
    }

    /// `Ok(())` at the owner.
    fn sends(&self, s: &Session) -> Result<()> {
        let job = self.copy.job();
        if s.role() == job.owner {
            return Ok(());
        }
        let (what, got) = ("who sends a copy", format!("{:?}", s.role()));
        Err(Error::Param { what, got, accepted: format!("{:?}", job.owner) })
    }

    /// The key and what it was used for, to be kept as secret as the table: what [`restore`](Self::restore) needs
    /// beside it, so that a copy at the other party serves again.
    pub fn secret(&self) -> Zeroizing<Vec<u8>> {
        let mut to = Writer::new(Self::SECRET_BYTES);
        to.bytes(Self::SECRET_BEGINS);
        to.blocks(&[self.secret]);
        to.bytes(self.copy.digest());
        to.finish()
    }

    /// The version of a table that was made with this [secret](Self::secret), without its updates; it cannot be updated.
    ///
    /// # Errors
    /// As [`encrypt`](Self::encrypt), and [`Error::Store`] if the table is not the one that the key was used for, to the
    /// last bit: it is another version, and its rows must not be masked by that key.
    pub fn restore(job: CopyJob, keys: &[u128], rows: &[u64], secret: &[u8]) -> Result<Self> {
        let mut from = Reader::new(secret);
        if from.array::<16>()? != *Self::SECRET_BEGINS {
            return Err(malformed("is no key of a table"));
        }
        let key = Zeroizing::new(from.array::<16>()?);
        let digest = from.array::<32>()?;
        from.finish()?;
        let mut owner = Self::insecure_with_key(job, keys, rows, Block(u128::from_le_bytes(*key)))?;
        // Nobody knows here which were sent since: a number must not serve twice.
        owner.updates = 0;
        match *owner.copy.digest() == digest {
            true => Ok(owner),
            false => {
                Err(malformed("is the key of another version of this table, which needs one of its own"))
            }
        }
    }

    pub(super) fn key(&self) -> &Key {
        &self.key
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.secret.zeroize();
    }
}

/// `Ok(())` if this is a table of the job.
pub(in crate::confidential) fn check(job: &CopyJob, keys: &[u128], rows: &[u64]) -> Result<()> {
    check_rows(job, keys, rows)?;
    let all = 1 << job.keys.position_bits();
    if !job.keys.absent() && keys.len() < all {
        let (what, got) = ("rows of a table", keys.len().to_string());
        return Err(Error::Param { what, got, accepted: "one for each key, as none may be absent".into() });
    }
    Ok(())
}

/// `Ok(())` if these may be rows of a table of the job.
pub(super) fn check_rows(job: &CopyJob, keys: &[u128], rows: &[u64]) -> Result<()> {
    let refused = |what, got: String, accepted: String| Err(Error::Param { what, got, accepted });
    let (len, bits) = (job.row_words(), job.keys.bits());
    let most = match job.keys {
        Keys::All { bits } | Keys::Dense { bits } | Keys::Changing { bits, .. } => 1 << bits,
        Keys::Sparse { rows, .. } => rows as usize,
    };
    same("words of a table's rows", keys.len().saturating_mul(len), rows.len())?;
    if let Some(key) = keys.iter().find(|&key| key >> bits > 0) {
        return refused("key of a table", key.to_string(), format!("0 to {}", (1u128 << bits) - 1));
    }
    let mut sorted = Wiped::from(Vec::with_capacity(keys.len()));
    sorted.extend_from_slice(keys);
    sorted.sort_unstable();
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return refused("key of a table", format!("{}, a second time", twice[0]), "each key once".into());
    }
    if !(1..=most).contains(&keys.len()) {
        return refused("rows of a table", keys.len().to_string(), format!("1 to {most}"));
    }
    let spare = job.row_bits % 64;
    let wide = |row: &[u64]| spare > 0 && row[len - 1] >> spare > 0;
    match keys.iter().zip(rows.chunks_exact(len)).find(|(_, row)| wide(row)) {
        Some((key, _)) => {
            refused("row of a table", format!("that of {key}"), format!("rows of {} bits", job.row_bits))
        }
        None => Ok(()),
    }
}
