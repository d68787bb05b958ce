//! What a job shows to whom, and what it takes, in plain words and before anything is sent: `--dry-run`, and
//! `hushtable explain` as the same thing.

use crate::{
    aes, apply,
    join::{self, Join},
    lookup::{self, arguments::Lookup},
    proximity,
    run::{self as job, Run},
    score,
    serve::{self, arguments::Serve},
    stats,
};
use clap::{Args, Subcommand};
use hushtable_columns::failure::Result;
use hushtable_jobs::{
    aes::Aes, apply::options::Apply, proximity::ProximityArgs, score::options::Score, stats::arguments::Stats,
};

const EXAMPLES: &str = "\
Examples:
  What the bank would learn, what the telecom company would, and what it takes:
    hushtable explain score --threshold 0.8 --reveal me --features bank.csv --weights bank.toml \\
        --listen 0.0.0.0:7000 --identity bank.id
    hushtable explain apply ge --column late_instalments --reveal both --input bank.csv \\
        --listen 0.0.0.0:7000 --identity bank.id

The files are read and checked as they would be. --record FILE on the command itself keeps this text with the job's \
outcome.";

/// Say what a job shows to whom and what it takes; nothing is connected or sent
///
/// The same as --dry-run on the command.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Explain {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    Apply(Box<Apply>),
    Score(Box<Score>),
    Join(Box<Join>),
    Stats(Box<Stats>),
    Proximity(Box<ProximityArgs>),
    Serve(Box<Serve>),
    Lookup(Box<Lookup>),
    Run(Box<Run>),
    Aes(Box<Aes>),
}

/// Runs the subcommand.
pub fn run(args: Explain) -> Result<()> {
    match args.what {
        What::Apply(mut args) => {
            args.delivery.dry_run = true;
            apply::run(&args)
        }
        What::Score(mut args) => {
            args.delivery.dry_run = true;
            score::run(&args)
        }
        What::Join(mut args) => {
            args.delivery.dry_run = true;
            join::run(&args)
        }
        What::Stats(mut args) => {
            args.delivery.dry_run = true;
            stats::run(&args)
        }
        What::Proximity(mut args) => {
            args.delivery.dry_run = true;
            proximity::run(&args)
        }
        What::Serve(mut args) => {
            args.dry_run = true;
            serve::run(*args)
        }
        What::Lookup(mut args) => {
            args.delivery.dry_run = true;
            lookup::run(&args)
        }
        What::Run(mut args) => {
            args.delivery.dry_run = true;
            job::run(&args)
        }
        What::Aes(mut args) => {
            args.delivery.dry_run = true;
            aes::run(&args)
        }
    }
}
