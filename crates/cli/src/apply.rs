//! `hushtable apply`: a function of the sum of both parties' numbers, or a comparison of two such sums, row by row.

use hushtable_columns::failure::Result;
use hushtable_jobs::{
    agree::Common,
    apply::{ask, joined, options::Apply},
    options::refuse,
    stock::Stock,
    task::Task,
};

/// Runs the subcommand.
pub fn run(args: &Apply) -> Result<()> {
    args.link.attended(|| apply(args))
}

fn apply(args: &Apply) -> Result<()> {
    let stock = Stock::open(&args.stored, &args.link)?;
    let mut common = Common::of(&args.accord, &args.delivery);
    let mut jobs = match &args.rowing.joined {
        Some(path) => {
            let (jobs, rows) = joined::steps(args, path, stock.holds_lookups())?;
            common.in_common = Some(rows);
            jobs
        }
        None => {
            refuse("needs --joined", [("--default", args.rowing.default.is_some())])?;
            vec![ask::job(args, stock.holds_lookups())?]
        }
    };
    stock.check(&mut jobs, true)?;
    for job in &mut jobs {
        job.choosing = stock.choosing(&args.choosing)?;
    }
    let (delivery, link, inputs) = (&args.delivery, &args.link, args.inputs());
    Task { kind: "apply", jobs, common, before: None, stock, delivery, link, inputs }.carry_out()
}
