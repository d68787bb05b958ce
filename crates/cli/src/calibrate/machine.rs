//! How fast this machine is as both parties.
//!
//! OTs are made by two processes that start anew for each run, as a job's do: memory and tables come for the first
//! time.

use std::{hint::black_box, process::Command, time::Instant};

use clap::Args;
use hushtable::{
    Party, Role,
    ot::{Rates, Scheme, params},
    plan::Machine,
};
use hushtable_columns::{
    failure::{Failure, Result},
    terminal,
};
use hushtable_jobs::{link::Link, progress::Progress, two_processes};
use prim::{
    block::Block,
    hash::CcrHash,
    pack::{pack, unpack},
};
use serde::{Deserialize, Serialize};

/// Runs of which the median counts.
const RUNS: usize = 7;

/// OTs that a party takes at once.
const PIECE: usize = 1 << 18;

/// Makes correlated OTs with the other process; started by `calibrate`
#[derive(Args, Debug)]
pub struct OtParty {
    #[arg(long)]
    scheme: Scheme,
    #[arg(long)]
    count: usize,
    #[command(flatten)]
    link: Link,
}

/// What a run of two processes takes, in seconds.
#[derive(Serialize, Deserialize)]
struct Seconds {
    setup: f64,
    offline: f64,
    /// A byte sent or received.
    wire: f64,
}

/// OTs by SoftSpoken, by Ferret with each set: the first two sets are those that `ferret` takes for such counts.
const SOFT: usize = 1 << 20;
const FERRET: [(Scheme, usize); 3] =
    [(Scheme::Ferret, 200_000), (Scheme::Ferret, 1 << 22), (Scheme::FerretLarge, 1 << 23)];

const SOFTSPOKEN: [Scheme; 4] = [Scheme::Iknp, Scheme::SoftSpoken2, Scheme::SoftSpoken4, Scheme::SoftSpoken8];

/// What is measured one after the other: the rates of local work, and runs with OTs.
pub const MEASUREMENTS: usize = 1 + RUNS * (SOFTSPOKEN.len() + FERRET.len());

/// The rates of local work, and OTs by each extension that can be chosen; `each` is called after each of the
/// [`MEASUREMENTS`].
pub fn measure_machine(each: &mut dyn FnMut() -> Result<()>) -> Result<Machine> {
    let progress = Progress::start("measurements", MEASUREMENTS);
    let mut count = || {
        progress.step();
        each()
    };
    let (hash, word, byte) = (measure_hash(), measure_word(), measure_byte());
    count()?;
    let mut measured = |scheme, ots| measure_ots(scheme, ots, &mut count);
    let soft = SOFTSPOKEN.into_iter().map(|scheme| measured(scheme, SOFT)).collect::<Result<Vec<_>>>()?;
    let ferret = FERRET.into_iter().map(|(scheme, ots)| measured(scheme, ots)).collect::<Result<Vec<_>>>()?;
    let each = |seconds: &Seconds, ots: usize| seconds.offline * 1e9 / ots as f64;
    let ots = Rates {
        soft: std::array::from_fn(|i| each(&soft[i], SOFT)),
        ferret: std::array::from_fn(|level| each(&ferret[level], FERRET[level].1)),
        start: [0.0; 3],
    };
    // They start one from the other, the first from SoftSpoken over 2^4.
    let usual = &soft[2];
    let below = [ots.soft[2], ots.ferret[0], ots.ferret[1]];
    let since = [usual.setup, ferret[0].setup, ferret[1].setup];
    let start = |level: usize| {
        let seeds = params::SETS[level].seeds() as f64 * below[level] * 1e-9;
        (ferret[level].setup - since[level] - seeds).max(LEAST)
    };
    let ots = Rates { start: std::array::from_fn(start), ..ots };
    let mut machine = Machine::REFERENCE;
    (machine.start, machine.ots, machine.wire) = (usual.setup, ots, 1e9 * usual.wire);
    (machine.hash, machine.word, machine.byte) = (hash, word, byte);
    Ok(machine)
}

/// Seconds of a start that cannot be told from noise.
const LEAST: f64 = 1e-6;

/// Nanoseconds a block.
fn measure_hash() -> f64 {
    let hash = CcrHash::new(Block(1));
    let mut blocks = vec![Block(7); 1 << 12];
    best(blocks.len(), || hash.in_place(&mut blocks))
}

