//! `hushtable score`.

use hushtable_columns::failure::Result;
use hushtable_jobs::{
    agree::Common,
    score::{self, options::Score},
    stock::Stock,
    task::Task,
};

/// Runs the subcommand.
pub fn run(args: &Score) -> Result<()> {
    args.link.attended(|| score(args))
}

fn score(args: &Score) -> Result<()> {
    let stock = Stock::open(&args.stored, args.link.identity())?;
    let (mut jobs, in_common, before) = score::steps(args, None, args.rowing.peer_at_most)?;
    stock.check(&mut jobs, before.is_none())?;
    let common = Common { in_common, ..Common::of(&args.accord, &args.delivery) };
    let (delivery, link, inputs) = (&args.delivery, &args.link, args.inputs());
    Task { kind: "score", jobs, common, before, stock, delivery, link, inputs }.carry_out()
}
