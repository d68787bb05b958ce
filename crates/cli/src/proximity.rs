//! `hushtable proximity`: whether two parties' objects are closer to each other than a distance.

use std::slice;

use hushtable_columns::failure::Result;
use hushtable_jobs::{
    agree::Common,
    proximity::{self, ProximityArgs},
    stock::Stock,
    task::Task,
};

/// Runs the subcommand.
pub fn run(args: &ProximityArgs) -> Result<()> {
    args.link.attended(|| carry_out(args))
}

fn carry_out(args: &ProximityArgs) -> Result<()> {
    let (mut job, stock) = (proximity::job(args)?, Stock::open(&args.stored, args.link.identity())?);
    stock.check(slice::from_mut(&mut job), true)?;
    let common = Common::of(&args.accord, &args.delivery);
    let (delivery, link) = (&args.delivery, &args.link);
    let inputs = [args.mine.as_path()].into_iter().chain(args.stored.path()).chain(args.csv.inputs());
    let inputs = inputs.collect();
    Task { kind: "proximity", jobs: vec![job], common, before: None, stock, delivery, link, inputs }
        .carry_out()
}
