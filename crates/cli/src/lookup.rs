//! `hushtable lookup`: keys of one's own in a table that another party serves.

pub mod arguments;
mod cache;
mod done;
mod explain;
mod keys;
mod output;
mod session;

use crate::lookup::{arguments::Lookup, keys::Keys};
use hushtable::Role;
use hushtable_columns::failure::{Failure, Result};
use hushtable_jobs::record::{About, Record};

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
    if args.delivery.sign && args.link.identity().is_none() {
        return Err(Failure::new("--sign needs --identity DIR: with plain TCP nobody has a key"));
    }
    if args.describe {
        return session::describe(args);
    }
    let path = args.keys();
    let keys = Keys::read(path, args.column.as_deref(), &args.csv)?;
    let outputs = args.outputs(&keys)?;
    let explained = explain::text(args, &keys)?;
    if args.delivery.dry_run {
        args.delivery.no_record()?;
        return hushtable_jobs::explain::print(&explained);
    }
    let outputs = outputs.ok_or_else(|| Failure::new("--output FILE says where the results go"))?;
    let Some(record) = &args.delivery.record else { return session::look_up(args, &keys, outputs) };
    let inputs = [path];
    let about = About {
        command: "lookup",
        file: None,
        rows: keys.len(),
        column: keys.name().to_owned(),
        reveal: if args.shares() { "none" } else { "me" }.into(),
        fields: vec![],
        role: args.link.role(),
        ends: args.link.ends()?,
        identity: args.link.identity(),
        inputs: &inputs,
        output: Some(outputs.results.path()),
        explained,
    };
    let identity = args.link.identity().filter(|_| args.delivery.sign);
    args.link.keep(Record::begin(record, args.delivery.force, about)?.signed_by(identity));
    args.link.end_record(session::look_up(args, &keys, outputs))
}
