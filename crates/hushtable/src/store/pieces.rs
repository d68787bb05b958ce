//! The encrypted files of a store.
//!
//! A piece is sealed by ChaCha20-Poly1305 under a key of its store, with a random nonce that stands
//! behind it: the key derives from the session's id, and nothing keeps a program from making a store
//! twice in a session. The digest of the header and the number are authenticated with it.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard},
};

use zeroize::Zeroizing;

use super::{files, header::About, ledger::Ledger};
use crate::{
    error::{Error, Result},
    net::Seal,
    process::Process,
    source::{Shape, short},
};

const EXTENSION: &str = "piece";
/// Bytes of a piece, at most.
pub(super) const LONGEST: usize = 1 << 28;

/// The pieces of an open store. When the last user is gone, those spent are removed.
pub(super) struct Pieces {
    dir: PathBuf,
    about: About,
    header: [u8; 32],
    seal: Box<dyn Seal>,
    ledger: Mutex<Ledger>,
    process: Process,
    /// Keeps other processes out of the folder.
    _lock: File,
}

impl Pieces {
    pub(super) fn new(
        dir: &Path,
        about: About,
        header: &[u8],
        seal: Box<dyn Seal>,
        ledger: Ledger,
        lock: File,
    ) -> Self {
        Self {
            dir: dir.into(),
            about,
            header: *blake3::hash(header).as_bytes(),
            seal,
            ledger: Mutex::new(ledger),
            process: Process::current(),
            _lock: lock,
        }
    }

    pub(super) fn about(&self) -> &About {
        &self.about
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// An error in a fork of the process that opened the store.
    pub(super) fn check_process(&self) -> Result<()> {
        self.process.check("a store")
    }

    /// As a fork sees them.
    #[cfg(all(test, feature = "tls"))]
    pub(super) fn inherit(&mut self, process: Process) {
        self.process = process;
    }

    /// `Ok(())` if the material has this shape.
    pub(super) fn fits(&self, shape: &Shape) -> Result<()> {
        let About { text, shape: digest, .. } = &self.about;
        if *digest == shape.digest {
            return Ok(());
        }
        let (dir, digest) = (self.dir.display(), short(digest));
        Err(Error::Store(format!("{dir}: it holds material for {text} (shape {digest}), not for {shape}")))
    }

    /// Items before this position were handed out.
    pub(super) fn spent(&self) -> u64 {
        self.ledger().spent()
    }

    /// Marks what is before this position as handed out, durably before it returns: to be called before
    /// any of it is read.
    pub(super) fn spend(&self, position: u64) -> Result<()> {
        // Before the lock, which nobody might give back in a fork.
        self.check_process()?;
        self.ledger().advance(position)
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().expect("no panic while the lock is held")
    }

    /// Number of the piece that has a position.
    pub(super) fn at(&self, position: u64) -> u64 {
        position / self.about.piece
    }

    /// The first position behind a piece.
    pub(super) fn end(&self, number: u64) -> u64 {
        ((number + 1) * self.about.piece).min(self.about.planned)
    }

    /// Items in a piece.
    pub(super) fn len(&self, number: u64) -> usize {
        (self.end(number) - number * self.about.piece) as usize
    }

    /// Numbers of the pieces that are there, in order; files that no piece is named like do not count.
    pub(super) fn present(&self) -> Result<Vec<u64>> {
        let mut numbers = Vec::new();
        for entry in fs::read_dir(&self.dir).map_err(files::at(&self.dir))? {
            let path = entry.map_err(files::at(&self.dir))?.path();
            let last = self.at(self.about.planned - 1);
            numbers.extend(number_of(&path).filter(|&n| n <= last && path == self.path(n)));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Writes a new piece.
    pub(super) fn seal(&self, number: u64, mut bytes: Zeroizing<Vec<u8>>) -> Result<()> {
        self.seal.seal(&self.aad(number), &mut bytes)?;
        files::write(&self.path(number), &bytes)
    }

    /// Lets `read` have the material of a whole piece.
    pub(super) fn open<T>(&self, number: u64, read: impl FnOnce(&[u8]) -> Result<T>) -> Result<T> {
        let path = self.path(number);
        let mut bytes = Zeroizing::new(files::read(&path, LONGEST)?);
        let damaged = |what: &str| Error::Store(format!("{}: {what}", path.display()));
        let plain = self.seal.open(&self.aad(number), &mut bytes);
        let plain = plain.ok_or_else(|| damaged("damaged, or not of this store"))?;
        read(plain).map_err(|error| damaged(&error.to_string()))
    }

    /// Removes pieces all of whose items are spent. What cannot be removed now is tried again
    /// when the store is opened the next time.
    pub(super) fn sweep(&self) {
        let spent = self.spent();
        for number in self.present().unwrap_or_default() {
            if number < self.at(spent) || self.end(number) <= spent {
                let _ = fs::remove_file(self.path(number));
            }
        }
    }

    fn path(&self, number: u64) -> PathBuf {
        self.dir.join(format!("{number:06}.{EXTENSION}"))
    }

    fn aad(&self, number: u64) -> [u8; 40] {
        let mut aad = [0; 40];
        aad[..32].copy_from_slice(&self.header);
        aad[32..].copy_from_slice(&number.to_le_bytes());
        aad
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        // A fork's parent may still read what it has reserved.
        if self.process.is_current() {
            self.sweep();
        }
    }
}

/// The number in a piece's name.
pub(super) fn number_of(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_str()?;
    let number = name.strip_suffix(EXTENSION)?.strip_suffix('.')?;
    number.bytes().all(|b| b.is_ascii_digit()).then(|| number.parse().ok())?
}
