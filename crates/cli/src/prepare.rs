//! `hushtable prepare`: makes material ahead of time, with the peer, on disk.

mod what;

use std::{path::PathBuf, sync::atomic::Ordering};

use crate::{
    prepare::what::{Lookups, OfCircuits, Subject},
    store::Shown,
};
use clap::Args;
use hushtable::{
    Party, net,
    operation::Operation,
    store::{Contents, Store},
};
use hushtable_columns::{
    disk,
    failure::{Failure, Result},
    manner, terminal, units,
};
use hushtable_jobs::{
    accuracy::How,
    calibration::Calibration,
    choice::{Choice, Choosing, Optimise},
    cost::{Phase, Phases},
    count::{count, some},
    link::Link,
    options::refuse,
    progress::Progress,
    score::options,
    stock,
};
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  Tonight, at each party; both need the same:
    hushtable prepare sigmoid --items 1e4 --store bank.store \\
        --listen 0.0.0.0:7000 --identity bank.id
    hushtable prepare sigmoid --items 1e4 --store telecom.store \\
        --connect bank.example:7000 --identity telecom.id
  Tomorrow, with the same party listening:
    hushtable apply sigmoid --store bank.store --reveal both --input bank.csv --column score \\
        --output out.csv --listen 0.0.0.0:7000 --identity bank.id
    hushtable apply sigmoid --store telecom.store --reveal both --input telecom.csv --column score \\
        --output out.csv --connect bank.example:7000 --identity telecom.id
  For comparisons with a constant or another column, and for decisions of `score`:
    hushtable prepare ge --items 1e4 --store ge.store --listen 0.0.0.0:7000 --identity bank.id
    hushtable prepare score --threshold 0.5 --items 1e4 --store score.store \\
        --listen 0.0.0.0:7000 --identity bank.id
  For `proximity`, whatever the distance:
    hushtable prepare proximity --items 1e3 --store near.store \\
        --listen 0.0.0.0:7000 --identity bank.id
  For `run` of a circuit, and for `aes`: the bank, who listens, will give a, the other b:
    hushtable prepare lib:f32_mul --known a=p0,b=p1 --items 1e4 --store mul.store \\
        --listen 0.0.0.0:7000 --identity bank.id
  For lookups, in tables of a length:
    hushtable prepare --lookups 1e4 --index-bits 12 --value-bits 17 --store table.store \\
        --listen 0.0.0.0:7000 --identity bank.id

A store serves every job whose material has the same shape, and refuses others. Functions by a \
table share one if tables are as long and numbers as wide, wherever their domains lie; functions by a spline if \
degree, pieces and widths are the same; ge, gt, le and lt; eq and ne; max and min; thresholds and as many bands, \
wherever they lie. Files are encrypted for the identity. Leave stores out of backups: one that was restored is \
refused.";

/// Make material ahead of time, with the peer
///
/// The material is spent by `apply --store`, `score --store`, `proximity --store`, `run --store` and `aes --store`, with
/// the same options, each piece once. If this ends early, what both parties have by then can be used.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Prepare {
    /// The function or the comparison, score, proximity, or a circuit
    #[arg(value_name = "FUNCTION", value_parser = what::subjects(), requires = "items")]
    subject: Option<Subject>,
    /// How many: 1000000 or 1e6
    #[arg(long, value_name = "N", value_parser = count, requires = "subject")]
    items: Option<usize>,
    /// How many lookups in whole tables, in place of a function
    #[arg(
        long,
        value_name = "N",
        value_parser = count,
        required_unless_present = "subject",
        conflicts_with_all = ["subject", "items"]
    )]
    lookups: Option<usize>,
    #[command(flatten)]
    tables: Lookups,
    /// Lookup protocol; auto is d up to 8 index bits, dt above
    #[arg(long, value_parser = Choice::parser(), default_value = "auto", value_name = "NAME")]
    protocol: Choice,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    asked: options::Asked,
    #[command(flatten)]
    circuits: OfCircuits,
    /// For proximity: places are metres in a plane
    #[arg(long, help_heading = None)]
    plane: bool,
    /// For results that will stay shared, with --reveal none
    #[arg(long, help_heading = None)]
    shared: bool,
    /// What to minimise; the same as when the material is spent, but for circuits, for which a store says how they are
    /// evaluated [default: total; for a circuit online]
    #[arg(long, help_heading = None, alias = "optimize", value_enum, conflicts_with = "lookups")]
    optimise: Option<Optimise>,
    /// The folder to make, for this party's half
    #[arg(long, help_heading = None, value_name = "DIR")]
    store: PathBuf,
    #[command(flatten)]
    link: Link,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    kind: &'static str,
    store: Shown,
    #[serde(flatten)]
    phases: Phases,
}

