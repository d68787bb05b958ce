//! How far a store is spent, written down twice: in its journal, and in a mark in the identity's folder.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use super::{
    files,
    header::About,
    journal::{self, JOURNAL, Journal},
    keys::Keys,
};
use crate::{
    error::{Error, Result},
    net::Identity,
};

/// An open store's journal and mark, both locked.
pub(super) struct Ledger {
    journal: Journal,
    mark: Journal,
}

impl Ledger {
    /// Of a new store in the folder `dir`, whose name in it is not made durable here.
    pub(super) fn create(dir: &Path, identity: &Identity, about: &About, keys: &Keys) -> Result<Self> {
        let journal = Journal::create(&dir.join(JOURNAL), keys.journal())?;
        let spent = identity.spent_path();
        if !spent.exists() {
            files::new_folder(&spent)?;
        }
        let mark = Journal::create(&spent.join(about.name()), keys.mark())?;
        files::sync_names(&spent)?;
        Ok(Self { journal, mark })
    }

    /// Of the store in the folder `dir`.
    ///
    /// # Errors
    /// [`Error::Store`] if the store is behind its mark, or has none; if either is in use or damaged.
    pub(super) fn open(dir: &Path, identity: &Identity, about: &About, keys: &Keys) -> Result<Self> {
        let says = |what: String| Error::Store(format!("{}: {what}. {RESTORED}", dir.display()));
        let path = mark_path(identity, about);
        let journal = Journal::open(&dir.join(JOURNAL), keys.journal())?;
        let mark = match Journal::open(&path, keys.mark()) {
            Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Err(says(format!("{} is missing", path.display())));
            }
            mark => mark?,
        };
        let (here, there) = (journal.last(), mark.last());
        if here < there {
            return Err(says(format!("spent up to {here} here, up to {there} in {}", path.display())));
        }
        Ok(Self { journal, mark })
    }

    /// Nothing before this position will be handed out again, whatever happens.
    pub(super) fn spent(&self) -> u64 {
        self.journal.last()
    }

    /// Moves that position on: first in the journal, then in the mark. In this order a crash in between
    /// leaves a mark that is behind, which is not what a restored store looks like.
    pub(super) fn advance(&mut self, to: u64) -> Result<()> {
        if to > self.journal.last() {
            self.journal.append(to)?;
        }
        // Also if a mark failed before: nothing is read that it does not cover.
        if to > self.mark.last() {
            self.mark.append(to)?;
        }
        Ok(())
    }
}

/// The mark of the store in `dir`, whose locked journal is given, unless another store lives by it: a
/// store that is behind its mark is a copy of one that was spent since, and a mark in use is of one that
/// is open.
pub(super) fn own_mark(journal: &File, identity: &Identity, about: &About, keys: &Keys) -> Option<PathBuf> {
    let path = mark_path(identity, about);
    let mark = File::open(&path).ok()?;
    journal::lock(&mark, &path).ok()?;
    let (_, here) = journal::read(journal, &path, &keys.journal()).ok()?;
    let (_, there) = journal::read(&mark, &path, &keys.mark()).ok()?;
    (here >= there).then_some(path)
}

fn mark_path(identity: &Identity, about: &About) -> PathBuf {
    identity.spent_path().join(about.name())
}

const RESTORED: &str = "It was restored from a backup or copied, and material may have been spent since: \
                        remove it with `hushtable store rm` and make a new one";
