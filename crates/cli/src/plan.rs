//! `hushtable plan`: what each lookup protocol would cost, and which is chosen; or each way of comparing.

mod compare;
mod phase;
mod private;

use std::{fmt::Write as _, path::PathBuf, str::FromStr};

use crate::plan::phase::Phase;
use clap::{Args, ValueEnum};
use hushtable::{
    Role,
    confidential::planner::{self, Asked},
    lut::{LookupJob, Protocol},
    net::LinkShape,
    operation::{Evaluate, Operation as _},
    plan::{self, Objective, Prediction, Prices, Room, Wanted},
};
use hushtable_columns::{
    failure::{Failure, Result},
    manner, terminal,
    units::{bytes, time},
};
use hushtable_jobs::{
    calibration::Calibration,
    choice::{Optimise, Sharing},
    circuit::{self, Holder, Knows},
    count::{count, some},
    means::{Means, dollars, prices},
};
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  hushtable plan --index-bits 8 --value-bits 64 --batch 100000 --net lan
  hushtable plan --index-bits 16 --value-bits 16 --batch 1e4 --net wan --optimise bytes
  hushtable plan --compare-bits 32 --batch 1e4 --net wan --optimise online
  hushtable plan --table private --rows 2^20 --key-bits 20 --value-bits 20 --batch 4096 --net lan
  hushtable plan --circuit lib:aes128 --known key=p0,block=p1 --batch 1000 --net wan
  With what `hushtable calibrate` measured between the two machines:
    hushtable plan --index-bits 12 --batch 1e5 --calibration calibration.json

The first line is the choice: the fewest bytes of what takes up to 15 % more than the least time. Money is that of both \
parties, at --price. Times are predictions for one thread a party, from a model of this machine \
(--calibration) and of the link (--net, or the calibration's).";

/// Predict what each lookup protocol would cost, and show which one is chosen
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Plan {
    /// The table has 2^K entries, K from 1 to 20
    #[arg(long, value_name = "K", default_value = "8", value_parser = clap::value_parser!(u32).range(1..=20))]
    index_bits: u32,
    /// Comparisons of numbers of N bits, 2 to 64, in place of lookups: what each way of comparing would cost
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=64),
        conflicts_with_all = ["index_bits", "value_bits", "index", "output"])]
    compare_bits: Option<u32>,
    /// A circuit, in place of lookups: what each of its forms would cost by each engine
    #[arg(long, value_name = "FILE", conflicts_with_all = ["index_bits", "value_bits", "index", "output", "compare_bits"])]
    circuit: Option<PathBuf>,
    /// With --circuit: who will know its input ports, PORT=WHO,..: p0, who listens, p1 or shared [default: a port that is not
    /// named is shared, as the outputs of another circuit are; `run` has no shared ports]
    #[arg(long, value_name = "PORT=WHO", value_delimiter = ',', requires = "circuit")]
    known: Vec<Knows>,
    /// A public table, or a private one, which its owner must not show
    #[arg(long, value_enum, default_value = "public", conflicts_with_all = ["index_bits", "compare_bits", "index", "output"])]
    table: Whose,
    /// Rows of a private table, such as 1e6 or 2^20
    #[arg(long, value_name = "N", default_value = "2^20", value_parser = count)]
    rows: usize,
    /// Bits of a private table's keys, 1 to 96 [default: as many as numbers of the rows have]
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=96))]
    key_bits: Option<u32>,
    /// Batches that one version of a private table serves
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    batches: u32,
    /// No key occurs twice in a batch
    #[arg(long)]
    distinct: bool,
    /// Bytes that the party without a private table can keep on its disk, such as 2e9 or 2^31
    #[arg(long, value_name = "BYTES", default_value = "2^40", value_parser = count)]
    disk: usize,
    /// Bytes that it has in memory
    #[arg(long, value_name = "BYTES", default_value = "2^40", value_parser = count)]
    memory: usize,
    /// Width of an entry in bits, 1 to 64; of a row of a private table up to 524288
    #[arg(long, value_name = "L", default_value = "64", value_parser = clap::value_parser!(u32).range(1..=1 << 19))]
    value_bits: u32,
    /// Number of lookups or comparisons, such as 100000 or 1e5
    #[arg(long, value_name = "B", default_value = "100000", value_parser = count)]
    batch: usize,
    /// How the index is shared
    #[arg(long, value_enum, default_value = "additive")]
    index: Sharing,
    /// How the result is shared
    #[arg(long, value_enum, default_value = "additive")]
    output: Sharing,
    /// The network: loopback, lan, wan or RATE:RTT (Mbit/s : ms) [default: the calibration's, or 1000:1ms]
    #[arg(long, value_name = "NET", value_parser = LinkShape::from_str)]
    net: Option<LinkShape>,
    /// What to minimise
    #[arg(long, alias = "optimize", value_enum, default_value = "total")]
    optimise: Optimise,
    /// Take what costs both parties least money, at these prices in dollars [shown, and not chosen by:
    /// GB=0.09,core-hour=0.04]
    #[arg(long, value_name = "GB=USD,core-hour=USD", value_parser = prices, conflicts_with = "optimise")]
    price: Option<Prices>,
    /// What `hushtable calibrate` wrote [default: that of this user, if there is one]
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
}

/// Whose a table is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Whose {
    /// Both parties know it
    Public,
    /// One party's, which the other must not see
    Private,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Line<'a> {
    protocol: &'a str,
    chosen: bool,
    setup: Phase,
    offline: Phase,
    online: Phase,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_bytes: Option<u64>,
    /// Of P0 and of P1.
    dollars: [f64; 2],
}

