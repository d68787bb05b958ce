//! `--protocol`: a lookup protocol by name, or `auto`; and how both parties come to one.

use std::{
    fmt,
    path::PathBuf,
    str::FromStr,
    time::{Duration, Instant},
};

use clap::{
    Args, ValueEnum,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use hushtable::{
    Error, Party, Role, arith,
    lut::{Job, Protocol},
    net::Shape,
    plan, share,
};
use serde::{Deserialize, Serialize};

use crate::{
    calibrate::Calibration,
    failure::{Cause, Failure, Result},
};

/// How the lookups are done.
#[derive(Args, Clone, Debug)]
pub struct Choosing {
    /// Lookup protocol; both parties the same, or auto
    #[arg(long, value_parser = Choice::parser(), default_value = "auto", value_name = "NAME")]
    pub protocol: Choice,
    /// What is made least where there is a choice; both parties the same for functions and comparisons
    #[arg(long, value_enum, default_value = "total")]
    pub optimise: Objective,
    /// What `hushtable calibrate` wrote [default: that of this user, if there is one]
    #[arg(long, value_name = "FILE")]
    pub calibration: Option<PathBuf>,
}

impl Default for Choosing {
    fn default() -> Self {
        Self { protocol: Choice::Auto, optimise: Objective::Total, calibration: None }
    }
}

/// The protocol asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Choice {
    /// The best by the predictions.
    Auto,
    /// This one.
    Of(Protocol),
}

/// What a choice makes least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Objective {
    /// Time from connecting to the results
    Total,
    /// Time from the inputs to the results, and 1/64 of the time before
    Online,
    /// Bytes, both directions, all phases
    Bytes,
}

impl From<Objective> for plan::Objective {
    fn from(objective: Objective) -> Self {
        match objective {
            Objective::Total => Self::Total,
            Objective::Online => Self::Online,
            Objective::Bytes => Self::Bytes,
        }
    }
}

impl From<Objective> for arith::Objective {
    fn from(objective: Objective) -> Self {
        match objective {
            Objective::Total => Self::Total,
            Objective::Online => Self::Online,
            Objective::Bytes => Self::Bytes,
        }
    }
}

/// The least round-trip time at which a link is taken for a network whose rate matters, and the rate it is
/// then taken to have, unless a calibration knows better.
const NETWORK: Duration = Duration::from_micros(300);
const MBIT_PER_S: f64 = 1000.0;

impl Choosing {
    /// The protocol for a batch over a known link.
    pub fn over(&self, link: &Shape, job: &Job, batch: usize) -> Result<Protocol> {
        let calibration = Calibration::load(self.calibration.as_deref())?;
        self.with(&calibration, link, job, batch)
    }

    fn with(&self, calibration: &Calibration, link: &Shape, job: &Job, batch: usize) -> Result<Protocol> {
        match self.protocol {
            Choice::Of(protocol) => {
                protocol.check(job)?;
                Ok(protocol)
            }
            Choice::Auto => Ok(plan::choose(job, batch, link, &calibration.machine(), self.optimise.into())?),
        }
    }

    /// The protocol for a batch with this peer: that which either asks for, else P0's choice. `simulated` is
    /// the link if one is simulated.
    pub fn settle(&self, p: &mut Party, simulated: Shape, job: &Job, batch: usize) -> Result<Protocol> {
        let calibration = Calibration::load(self.calibration.as_deref())?;
        let known = Some(simulated).filter(|&link| link != Shape::LOOPBACK).or(calibration.link());
        let asked = |choice| match choice {
            Choice::Auto => AUTO,
            Choice::Of(protocol) => number(protocol),
        };
        let mine = [asked(self.protocol), u8::from(known.is_none())];
        let theirs = p.connection().channel().exchange(mine.to_vec(), mine.len())?;
        match (self.protocol, named(theirs[0])?) {
            (Choice::Of(ours), Choice::Of(theirs)) if ours != theirs => Err(Error::Handshake {
                field: "protocol".into(),
                ours: ours.to_string(),
                theirs: theirs.to_string(),
            }
            .into()),
            (Choice::Of(protocol), _) | (_, Choice::Of(protocol)) => {
                protocol.check(job)?;
                Ok(protocol)
            }
            (Choice::Auto, Choice::Auto) => {
                let unknown = if p.role() == Role::P0 { mine[1] } else { theirs[1] };
                let measured = if unknown == 1 { measure(p)? } else { Shape::LOOPBACK };
                let mine = self.with(&calibration, &known.unwrap_or(measured), job, batch)?;
                let theirs = p.connection().channel().exchange(vec![number(mine)], 1)?;
                match (p.role(), named(theirs[0])?) {
                    (Role::P1, Choice::Of(theirs)) => {
                        theirs.check(job)?;
                        Ok(theirs)
                    }
                    (Role::P1, Choice::Auto) => Err(unknown_number()),
                    (Role::P0, _) => Ok(mine),
                }
            }
        }
    }
}

/// The link as crossing messages of a byte find it: two in a row take a round trip, whoever is ahead.
fn measure(p: &mut Party) -> Result<Shape> {
    let start = Instant::now();
    p.barrier()?;
    p.barrier()?;
    let rtt = start.elapsed();
    let mbit_per_s = (rtt >= NETWORK).then_some(MBIT_PER_S);
    Ok(Shape { mbit_per_s, rtt: rtt.min(Duration::from_secs(4)) })
}

/// On the wire: the place among all protocols, counted from 1, and 0 for `auto`.
const AUTO: u8 = 0;

fn number(protocol: Protocol) -> u8 {
    let place = Protocol::ALL.iter().position(|&p| p == protocol);
    1 + place.expect("all protocols are listed") as u8
}

fn named(number: u8) -> Result<Choice> {
    match number {
        AUTO => Ok(Choice::Auto),
        n => Protocol::ALL.get(usize::from(n) - 1).map(|&p| Choice::Of(p)).ok_or_else(unknown_number),
    }
}

fn unknown_number() -> Failure {
    Failure::Reported(Cause::Peer, "the peer asks for a protocol that this release does not know".into())
}

impl Choice {
    /// For clap: the names with a line of help each.
    pub fn parser() -> impl TypedValueParser<Value = Self> {
        let auto = PossibleValue::new("auto").help("the best by the predictions of `hushtable plan`");
        let names = Protocol::ALL.map(|p| PossibleValue::new(p.name()).help(p.about()));
        PossibleValuesParser::new([auto].into_iter().chain(names)).try_map(|name| name.parse::<Self>())
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Of(protocol) => protocol.fmt(f),
        }
    }
}

impl FromStr for Choice {
    type Err = Error;

    fn from_str(name: &str) -> std::result::Result<Self, Error> {
        if name == "auto" { Ok(Self::Auto) } else { name.parse().map(Self::Of) }
    }
}

impl TryFrom<String> for Choice {
    type Error = Error;

    fn try_from(name: String) -> std::result::Result<Self, Error> {
        name.parse()
    }
}

impl From<Choice> for String {
    fn from(choice: Choice) -> Self {
        choice.to_string()
    }
}

/// How values are shared, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sharing {
    /// x = x0 + x1 mod 2^bits
    Additive,
    /// x = x0 ^ x1
    Xor,
}

impl From<Sharing> for share::Sharing {
    fn from(sharing: Sharing) -> Self {
        match sharing {
            Sharing::Additive => Self::Additive,
            Sharing::Xor => Self::Xor,
        }
    }
}

impl fmt::Display for Sharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        share::Sharing::from(*self).fmt(f)
    }
}
