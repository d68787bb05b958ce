//! `--protocol`: a lookup protocol by name.

use std::{fmt, str::FromStr};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use hushtable::lut::Protocol;
use serde::{Deserialize, Serialize};

/// The protocol asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Choice(pub Protocol);

impl Choice {
    /// For clap: the names with a line of help each.
    pub fn parser() -> impl TypedValueParser<Value = Self> {
        let names = Protocol::ALL.map(|p| PossibleValue::new(p.name()).help(p.about()));
        PossibleValuesParser::new(names).try_map(|name| name.parse::<Self>())
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Choice {
    type Err = hushtable::Error;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        name.parse().map(Self)
    }
}

impl TryFrom<String> for Choice {
    type Error = hushtable::Error;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        name.parse()
    }
}

impl From<Choice> for String {
    fn from(choice: Choice) -> Self {
        choice.to_string()
    }
}
