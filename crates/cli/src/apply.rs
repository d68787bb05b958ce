//! `hushtable apply`: a function of the sum of both parties' numbers, row by row.

mod csv_file;
mod fixed;
mod job;
pub mod output;
mod protocol;
mod shares;
mod stock;
mod table_file;

use std::{
    io::{self, Write},
    path::PathBuf,
    thread,
};

use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use hushtable::{
    Party, Role,
    math::{Bounds, Function},
};
use serde::Serialize;

use self::{
    job::Job,
    protocol::{Done, Outcome, Reveal},
    shares::role_name,
    stock::Stock,
};
use crate::{
    choice::Choosing,
    cost::{Phase, Phases},
    failure::{Failure, Result},
    link::Link,
    progress::Progress,
};

pub use self::output::Output;

const EXAMPLES: &str = "\
How the numbers are read:
  x is the sum of this party's and the peer's number in the same row. Each number is rounded to the \
nearest multiple of 2^-F, F = --fraction-bits, ties away from zero.
  The domain lo:hi is the range of the sum. Each party's own number must lie in its half of it, lo/2 \
(included) to hi/2 (excluded). That is checked here before anything is connected, and the first row \
that fails is named.
  If --input is a share file, neither party knows the numbers, and no number can be checked; instead \
the domain must hold all values that the step before can give.

Examples:
  The bank listens, the telecom company connects, both get the results:
    hushtable apply sigmoid --input bank.csv --column score --output out.csv \\
        --listen 0.0.0.0:7000 --identity bank.id
    hushtable apply sigmoid --input telecom.csv --column score --output out.csv \\
        --connect bank.example:7000 --identity telecom.id
  Only the bank gets the results; the telecom company needs no --output:
    hushtable apply sigmoid --reveal p0 --input bank.csv --column score \\
        --output out.csv --listen 0.0.0.0:7000 --identity bank.id
    hushtable apply sigmoid --reveal p0 --input telecom.csv --column score \\
        --connect bank.example:7000 --identity telecom.id
  Keep the results shared and go on with them later; likewise at the peer:
    hushtable apply tanh --reveal none --input bank.csv --column score \\
        --output tanh.json --listen 0.0.0.0:7000 --identity bank.id
    hushtable apply exp --input tanh.json --output out.csv \\
        --listen 0.0.0.0:7000 --identity bank.id
  A table of 256 values for sums of whole numbers; each party's are 0 to 127:
    hushtable apply --table tariff.csv --input bank.csv --column points \\
        --output out.csv --listen 0.0.0.0:7000 --identity bank.id";

/// Compute a function of the sum of both parties' numbers, row by row
///
/// Neither party learns the other's numbers, only what the results tell. The listening party is P0. Rows are
/// matched by position; both parties compare their numbers of rows and a hash of their ids before any work.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Apply {
    /// The function; the result column has its name
    #[arg(value_parser = functions(), required_unless_present = "table", conflicts_with = "table")]
    function: Option<Function>,
    /// A public table in place of a function: CSV of 2^k values, or of index,value, k from 1 to 16
    ///
    /// Both parties need the same values. The result column is named after the file.
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// This party's numbers, a CSV file with a header; or a share file that `--reveal none` wrote
    #[arg(long, value_name = "FILE")]
    input: PathBuf,
    /// The column of --input with the numbers
    #[arg(long, value_name = "NAME")]
    column: Option<String>,
    /// The column of --input that names the rows
    #[arg(long, value_name = "NAME", default_value = "id")]
    id: String,
    /// Match rows by position only and write no ids; the peer must say so too
    #[arg(long, conflicts_with = "id")]
    no_ids: bool,
    /// Where the results go: CSV of id and result, or with --reveal none this party's shares
    ///
    /// Appears when it is complete. Not needed if only the peer gets results.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace --output if it is there
    #[arg(long)]
    force: bool,
    /// Who gets the results
    #[arg(long, value_enum, default_value = "both", value_name = "WHO")]
    reveal: Reveal,
    /// Binary digits after the point of the numbers, 0 to 16 [default: 8; tables: 0; shares: as they have]
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(0..=16))]
    fraction_bits: Option<u32>,
    /// Range of the sum; (hi - lo) * 2^fraction-bits must be a power of two, at most 65536
    ///
    /// Default: that of the function; for a table of n values 0:n/2^fraction-bits.
    #[arg(long, value_name = "LO:HI", allow_hyphen_values = true)]
    domain: Option<Bounds>,
    /// Binary digits after the point of the results, 0 to 32 [default: 16; tables: what their values need, up to
    /// 16; with --reveal none: as --fraction-bits]
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(0..=32))]
    output_fraction_bits: Option<u32>,
    /// Material that `hushtable prepare` made with the peer; what it lacks is made now
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// All material must come from --store: if it holds too little, nothing is started
    #[arg(long, requires = "store")]
    no_offline: bool,
    /// Threads and connections to work with, 1 to 64; the peer must use as many
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=64))]
    threads: u16,
    /// Print the cost as one line of JSON on standard output
    #[arg(long)]
    json: bool,
    /// No summary and no progress on standard error
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    choosing: Choosing,
    #[command(flatten)]
    link: Link,
}

/// For clap: the functions with a line of help each.
fn functions() -> impl TypedValueParser<Value = Function> {
    let names = Function::ALL
        .map(|f| PossibleValue::new(f.name()).help(format!("{}, default domain {}", f.about(), f.domain())));
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Function>())
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    kind: &'a str,
    function: &'a str,
    role: &'a str,
    rows: usize,
    index_bits: u32,
    value_bits: u32,
    protocol: &'a str,
    threads: usize,
    /// Lookups whose material came from disk.
    stored: usize,
    #[serde(flatten)]
    phases: Phases,
}

