//! `hushtable calibrate`: how fast this machine and the link to the peer are, for `plan` and for `--protocol auto`.

mod machine;

use std::{fs, path::PathBuf, time::Instant};

use crate::calibrate::machine::{MEASUREMENTS, measure_machine};
use clap::Args;
use hushtable::{Party, Role, ot::SessionWish, plan::Machine};
use hushtable_columns::{
    failure::{Cause, Failure, Result},
    manner,
    output::{self, Output},
    terminal,
};
use hushtable_jobs::{
    calibration::{Calibration, LinkFile, default_path},
    link::Link,
};

pub use crate::calibrate::machine::{OtParty, run_party};

const EXAMPLES: &str = "\
Examples:
  With the peer, the same command at both sides; each keeps the common result:
    hushtable calibrate --listen 0.0.0.0:7000 --identity bank.id
    hushtable calibrate --connect bank.example:7000 --identity telecom.id
  This machine alone, as both parties:
    hushtable calibrate --local

Nothing else should be running. The result is read by `hushtable plan`, `apply` and `hushtable-bench` unless they \
are given another file.";

/// Measure this machine and the link to the peer, for `plan` and `--protocol auto`
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, mut_arg("ot", |arg| arg.hide(true)))]
pub struct Calibrate {
    /// Only this machine, no peer
    #[arg(long, conflicts_with_all = ["listen", "connect"])]
    local: bool,
    /// Where the result goes [default: hushtable/calibration.json in this user's configuration folder]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    peer: Link,
}

/// Runs the subcommand.
pub fn run(args: &Calibrate) -> Result<()> {
    let path = match &args.output {
        Some(path) => path.clone(),
        None => default_path().ok_or_else(|| Failure::new("--output FILE says where the result goes"))?,
    };
    let peer = (!args.local).then_some(&args.peer);
    peer.map_or(Ok(()), Link::check)?;
    if peer.is_some_and(|link| link.asked().is_some()) {
        return Err(Failure::new("--ot: calibrate measures every OT extension"));
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(Failure::writing(folder))?;
    }
    let inputs: Vec<_> = peer.and_then(Link::identity).into_iter().collect();
    let output = Output::reserve(&path, &inputs, output::PUBLIC, true)?;
    let (machine, link) = match peer {
        Some(link) => with_peer(link)?,
        None => (measure_machine(&mut || Ok(()))?, None),
    };
    let found = Calibration::measured(machine, link);
    found.check().map_err(|what| Failure::new(format!("the measurement makes no sense: {what}")))?;
    let text = serde_json::to_string_pretty(&found).expect("plain data") + "\n";
    output.write(|to| std::io::Write::write_all(to, text.as_bytes()))?;
    if manner::is_json() { terminal::json(&found) } else { terminal::print(&text) }?;
    eprintln!("wrote {}", path.display());
    Ok(())
}

/// Both machines, one after the other because they may be one, and the link. Who waits hears of each measurement, so that
/// a slow machine is not taken for one that has stopped.
fn with_peer(link: &Link) -> Result<(Machine, Option<LinkFile>)> {
    let (connection, _) = link.open()?;
    let mut p = Party::new(connection, SessionWish::default())?;
    let (mbit_per_s, rtt) = measure_link(&mut p)?;
    let mine = match p.role() {
        Role::P0 => {
            let mine = measure_machine(&mut || Ok(p.barrier()?))?;
            (0..MEASUREMENTS).try_for_each(|_| p.barrier())?;
            mine
        }
        Role::P1 => {
            (0..MEASUREMENTS).try_for_each(|_| p.barrier())?;
            measure_machine(&mut || Ok(p.barrier()?))?
        }
    };
    let machine = mine.slower(exchange(&mut p, mine)?);
    let rtt_ms = 1e3 * (rtt - 2.0 * machine.round).max(0.0);
    Ok((machine, Some(LinkFile { mbit_per_s, rtt_ms })))
}

/// Swaps the figures with the peer, as text of a fixed length.
fn exchange(p: &mut Party, mine: Machine) -> Result<Machine> {
    const BYTES: usize = 1024;
    let calibration = Calibration::measured(mine, None);
    let mut text = serde_json::to_vec(&calibration).expect("plain data");
    text.resize(BYTES, b' ');
    let theirs = p.connection().channel().exchange(text, BYTES)?;
    let theirs: Calibration = serde_json::from_slice(&theirs)
        .map_err(|e| Failure::Reported(Cause::Peer, format!("the peer's calibration: {e}")))?;
    theirs
        .check()
        .map_err(|what| Failure::Reported(Cause::Peer, format!("the peer's calibration: {what}")))?;
    Ok(theirs.machine())
}

/// Mbit/s and seconds of a round trip: crossing messages of one byte for the delay, then of a mebibyte and more for
/// the rate.
///
/// Two in a row take a round trip, whoever was first: the one that is ahead waits once for twice as long. Both parties
/// go on with the same figures: the shorter delay, and the longer time, as who begins late finds the peer's message under
/// way.
fn measure_link(p: &mut Party) -> Result<(f64, f64)> {
    p.barrier()?;
    let trips = (0..10).map(|_| timed(|| Ok(p.barrier().and_then(|()| p.barrier())?)));
    let rtt = trips.collect::<Result<Vec<_>>>()?.into_iter().fold(f64::INFINITY, f64::min);
    let rtt = rtt.min(of_peer(p, rtt)?);
    let mut bytes = 1 << 20;
    loop {
        let seconds = timed(|| Ok(p.connection().channel().exchange(vec![0; bytes], bytes).map(drop)?))?;
        let seconds = seconds.max(of_peer(p, seconds)?) - rtt / 2.0;
        if seconds >= 0.2 || bytes >= 64 << 20 {
            return Ok(((bytes as f64 * 8e-6 / seconds.max(1e-6)).clamp(0.01, 1e6), rtt));
        }
        bytes *= 4;
    }
}

/// The peer's figure, for this party's.
fn of_peer(p: &mut Party, figure: f64) -> Result<f64> {
    let theirs = p.connection().channel().exchange(figure.to_le_bytes().into(), 8)?;
    Ok(f64::from_le_bytes(theirs.try_into().expect("8 bytes")))
}

fn timed(f: impl FnOnce() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    f()?;
    Ok(start.elapsed().as_secs_f64())
}
