//! `hushtable calibrate`: how fast this machine and the link to the peer are, for `plan` and for `--protocol auto`.

mod machine;

use std::{
    env, fmt, fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use hushtable::{
    Party, Role,
    net::LinkShape,
    ot::{OtWish, Scheme},
    plan::Machine,
};
use serde::{Deserialize, Serialize};

use crate::{
    apply::output::{self, Output},
    failure::{Cause, Failure, Result},
    link::Link,
    terminal,
};

use self::machine::{MEASUREMENTS, measure_machine};
pub use self::machine::{OtParty, run_party};

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
#[command(after_help = EXAMPLES)]
pub struct Calibrate {
    /// Only this machine, no peer
    #[arg(long, conflicts_with_all = ["listen", "connect"])]
    local: bool,
    /// Where the result goes [default: hushtable/calibration.json in this user's configuration folder]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    peer: Peer,
}

/// A [`Link`] that `--local` makes unnecessary.
#[derive(Debug)]
struct Peer(Option<Link>);

impl Args for Peer {
    fn augment_args(command: Command) -> Command {
        ["listen", "connect", "identity"]
            .into_iter()
            .fold(Link::augment_args(command), |command, name| {
                command.mut_arg(name, |arg| arg.required_unless_present("local"))
            })
            .mut_arg("ot", |arg| arg.hide(true))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Peer {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        match ["listen", "connect"].iter().any(|name| matches.contains_id(name)) {
            true => Link::from_arg_matches(matches).map(Some).map(Self),
            false => Ok(Self(None)),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> std::result::Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// What was measured, or the defaults.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    #[serde(with = "machine_file")]
    machine: Machine,
    link: Option<LinkFile>,
    /// The OT extension that was asked for.
    #[serde(skip)]
    asked: Option<Scheme>,
    /// Where it was read from.
    #[serde(skip)]
    source: Option<PathBuf>,
}

/// A [`Machine`] on disk and between the parties: its figures by their names.
mod machine_file {
    use std::collections::BTreeMap;

    use hushtable::plan::Machine;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(machine: &Machine, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(Machine::NAMES.into_iter().zip(machine.figures()))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Machine, D::Error> {
        let named = BTreeMap::<String, f64>::deserialize(from)?;
        if let Some(name) = named.keys().find(|name| !Machine::NAMES.contains(&name.as_str())) {
            return Err(D::Error::custom(format!("{name:?} is no figure of a machine; calibrate again")));
        }
        let mut figures = [0.0; Machine::NAMES.len()];
        for (figure, name) in figures.iter_mut().zip(Machine::NAMES) {
            let missing = || D::Error::custom(format!("no figure {name:?}; calibrate again"));
            *figure = *named.get(name).ok_or_else(missing)?;
        }
        Ok(Machine::from(figures))
    }
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct LinkFile {
    mbit_per_s: f64,
    rtt_ms: f64,
}

impl Calibration {
    /// From `path`, or from this user's file if there is one, or the defaults.
    pub fn load(path: Option<&Path>) -> Result<Self> {
        let default = default_path().filter(|path| path.is_file());
        let Some(path) = path.map(Path::to_owned).or(default) else {
            return Ok(Self { machine: Machine::REFERENCE, link: None, asked: None, source: None });
        };
        let text = fs::read(&path).map_err(Failure::file(&path))?;
        let read: Self = serde_json::from_slice(&text)
            .map_err(|e| Failure::input(format!("{}: not a calibration: {e}", path.display())))?;
        read.check().map_err(|what| Failure::input(format!("{}: {what}", path.display())))?;
        Ok(Self { source: Some(path), ..read })
    }

    /// How fast the machines are.
    pub fn machine(&self) -> Machine {
        Machine { asked: self.asked, ..self.machine }
    }

    /// For a session over `link`, whose OT extension may be asked for.
    #[must_use]
    pub fn over(self, link: &Link) -> Self {
        Self { asked: link.asked(), ..self }
    }

    /// The OT extension that this party wishes of a session over `link`.
    pub fn wish(&self, link: &Link) -> OtWish {
        link.wish(self.machine.ots, self.link())
    }

    /// What is known of `link`: what it simulates, or else what was measured.
    pub fn shape(&self, link: &Link) -> Option<LinkShape> {
        Some(link.net()).filter(|&net| net != LinkShape::LOOPBACK).or(self.link())
    }

    /// The link, if it was measured.
    pub fn link(&self) -> Option<LinkShape> {
        let link = self.link?;
        Some(LinkShape { mbit_per_s: Some(link.mbit_per_s), rtt: Duration::from_secs_f64(link.rtt_ms / 1e3) })
    }

    /// Every figure positive and sane, so that predictions are finite.
    fn check(&self) -> std::result::Result<(), String> {
        if !self.machine.figures().iter().all(|figure| (1e-9..=1e6).contains(figure)) {
            return Err("a figure of the machine is out of range".into());
        }
        match self.link {
            Some(link)
                if !(0.01..=1e6).contains(&link.mbit_per_s) || !(0.0..=4000.0).contains(&link.rtt_ms) =>
            {
                Err("the link's figures are out of range: 0.01 to 10^6 Mbit/s, 0 to 4000 ms".into())
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Some(path) => write!(f, "calibration {}", path.display()),
            None => f.write_str("not calibrated"),
        }
    }
}

/// Runs the subcommand.
pub fn run(args: &Calibrate) -> Result<()> {
    let path = match &args.output {
        Some(path) => path.clone(),
        None => default_path().ok_or_else(|| Failure::new("--output FILE says where the result goes"))?,
    };
    if args.peer.0.as_ref().is_some_and(|link| link.asked().is_some()) {
        return Err(Failure::new("--ot: calibrate measures every OT extension"));
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(Failure::writing(folder))?;
    }
    let inputs: Vec<_> = args.peer.0.as_ref().and_then(Link::identity).into_iter().collect();
    let output = Output::reserve(&path, &inputs, output::PUBLIC, true)?;
    let (machine, link) = match &args.peer.0 {
        Some(link) => with_peer(link)?,
        None => (measure_machine(&mut || Ok(()))?, None),
    };
    let found = Calibration { machine, link, asked: None, source: None };
    found.check().map_err(|what| Failure::new(format!("the measurement makes no sense: {what}")))?;
    let text = serde_json::to_string_pretty(&found).expect("plain data") + "\n";
    output.write(|to| std::io::Write::write_all(to, text.as_bytes()))?;
    terminal::print(&text)?;
    eprintln!("wrote {}", path.display());
    Ok(())
}

/// Both machines, one after the other because they may be one, and the link. Who waits hears of each measurement, so that
/// a slow machine is not taken for one that has stopped.
fn with_peer(link: &Link) -> Result<(Machine, Option<LinkFile>)> {
    let (connection, _) = link.open()?;
    let mut p = Party::new(connection, OtWish::default())?;
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
    let calibration = Calibration { machine: mine, link: None, asked: None, source: None };
    let mut text = serde_json::to_vec(&calibration).expect("plain data");
    text.resize(BYTES, b' ');
    let theirs = p.connection().channel().exchange(text, BYTES)?;
    let theirs: Calibration = serde_json::from_slice(&theirs)
        .map_err(|e| Failure::Reported(Cause::Peer, format!("the peer's calibration: {e}")))?;
    theirs
        .check()
        .map_err(|what| Failure::Reported(Cause::Peer, format!("the peer's calibration: {what}")))?;
    Ok(theirs.machine)
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

fn default_path() -> Option<PathBuf> {
    let folder = env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".config")))?;
    Some(folder.join("hushtable").join("calibration.json"))
}
