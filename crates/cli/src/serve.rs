//! `hushtable serve`: a private table that stays at its port, for one client after another or several at once.

pub mod arguments;
mod door;
mod explain;
mod halves;
mod ledger;
mod limits;
mod log;
mod quota;
mod shares;
mod spec;
mod table;
mod trusted;
mod versions;
mod visit;

use crate::serve::{arguments::Serve, versions::Versions};
use hushtable_columns::failure::{Failure, Result};

/// Runs the subcommand.
pub fn run(args: Serve) -> Result<()> {
    if let Some(folder) =
        [&args.shares, &args.key_shares].into_iter().flatten().find(|folder| !folder.is_dir())
    {
        return Err(Failure::input(format!("{}: is no folder", folder.display())));
    }
    if let [Some(shares), Some(keys)] = [&args.shares, &args.key_shares]
        && shares.canonicalize().ok() == keys.canonicalize().ok()
    {
        // Otherwise a client could look up, as keys, what an earlier session left as its results.
        let what =
            "--shares and --key-shares are the same folder: results would be keys that clients may look up";
        return Err(Failure::new(what));
    }
    if args.dry_run {
        let loaded = table::load(&args)?;
        return hushtable_jobs::explain::print(&explain::page(&args, &loaded.description)?);
    }
    let versions = Versions::first(args)?;
    door::serve(versions)
}
