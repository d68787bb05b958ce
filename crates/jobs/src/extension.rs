//! `--ot`: what makes correlated OTs.

use std::{fmt, str::FromStr};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use hushtable::{Error, ot::Scheme};

/// The OT extension asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extension {
    /// By the rule: few bytes, and nearly the least predicted time.
    #[default]
    Auto,
    /// This one.
    Of(Scheme),
}

impl Extension {
    /// For clap: the names with a line of help each.
    pub fn parser() -> impl TypedValueParser<Value = Self> {
        let auto = PossibleValue::new("auto")
            .help("few bytes, and nearly the least predicted time, for count and link");
        let names = Scheme::ALL.map(|scheme| PossibleValue::new(scheme.name()).help(scheme.about()));
        PossibleValuesParser::new([auto].into_iter().chain(names)).try_map(|name| name.parse::<Self>())
    }

    /// What is asked for, if anything.
    pub fn scheme(self) -> Option<Scheme> {
        match self {
            Self::Auto => None,
            Self::Of(scheme) => Some(scheme),
        }
    }
}

impl FromStr for Extension {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if text == "auto" { Ok(Self::Auto) } else { text.parse().map(Self::Of) }
    }
}

impl fmt::Display for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.scheme().map_or("auto", Scheme::name))
    }
}
