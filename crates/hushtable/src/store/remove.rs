//! Removing a store from the disk.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use super::{HEADER, JOURNAL, Keys, Store, files, journal, ledger, pieces, read_header};
use crate::{
    error::{Error, Result},
    net::Identity,
};

impl Store {
    /// Removes the store in `dir`, whatever its state, and its mark if the identity is given and no other
    /// copy of the store may need it: that of a copy which is refused stays. Returns what was removed,
    /// with its bytes. Nothing is overwritten.
    ///
    /// # Errors
    /// [`Error::Store`] if it is no store, is in use, or holds other files too; [`Error::Io`].
    pub fn remove(dir: &Path, identity: Option<&Identity>) -> Result<Vec<(PathBuf, u64)>> {
        let mut paths = files_of(dir)?;
        let path = dir.join(JOURNAL);
        let journal = File::open(&path).map_err(files::at(dir))?;
        journal::lock(&journal, &path)?;
        // A damaged header leaves a mark behind, which is small and harmless; a forged one must not
        // take another store's.
        if let (Some(identity), Ok((about, header, _))) = (identity, read_header(dir)) {
            let keys = Keys::new(identity, &about.id);
            if keys.sign(about.to_bytes()) == header {
                paths.extend(ledger::own_mark(&journal, identity, &about, &keys));
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
}

/// What is in the folder of a store, if that is all that is in it.
fn files_of(dir: &Path) -> Result<Vec<PathBuf>> {
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
    match paths.iter().find(|path| !of_store(path)) {
        None => Ok(paths),
        Some(other) => Err(says(&format!("holds {} besides a store; nothing is removed", other.display()))),
    }
}
