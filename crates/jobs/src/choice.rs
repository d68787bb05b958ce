//! `--protocol`: a lookup protocol by name, or `auto`; and how both parties come to one.

use std::{fmt, path::PathBuf, str::FromStr};

use crate::{calibration::Calibration, means::Means};
use clap::{
    Args, ValueEnum,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use hushtable::{
    Error, Party,
    lut::{LookupJob, Protocol},
    net::LinkShape,
    plan::{self, Wanted, Wish},
    share,
};
use hushtable_columns::failure::{Failure, Result};
use serde::{Deserialize, Serialize};

/// How the lookups are done.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Protocols")]
pub struct Choosing {
    /// Lookup protocol; both parties the same, or auto
    #[arg(long, value_parser = Choice::parser(), default_value = "auto", value_name = "NAME")]
    pub protocol: Choice,
    /// What to minimise where there is a choice; both parties the same for functions and comparisons
    #[arg(long, alias = "optimize", value_enum, default_value = "total")]
    pub optimise: Optimise,
    /// What `hushtable calibrate` wrote [default: that of this user, if there is one]
    #[arg(long, value_name = "FILE")]
    pub calibration: Option<PathBuf>,
}

impl Default for Choosing {
    fn default() -> Self {
        Self { protocol: Choice::Auto, optimise: Optimise::Total, calibration: None }
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Optimise {
    /// Time from connecting to the results
    Total,
    /// Time from the inputs to the results, and 1/64 of the time before
    Online,
    /// Bytes, both directions, all phases
    Bytes,
    /// Rounds from the inputs to the results
    Rounds,
}

impl From<Optimise> for plan::Objective {
    fn from(objective: Optimise) -> Self {
        match objective {
            Optimise::Total => Self::Total,
            Optimise::Online => Self::Online,
            Optimise::Bytes => Self::Bytes,
            Optimise::Rounds => Self::Rounds,
        }
    }
}

impl Optimise {
    /// What is to be least, where a price may be said too.
    pub fn or_money(self, means: &Means) -> Result<plan::Objective> {
        match (means.price, self) {
            (None, optimise) => Ok(optimise.into()),
            (Some(_), Self::Total) => Ok(plan::Objective::Money),
            (Some(_), _) => {
                Err(Failure::new("--price makes money least: it cannot be combined with --optimise"))
            }
        }
    }
}

impl Choosing {
    /// How fast machines and link are.
    pub fn calibration(&self) -> Result<Calibration> {
        Calibration::load(self.calibration.as_deref())
    }

    /// The protocol for a batch over a known link.
    pub fn over(&self, link: &LinkShape, means: &Means, job: &LookupJob, batch: usize) -> Result<Protocol> {
        match self.protocol {
            Choice::Of(protocol) => {
                protocol.check(job)?;
                Ok(protocol)
            }
            Choice::Auto => {
                let calibration = self.calibration()?;
                let machine = means.machine(calibration.machine());
                let wanted = Wanted::new(self.optimise.or_money(means)?, *link, machine);
                Ok(plan::choose(Protocol::ways(job, batch)?, &wanted).expect("a way of lookups"))
            }
        }
    }

    /// The protocol for a batch with this peer: of what both came to when they met, and this machine's rates.
    pub fn settle(&self, p: &mut Party, job: &LookupJob, batch: usize) -> Result<Protocol> {
        let calibration = self.calibration()?;
        let protocol = match self.protocol {
            Choice::Auto => None,
            Choice::Of(protocol) => Some(protocol),
        };
        let under = p.setting();
        let wish = Wish::default()
            .protocol(protocol)
            .objective(under.objective.unwrap_or(self.optimise.into()))
            .machine(calibration.machine().prices(under.prices))
            .link(under.link);
        Ok(plan::settle(p, &wish, job, batch)?)
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use hushtable::plan::Prices;

    #[test]
    fn money_and_another_aim_are_refused() {
        let means = Means { price: Some(Prices::USUAL), ..Means::default() };
        assert_eq!(Optimise::Total.or_money(&means).expect("money"), plan::Objective::Money);
        assert!(Optimise::Bytes.or_money(&means).is_err());
        assert_eq!(Optimise::Bytes.or_money(&Means::default()).expect("bytes"), plan::Objective::Bytes);
    }
}