/// Runs the subcommand.
pub fn run(args: &Prepare) -> Result<()> {
    args.link.attended(|| prepare(args))
}

fn prepare(args: &Prepare) -> Result<()> {
    let identity = stock::identity(args.link.identity())?;
    let operation = operation(args)?;
    let plan = Contents::new(operation.as_ref(), args.items.or(args.lookups).unwrap_or_default() as u64)?;
    disk::check(&args.store, plan.bytes())?;
    let wish = Calibration::load(None)?.wish(&args.link);
    let (connection, start) = args.link.open()?;
    let mut p = Party::new(connection, wish)?;
    let setup = Phase::new(start, p.take_cost());
    let made = make(args, &mut p, &identity, &plan);
    let (store, offline) = made.inspect_err(|failure| args.link.tell(failure))?;
    let shown = Shown::of(&args.store, &store, None);
    let (about, bytes) = (store.about(), units::bytes(plan.bytes()));
    let (dir, left, items) = (args.store.display(), store.left(), about.items());
    eprintln!("{dir}: {left} {items}, at most {bytes}, for {}", about.text);
    if manner::is_json() {
        let role = p.role();
        let phases = Phases::of(role, setup, offline, Phase::default());
        let report = Report { kind: "prepare", store: shown, phases };
        terminal::json(&report)?;
    }
    Ok(())
}

/// What has the shape that is wanted.
fn operation(args: &Prepare) -> Result<Box<dyn Operation>> {
    let Some(subject) = args.subject.clone() else {
        let why = "is for what apply, score or proximity is asked, and cannot be combined with --lookups";
        refuse(&[(true, why, &[("--plane", args.plane), ("--shared", args.shared)])])?;
        return args.tables.operation(&args.how, &args.asked, &args.circuits, args.protocol);
    };
    let usual = if matches!(subject, Subject::Circuit(_)) { Optimise::Online } else { Optimise::Total };
    let optimise = args.optimise.unwrap_or(usual);
    let choosing = Choosing { protocol: args.protocol, optimise, ..Choosing::default() };
    let asked = (&args.asked, &args.circuits);
    let items = args.items.unwrap_or_default();
    subject.operation(&args.how, asked, [args.plane, args.shared], &choosing, items)
}

/// Makes the store; says how much there is if that ends early.
fn make(
    args: &Prepare,
    p: &mut Party,
    identity: &net::Identity,
    plan: &Contents<'_>,
) -> Result<(Store, Phase)> {
    let progress = Progress::start("items", plan.items() as usize);
    let made = Phase::of(p, |p| {
        Store::make(p, &args.store, identity, plan, |made| {
            progress.done().store(made as usize, Ordering::Relaxed)
        })
    });
    made.map_err(|error| match progress.done().load(Ordering::Relaxed) {
        0 => error.into(),
        done => {
            let dir = args.store.display();
            Failure::from(error).worded(|error| {
                format!("{error}. What is in {dir}, {}, can be used as it is", some(done, "item"))
            })
        }
    })
}
