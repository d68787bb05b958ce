//! Shares of results that stay here, as files that `hushtable apply` and its like read.

use std::path::Path;

use crate::serve::quota;
use apps::private_table::{KeyLookup, Looked};
use hushtable::Role;
use hushtable_columns::{
    failure::Result,
    output::{Output, PRIVATE, write_both},
};
use hushtable_jobs::private_table::share_files;

/// Writes both files of a session, or none.
pub fn keep(
    folder: &Path,
    lookup: &KeyLookup,
    column: usize,
    looked: Looked,
    session: [u8; 32],
) -> Result<()> {
    let files = share_files(lookup, column, looked, session, Role::P0);
    let name = quota::name(&session);
    let [values, present] = quota::ENDS.map(|end| folder.join(name.clone() + end));
    let reserve = |path: &Path| Output::reserve(path, &[], PRIVATE, false);
    write_both((reserve(&values)?, |to| files[0].write(to)), (reserve(&present)?, |to| files[1].write(to)))
}
