//! A counter that only grows, in a file that survives a crash at any moment.
//!
//! A record is the counter (8 bytes) and a keyed hash of its number and value (24 bytes). Records
//! are only ever appended, each followed by an fsync. What a crash may leave behind is at most one
//! unfinished record at the end: it was never relied upon, and goes when the file is opened.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use zeroize::Zeroizing;

use super::files;
use crate::error::{Error, Result};

const RECORD: usize = 32;
/// Longest journal read; a store of one-lookup jobs would need half a million of them.
const LONGEST: u64 = 1 << 24;

/// An open journal, locked: no other process has it open.
pub(super) struct Journal {
    file: File,
    path: PathBuf,
    key: Zeroizing<[u8; 32]>,
    records: u64,
    last: u64,
    /// After a failed write nobody knows what the file holds.
    broken: bool,
}

impl Journal {
    /// A new file with the counter at zero. The folder is not made durable.
    pub(super) fn create(path: &Path, key: Zeroizing<[u8; 32]>) -> Result<Self> {
        let file = files::private().read(true).create_new(true).open(path).map_err(files::at(path))?;
        lock(&file, path)?;
        let mut journal = Self { file, path: path.into(), key, records: 0, last: 0, broken: false };
        journal.append(0)?;
        Ok(journal)
    }

    /// An existing one.
    pub(super) fn open(path: &Path, key: Zeroizing<[u8; 32]>) -> Result<Self> {
        let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(files::at(path))?;
        lock(&file, path)?;
        let mut bytes = Vec::new();
        (&file).take(LONGEST).read_to_end(&mut bytes).map_err(files::at(path))?;
        let (records, last) =
            replay(&key, &bytes).map_err(|what| Error::Store(format!("{}: {what}", path.display())))?;
        let end = records * RECORD as u64;
        if end < bytes.len() as u64 {
            file.set_len(end).and_then(|()| file.sync_all()).map_err(files::at(path))?;
        }
        file.seek(SeekFrom::Start(end)).map_err(files::at(path))?;
        Ok(Self { file, path: path.into(), key, records, last, broken: false })
    }

    /// The counter.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// Moves the counter, durably, before it returns.
    pub(super) fn append(&mut self, counter: u64) -> Result<()> {
        assert!(counter >= self.last, "a journal never goes back");
        if std::mem::replace(&mut self.broken, true) {
            return Err(Error::Store(format!("{}: could not be written before", self.path.display())));
        }
        let record = record(&self.key, self.records, counter);
        self.file.write_all(&record).and_then(|()| self.file.sync_data()).map_err(files::at(&self.path))?;
        (self.records, self.last, self.broken) = (self.records + 1, counter, false);
        Ok(())
    }
}

/// Number of whole records and the last counter, or what is wrong.
pub fn replay(key: &[u8; 32], bytes: &[u8]) -> std::result::Result<(u64, u64), &'static str> {
    if bytes.len() as u64 >= LONGEST {
        return Err("is too long; its store must be made anew");
    }
    let (mut records, mut last) = (0, 0);
    for chunk in bytes.chunks(RECORD) {
        let counter = chunk.first_chunk().map_or(0, |number| u64::from_le_bytes(*number));
        if record(key, records, counter) != chunk || counter < last {
            break;
        }
        (records, last) = (records + 1, counter);
    }
    // A write that a crash cut short was the last one, and there is one at least.
    let whole = records as usize * RECORD;
    if records == 0 || bytes.len() - whole > RECORD {
        return Err("is damaged, or not of this store");
    }
    Ok((records, last))
}

fn record(key: &[u8; 32], number: u64, counter: u64) -> [u8; RECORD] {
    let mut record = [0; RECORD];
    record[..8].copy_from_slice(&counter.to_le_bytes());
    let mut label = number.to_le_bytes().to_vec();
    label.extend(counter.to_le_bytes());
    record[8..].copy_from_slice(&blake3::keyed_hash(key, &label).as_bytes()[..24]);
    record
}

/// The right to use a store, until the file is closed, however that happens.
pub(super) fn lock(file: &File, path: &Path) -> Result<()> {
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => Error::Store(format!("{} is in use by another process", path.display())),
        TryLockError::Error(source) => files::at(path)(io::Error::other(source)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; 32] = [7; 32];

    fn records(counters: &[u64]) -> Vec<u8> {
        counters.iter().zip(0..).flat_map(|(&c, i)| record(&KEY, i, c)).collect()
    }

    #[test]
    fn an_unfinished_record_never_counts() {
        let whole = records(&[0, 5, 5, 9]);
        assert_eq!(replay(&KEY, &whole), Ok((4, 9)));
        for cut in 1..RECORD {
            assert_eq!(replay(&KEY, &whole[..whole.len() - cut]), Ok((3, 5)), "{cut} bytes missing");
            let mut torn = whole.clone();
            torn[whole.len() - cut..].fill(0);
            if torn != whole {
                assert_eq!(replay(&KEY, &torn), Ok((3, 5)), "{cut} bytes zero");
            }
        }
    }

    #[test]
    fn anything_else_is_damage() {
        let whole = records(&[0, 5, 9]);
        for at in 0..2 * RECORD {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert!(replay(&KEY, &changed).is_err(), "byte {at}");
        }
        assert!(replay(&KEY, &[]).is_err() && replay(&[8; 32], &whole).is_err());
        assert!(replay(&KEY, &[&whole[..], &[0; RECORD + 1]].concat()).is_err());
        let swapped = [&whole[..RECORD], &whole[2 * RECORD..], &whole[RECORD..2 * RECORD]].concat();
        assert!(replay(&KEY, &swapped).is_err());
    }
}
