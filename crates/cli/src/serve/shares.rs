//! Shares as files that `hushtable apply` and its like write and read: of results that stay here, and of keys.

use std::{
    fs,
    path::{Path, PathBuf},
};

use apps::private_table::{Description, Shared};
use hushtable::Role;

use crate::{
    apply::{
        output::{Output, PRIVATE},
        shares::ShareFile,
    },
    failure::Result,
    private::{share_files, shares_fit, shares_name},
};

/// Most files that are looked at for each request.
const MOST_FILES: usize = 1000;

/// Writes both files of a session.
pub fn keep(
    folder: &Path,
    description: &Description,
    column: u8,
    shared: &Shared,
    session: [u8; 32],
) -> Result<()> {
    let files = share_files(description, column, shared, session, Role::P0);
    for (file, of) in files.into_iter().zip(["values", "present"]) {
        let path = path(folder, &session, of);
        Output::reserve(&path, &[], PRIVATE, false)?.write(|to| ShareFile::write(&file, to))?;
    }
    Ok(())
}

/// This party's half of the keys of that name, if it is in the folder and can be looked up.
pub fn keys(folder: &Path, name: &[u8; 32], lookups: u64, description: &Description) -> Option<ShareFile> {
    let files = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    files.take(MOST_FILES).find_map(|path| {
        // What cannot be read is no half of anything.
        let text = crate::columns::read(&path).ok()?;
        let file = ShareFile::read(&path, &text).ok()??;
        let fits = file.count as u64 == lookups && shares_name(&file, Role::P0) == *name;
        (fits && shares_fit(&file, description).is_ok()).then_some(file)
    })
}

/// Of a session's file.
fn path(folder: &Path, session: &[u8; 32], of: &str) -> PathBuf {
    folder.join(format!("{}-{of}.json", blake3::Hash::from(*session).to_hex()))
}
