//! `hushtable lookup`: keys of one's own in a table that another party serves.

pub mod arguments;
mod cache;
mod explain;
mod keys;
mod output;
mod session;
mod work;

use std::iter;

use crate::lookup::{arguments::Lookup, keys::Keys, work::Looking};
use hushtable::Role;
use hushtable_columns::failure::{Failure, Result};
use hushtable_jobs::meeting::{COMPUTED, Meeting};

/// Runs the subcommand.
pub fn run(args: &Lookup) -> Result<()> {
    args.link.attended(|| lookup(args))
}

fn lookup(args: &Lookup) -> Result<()> {
    if args.link.role() == Role::P0 {
        return Err(Failure::new(
            "--listen is for `hushtable serve`; a lookup says where that is: --connect",
        ));
    }
    if args.describe {
        return session::describe(args);
    }
    let path = args.keys();
    let keys = Keys::read(path, args.column.as_deref(), &args.csv)?;
    args.check()?;
    let inputs: Vec<_> = iter::once(path).chain(args.csv.inputs()).collect();
    let present = args.presence(&inputs)?;
    let explained = Some(explain::page(args, &keys)?);
    let errand = Meeting {
        kind: "lookup",
        file: None,
        rows: keys.len(),
        column: keys.name().to_owned(),
        reveal: if args.shares() { "none" } else { "me" }.into(),
        fields: vec![],
        explained,
        writes: Some(keys.bytes()),
        delivery: &args.delivery,
        link: &args.link,
        inputs,
        kept: args.copy.as_deref(),
        wish: None,
        outcome: COMPUTED,
    };
    errand.carry_out(Looking::new(args, &keys, present))
}
