//! `hushtable apply`: a function of the sum of both parties' numbers, or a comparison of two such sums, row by row.

mod joined;

use hushtable_columns::failure::Result;
use hushtable_jobs::{
    agree::Common,
    apply::{ask, options::Apply},
    options::refuse,
    stock::Stock,
    task::Task,
};

/// Runs the subcommand.
pub fn run(args: &Apply) -> Result<()> {
    args.link.attended(|| apply(args))
}

fn apply(args: &Apply) -> Result<()> {
    if args.rowing.joined.is_some() {
        return joined::apply(args);
    }
    refuse("needs --joined", [("--default", args.rowing.default.is_some())])?;
    let stock = Stock::open(&args.stored, &args.link)?;
    let mut job = ask::job(args, stock.holds_lookups())?;
    stock.check(&mut job)?;
    job.choosing = stock.choosing(&args.choosing)?;
    let common = Common::of(&args.accord, &args.delivery);
    let (delivery, link, inputs) = (&args.delivery, &args.link, args.inputs());
    Task { kind: "apply", jobs: vec![job], common, stock, delivery, link, inputs }.carry_out()
}
