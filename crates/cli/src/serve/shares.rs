//! Shares of results that stay here, as files that `hushtable apply` and its like read.

use std::path::{Path, PathBuf};

use apps::private_table::{Description, Shared};
use hushtable::Role;

use crate::{
    apply::{
        output::{Output, PRIVATE},
        shares::ShareFile,
    },
    failure::Result,
    private::share_files,
};

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

/// Of a session's file.
fn path(folder: &Path, session: &[u8; 32], of: &str) -> PathBuf {
    folder.join(format!("{}-{of}.json", blake3::Hash::from(*session).to_hex()))
}
