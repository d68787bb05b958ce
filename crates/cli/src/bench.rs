//! `hushtable bench`: what a protocol costs, measured between two processes, every result verified.

mod cmp;
mod inference;
mod lut;
mod math;
mod ot;
mod paper;
mod party;
mod report;
mod stock;
mod triples;
mod trunc;

use std::{io::Write, path::Path, str::FromStr};

use clap::{Args, Subcommand, ValueEnum};
use hushtable::net::Shape;
use serde::{Deserialize, Serialize};

pub use self::party::BenchParty;
use self::{
    cmp::CmpWork,
    inference::InferenceWork,
    lut::LutWork,
    math::MathWork,
    ot::OtWork,
    paper::PaperTables,
    report::{Report, Run},
    triples::TriplesWork,
    trunc::TruncWork,
};
use crate::{
    choice::Objective,
    cost::Phases,
    failure::{Failure, Result},
    identity, pair,
    progress::Progress,
};

pub use self::party::run as run_party;

const EXAMPLES: &str = "\
Examples:
  hushtable bench lut --protocol rotl --index-bits 8 --value-bits 64 --batch 100000
  hushtable bench lut --protocol splut --index xor --output xor --net lan --tls --format json
  hushtable bench cmp --bits 32 --batch 100000
  hushtable bench inference --shape gpt2-softmax --net lan
  hushtable bench math --function sigmoid --bits 64 --fraction-bits 16
  hushtable bench ot --scheme ferret --count 16777216 --repeat 3
  hushtable bench paper rotl-table5 --rows rotl,n=256 --csv table5.csv --plot table5.svg

Phases: set-up is connecting, handshake, base OTs and the start of the OT extension; offline is the rest \
that needs no input, OT extension included; online needs the inputs. Times are the slower party's. Bytes \
are those of all messages with their framing, as sent by P0 and by P1.
Networks: loopback (nothing simulated), lan (3000 Mbit/s, 0.8 ms), wan (100 Mbit/s, 50 ms) or RATE:RTT, \
for example 200:10ms.";

/// Measure a protocol between two processes on this machine
///
/// Every result is compared with plaintext; a difference ends with exit code 1.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Lookups in a public table at shared indices
    #[command(after_help = EXAMPLES)]
    Lut {
        #[command(flatten)]
        work: LutWork,
        #[command(flatten)]
        options: Options,
    },
    /// Comparisons of shared numbers
    #[command(after_help = EXAMPLES)]
    Cmp {
        #[command(flatten)]
        work: CmpWork,
        #[command(flatten)]
        options: Options,
    },
    /// Truncations of shared numbers
    #[command(after_help = EXAMPLES)]
    Trunc {
        #[command(flatten)]
        work: TruncWork,
        #[command(flatten)]
        options: Options,
    },
    /// Softmax, GELU or a transformer block, compared with floating point
    #[command(after_help = EXAMPLES)]
    Inference {
        #[command(flatten)]
        work: InferenceWork,
        #[command(flatten)]
        options: Options,
    },
    /// Functions of shared numbers
    #[command(after_help = EXAMPLES)]
    Math {
        #[command(flatten)]
        work: MathWork,
        #[command(flatten)]
        options: Options,
    },
    /// Random correlated oblivious transfers, sent by the listening party
    #[command(after_help = EXAMPLES)]
    Ot {
        #[command(flatten)]
        work: OtWork,
        #[command(flatten)]
        options: Options,
    },
    /// Multiplication triples, each spent on an AND
    #[command(after_help = EXAMPLES)]
    Triples {
        #[command(flatten)]
        work: TriplesWork,
        #[command(flatten)]
        options: Options,
    },
    /// A paper's table: what it prints, corrected where it is wrong, and what this program measures
    #[command(after_help = EXAMPLES)]
    Paper(PaperTables),
}

/// What is measured, as the two processes get it and as the report names it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Work {
    Lut(LutWork),
    Cmp(CmpWork),
    Trunc(TruncWork),
    Inference(InferenceWork),
    Math(MathWork),
    Ot(OtWork),
    Triples(TriplesWork),
}

impl Work {
    /// Lookups, comparisons, truncations, values, OTs or triples.
    fn items(&self) -> usize {
        match self {
            Self::Lut(work) => work.batch(),
            Self::Cmp(work) => work.batch(),
            Self::Trunc(work) => work.batch(),
            Self::Inference(work) => work.items(),
            Self::Math(work) => work.batch(),
            Self::Ot(work) => work.count(),
            Self::Triples(work) => work.count(),
        }
    }

    /// The folder with stores of material.
    fn store(&self) -> Option<&Path> {
        match self {
            Self::Lut(work) => work.store(),
            _ => None,
        }
    }

    fn title(&self) -> String {
        match self {
            Self::Lut(work) => work.to_string(),
            Self::Cmp(work) => work.to_string(),
            Self::Trunc(work) => work.to_string(),
            Self::Inference(work) => work.to_string(),
            Self::Math(work) => work.to_string(),
            Self::Ot(work) => work.to_string(),
            Self::Triples(work) => work.to_string(),
        }
    }

    /// The name of the lookup protocol, or of the method of a function.
    fn protocol(&self) -> Option<String> {
        match self {
            Self::Lut(work) => Some(work.protocol()),
            Self::Math(work) => work.method(),
            _ => None,
        }
    }

