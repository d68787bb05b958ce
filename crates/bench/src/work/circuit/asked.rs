//! What is asked for, and what was chosen.

use std::{
    fmt,
    path::PathBuf,
    str::FromStr,
    sync::{Arc, OnceLock},
};

use clap::Args;
use hushtable::operation::Operation;
use hushtable_jobs::{
    choice::Optimise,
    circuit::{Holder, Wish},
    count::batch,
};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

/// Evaluations of a circuit.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct CircuitWork {
    /// The circuit: FILE.hut, or lib:NAME
    #[arg(long, value_name = "FILE")]
    pub(super) file: PathBuf,
    /// What evaluates it: auto, gmw, lut, lut:PROTOCOL, splut, gc, gc-ahead; nmt: triples from codes, a baseline
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    pub(super) engine: Choice,
    /// Which of its forms [default: of those that the engine evaluates the one with the fewest layers; garbled, ANDs]
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) form: Option<String>,
    /// Makes lookups of at most so many inputs of the form's gates, 2 to 12, as `hushtable compile` does for a LAN
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=12))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) max_inputs: Option<u32>,
    /// Who knows each input port [default: P0 the first one and P1 the others; one port alone is shared]
    #[arg(long, value_name = "WHO", value_enum, value_delimiter = ',')]
    #[serde(default)]
    pub(super) known: Vec<Holder>,
    /// What the choice of engine and lookups makes least
    #[arg(long, value_enum, default_value = "total")]
    #[serde(default = "total")]
    pub(super) optimise: Optimise,
    /// Number of evaluations, 1 to 2^28, such as 1000 or 1e5
    #[arg(long, value_name = "B", default_value = "1000", value_parser = batch)]
    pub(super) batch: u32,
    #[arg(skip)]
    #[serde(flatten)]
    pub(super) chosen: Option<Chosen>,
    #[arg(skip)]
    #[serde(skip)]
    pub(super) made: Made,
    /// The circuit with lookups that were made, on disk until nobody measures it.
    #[arg(skip)]
    #[serde(skip)]
    pub(super) written: Option<Arc<NamedTempFile>>,
}

/// What is evaluated. Names are a contract with other programs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Chosen {
    /// Of the form.
    pub ands: usize,
    pub luts: usize,
    pub layers: usize,
    /// Correlated OTs of all evaluations, sent by P0 and by P1.
    pub cots: [u64; 2],
    /// Evaluations at once.
    pub piece: usize,
}

fn total() -> Optimise {
    Optimise::Total
}

/// An engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Choice {
    /// What is predicted to take the least.
    Auto,
    /// Triples from codes.
    Nmt,
    /// This one.
    Of(Wish),
}

impl Choice {
    pub fn wish(&self) -> Option<&Wish> {
        if let Self::Of(wish) = self { Some(wish) } else { None }
    }
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "auto" => Ok(Self::Auto),
            "nmt" => Ok(Self::Nmt),
            _ => name.parse().map(Self::Of).map_err(|error: String| format!("{error}, nmt, auto")),
        }
    }
}

impl TryFrom<String> for Choice {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        name.parse()
    }
}

impl From<Choice> for String {
    fn from(choice: Choice) -> Self {
        choice.to_string()
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Nmt => "nmt",
            Self::Of(wish) => wish.name(),
        })
    }
}

/// What is run, once it is made.
#[derive(Clone, Default)]
pub struct Made(OnceLock<Arc<dyn Operation>>);

impl Made {
    pub fn get(&self) -> Option<Arc<dyn Operation>> {
        self.0.get().cloned()
    }

    pub fn keep(&self, operation: Arc<dyn Operation>) -> Arc<dyn Operation> {
        self.0.get_or_init(|| operation).clone()
    }
}

impl fmt::Debug for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Made")
    }
}

impl fmt::Display for CircuitWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.file.display(), self.engine)?;
        if let Some(form) = &self.form {
            write!(f, ", form {form}")?;
        }
        if let Some(most) = self.max_inputs {
            write!(f, ", lookups of up to {most} inputs")?;
        }
        if let Some(Chosen { ands, luts, layers, .. }) = &self.chosen {
            write!(f, ": {ands} ANDs, {luts} lookups, {layers} layers")?;
        }
        if !self.known.is_empty() {
            let known: Vec<String> = self.known.iter().map(|who| format!("{who:?}").to_lowercase()).collect();
            write!(f, ", ports known to {}", known.join(", "))?;
        }
        write!(f, ", batch {}", self.batch)
    }
}
