//! Rows that change without a new version of the table.

use prim::Wiped;

use super::{
    bit_rows::{row_len, write_planes},
    encrypted::EncryptedCopy,
    job::{CopyJob, MAX_UPDATES},
    owner::{Owner, check_rows},
};
use crate::{
    codec::{Reader, Writer, malformed},
    error::{Error, Result, same},
};

/// What updates begin with: the format and its version.
const MAGIC: &[u8; 8] = b"hushupd1";

/// Changed rows, encrypted: for the other party. It shows which keys they are of, and how many.
#[derive(Clone)]
pub struct Update {
    /// The copy that it is of.
    before: [u8; 32],
    /// The copy that it makes.
    after: [u8; 32],
    /// The how manyth it is.
    number: u32,
    /// Keys, ascending.
    keys: Vec<u32>,
    /// Planes of their rows.
    planes: Vec<u64>,
}

impl Owner {
    /// Changes rows: `rows` has [`CopyJob::row_words`] words for each of `keys`, and `gone` are keys that are absent from
    /// now on. The update is what the other party [applies](EncryptedCopy::apply) to its copy; all of them, in order.
    ///
    /// # Errors
    /// [`Error::Param`] if the job has no (more) updates, for keys and rows as [`encrypt`](Self::encrypt), and if nothing
    /// changes; [`Error::Shape`] unless there is a row for each key; [`Error::Forked`] in a fork of the process that
    /// encrypted the table.
    pub fn update(&mut self, keys: &[u128], rows: &[u64], gone: &[u128]) -> Result<Update> {
        self.process.check("a table that changes")?;
        let job = *self.copy.job();
        let Some(left) = self.updates.checked_sub(1) else {
            let (what, got) = ("updates of a version of a table", "one more".into());
            return Err(Error::Param { what, got, accepted: "a new version".into() });
        };
        let nothing = vec![0; gone.len().saturating_mul(job.row_words())];
        let mut all = Wiped::from(Vec::with_capacity(rows.len() + nothing.len()));
        all.extend_from_slice(rows);
        all.extend_from_slice(&nothing);
        same("words of a table's rows", keys.len().saturating_mul(job.row_words()), rows.len())?;
        check_rows(&job, &[keys, gone].concat(), &all)?;
        let mut changed: Vec<(u32, usize)> =
            keys.iter().chain(gone).enumerate().map(|(i, &key)| (key as u32, i)).collect();
        changed.sort_unstable();
        let number = job.keys.most_updates() - left;
        let planes = self.encrypted(&changed, keys.len(), &all, number)?;
        let keys = changed.iter().map(|&(key, _)| key).collect();
        let mut update = Update { before: *self.copy.digest(), after: [0; 32], number, keys, planes };
        self.copy = update.changed(&self.copy);
        update.after = *self.copy.digest();
        self.updates = left;
        Ok(update)
    }

    /// Planes of the rows with these numbers, of which the first `present` are there, masked under the update's number.
    fn encrypted(
        &self,
        changed: &[(u32, usize)],
        present: usize,
        rows: &[u64],
        number: u32,
    ) -> Result<Vec<u64>> {
        let job = self.copy.job();
        let (given, len) = (job.row_words(), row_len(job));
        let padded = changed.len().next_multiple_of(64);
        let mut table = Wiped::zeros(padded * len);
        let mut inputs = vec![0u128; padded];
        for ((&(key, i), to), input) in changed.iter().zip(table.chunks_exact_mut(len)).zip(&mut inputs) {
            *input = u128::from(key) | u128::from(number) << job.keys.bits();
            to[..given].copy_from_slice(&rows[i * given..][..given]);
            to[job.row_bits as usize / 64] |= u64::from(i < present) << (job.row_bits % 64);
        }
        let mut planes = vec![0; job.masked() * padded / 64];
        write_planes(&table, len, padded / 64, &mut planes);
        self.key.add_values(&job.prf(), &inputs, &mut planes)?;
        // Behind the last row there is nothing.
        let spare = changed.len() % 64;
        if spare > 0 {
            let last = planes.iter_mut().skip(padded / 64 - 1).step_by(padded / 64);
            last.for_each(|word| *word = prim::low(*word, spare as u32));
        }
        Ok(planes)
    }
}

