//! The bins of the joins in a file.

use std::sync::Arc;

use crate::{
    job::Placed,
    join::file::{JoinedFile, Table},
    row_results::Bins,
};
use hushtable::Role;
use prim::wipe::Wiped;

/// Who owns the rows of the joins in a file now.
pub fn owners(file: &JoinedFile, me: Role) -> impl Iterator<Item = Role> {
    file.joins.iter().map(move |table| file.now(&table.owner, me))
}

/// How many rows are this party's.
pub fn rows(file: &JoinedFile) -> usize {
    file.owned.as_ref().map_or(0, |owned| owned.ids.len())
}

/// The join whose rows are those of who is `owner` now.
pub fn table(file: &JoinedFile, owner: Role, me: Role) -> &Table {
    file.joins.iter().find(|table| file.now(&table.owner, me) == owner).expect("one of the owners")
}

/// Its bins.
pub fn bins(file: &mut JoinedFile, owner: Role, me: Role) -> Bins {
    let table = table(file, owner, me);
    let matched = table.matched.bits(table.bins).iter().collect::<Vec<u64>>().into();
    let style = file.style();
    let owned = if owner == me { file.owned.as_mut() } else { None };
    let placed = owned.map(|owned| Placed {
        ids: Arc::new(std::mem::take(&mut owned.ids)),
        rows: Wiped::from(owned.rows.to_vec()),
    });
    Bins { owner, matched, placed, style }
}