/// Runs the subcommand.
pub fn run(args: &Plan) -> Result<()> {
    let means = Means { link: args.net, price: args.price };
    let calibration = Calibration::load(args.calibration.as_deref())?.by(means.clone());
    let objective = args.optimise.or_money(&means)?;
    let link = args.net.or(calibration.link()).unwrap_or(LinkShape::USUAL);
    if let Some(bits) = args.compare_bits {
        let machine = calibration.machine();
        let asked = compare::Asked { bits, items: args.batch, objective, link: &link, machine: &machine };
        let ways = compare::ways(&asked)?;
        let text = match manner::is_json() {
            true => ways
                .iter()
                .map(|way| line(&way.predicted.way.to_string(), way.chosen, &way.predicted, None))
                .collect(),
            false => compare::table(&asked, &calibration.to_string(), &ways),
        };
        return terminal::print(&text);
    }
    if let Some(path) = &args.circuit {
        let circuit = &circuit::load(path)?;
        let machine = &calibration.machine();
        let said = circuit::said(circuit, &args.known)?;
        let known = &said.into_iter().map(|who| who.and_then(Holder::role)).collect::<Vec<_>>();
        let asked = circuit::Asked { circuit, known, items: args.batch, objective, link, machine };
        let ways = circuit::ways(&asked)?;
        let text = match manner::is_json() {
            true => {
                let taken = circuit::taken(&asked);
                let line = |way: &Prediction<Evaluate>| {
                    let method = way.way.method();
                    line(&method, taken.as_ref() == Some(&method), way, None)
                };
                ways.iter().map(line).collect()
            }
            false => circuit::table(&asked, &ways),
        };
        return terminal::print(&text);
    }
    if args.table == Whose::Private {
        return private(args, objective, &link, &calibration);
    }
    if args.value_bits > 64 {
        return Err(Failure::local(format!(
            "width of an entry is {}; accepted: 1 to 64 bits",
            args.value_bits
        )));
    }
    let job = LookupJob {
        index: args.index.into(),
        output: args.output.into(),
        index_bits: args.index_bits,
        value_bits: args.value_bits,
    };
    let wanted = Wanted::new(objective, link, calibration.machine());
    let all = plan::rank(Protocol::ways(&job, args.batch)?, &wanted);
    let text = if manner::is_json() { lines(&all) } else { table(args, &link, &calibration, &all) };
    terminal::print(&text)
}

/// In a private table, that of P0.
fn private(args: &Plan, objective: Objective, link: &LinkShape, calibration: &Calibration) -> Result<()> {
    let key_bits = args.key_bits.unwrap_or(usize::BITS - (args.rows - 1).leading_zeros()).max(1);
    let asked = Asked::new(Role::P0, args.rows as u64, key_bits, args.value_bits)
        .batch(args.batch)
        .batches(args.batches)
        .distinct(args.distinct);
    // The owner is taken to have enough.
    let room = Room { disk: args.disk as u64, memory: [u64::MAX, args.memory as u64] };
    let wanted = Wanted::new(objective, *link, calibration.machine());
    let wanted = wanted.batches(args.batches).room(room);
    let all = plan::rank(planner::ways(&asked, &wanted)?, &wanted);
    let text = match manner::is_json() {
        true => private::lines(&all),
        false => private::table(&asked, link, &calibration.to_string(), &all),
    };
    terminal::print(&text)
}

fn lines(all: &[Prediction<Protocol>]) -> String {
    let of = |(i, p): (usize, &Prediction<Protocol>)| line(p.way.name(), i == 0, p, Some(p.memory[0]));
    all.iter().enumerate().map(of).collect()
}

fn line<T>(protocol: &str, chosen: bool, p: &Prediction<T>, memory_bytes: Option<u64>) -> String {
    let [setup, offline, online] = [p.setup, p.offline, p.online].map(Phase::from);
    let line = Line { protocol, chosen, setup, offline, online, memory_bytes, dollars: p.dollars() };
    terminal::json_line(&line)
}

fn table(args: &Plan, link: &LinkShape, calibration: &Calibration, all: &[Prediction<Protocol>]) -> String {
    let mut out = format!(
        "{} in a table of 2^{} entries of {}; network {link}; {calibration}\n",
        some(args.batch, "lookup"),
        args.index_bits,
        some(args.value_bits as usize, "bit")
    );
    let head = ["set-up", "offline", "online", "total", "P0 sends", "P1 sends", "rounds", "memory", "money"];
    write!(out, "  {:12}", "protocol").expect("text grows");
    head.iter().for_each(|h| write!(out, "{h:>11}").expect("text grows"));
    for (i, p) in all.iter().enumerate() {
        let phases = [p.setup, p.offline, p.online];
        let seconds = phases.map(|phase| phase.seconds);
        let sent = |party: usize| phases.iter().map(|phase| phase.bytes[party]).sum::<f64>() as u64;
        let rounds = phases.map(|phase| phase.rounds.to_string()).join("+");
        let mark = if i == 0 { '*' } else { ' ' };
        write!(out, "\n{mark} {:12}", p.way.name()).expect("text grows");
        let cells = [
            time(seconds[0]),
            time(seconds[1]),
            time(seconds[2]),
            time(seconds.iter().sum()),
            bytes(sent(0)),
            bytes(sent(1)),
            rounds,
            bytes(p.memory[0]),
            dollars(p.dollars().iter().sum()),
        ];
        cells.iter().for_each(|cell| write!(out, "{cell:>11}").expect("text grows"));
    }
    out + "\n"
}
