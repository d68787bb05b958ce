//! Correlations on disk: made ahead with the peer, spent later, each once.
//!
//! A [`Store`] is a folder that belongs to one pair of identities, one role and one kind of lookup.
//! Its id is that of the session that made it, the same at both parties.
//!
//! ```text
//! DIR/header             what it holds, for whom; authenticated
//! DIR/journal            how far it is spent
//! DIR/000000.piece       material, encrypted; removed when it is spent
//! IDENTITY/spent/ID      how far it is spent, once more
//! ```
//!
//! # Once
//! [`reserve`](Store::reserve) moves the journal's cursor, then the mark in the identity's folder,
//! both with an fsync, and only then hands anything out. A crash in between loses what was to be
//! handed out, and nothing else. Before that, in every session, [`agree`](Store::agree) has moved both
//! parties to the larger of their cursors: skipping is safe, repeating never happens.
//!
//! A store that is behind its mark, or has none, was restored or copied: it is refused. While a
//! store is open its folder and its mark are locked. Both parties' correlations of one position
//! belong together, so positions are handed out in the same order at both, whatever the pieces in
//! which they are taken.
//!
//! **What no party can see alone**: that the store *and* the identity's folder were restored
//! together, to the same point. The peer's cursor then still keeps both from repeating anything.
//! Only if *both* parties restore both folders is material spent twice, and the inputs of the two
//! runs differ by what an eavesdropping *party* then learns. Leave stores out of backups, or the
//! folder `spent` of identities; never run clones of a machine that holds them.
//!
//! # Keys
//! Files are encrypted under a key derived from the identity's private key and the store's id. Some
//! material holds strings of correlated OTs with the Delta of the session that made it: that Delta
//! makes no OTs any more. Whatever is hashed at spending time is hashed under keys of the spending
//! session, which is new and the same at both parties.
//!
//! Without the identity nothing can be read. Removed files are not overwritten: what a disk keeps
//! of them is protected by the encryption only. A file is removed when all of it is spent: who has
//! store and identity can read what was spent of the file in use. Make smaller pieces where that
//! matters.

mod files;
mod header;
mod journal;
mod make;
mod pieces;
mod reserved;

pub use header::About;
#[doc(hidden)]
pub use journal::replay;
pub use make::Plan;
pub use reserved::Reserved;

