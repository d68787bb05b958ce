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
    if args.rowing.asked() {
        return joined::score(args, None);
    }
    refuse("needs --joined or --join", [("--default", args.rowing.default.is_some())])?;
    let (mut job, stock) = (args.job()?, Stock::open(&args.stored, &args.link)?);
    stock.check(&mut job)?;
    let common = Common::of(&args.accord, &args.delivery);
    let (delivery, link, inputs) = (&args.delivery, &args.link, args.inputs());
    Task { kind: "score", jobs: vec![job], common, stock, delivery, link, inputs }.carry_out()
}
