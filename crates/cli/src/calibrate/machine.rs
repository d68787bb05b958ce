//! How fast this machine is as both parties.
//!
//! OTs are made by two processes that start anew for each run, as a job's do: memory and tables come for the first
//! time.

use std::{
    hint::black_box,
    io::{self, Write},
    process::Command,
    sync::atomic::Ordering,
    time::Instant,
};

use clap::{Args, ValueEnum};
use hushtable::{Party, Role, ot, plan::Machine};
use prim::{
    block::Block,
    hash::CcrHash,
    pack::{pack, unpack},
};
use serde::{Deserialize, Serialize};

use crate::{
    failure::{Failure, Result},
    link::Link,
    pair,
    progress::Progress,
};

/// Runs of which the median counts.
const RUNS: usize = 7;

/// OTs that a party takes at once.
const PIECE: usize = 1 << 18;

/// Makes correlated OTs with the other process; started by `calibrate`
#[derive(Args, Debug)]
pub struct OtParty {
    #[arg(long, value_enum)]
    scheme: Scheme,
    #[arg(long)]
    count: usize,
    #[command(flatten)]
    link: Link,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "lower")]
enum Scheme {
    SoftSpoken,
    Ferret,
}

/// What a run of two processes takes, in seconds.
#[derive(Serialize, Deserialize)]
struct Seconds {
    setup: f64,
    offline: f64,
    /// A byte sent or received.
    wire: f64,
}

/// The rates of local work, and OTs in three quantities: by SoftSpoken, by Ferret with its small set and with a large
/// one.
pub fn measure_machine() -> Result<Machine> {
    let progress = Progress::start("measurements", 4, false);
    let count = || progress.done().fetch_add(1, Ordering::Relaxed);
    let [few, some, many] = [5 << 13, 200_000, 1 << 22];
    let (hash, word, byte) = (measure_hash(), measure_word(), measure_byte());
    count();
    let soft = measure_ots(Scheme::SoftSpoken, few)?;
    count();
    let small = measure_ots(Scheme::Ferret, some)?;
    count();
    let large = measure_ots(Scheme::Ferret, many)?;
    count();
    let each = |seconds: &Seconds, count: usize| seconds.offline * 1e9 / count as f64;
    let small_start = (small.setup - soft.setup).max(1e-3);
    Ok(Machine {
        start: soft.setup,
        round: Machine::REFERENCE.round,
        soft_ot: each(&soft, few),
        small_start,
        small_ot: each(&small, some),
        large_start: (large.setup - soft.setup - small_start).max(1e-3),
        large_ot: each(&large, many),
        hash,
        word,
        byte,
        wire: 1e9 * soft.wire,
    })
}

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

/// The median of each time on its own, over plain TCP.
fn measure_ots(scheme: Scheme, count: usize) -> Result<Seconds> {
    let runs = (0..RUNS).map(|_| run_pair(scheme, count)).collect::<Result<Vec<_>>>()?;
    let median = |phase: fn(&Seconds) -> f64| {
        let mut all: Vec<f64> = runs.iter().map(phase).collect();
        all.sort_by(f64::total_cmp);
        all[RUNS / 2]
    };
    Ok(Seconds { setup: median(|s| s.setup), offline: median(|s| s.offline), wire: median(|s| s.wire) })
}

/// One run; the slower party's times.
fn run_pair(scheme: Scheme, count: usize) -> Result<Seconds> {
    let name = scheme.to_possible_value().expect("no variant is skipped");
    let command = || -> Result<Command> {
        let mut command = pair::program()?;
        command.args(["ot-party", "--insecure-plain-tcp", "--scheme", name.get_name()]);
        command.args(["--count", &count.to_string()]);
        Ok(command)
    };
    let (mut first, mut second) = (command()?, command()?);
    first.args(["--listen", "127.0.0.1:0"]);
    let connect = |address: &str| {
        second.args(["--connect", address]);
        second
    };
    let [p0, p1] = pair::run(first, connect, false)?.map(|text| {
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
    let scheme = match args.scheme {
        Scheme::SoftSpoken => ot::Scheme::SoftSpoken,
        Scheme::Ferret => ot::Scheme::Ferret,
    };
    let mut p = Party::new(connection, Some(scheme))?;
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
    let line = serde_json::to_string(&seconds).expect("plain data");
    writeln!(io::stdout(), "{line}").map_err(Failure::stdout)
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
