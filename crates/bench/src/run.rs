//! A benchmark's two processes, and the run that they make together.

use std::{path::Path, process::Command, str::FromStr, sync::atomic::Ordering};

use clap::Args;
use hushtable::net::LinkShape;
use hushtable_columns::failure::{Failure, Result};
use hushtable_jobs::{extension::Extension, link::Link, progress::Progress, two_processes};

use crate::{
    lanes::{Lanes, Needs},
    measured::Run,
    stock,
    work::Work,
};

/// How it is measured.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Threads and connections of each party, 1 to 64; the batch is split among them
    #[arg(long, value_name = "T", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub threads: u16,
    /// Simulated network: loopback, lan, wan or RATE:RTT (Mbit/s : ms)
    #[arg(long, value_name = "NET", default_value = "loopback", value_parser = LinkShape::from_str)]
    pub net: LinkShape,
    /// What makes correlated OTs, where the work does not say it
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = Extension::parser())]
    pub ot: Extension,
    /// Mutual TLS between the processes, with identities made for this run
    #[arg(long)]
    pub tls: bool,
    /// Runs; the median of each time is reported
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub repeat: u16,
    /// Seconds without progress before a party gives up, 1 to 3600
    #[arg(long, value_name = "S", default_value = "120", value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub timeout: u32,
}

/// One party of a benchmark; started by the other subcommands
#[derive(Args, Debug)]
pub struct OneParty {
    /// What to measure, as JSON
    work: String,
    #[arg(long, default_value = "1")]
    threads: u16,
    #[command(flatten)]
    link: Link,
}

/// As many runs as asked for.
pub fn runs(work: &Work, options: &Options) -> Result<Vec<Run>> {
    let progress = Progress::shown("runs", options.repeat.into(), true);
    let counted = |_| {
        let run = once(work, options)?;
        progress.done().fetch_add(1, Ordering::Relaxed);
        Ok(run)
    };
    (0..options.repeat).map(counted).collect()
}

/// One run of both processes. P0 writes its measurements and results into P1, which verifies.
fn once(work: &Work, options: &Options) -> Result<Run> {
    let folder = tempfile::tempdir().map_err(|e| Failure::new(format!("temporary folder: {e}")))?;
    let identities = match (work.store(), options.tls) {
        (Some(dir), _) => Some(stock::identities(dir)?),
        (None, true) => Some(two_processes::identities(folder.path(), ["bench-p0", "bench-p1"])?),
        (None, false) => None,
    };
    let [p0, p1] = [0, 1].map(|i| identities.as_ref().map(|ids| ids[i].as_path()));
    let mut first = process(work, options, p0)?;
    first.args(["--listen", "127.0.0.1:0"]);
    let mut second = process(work, options, p1)?;
    let connect = |address: &str| {
        second.args(["--connect", address]);
        second
    };
    let [_, text] = two_processes::run(first, connect, true)?;
    serde_json::from_str(&text).map_err(|e| Failure::new(format!("report of a process: {e}")))
}

fn process(work: &Work, options: &Options, identity: Option<&Path>) -> Result<Command> {
    let mut command = two_processes::program()?;
    command.args(["party", "--net", &options.net.to_string()]);
    let ot = work.scheme().map_or(options.ot, Extension::Of);
    command.args(["--ot", &ot.to_string()]);
    command.args(["--timeout", &options.timeout.to_string(), "--threads", &options.threads.to_string()]);
    match identity {
        Some(path) => command.arg("--identity").arg(path),
        None => command.arg("--insecure-plain-tcp"),
    };
    command.arg(work.handed());
    Ok(command)
}

/// One of the two processes.
pub fn party(args: &OneParty) -> Result<()> {
    let work: Work =
        serde_json::from_str(&args.work).map_err(|e| Failure::new(format!("benchmark description: {e}")))?;
    let needs = Needs {
        items: work.items(),
        cots: &|role, items| work.cots(role, items),
        set_up: &|p, items| work.set_up(p, items),
    };
    let lanes = Lanes::connect(&args.link, args.threads, &args.work, &needs)?;
    work.run(lanes)
}
