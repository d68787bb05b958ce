//! `hushtable score`.

use hushtable_columns::failure::Result;
use hushtable_jobs::{
    agree::Common,
    options::refuse,
    score::{joined, options::Score},
    stock::Stock,
    task::Task,
};

/// Runs the subcommand.
pub fn run(args: &Score) -> Result<()> {
    args.link.attended(|| score(args))
}

fn score(args: &Score) -> Result<()> {
    let stock = Stock::open(&args.stored, &args.link)?;
    let mut common = Common::of(&args.accord, &args.delivery);
    let (mut jobs, before) = if args.rowing.asked() {
        let (jobs, rows, before) = joined::steps(args, None, args.rowing.peer_at_most)?;
        common.in_common = Some(rows);
        (jobs, before)
    } else {
        refuse("needs --joined or --join", [("--default", args.rowing.default.is_some())])?;
        (vec![args.job()?], None)
    };
    stock.check(&mut jobs, before.is_none())?;
    let (delivery, link, inputs) = (&args.delivery, &args.link, args.inputs());
    Task { kind: "score", jobs, common, before, stock, delivery, link, inputs }.carry_out()
}
