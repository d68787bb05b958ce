//! `hushtable apply`: a function of the sum of both parties' numbers, or a comparison of two such sums, row by row.

use hushtable_columns::failure::Result;
use hushtable_jobs::{
    agree::Common,
    apply::{self, options::Apply, question::Question},
    stock::Stock,
    task::Task,
};

/// Runs the subcommand.
pub fn run(args: &Apply) -> Result<()> {
    args.link.attended(|| apply(args))
}

fn apply(args: &Apply) -> Result<()> {
    let stock = Stock::open(&args.stored, args.link.identity())?;
    let choosing = stock.choosing(&args.choosing)?;
    let question = Question::of(args, choosing, stock.holds_lookups())?;
    let (mut jobs, in_common) = apply::jobs(&question)?;
    stock.check(&mut jobs, true)?;
    let common = Common { in_common, ..Common::of(&args.accord, &args.delivery) };
    let (delivery, link, inputs) = (&args.delivery, &args.link, args.inputs());
    Task { kind: "apply", jobs, common, before: None, stock, delivery, link, inputs }.carry_out()
}
