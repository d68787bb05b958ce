//! A counter that only grows, in a file that survives a crash at any moment.
//!
//! A record is the counter (8 bytes) and a keyed hash of its number and value (24 bytes). Records
//! are only ever appended, each followed by an fsync. What a crash may leave behind is at most one
//! unfinished record at the end: it was never relied upon, and goes when the file is opened.

use std::{
    fs::{File, TryLockError},
    io::{self, BufReader, ErrorKind, Read},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use zeroize::Zeroizing;

use super::files;
use crate::{
    error::{Error, Result},
    process::Process,
};

/// Name of the file in the folder of a store.
pub(super) const JOURNAL: &str = "journal";
/// Bytes of a record.
pub(super) const RECORD: usize = 32;

/// An open journal, locked: no other process has it open.
pub(super) struct Journal {
    file: File,
    path: PathBuf,
    key: Zeroizing<[u8; 32]>,
    /// The lock does not keep a fork out.
    process: Process,
    records: u64,
    last: u64,
    /// After a failed write nobody knows what the file holds.
    broken: bool,
}

impl Journal {
    /// A new file with the counter at zero. The folder is not made durable.
    pub(super) fn create(path: &Path, key: Zeroizing<[u8; 32]>) -> Result<Self> {
        let file = files::create(path)?;
        lock(&file, path)?;
        let mut journal = Self::of(file, path, key, (0, 0));
        journal.append(0)?;
        Ok(journal)
    }

    /// An existing one.
    pub(super) fn open(path: &Path, key: Zeroizing<[u8; 32]>) -> Result<Self> {
        let file = files::reopen(path)?;
        lock(&file, path)?;
        let (records, last) = read(&file, path, &key)?;
        let journal = Self::of(file, path, key, (records, last));
        if journal.len()? > records * RECORD as u64 {
            // Durable with the next record: until then it would be cut off again.
            files::truncate(&journal.file, path, records * RECORD as u64)?;
        }
        Ok(journal)
    }

    fn of(file: File, path: &Path, key: Zeroizing<[u8; 32]>, (records, last): (u64, u64)) -> Self {
        Self { file, path: path.into(), key, process: Process::current(), records, last, broken: false }
    }

    /// The counter.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// Moves the counter, durably, before it returns.
    ///
    /// Records go to the end of the file, wherever that is, and the length is compared before and
    /// after: if there were two writers, whatever let them in, at most one of them goes on.
    pub(super) fn append(&mut self, counter: u64) -> Result<()> {
        assert!(counter >= self.last, "a journal never goes back");
        self.process.check("a store")?;
        if std::mem::replace(&mut self.broken, true) {
            return Err(self.says("could not be written before"));
        }
        self.alone()?;
        files::append(&self.file, &self.path, &record(&self.key, self.records, counter))?;
        files::sync(&self.file, &self.path)?;
        self.records += 1;
        self.alone()?;
        (self.last, self.broken) = (counter, false);
        Ok(())
    }

    /// An error if the file has other records than this journal knows of.
    fn alone(&self) -> Result<()> {
        if self.len()? == self.records * RECORD as u64 {
            return Ok(());
        }
        Err(self.says("somebody else wrote to it; open the store again"))
    }

    fn len(&self) -> Result<u64> {
        Ok(self.file.metadata().map_err(files::at(&self.path))?.len())
    }

    fn says(&self, what: &str) -> Error {
        Error::Store(format!("{}: {what}", self.path.display()))
    }
}

/// Number of whole records and the last counter in a journal's file.
pub(super) fn read(file: &File, path: &Path, key: &[u8; 32]) -> Result<(u64, u64)> {
    replay(key, file).map_err(|error| match error.kind() {
        ErrorKind::InvalidData => Error::Store(format!("{}: {error}", path.display())),
        _ => files::at(path)(error),
    })
}

/// Number of whole records and the last counter. Journals of any length are read, record by record.
///
/// # Errors
/// [`ErrorKind::InvalidData`] says what is wrong; those of reading.
pub fn replay(key: &[u8; 32], from: impl Read) -> io::Result<(u64, u64)> {
    let (mut from, mut chunk) = (BufReader::new(from), Vec::with_capacity(RECORD));
    let (mut records, mut last) = (0, 0);
    loop {
        chunk.clear();
        from.by_ref().take(RECORD as u64).read_to_end(&mut chunk)?;
        let counter = chunk.first_chunk().map_or(0, |number| u64::from_le_bytes(*number));
        if record(key, records, counter)[..] != chunk || counter < last {
            break;
        }
        (records, last) = (records + 1, counter);
    }
    // A write that a crash cut short was the last one, and there is one at least.
    if records == 0 || from.read(&mut [0])? > 0 {
        return Err(io::Error::new(ErrorKind::InvalidData, "is damaged, or not of this store"));
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

/// How long another process may have the file: one that is started while it is open holds it until it runs its program.
const BRIEFLY: Duration = Duration::from_millis(300);

/// The right to use a store, until the file is closed, however that happens.
pub(super) fn lock(file: &File, path: &Path) -> Result<()> {
    let begin = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if begin.elapsed() < BRIEFLY => thread::sleep(BRIEFLY / 30),
            Err(TryLockError::WouldBlock) => {
                let path = path.display();
                return Err(Error::Store(format!(
                    "{path} is in use: by another process, or by this one, where it is open"
                )));
            }
            Err(TryLockError::Error(source)) => return Err(files::at(path)(io::Error::other(source))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Write, sync::Barrier};

    use super::*;

    const KEY: [u8; 32] = [7; 32];

    fn records(counters: &[u64]) -> Vec<u8> {
        counters.iter().zip(0..).flat_map(|(&c, i)| record(&KEY, i, c)).collect()
    }

    fn replayed(bytes: &[u8]) -> Option<(u64, u64)> {
        replay(&KEY, bytes).ok()
    }

    #[test]
    fn an_unfinished_record_never_counts() {
        let whole = records(&[0, 5, 5, 9]);
        assert_eq!(replayed(&whole), Some((4, 9)));
        for cut in 1..RECORD {
            assert_eq!(replayed(&whole[..whole.len() - cut]), Some((3, 5)), "{cut} bytes missing");
            let mut torn = whole.clone();
            torn[whole.len() - cut..].fill(0);
            if torn != whole {
                assert_eq!(replayed(&torn), Some((3, 5)), "{cut} bytes zero");
            }
        }
    }

    #[test]
    fn anything_else_is_damage() {
        let whole = records(&[0, 5, 9]);
        for at in 0..2 * RECORD {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert_eq!(replayed(&changed), None, "byte {at}");
        }
        assert_eq!(replayed(&[]), None);
        assert!(replay(&[8; 32], &whole[..]).is_err());
        assert_eq!(replayed(&[&whole[..], &[0; RECORD + 1]].concat()), None);
        let swapped = [&whole[..RECORD], &whole[2 * RECORD..], &whole[RECORD..2 * RECORD]].concat();
        assert_eq!(replayed(&swapped), None);
    }

    #[test]
    fn a_journal_of_any_length_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let many = (17 << 20) / RECORD as u64;
        let mut file = io::BufWriter::new(File::create(&path).unwrap());
        (0..many).for_each(|i| file.write_all(&record(&KEY, i, i)).unwrap());
        file.write_all(&[0; 5]).unwrap();
        drop(file.into_inner().unwrap());
        let mut journal = Journal::open(&path, Zeroizing::new(KEY)).unwrap();
        assert_eq!(journal.last(), many - 1);
        journal.append(many + 5).unwrap();
        drop(journal);
        assert_eq!(Journal::open(&path, Zeroizing::new(KEY)).unwrap().last(), many + 5);
    }

    /// What a fork has: the same open file, its lock and its position.
    fn fork(journal: &Journal, process: Process) -> Journal {
        let Journal { path, key, records, last, .. } = journal;
        let file = journal.file.try_clone().unwrap();
        Journal { process, ..Journal::of(file, path, key.clone(), (*records, *last)) }
    }

    #[test]
    fn a_fork_appends_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut parent = Journal::create(&folder.path().join("journal"), Zeroizing::new(KEY)).unwrap();
        for inherited in Process::inherited() {
            let refused = fork(&parent, inherited).append(9).unwrap_err();
            assert!(matches!(refused, Error::Forked { .. }), "{refused}");
        }
        parent.append(1).unwrap();
    }

    #[test]
    fn of_two_writers_one_goes_on_at_most() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut first = Journal::create(&path, Zeroizing::new(KEY)).unwrap();
        // Nobody noticed the fork.
        let mut second = fork(&first, Process::current());
        first.append(5).unwrap();
        let refused = second.append(7).unwrap_err().to_string();
        assert!(refused.contains("somebody else wrote"), "{refused}");
        first.append(6).unwrap();
        drop(second);
        // Both at once.
        for round in 0..50 {
            let at = 10 * (round + 1);
            let mut second = fork(&first, Process::current());
            let start = Barrier::new(2);
            let outcomes = thread::scope(|scope| {
                let other = scope.spawn(|| (start.wait(), second.append(at + 1)).1.is_ok());
                [(start.wait(), first.append(at)).1.is_ok(), other.join().unwrap()]
            });
            assert_ne!(outcomes, [true; 2], "round {round}");
            drop((first, second));
            first = Journal::open(&path, Zeroizing::new(KEY)).unwrap();
            let last = first.last();
            assert!((!outcomes[0] || last == at) && (!outcomes[1] || last == at + 1), "{outcomes:?}, {last}");
        }
    }
}
