//! `hushtable prepare`: makes material for lookups ahead of time, with the peer, on disk.

use std::{
    io::{self, Write},
    path::PathBuf,
    sync::atomic::Ordering,
};

use clap::Args;
use hushtable::{
    Party,
    lut::{LookupJob, Protocol},
    net,
    store::{Contents, Store},
};
use serde::Serialize;

use crate::{
    choice::{Choice, Sharing},
    cost::{self, Phase, Phases},
    count::count,
    failure::{Failure, Result},
    link::Link,
    progress::Progress,
    room,
    store::{Shown, identity_of},
};

const EXAMPLES: &str = "\
Examples:
  Tonight, at each party; both need the same numbers:
    hushtable prepare --lookups 1e6 --index-bits 12 --value-bits 17 --store bank.store \\
        --listen 0.0.0.0:7000 --identity bank.id
    hushtable prepare --lookups 1e6 --index-bits 12 --value-bits 17 --store telecom.store \\
        --connect bank.example:7000 --identity telecom.id
  Tomorrow, with the same party listening:
    hushtable apply sigmoid --store bank.store --input bank.csv --column score --output out.csv \\
        --listen 0.0.0.0:7000 --identity bank.id

`apply` says which bits it needs if those of a store do not fit. Files are encrypted for the identity. Leave \
stores out of backups: one that was restored is refused.";

/// Make material for lookups ahead of time, with the peer
///
/// The material is spent by `apply --store`, each piece once. If this ends early, what both parties have by then
/// can be used.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Prepare {
    /// How many lookups: 1000000 or 1e6
    #[arg(long, value_name = "N", value_parser = count)]
    lookups: usize,
    /// For tables of 2^K entries, K from 1 to 20, as far as the protocol goes
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=20))]
    index_bits: u32,
    /// Width of an entry in bits, 1 to 64
    #[arg(long, value_name = "L", default_value = "64", value_parser = clap::value_parser!(u32).range(1..=64))]
    value_bits: u32,
    /// How the indices will be shared; `apply` needs additive
    #[arg(long, value_enum, default_value = "additive")]
    index: Sharing,
    /// How the results will be shared; `apply` needs additive
    #[arg(long, value_enum, default_value = "additive")]
    output: Sharing,
    /// Lookup protocol; auto is d up to 8 index bits, dt above
    #[arg(long, value_parser = Choice::parser(), default_value = "auto", value_name = "NAME")]
    protocol: Choice,
    /// The folder to make, for this party's half
    #[arg(long, value_name = "DIR")]
    store: PathBuf,
    /// Print what was made and its cost as one line of JSON on standard output
    #[arg(long)]
    json: bool,
    /// No summary and no progress on standard error
    #[arg(long)]
    quiet: bool,
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
    let identity = identity_of(&args.link)?;
    let plan = plan(args)?;
    room::check(&args.store, plan.bytes()?)?;
    let (connection, start) = args.link.open()?;
    let mut p = Party::new(connection, None)?;
    let setup = Phase::new(start, p.take_cost());
    let made = make(args, &mut p, &identity, &plan);
    let (store, offline) = made.inspect_err(|failure| args.link.tell(failure))?;
    let shown = Shown::of(&args.store, &store, None);
    if !args.quiet {
        let (left, bytes) = (store.left(), cost::bytes(plan.bytes()?));
        eprintln!("{}: {left} lookups of {}, at most {bytes}", args.store.display(), store.about().protocol);
    }
    if args.json {
        let role = p.role();
        let phases = Phases::of(role, setup, offline, Phase::default());
        let report = Report { kind: "prepare", store: shown, phases };
        let line = serde_json::to_string(&report).expect("plain data");
        writeln!(io::stdout(), "{line}").map_err(Failure::stdout)?;
    }
    Ok(())
}

fn plan(args: &Prepare) -> Result<Contents> {
    let job = LookupJob {
        index: args.index.into(),
        output: args.output.into(),
        index_bits: args.index_bits,
        value_bits: args.value_bits,
    };
    let otherwise = if args.index_bits <= 8 { Protocol::Doubling } else { Protocol::Tree };
    let protocol = match args.protocol {
        Choice::Of(protocol) => protocol,
        Choice::Auto => otherwise,
    };
    let piece = Contents::piece(protocol, &job)?;
    Ok(Contents { protocol, job, lookups: args.lookups as u64, piece })
}

/// Makes the store; says how much there is if that ends early.
fn make(args: &Prepare, p: &mut Party, identity: &net::Identity, plan: &Contents) -> Result<(Store, Phase)> {
    let progress = Progress::start("lookups", plan.lookups as usize, args.quiet);
    let made = Phase::of(p, |p| {
        Store::make(p, &args.store, identity, plan, |made| {
            progress.done().store(made as usize, Ordering::Relaxed)
        })
    });
    made.map_err(|error| match progress.done().load(Ordering::Relaxed) {
        0 => error.into(),
        done => {
            let dir = args.store.display();
            Failure::from(error)
                .worded(|error| format!("{error}. {done} lookups are in {dir} and can be used as they are"))
        }
    })
}
