//! How fast this machine is as both parties.
//!
//! OTs are made by two processes that start anew for each run, as a job's do: memory and tables come for the first
//! time.

use std::{
    io::{self, Write},
    process::Command,
    sync::atomic::Ordering,
    time::Instant,
};

use clap::{Args, ValueEnum};
use hushtable::{Party, Role, ot, plan::Machine};
use prim::{block::Block, hash::CcrHash};
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

/// Seconds of some OTs.
#[derive(Serialize, Deserialize)]
struct Seconds {
    setup: f64,
    offline: f64,
}

/// The hash, and OTs in three quantities: by SoftSpoken, by Ferret with its small set and with a large one.
pub fn measure_machine() -> Result<Machine> {
    let progress = Progress::start("measurements", 4, false);
    let count = || progress.done().fetch_add(1, Ordering::Relaxed);
    let [few, some, many] = [5 << 13, 200_000, 1 << 22];
    let hash = measure_hash();
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
    })
}

/// Nanoseconds a block, the best of several passes over a buffer in the cache.
fn measure_hash() -> f64 {
    let hash = CcrHash::new(Block(1));
    let mut blocks = vec![Block(7); 1 << 12];
    let mut pass = || {
        let start = Instant::now();
        (0..64).for_each(|_| hash.in_place(&mut blocks));
        start.elapsed().as_secs_f64() * 1e9 / f64::from(64 << 12)
    };
    (0..10).map(|_| pass()).fold(f64::INFINITY, f64::min)
}

/// The median of each time on its own, over plain TCP.
fn measure_ots(scheme: Scheme, count: usize) -> Result<Seconds> {
    let runs = (0..RUNS).map(|_| run_pair(scheme, count)).collect::<Result<Vec<_>>>()?;
    let median = |phase: fn(&Seconds) -> f64| {
        let mut all: Vec<f64> = runs.iter().map(phase).collect();
        all.sort_by(f64::total_cmp);
        all[RUNS / 2]
    };
    Ok(Seconds { setup: median(|s| s.setup), offline: median(|s| s.offline) })
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
    Ok(Seconds { setup: p0.setup.max(p1.setup), offline: p0.offline.max(p1.offline) })
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
    let seconds = Seconds { setup, offline: start.elapsed().as_secs_f64() };
    p.barrier()?;
    let line = serde_json::to_string(&seconds).expect("plain data");
    writeln!(io::stdout(), "{line}").map_err(Failure::stdout)
}