/// Runs the subcommand.
pub fn run(args: &Apply) -> Result<()> {
    let mut stock = Stock::open(args)?;
    let mut job = Job::new(args)?;
    stock.check(&mut job)?;
    let output = reserve(args)?;
    let (mut lanes, session, stored, setup) = connect(args, &mut job, &mut stock)?;
    let role = lanes[0].role();
    let reserved = stock.reserve(&stored)?;
    let stored = stored.iter().sum();
    let done = {
        let progress = Progress::start("rows", job.rows(), args.quiet);
        job.lookup().run(&mut lanes, reserved, &job.indices(role), progress.done())?
    };
    drop(lanes);
    let Done { outcome, offline, online } = done;
    finish(&job, outcome, output, session, role)?;
    let phases =
        Phases { setup: setup.figures(role), offline: offline.figures(role), online: online.figures(role) };
    if let Some(text) = stock.summary(stored, job.rows()).filter(|_| !args.quiet) {
        eprintln!("{text}");
    }
    summary(args, &job, role, stored, phases)
}

/// A party for each lane, the id of the first connection's session, how many lookups of each lane are
/// in the stock, and what that took.
type Connected = (Vec<Party>, [u8; 32], Vec<usize>, Phase);

/// Connects, agrees and sets up.
fn connect(args: &Apply, job: &mut Job, stock: &mut Stock) -> Result<Connected> {
    let choosing = stock.choosing(&args.choosing)?;
    let (connection, start) = args.link.open()?;
    let mut p = Party::new(connection, None)?;
    job.agree(&mut p, stock.name())?;
    job.protocol = choosing.settle(&mut p, args.link.net(), &job.lookup().job(), job.rows())?;
    let rows = job.lane_rows();
    let stored = stock::shares(&rows, stock.agree(&mut p, job.rows())?);
    let (session, role) = (p.id(), p.role());
    let mut lanes = if job.threads() == 1 { Vec::new() } else { p.fork(job.threads())? };
    let before = Phase::new(start, p.take_cost());
    if lanes.is_empty() {
        lanes.push(p);
    }
    let prepare = |(lane, made): (&mut Party, usize)| {
        let (send, recv) = job.lookup().cots(role, made);
        Phase::of(lane, |lane| lane.prepare_ot(send, recv))
    };
    let prepared = thread::scope(|scope| {
        let made = rows.iter().zip(&stored).map(|(rows, stored)| rows - stored);
        let threads: Vec<_> =
            lanes.iter_mut().zip(made).map(|lane| scope.spawn(move || prepare(lane))).collect();
        threads.into_iter().map(|t| t.join().expect("a lane")).collect::<std::result::Result<Vec<_>, _>>()
    })?;
    let prepared = prepared.into_iter().map(|((), phase)| phase).reduce(Phase::beside);
    Ok((lanes, session, stored, before.then(prepared.unwrap_or_default())))
}

/// The output file, unless this party gets nothing.
fn reserve(args: &Apply) -> Result<Option<Output>> {
    let receives = match args.reveal {
        Reveal::P0 => args.link.role() == Role::P0,
        Reveal::P1 => args.link.role() == Role::P1,
        Reveal::Both | Reveal::None => true,
    };
    match &args.output {
        _ if !receives => Ok(None),
        Some(path) => Output::reserve(path, &args.input, args.reveal == Reveal::None, args.force).map(Some),
        None => Err(Failure::new("--output FILE says where the results go")),
    }
}

/// Writes what this party got.
fn finish(job: &Job, outcome: Outcome, output: Option<Output>, session: [u8; 32], role: Role) -> Result<()> {
    let Some(output) = output else {
        eprintln!("the results go to the peer; nothing is written here");
        return Ok(());
    };
    let path = output.path().to_owned();
    match outcome {
        Outcome::Values(values) => output.write(|to| write_csv(to, job, &values))?,
        Outcome::Shares(shares) => {
            let file = job.share_file(session, role, shares);
            output.write(|to| file.write(to))?;
        }
        Outcome::AtPeer => unreachable!("only the party that gets nothing has no output"),
    }
    eprintln!("wrote {} rows to {}", job.rows(), path.display());
    Ok(())
}

fn write_csv(to: &mut dyn Write, job: &Job, values: &[i64]) -> io::Result<()> {
    let scale = (1u64 << job.table.fraction_bits()) as f64;
    let mut to = csv::Writer::from_writer(to);
    match &job.ids {
        None => to.write_record([&job.column])?,
        Some(_) => to.write_record(["id", &job.column])?,
    }
    for (i, &value) in values.iter().enumerate() {
        let value = (value as f64 / scale).to_string();
        match &job.ids {
            None => to.write_record([&value])?,
            Some(ids) => to.write_record([&ids[i], &value])?,
        }
    }
    to.flush()
}

fn summary(args: &Apply, job: &Job, role: Role, stored: usize, phases: Phases) -> Result<()> {
    let lookup = job.lookup();
    if !args.quiet {
        eprint!("{}", phases.table());
    }
    if args.json {
        let report = Report {
            kind: "apply",
            function: &job.column,
            role: role_name(role),
            rows: job.rows(),
            index_bits: lookup.index_bits,
            value_bits: lookup.bits,
            protocol: lookup.protocol.name(),
            threads: job.threads(),
            stored,
            phases,
        };
        let line = serde_json::to_string(&report).expect("plain data");
        writeln!(io::stdout(), "{line}").map_err(|e| Failure::new(format!("standard output: {e}")))?;
    }
    Ok(())
}