use std::{
    fmt,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use zeroize::Zeroizing;

use self::{journal::Journal, pieces::Pieces};
use crate::{
    error::{Error, Result},
    lut::{Job, Protocol},
    net::Identity,
    onehot::{Cyclic, Xor},
    party::Party,
    share::{Additive, Bitwise, Sharing},
};

const HEADER: &str = "header";
const JOURNAL: &str = "journal";
/// Bytes of the header's tag.
const TAG: usize = 32;

/// An open store: no other process can open it, or a copy of it under the same identity.
pub struct Store {
    pieces: Arc<Pieces>,
    journal: Journal,
    mark: Journal,
    /// The next position to hand out, and the first that is not there.
    cursor: u64,
    end: u64,
    /// Whether the peer has been asked for its cursor.
    agreed: bool,
}

impl Store {
    /// Opens the store in the folder `dir`, made with this identity.
    ///
    /// # Errors
    /// [`Error::Store`], naming the folder, if it is no store, another identity's, in use, damaged,
    /// or restored from a backup; [`Error::Io`].
    pub fn open(dir: &Path, identity: &Identity) -> Result<Self> {
        let says = |what: String| Error::Store(format!("{}: {what}", dir.display()));
        let (about, header, lock) = read_header(dir)?;
        if about.own != identity.fingerprint() {
            let what = format!(
                "a store of the identity with fingerprint {}.., not of {} ({}..)",
                about.own.short(),
                identity.name(),
                identity.fingerprint().short()
            );
            return Err(says(what));
        }
        let keys = Keys::new(identity, &about.id);
        if keys.sign(about.to_bytes()) != header {
            return Err(says("its header is damaged, or was made with another key".into()));
        }
        let path = identity.spent_path().join(about.name());
        let journal = Journal::open(&dir.join(JOURNAL), keys.journal())?;
        let mark = match Journal::open(&path, keys.mark()) {
            Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Err(says(format!("{} is missing. {RESTORED}", path.display())));
            }
            mark => mark?,
        };
        let cursor = journal.last();
        if cursor < mark.last() {
            let what =
                format!("spent up to {cursor} here, up to {} in {}. {RESTORED}", mark.last(), path.display());
            return Err(says(what));
        }
        let pieces = Arc::new(Pieces::new(dir, about, &header, &keys.pieces(), lock));
        pieces.set_spent(cursor);
        pieces.sweep();
        let end = end(&pieces, cursor)?;
        Ok(Self { pieces, journal, mark, cursor, end, agreed: false })
    }

    /// What the store holds.
    pub fn about(&self) -> &About {
        self.pieces.about()
    }

    /// Lookups that are left, before the peer is asked.
    pub fn left(&self) -> u64 {
        self.end - self.cursor
    }

    /// The next position to be handed out.
    pub fn cursor(&self) -> u64 {
        self.cursor
    }

    /// Moves both parties to the same cursor and the same end: 2 rounds. To be called in each
    /// session before anything is reserved for it.
    ///
    /// # Errors
    /// [`Error::Handshake`], at both parties, if the peer has another store;
    /// [`Error::Store`] if roles or peer are not those that made it; [`Error::Io`], and those of the
    /// channel.
    pub fn agree(&mut self, p: &mut Party) -> Result<()> {
        let about = self.about();
        p.agree(&[
            ("store", about.name()),
            ("store's protocol", about.protocol.name().into()),
            ("store's lookups", about.job.to_string()),
            ("number of stored lookups", about.planned.to_string()),
        ])?;
        if let Some(what) = misfit(about, p) {
            return Err(Error::Store(format!("{}: {what}", self.pieces.dir().display())));
        }
        let mine = [self.cursor, self.end].map(u64::to_le_bytes).concat();
        let theirs = p.session().exchange(mine, 16)?;
        let (cursor, end) = theirs.split_at(8);
        let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
        let (cursor, end) = (self.cursor.max(number(cursor)), self.end.min(number(end)));
        if cursor > self.about().planned {
            return Err(Error::Peer(format!("a store spent up to {cursor} of {}", self.about().planned)));
        }
        // Durable when something is reserved, not before: what the peer merely says uses nothing up.
        (self.cursor, self.end, self.agreed) = (cursor, end.max(cursor), true);
        Ok(())
    }

    /// As if a peer had agreed that nothing more is spent, for tests of one party alone.
    #[doc(hidden)]
    pub fn insecure_agree_alone(mut self) -> Self {
        self.agreed = true;
        self
    }

    /// `Ok(())` if the material serves these lookups.
    ///
    /// # Errors
    /// [`Error::Store`] that names everything that differs.
    pub fn fits(&self, protocol: Protocol, job: &Job) -> Result<()> {
        let about = self.about();
        let mut differs = Vec::new();
        if about.protocol != protocol {
            differs.push(format!("it holds material of {}, not of {protocol}", about.protocol));
        }
        if about.job != *job {
            differs.push(format!("it is for {}, not for {job}", about.job));
        }
        if differs.is_empty() {
            return Ok(());
        }
        Err(Error::Store(format!("{}: {}", self.pieces.dir().display(), differs.join("; "))))
    }

    /// Hands out the next `m` lookups: durably marked as spent before this returns.
    ///
    /// # Errors
    /// [`Error::Store`] if fewer are left, or before [`agree`](Self::agree); [`Error::Io`], after
    /// which the store must be opened again.
    pub fn reserve(&mut self, m: usize) -> Result<Reserved> {
        if !self.agreed {
            let dir = self.pieces.dir().display();
            return Err(Error::Store(format!("{dir}: agree with the peer before anything is reserved")));
        }
        if m as u64 > self.left() {
            let (dir, left) = (self.pieces.dir().display(), self.left());
            return Err(Error::Store(format!("{dir}: {left} lookups are left, {m} are needed")));
        }
        let (from, to) = (self.cursor, self.cursor + m as u64);
        self.advance(to)?;
        Ok(Reserved { pieces: Arc::clone(&self.pieces), from, to })
    }

    /// Reads everything that is left and checks that none of it is damaged; returns how many
    /// lookups were meant to be there and are not.
    ///
    /// # Errors
    /// [`Error::Store`] that names the first damaged file, [`Error::Io`].
    pub fn verify(&self) -> Result<u64> {
        let (about, mut whole) = (self.about(), 0);
        for number in self.pieces.present()?.into_iter().filter(|&n| self.pieces.end(n) > self.cursor) {
            match (about.job.index, about.job.output) {
                (Sharing::Additive, Sharing::Additive) => {
                    drop(self.pieces.open::<Cyclic, Additive, u64>(number)?)
                }
                (Sharing::Additive, Sharing::Xor) => drop(self.pieces.open::<Cyclic, Bitwise, u64>(number)?),
                (Sharing::Xor, Sharing::Additive) => drop(self.pieces.open::<Xor, Additive, u64>(number)?),
                (Sharing::Xor, Sharing::Xor) => drop(self.pieces.open::<Xor, Bitwise, u64>(number)?),
            }
            whole += self.pieces.end(number) - self.cursor.max(number * about.piece);
        }
        Ok(about.planned - self.cursor - whole)
    }

    /// Removes the store in `dir`, whatever its state, and its mark if the identity is given.
    /// Returns what was removed, with its bytes. Nothing is overwritten.
    ///
    /// # Errors
    /// [`Error::Store`] if it is no store, is in use, or holds other files too; [`Error::Io`].
    pub fn remove(dir: &Path, identity: Option<&Identity>) -> Result<Vec<(PathBuf, u64)>> {
        let says = |what: &str| Error::Store(format!("{}: {what}", dir.display()));
        let mut paths = Vec::new();
        for entry in fs::read_dir(dir).map_err(files::at(dir))? {
            paths.push(entry.map_err(files::at(dir))?.path());
        }
        paths.sort();
        let named = |path: &Path, name: &str| path.file_name().is_some_and(|n| n == name);
        let of_store = |path: &PathBuf| {
            let unfinished = path.extension().is_some_and(|e| e == "tmp");
            named(path, HEADER) || named(path, JOURNAL) || unfinished || pieces::number_of(path).is_some()
        };
        if !paths.iter().any(|path| named(path, JOURNAL)) {
            return Err(says("no store"));
        }
        if let Some(other) = paths.iter().find(|path| !of_store(path)) {
            return Err(says(&format!("holds {} besides a store; nothing is removed", other.display())));
        }
        let journal = File::open(dir.join(JOURNAL)).map_err(files::at(dir))?;
        journal::lock(&journal, &dir.join(JOURNAL))?;
        // A damaged header leaves a mark behind, which is small and harmless; a forged one must not
        // take another store's, nor a copy one that is in use.
        let mut mark = None;
        if let (Some(identity), Ok((about, header, _))) = (identity, read_header(dir))
            && Keys::new(identity, &about.id).sign(about.to_bytes()) == header
        {
            let path = identity.spent_path().join(about.name());
            if let Ok(file) = File::open(&path) {
                journal::lock(mark.insert(file), &path)?;
                paths.push(path);
            }
        }
        let mut removed = Vec::new();
        for path in paths {
            let Ok(metadata) = fs::metadata(&path) else { continue };
            fs::remove_file(&path).map_err(files::at(&path))?;
            removed.push((path, metadata.len()));
        }
        fs::remove_dir(dir).map_err(files::at(dir))?;
        Ok(removed)
    }

    /// Moves the cursor: first the journal, then the mark. In this order a crash in between leaves
    /// a mark that is behind, which is not what a restored store looks like.
    fn advance(&mut self, to: u64) -> Result<()> {
        if to > self.cursor {
            self.journal.append(to)?;
            self.mark.append(to)?;
            self.cursor = to;
            self.pieces.set_spent(to);
        }
        Ok(())
    }
}