    /// The same lookups by the protocol that `--protocol auto` takes, or values by the method; none for
    /// other work.
    fn planned(&self, link: &Shape, optimise: Objective) -> Result<Option<Self>> {
        match self {
            Self::Math(work) => work.planned(optimise).map(|work| Some(Self::Math(work))),
            Self::Lut(work) => work.planned(link, optimise).map(|work| Some(Self::Lut(work))),
            _ => Ok(None),
        }
    }
}

#[derive(Args, Clone, Debug)]
struct Options {
    /// Threads and connections of each party, 1 to 64; the batch is split among them
    #[arg(long, value_name = "T", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=64))]
    threads: u16,
    /// Simulated network: loopback, lan, wan or RATE:RTT (Mbit/s : ms)
    #[arg(long, value_name = "NET", default_value = "loopback", value_parser = Shape::from_str)]
    net: Shape,
    /// Mutual TLS between the processes, with identities made for this run
    #[arg(long)]
    tls: bool,
    /// Runs; the median of each time is reported
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=1000))]
    repeat: u16,
    /// One line of JSON, or a table
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Seconds without progress before a party gives up, 1 to 3600
    #[arg(long, value_name = "S", default_value = "120", value_parser = clap::value_parser!(u32).range(1..=3600))]
    timeout: u32,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Json,
    Table,
}

/// Runs the subcommand.
pub fn run(args: &Bench) -> Result<()> {
    let (mut work, options) = match &args.what {
        What::Lut { work, options } => (Work::Lut(work.clone()), options),
        What::Cmp { work, options } => (Work::Cmp(work.clone()), options),
        What::Trunc { work, options } => (Work::Trunc(work.clone()), options),
        What::Inference { work, options } => (Work::Inference(work.clone()), options),
        What::Math { work, options } => (Work::Math(work.clone()), options),
        What::Ot { work, options } => (Work::Ot(work.clone()), options),
        What::Triples { work, options } => (Work::Triples(work.clone()), options),
        What::Paper(tables) => return paper::run(tables),
    };
    match &mut work {
        Work::Lut(lut) => {
            lut.choose(&options.net)?;
            lut.prepare(options.repeat.into())?;
        }
        Work::Cmp(cmp) => cmp.check()?,
        Work::Inference(inference) => inference.check()?,
        Work::Trunc(trunc) => trunc.check()?,
        Work::Math(math) => math.choose()?,
        Work::Ot(_) | Work::Triples(_) => (),
    }
    let mut runs = Vec::new();
    let progress = Progress::start("runs", options.repeat.into(), false);
    for done in 1..=options.repeat.into() {
        runs.push(once(&work, options)?);
        progress.done().store(done, std::sync::atomic::Ordering::Relaxed);
    }
    drop(progress);
    let report = Report::new(work, options.threads, options.net, &runs);
    let text = match options.format {
        Format::Json => serde_json::to_string(&report).expect("plain data") + "\n",
        Format::Table => report.table(),
    };
    std::io::stdout().write_all(text.as_bytes()).map_err(|e| Failure::new(format!("standard output: {e}")))
}

/// Runs of which [`of_ots`] takes the median.
const RUNS: usize = 7;

/// One run of `count` OTs over plain TCP, for a calibration.
pub fn of_ots(scheme: &str, count: u32) -> Result<Phases> {
    let work = serde_json::json!({ "kind": "ot", "scheme": scheme, "count": count });
    let options = Options {
        threads: 1,
        net: Shape::LOOPBACK,
        tls: false,
        repeat: 1,
        format: Format::Json,
        timeout: 120,
    };
    let work = serde_json::from_value(work).expect("a benchmark of OTs");
    let runs = (0..RUNS).map(|_| Ok(once(&work, &options)?.phases)).collect::<Result<Vec<_>>>()?;
    let median = |phase: fn(&Phases) -> f64| {
        let mut all: Vec<f64> = runs.iter().map(phase).collect();
        all.sort_by(f64::total_cmp);
        all[RUNS / 2]
    };
    let mut phases = runs[0];
    (phases.setup.seconds, phases.offline.seconds) =
        (median(|p| p.setup.seconds), median(|p| p.offline.seconds));
    Ok(phases)
}

/// One run of both processes. P0 writes its measurements and results into P1, which verifies.
fn once(work: &Work, options: &Options) -> Result<Run> {
    let folder = tempfile::tempdir().map_err(|e| Failure::new(format!("temporary folder: {e}")))?;
    let identities = match (work.store(), options.tls) {
        (Some(dir), _) => Some(stock::identities(dir)?),
        (None, true) => Some(identity::pair(folder.path(), ["bench-p0", "bench-p1"])?),
        (None, false) => None,
    };
    let [p0, p1] = [0, 1].map(|i| identities.as_ref().map(|ids| ids[i].as_path()));
    let mut first = party(work, options, p0)?;
    first.args(["--listen", "127.0.0.1:0"]);
    let mut second = party(work, options, p1)?;
    let connect = |address: &str| {
        second.args(["--connect", address]);
        second
    };
    let [_, text] = pair::run(first, connect, true)?;
    serde_json::from_str(&text).map_err(|e| Failure::new(format!("report of a process: {e}")))
}

fn party(work: &Work, options: &Options, identity: Option<&Path>) -> Result<std::process::Command> {
    let mut command = pair::program()?;
    command.args(["bench-party", "--net", &options.net.to_string()]);
    command.args(["--timeout", &options.timeout.to_string(), "--threads", &options.threads.to_string()]);
    match identity {
        Some(path) => command.arg("--identity").arg(path),
        None => command.arg("--insecure-plain-tcp"),
    };
    command.arg(serde_json::to_string(work).expect("plain data"));
    Ok(command)
}
