//! Material on disk: made ahead with the peer, spent later, each piece once.
//!
//! A [`Store`] is a folder that belongs to one pair of identities, one role and one [`Shape`](crate::source::Shape)
//! of material. Its id is that of the session that made it, or follows from that where the session had made others before;
//! it is the same at both parties. Any [operation](crate::operation::Operation) that can be cut into items has a shape;
//! all of one shape can spend the same store, for they differ only in what is public: a table's values, the ends of a
//! domain of as many numbers, constants, which way a comparison goes.
//!
//! ```text
//! DIR/header             what it holds, for whom; authenticated
//! DIR/journal            how far it is spent
//! DIR/000000.piece       material, encrypted; removed when it is spent
//! IDENTITY/spent/ID      how far it is spent, once more
//! ```
//!
//! # Once
//! [`Reserved::load`] moves the journal's cursor, then the mark in the identity's folder, both with an
//! fsync, and only then reads material. A crash in between loses what was to be read, and nothing else;
//! what was reserved and not begun is there the next time: a reservation is nothing on disk, so a process that is
//! killed gives back all that it had not begun to load, but for what lies before something that was. Before that, in
//! every session,
//! [`agree`](Store::agree) has moved both parties to the larger of their cursors: skipping is safe,
//! repeating never happens.
//!
//! A store that is behind its mark, or has none, was restored or copied: it is refused. While a
//! store is open its folder and its mark are locked. A fork has the lock too: it is refused by its process
//! id, and a journal that is not as long as it was left is not appended to. Both parties' correlations of one position
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
mod keys;
mod ledger;
mod make;
mod pieces;
#[cfg(test)]
mod power;
mod remove;
mod reserved;

pub use header::About;
#[doc(hidden)]
pub use journal::replay;
pub use make::Contents;
pub use reserved::Reserved;

use std::{collections::VecDeque, fmt, fs::File, io, path::Path, sync::Arc};

use self::{journal::JOURNAL, keys::Keys, ledger::Ledger, pieces::Pieces};
use crate::{
    error::{Error, Result},
    net::Identity,
    operation::Operation,
    party::Party,
};

const HEADER: &str = "header";
/// Bytes of the header's tag.
const TAG: usize = 32;

/// An open store: no other process can open it, or a copy of it under the same identity.
pub struct Store {
    pieces: Arc<Pieces>,
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
        let ledger = Ledger::open(dir, identity, &about, &keys)?;
        let cursor = ledger.spent();
        let seal = identity.seal(&keys.pieces());
        let pieces = Arc::new(Pieces::new(dir, about, &header, seal, ledger, lock));
        pieces.sweep();
        let end = end(&pieces, cursor)?;
        Ok(Self { pieces, cursor, end, agreed: false })
    }

    /// What the store holds.
    pub fn about(&self) -> &About {
        self.pieces.about()
    }

    /// Items that are left, before the peer is asked.
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
            ("store's material", about.text.clone()),
            ("shape of the store's material", blake3::Hash::from(about.shape).to_hex().to_string()),
            ("number of stored items", about.planned.to_string()),
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
        // Durable when something is loaded, not before: what the peer merely says uses nothing up.
        (self.cursor, self.end, self.agreed) = (cursor, end.max(cursor), true);
        Ok(())
    }

    /// As if a peer had agreed that nothing more is spent, for tests of one party alone.
    #[doc(hidden)]
    pub fn insecure_agree_alone(mut self) -> Self {
        self.agreed = true;
        self
    }

    /// `Ok(())` if the operation can spend the material.
    ///
    /// # Errors
    /// [`Error::Store`] that says what it is for, and what it was wanted for.
    pub fn fits(&self, operation: &dyn Operation) -> Result<()> {
        self.pieces.fits(&operation.shape()?)
    }

    /// Hands out the next `m` items. They are durably marked as spent as they are loaded, not before.
    ///
    /// # Errors
    /// [`Error::Store`] if fewer are left, or before [`agree`](Self::agree); [`Error::Forked`] in a fork
    /// of the process that opened the store.
    pub fn reserve(&mut self, m: usize) -> Result<Reserved> {
        Ok(self.reserve_lanes(&[m])?.remove(0))
    }

    /// [`reserve`](Self::reserve) for lanes that work side by side, so many items each. They take turns,
    /// a file at a time: together they go through the store from its beginning, and what a crash loses is
    /// what they had begun. Depends on nothing but the cursor and the numbers, which the peer has too.
    ///
    /// # Errors
    /// As for [`reserve`](Self::reserve).
    pub fn reserve_lanes(&mut self, counts: &[usize]) -> Result<Vec<Reserved>> {
        self.pieces.check_process()?;
        let says = |what: String| Error::Store(format!("{}: {what}", self.pieces.dir().display()));
        if !self.agreed {
            return Err(says("agree with the peer before anything is reserved".into()));
        }
        let m = counts.iter().sum::<usize>();
        if m as u64 > self.left() {
            return Err(says(format!("{} {} are left, {m} are needed", self.left(), self.about().items())));
        }
        let mut lanes = vec![VecDeque::new(); counts.len()];
        let mut missing: Vec<_> = counts.iter().map(|&count| count as u64).collect();
        let to = self.cursor + m as u64;
        while self.cursor < to {
            for (ranges, missing) in lanes.iter_mut().zip(&mut missing).filter(|(_, missing)| **missing > 0) {
                let file = self.pieces.end(self.pieces.at(self.cursor));
                let range = self.cursor..file.min(self.cursor + *missing);
                (self.cursor, *missing) = (range.end, *missing - (range.end - range.start));
                ranges.push_back(range);
            }
        }
        let reserved = |ranges| Reserved { pieces: Arc::clone(&self.pieces), ranges };
        Ok(lanes.into_iter().map(reserved).collect())
    }

    /// Reads everything that is left and checks that none of it is damaged; returns how many
    /// items were meant to be there and are not.
    ///
    /// # Errors
    /// [`Error::Store`] that names the first damaged file, [`Error::Io`].
    pub fn verify(&self) -> Result<u64> {
        let (about, mut whole) = (self.about(), 0);
        for number in self.pieces.present()?.into_iter().filter(|&n| self.pieces.end(n) > self.cursor) {
            self.pieces.open(number, |_| Ok(()))?;
            whole += self.pieces.end(number) - self.cursor.max(number * about.piece);
        }
        Ok(about.planned - self.cursor - whole)
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Store({}, {} of {} left)", self.about().name(), self.left(), self.about().planned)
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