const RESTORED: &str = "It was restored from a backup or copied, and material may have been spent since: \
                        remove it with `hushtable store rm` and make a new one";

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Store({}, {} of {} left)", self.about().name(), self.left(), self.about().planned)
    }
}

/// The keys of a store.
struct Keys(Zeroizing<[u8; 32]>);

impl Keys {
    fn new(identity: &Identity, id: &[u8; 32]) -> Self {
        Self(identity.disk_key(id))
    }

    fn journal(&self) -> Zeroizing<[u8; 32]> {
        self.key("hushtable 2026-11 store journal")
    }

    fn mark(&self) -> Zeroizing<[u8; 32]> {
        self.key("hushtable 2026-11 store mark")
    }

    fn pieces(&self) -> Zeroizing<[u8; 32]> {
        self.key("hushtable 2026-11 store pieces")
    }

    /// The header's bytes with a tag behind them.
    fn sign(&self, mut header: Vec<u8>) -> Vec<u8> {
        let key = self.key("hushtable 2026-11 store header");
        let tag = blake3::keyed_hash(&key, &header);
        header.extend(tag.as_bytes());
        header
    }

    fn key(&self, context: &str) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(blake3::derive_key(context, &*self.0))
    }
}

/// The header, its bytes, and its file, locked. The tag is not checked.
fn read_header(dir: &Path) -> Result<(About, Vec<u8>, File)> {
    let path = dir.join(HEADER);
    let says = |what: &str| Error::Store(format!("{}: {what}", dir.display()));
    let file = File::open(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if dir.join(JOURNAL).exists() => {
            says("making it was interrupted before anything was made; remove it with `hushtable store rm`")
        }
        io::ErrorKind::NotFound => says("no store"),
        _ => files::at(&path)(error),
    })?;
    journal::lock(&file, dir)?;
    let header = files::read(&path, header::LONGEST)?;
    let about = header.split_last_chunk::<TAG>().ok_or_else(|| says("its header is damaged"))?.0;
    let about = About::from_bytes(about).map_err(|error| says(&format!("its header {error}")))?;
    Ok((about, header, file))
}

/// The first position from `cursor` on that is not there.
fn end(pieces: &Pieces, cursor: u64) -> Result<u64> {
    let present = pieces.present()?;
    let mut end = cursor;
    while end < pieces.about().planned && present.binary_search(&pieces.at(end)).is_ok() {
        end = pieces.end(pieces.at(end));
    }
    Ok(end)
}

/// Why this session cannot spend the store.
fn misfit(about: &About, p: &mut Party) -> Option<String> {
    if about.role != p.role() {
        let verbs = ["listened", "connected"];
        let (then, now) = (verbs[about.role as usize], verbs[p.role() as usize]);
        return Some(format!(
            "this party {then} when the store was made, and {now} now: it must do the same"
        ));
    }
    let peer = p.connection().peer_fingerprint();
    if peer == Some(about.peer) {
        return None;
    }
    Some(format!("made with {} ({}..), who is not the peer now", about.peer_name, about.peer.short()))
}