/// Nanoseconds a word that is packed and unpacked, of a width that fits no bytes.
fn measure_word() -> f64 {
    let mut words: Vec<u64> = (0..1 << 12).collect();
    let mut packed = Vec::new();
    best(words.len(), || {
        packed.clear();
        pack(&words, 37, &mut packed);
        unpack(&packed, 37, &mut words);
    })
}

/// Nanoseconds a byte of what is added to a row.
fn measure_byte() -> f64 {
    let (row, mut sum) = (vec![7u64; 1 << 14], vec![0u64; 1 << 14]);
    best(8 * row.len(), || sum.iter_mut().zip(black_box(&row)).for_each(|(sum, x)| *sum ^= x))
}

/// Nanoseconds an item of a pass over so many, in the cache: the best of several times.
fn best(items: usize, mut pass: impl FnMut()) -> f64 {
    let mut time = || {
        let start = Instant::now();
        (0..64).for_each(|_| pass());
        start.elapsed().as_secs_f64() * 1e9 / (64 * items) as f64
    };
    (0..10).map(|_| time()).fold(f64::INFINITY, f64::min)
}

/// The median of each time on its own, over plain TCP; `each` is called after each run.
fn measure_ots(scheme: Scheme, ots: usize, each: &mut dyn FnMut() -> Result<()>) -> Result<Seconds> {
    let run = |_| {
        let seconds = run_pair(scheme, ots)?;
        each().map(|()| seconds)
    };
    let runs = (0..RUNS).map(run).collect::<Result<Vec<_>>>()?;
    let median = |phase: fn(&Seconds) -> f64| {
        let mut all: Vec<f64> = runs.iter().map(phase).collect();
        all.sort_by(f64::total_cmp);
        all[RUNS / 2]
    };
    Ok(Seconds { setup: median(|s| s.setup), offline: median(|s| s.offline), wire: median(|s| s.wire) })
}

/// One run; the slower party's times.
fn run_pair(scheme: Scheme, count: usize) -> Result<Seconds> {
    let command = || -> Result<Command> {
        let mut command = two_processes::program()?;
        command.args(["ot-party", "--insecure-plain-tcp", "--scheme", scheme.name()]);
        command.args(["--count", &count.to_string()]);
        Ok(command)
    };
    let (mut first, mut second) = (command()?, command()?);
    first.args(["--listen", "127.0.0.1:0"]);
    let connect = |address: &str| {
        second.args(["--connect", address]);
        second
    };
    let [p0, p1] = two_processes::run(first, connect, false)?.map(|text| {
        let read = serde_json::from_str::<Seconds>(&text);
        read.map_err(|e| Failure::new(format!("report of a process: {e}")))
    });
    let (p0, p1) = (p0?, p1?);
    Ok(Seconds {
        setup: p0.setup.max(p1.setup),
        offline: p0.offline.max(p1.offline),
        wire: p0.wire.max(p1.wire),
    })
}

/// Runs the hidden subcommand: P0 sends the OTs, in pieces, so that memory stays small.
pub fn run_party(args: &OtParty) -> Result<()> {
    let (connection, start) = args.link.open()?;
    let mut p = Party::new(connection, Some(args.scheme))?;
    let role = p.role();
    let one_way = |count| if role == Role::P0 { (count, 0) } else { (0, count) };
    let (whole, pieces) = (one_way(args.count), (0..args.count).step_by(PIECE));
    let pieces: Vec<_> = pieces.map(|from| one_way(PIECE.min(args.count - from))).collect();
    p.prepare_ot(whole.0, whole.1)?;
    let setup = start.elapsed().as_secs_f64();
    p.barrier()?;
    let start = Instant::now();
    for (send, recv) in pieces {
        drop(p.cots(send, recv)?);
    }
    let offline = start.elapsed().as_secs_f64();
    p.barrier()?;
    let seconds = Seconds { setup, offline, wire: measure_wire(&mut p)? };
    terminal::json(&seconds)
}

/// Seconds a byte, sent or received, of crossing messages: the best of several.
fn measure_wire(p: &mut Party) -> Result<f64> {
    const BYTES: usize = 1 << 20;
    let mut message = || -> Result<f64> {
        let start = Instant::now();
        p.connection().channel().exchange(vec![1; BYTES], BYTES)?;
        Ok(start.elapsed().as_secs_f64() / (2 * BYTES) as f64)
    };
    (0..16).map(|_| message()).try_fold(f64::INFINITY, |best, time| Ok(time?.min(best)))
}
