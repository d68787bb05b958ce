//! The owner's side: its table is encrypted, once for each version, each under a key of its own.

use prim::{Block, Wiped, transpose::transpose64};
use zeroize::Zeroizing;

use super::{encrypted::EncryptedCopy, job::CopyJob};
use crate::{
    codec::{Reader, Writer, malformed},
    confidential::prf::Key,
    error::{Error, Result, same},
    session::Session,
};

/// A version of the owner's table: its copy, and the key that the copy is encrypted with.
///
/// A key is made with the copy and never serves another. Whatever changes in the table, also a single row, is a new
/// version: [`Owner::encrypt`] again, and the copy is sent anew. The client would learn the XOR of the old and the new
/// row from two copies under one key.
pub struct Owner {
    copy: EncryptedCopy,
    key: Key,
}

impl Owner {
    /// Encrypts a table under a fresh key of the operating system's randomness. `rows` has
    /// [`CopyJob::row_words`] words for each of `keys`, lowest first.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes that are not supported, an empty table, a key that is too large, stands twice or is
    /// absent where none may be, and bits beyond those of a row; [`Error::Shape`] unless there is a row for each key;
    /// [`Error::Io`] if the system gives no randomness.
    pub fn encrypt(job: CopyJob, keys: &[u32], rows: &[u64]) -> Result<Self> {
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
    pub fn insecure_with_key(job: CopyJob, keys: &[u32], rows: &[u64], key: Block) -> Result<Self> {
        job.check()?;
        let table = table(&job, keys, rows)?;
        let key = Key::of(job.cipher, key);
        let mut words = Vec::with_capacity(job.words() * job.planes());
        let len = job.piece_words();
        for first in (0..job.words()).step_by(len) {
            let from = words.len();
            words.resize(from + len * job.planes(), 0);
            let planes = &mut words[from..];
            write_planes(&job, &table[64 * first * row_len(&job)..], planes);
            key.add_values(&job.prf(), 64 * first as u32, len, planes)?;
        }
        if job.key_bits < 6 {
            // Behind the last key of a word there is nothing.
            words.iter_mut().for_each(|word| *word = prim::low(*word, 1 << job.key_bits));
        }
        Ok(Self { copy: EncryptedCopy::of(job, words), key })
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
        let job = self.copy.job();
        if s.role() != job.owner {
            let (what, got) = ("who sends a copy", format!("{:?}", s.role()));
            return Err(Error::Param { what, got, accepted: format!("{:?}", job.owner) });
        }
        self.copy.send(s)
    }

    /// The key and what it was used for, to be kept as secret as the table: what [`restore`](Self::restore) needs
    /// beside it, so that a copy at the other party serves again.
    pub fn secret(&self) -> Zeroizing<Vec<u8>> {
        let mut to = Writer::new(48);
        to.blocks(&[self.key.block()]);
        to.bytes(self.copy.digest());
        to.finish()
    }

    /// The version of which these are the [secret](Self::secret) and the table.
    ///
    /// # Errors
    /// As [`encrypt`](Self::encrypt), and [`Error::Store`] if the table is not the one that the key was used for, to the
    /// last bit: it is another version, and its rows must not be masked by that key.
    pub fn restore(job: CopyJob, keys: &[u32], rows: &[u64], secret: &[u8]) -> Result<Self> {
        let mut from = Reader::new(secret);
        let key = Zeroizing::new(from.array::<16>()?);
        let digest = from.array::<32>()?;
        from.finish()?;
        let owner = Self::insecure_with_key(job, keys, rows, Block(u128::from_le_bytes(*key)))?;
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

/// Words of a row with its bit of presence.
fn row_len(job: &CopyJob) -> usize {
    job.planes().div_ceil(64)
}

/// The rows of all keys, zero where there is none; of each its bit of presence behind it.
fn table(job: &CopyJob, keys: &[u32], rows: &[u64]) -> Result<Wiped<u64>> {
    let refused =
        |what, got: String, accepted: &str| Err(Error::Param { what, got, accepted: accepted.into() });
    if keys.is_empty() {
        return refused("rows of a table", "0".into(), "1 and more");
    }
    let (given, len) = (job.row_words(), row_len(job));
    same("words of a table's rows", keys.len().saturating_mul(given), rows.len())?;
    let mut table = Wiped::zeros(64 * job.words() * len);
    let mut seen = Wiped::<u64>::zeros(job.words());
    let spare = job.row_bits as usize % 64;
    for (&key, row) in keys.iter().zip(rows.chunks_exact(given)) {
        if key >> job.key_bits > 0 {
            return refused(
                "key of a table",
                key.to_string(),
                &format!("0 to {}", (1u64 << job.key_bits) - 1),
            );
        }
        let (seen, bit) = (&mut seen[key as usize / 64], 1 << (key % 64));
        if *seen & bit != 0 {
            return refused("key of a table", format!("{key}, a second time"), "each key once");
        }
        *seen |= bit;
        if spare > 0 && row[given - 1] >> spare > 0 {
            let what = "row of a table";
            return refused(what, format!("that of {key}"), &format!("rows of {} bits", job.row_bits));
        }
        let to = &mut table[key as usize * len..][..len];
        to[..given].copy_from_slice(row);
        if job.absent {
            to[job.row_bits as usize / 64] |= 1 << spare;
        }
    }
    if !job.absent && keys.len() < 1 << job.key_bits {
        return refused("rows of a table", keys.len().to_string(), "one for each key, as none may be absent");
    }
    Ok(table)
}

/// The planes of the first rows of a table, as many as fill them.
fn write_planes(job: &CopyJob, table: &[u64], planes: &mut [u64]) {
    let (len, row) = (job.piece_words(), row_len(job));
    let mut square = Zeroizing::new([[0u64; 64]]);
    for word in 0..len {
        let rows = &table[64 * word * row..][..64 * row];
        for column in 0..row {
            square[0].iter_mut().zip(rows.iter().skip(column).step_by(row)).for_each(|(s, &word)| *s = word);
            transpose64(&mut *square);
            let planes = planes.chunks_exact_mut(len).skip(64 * column).take(64);
            planes.zip(&square[0]).for_each(|(plane, bits)| plane[word] = *bits);
        }
    }
}