impl EncryptedCopy {
    /// The copy with its changed rows.
    ///
    /// # Errors
    /// [`Error::Peer`] for an update of another copy, and one that makes another copy than it says; the copy is as it was.
    pub fn apply(&mut self, update: &Update) -> Result<()> {
        let refused = |what: &str| Err(Error::Peer(format!("an update of a table {what}")));
        if update.before != *self.digest() {
            return refused("that is not of this copy");
        }
        let changed = update.changed(self);
        if *changed.digest() != update.after {
            return refused("that does not match its digest");
        }
        *self = changed;
        Ok(())
    }

    /// Sets bits of a plane, counted over all pieces.
    fn set(words: &mut [u64], job: &CopyJob, plane: usize, key: u32, bit: u64) {
        let (word, len) = (key as usize / 64, job.piece_words());
        let word = &mut words[(word / len * job.planes() + plane) * len + word % len];
        *word = *word & !(1 << (key % 64)) | bit << (key % 64);
    }
}

impl Update {
    /// The copy that it makes of this one.
    fn changed(&self, copy: &EncryptedCopy) -> EncryptedCopy {
        let (job, mut words) = (copy.job(), copy.words.clone());
        let width = self.keys.len().div_ceil(64);
        for (i, &key) in self.keys.iter().enumerate() {
            for (plane, bits) in self.planes.chunks_exact(width).enumerate() {
                EncryptedCopy::set(&mut words, job, plane, key, bits[i / 64] >> (i % 64) & 1);
            }
            for bit in 0..job.keys.update_bits() {
                let plane = job.masked() + bit as usize;
                EncryptedCopy::set(&mut words, job, plane, key, u64::from(self.number >> bit & 1));
            }
        }
        EncryptedCopy::of(*job, words)
    }

    /// Rows that change. Public.
    pub fn rows(&self) -> usize {
        self.keys.len()
    }

    /// For the way to the other party.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Writer::new(8 * self.planes.len() + 4 * self.keys.len() + 100);
        to.bytes(MAGIC);
        to.bytes(&self.before);
        to.bytes(&self.after);
        to.number(self.number.into());
        to.number(self.keys.len() as u64);
        to.words(&self.keys, 32);
        to.words(&self.planes, 64);
        to.finish().to_vec()
    }

    /// What [`to_bytes`](Self::to_bytes) wrote, of a table of this form.
    ///
    /// # Errors
    /// [`Error::Store`] for anything else.
    pub fn from_bytes(job: CopyJob, bytes: &[u8]) -> Result<Self> {
        job.check()?;
        let mut from = Reader::new(bytes);
        if from.array()? != *MAGIC {
            return Err(malformed("is no update of a table"));
        }
        let (before, after) = (from.array()?, from.array()?);
        let (number, count) = (from.number()?, from.number()?);
        if !(1..=u64::from(job.keys.most_updates().min(MAX_UPDATES))).contains(&number) {
            return Err(malformed("has an update with a number out of range"));
        }
        // No number in it allocates more than there is to read.
        if count == 0 || count > from.left() as u64 / 4 {
            return Err(malformed("has an update without its rows"));
        }
        let keys: Vec<u32> = from.words(count as usize, 32)?;
        if keys.windows(2).any(|pair| pair[0] >= pair[1]) || keys[keys.len() - 1] >> job.keys.bits() > 0 {
            return Err(malformed("has an update of keys that the table cannot have"));
        }
        let planes: Vec<u64> = from.words(job.masked() * keys.len().div_ceil(64), 64)?;
        from.finish()?;
        let spare = keys.len() % 64;
        let last = planes.iter().skip(keys.len() / 64).step_by(keys.len().div_ceil(64));
        if spare > 0 && last.fold(0, |all, word| all | word) >> spare > 0 {
            return Err(malformed("has an update with more than its rows"));
        }
        Ok(Self { before, after, number: number as u32, keys, planes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{confidential::copy::Keys, confidential::prf::Cipher, net::Role, process::Process};

    #[test]
    fn a_fork_masks_no_row() {
        let keys = Keys::Changing { bits: 6, updates: 3 };
        let job = CopyJob { owner: Role::P0, cipher: Cipher::Aes128, keys, row_bits: 20 };
        let mut owner = Owner::encrypt(job, &[7], &[1]).expect("a table");
        for inherited in Process::inherited() {
            owner.process = inherited;
            let before = *owner.copy().digest();
            let refused = owner.update(&[7], &[2], &[]).err().expect("refused");
            assert!(matches!(refused, Error::Forked { .. }), "{refused}");
            assert_eq!((*owner.copy().digest(), owner.updates), (before, 3));
        }
        owner.process = Process::current();
        owner.update(&[7], &[2], &[]).expect("the process that it belongs to");
    }
}
