//! `--known`: who knows the input ports of a circuit.

use std::str::FromStr;

use clap::ValueEnum;
use hushtable::{
    Role,
    circuit::{Circuit, Port},
};
use hushtable_columns::failure::{Failure, Result};
use serde::{Deserialize, Serialize};

/// Who knows a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Holder {
    /// The party that listens
    P0,
    /// The other
    P1,
    /// Nobody: both have shares
    Shared,
}

impl Holder {
    /// The party, if it is one.
    pub fn role(self) -> Option<Role> {
        match self {
            Self::P0 => Some(Role::P0),
            Self::P1 => Some(Role::P1),
            Self::Shared => None,
        }
    }
}

impl From<Option<Role>> for Holder {
    fn from(role: Option<Role>) -> Self {
        match role {
            Some(Role::P0) => Self::P0,
            Some(Role::P1) => Self::P1,
            None => Self::Shared,
        }
    }
}

/// Who knows a port of this name: PORT=WHO.
#[derive(Clone, Debug, PartialEq)]
pub struct Knows {
    port: String,
    who: Holder,
}

impl FromStr for Knows {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let parts = text.rsplit_once('=').filter(|(port, _)| !port.is_empty());
        let parts = parts.and_then(|(port, who)| Some((port, Holder::from_str(who, false).ok()?)));
        let refused = || "accepted: PORT=WHO, where WHO is p0, p1 or shared".to_owned();
        parts.map(|(port, who)| Self { port: port.into(), who }).ok_or_else(refused)
    }
}

/// Of each input port who knows it; `None` for those of which nothing is said.
pub fn said(circuit: &Circuit, all: &[Knows]) -> Result<Vec<Option<Holder>>> {
    let mut said = vec![None; circuit.inputs().len()];
    for Knows { port, who } in all {
        let Some(at) = circuit.inputs().iter().position(|input| input.name() == port) else {
            return Err(Failure::new(format!("--known: {}", no_port(circuit, port))));
        };
        if said[at].replace(*who).is_some() {
            return Err(Failure::new(format!("--known: port {port} is there twice")));
        }
    }
    Ok(said)
}

/// Of each input port the party that knows it; all of them must be said.
pub fn all_said(circuit: &Circuit, all: &[Knows]) -> Result<Vec<Option<Role>>> {
    let said = said(circuit, all)?;
    let missing = circuit.inputs().iter().zip(&said).filter(|(_, who)| who.is_none());
    let known: Vec<String> = missing.map(|(port, _)| format!("{}=WHO", port.name())).collect();
    if known.is_empty() {
        return Ok(said.into_iter().map(|who| who.and_then(Holder::role)).collect());
    }
    Err(Failure::new(format!(
        "--known {} is missing: who will give each port, p0 (who listens), p1 or shared",
        known.join(",")
    )))
}

/// What is wrong with the name of a port that is not there.
pub fn no_port(circuit: &Circuit, name: &str) -> String {
    format!("{name:?} is no input port of {}; it has {}", circuit.name(), ports(circuit))
}

/// The names of the input ports.
pub fn ports(circuit: &Circuit) -> String {
    circuit.inputs().iter().map(Port::name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_known_to_whom_it_is_said() {
        let circuit = synth::library::get("aes128").expect("a circuit");
        let parse =
            |text: &str| text.split(',').map(str::parse).collect::<std::result::Result<Vec<Knows>, _>>();
        let of = |text: &str| said(&circuit, &parse(text).expect("who knows what"));
        assert_eq!(of("block=p1,key=p0").expect("ports"), [Some(Holder::P0), Some(Holder::P1)]);
        assert_eq!(of("block=shared").expect("ports"), [None, Some(Holder::Shared)]);
        assert!(
            of("x=p0")
                .unwrap_err()
                .to_string()
                .contains("\"x\" is no input port of aes128; it has key, block")
        );
        assert!(of("key=p0,key=p1").unwrap_err().to_string().contains("port key is there twice"));
        for wrong in ["key", "key=", "=p0", "key=P0", "key=me", "key=p0=x"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        let all = |text: &str| all_said(&circuit, &parse(text).expect("who knows what"));
        assert_eq!(all("key=shared,block=p1").expect("all"), [None, Some(Role::P1)]);
        assert!(all("block=p1").unwrap_err().to_string().contains("--known key=WHO is missing"));
        assert!(all_said(&circuit, &[]).unwrap_err().to_string().contains("--known key=WHO,block=WHO"));
    }
}
