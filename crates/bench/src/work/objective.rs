//! `--optimise` of comparisons and functions, which also counts rounds.

use clap::ValueEnum;
use hushtable::arith;
use serde::{Deserialize, Serialize};

/// What comparisons and functions are to have least of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Objective {
    /// Time, offline and online
    Total,
    /// Time online
    Online,
    /// Bytes, offline and online
    Bytes,
    /// Rounds online
    Rounds,
}

impl From<Objective> for arith::Objective {
    fn from(objective: Objective) -> Self {
        match objective {
            Objective::Total => Self::Total,
            Objective::Online => Self::Online,
            Objective::Bytes => Self::Bytes,
            Objective::Rounds => Self::Rounds,
        }
    }
}
