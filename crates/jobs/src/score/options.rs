//! The arguments of `score`, which steps of job files have too.

use std::path::{Path, PathBuf};

use crate::{agree::Accord, count::count, delivery::Delivery, join::column, link::Link, stock::Stored};
use apps::{ids::Rules, scoring::Question};
use clap::Args;
use hushtable::run::Reveal;
use hushtable_columns::{Dialect, failure::Result, named};

/// The format of scores unless another is asked for.
pub const BITS: u32 = 40;
pub const FRACTION_BITS: u32 = 16;

/// Where decisions are made unless something else is asked.
pub const THRESHOLD: f64 = 0.5;

const EXAMPLES: &str = "\
The model is split by features: each party has the columns and the weights of its own. Its part of a row's score is \
intercept + sum of weight * feature; the probability is sigmoid(part of P0 + part of P1). Neither sees the other's \
features, weights or parts; but what is opened says something about them:
    --threshold T, the default with T = 0.5: one bit a row, whether the probability is at least T. Whoever gets it learns \
whether the other's part is at least ln(T / (1 - T)) minus its own.
    --bands A,B,C: a number from 0 to 3 a row, how many of A, B and C the probability reaches. Whoever gets it learns \
between which two numbers the other's part lies.
    --reveal-exact: the probability p. Whoever gets it computes the other's part, ln(p / (1 - p)) minus its own, nearly \
exactly, for every row. Only for parties that may know each other's parts; so --reveal must say who gets it.
  Runs with other thresholds over the same rows add up: each halves what is not known. --dry-run shows all of this \
for a job, and its cost, before anything is sent; --record keeps it with the job's outcome.
  The weights are a TOML file; a party without an intercept leaves it out, and two intercepts add up:
    intercept = -0.25
    [weights]
    income_keur = 0.03
    debt_ratio = -1.9
  Every weight needs its column in --features; columns without a weight are not used. A missing \
cell is an error, or --na-as says what it counts as. Parts are rounded to \
multiples of 2^-F, F = --fraction-bits, and must fit an eighth of what --bits hold; the first row that does not is \
named.
  Rows are matched by position: both files must have the same ids in the same order, which is compared at the start.
  If they are not, --join ID finds the rows in common by a hidden join first, and --joined FILE takes the rows of such \
a join, whose columns of numbers the weights are for. Results go to who owns the rows (--reveal: me, peer, or both, \
each of its own), in the order of its file. They tell which of its rows the other has: the cells of others are \
empty. --default 0, with a threshold, tells less: a row that the other does not have looks like one that does not \
reach it. The other party does not learn which rows match. With --joined, weights are rounded to multiples of 2^-24 \
and scores down by up to 3 steps of 2^-F; each weight costs 256 bytes a row, so --join is the cheaper one.

Examples:
  The bank learns whether the probability is at least 0.8, and nothing else; the telecom company learns nothing:
    hushtable score --threshold 0.8 --reveal me --features bank.csv --weights bank.toml \\
        --output out.csv --listen 0.0.0.0:7000 --identity bank.id
    hushtable score --threshold 0.8 --reveal peer --features telecom.csv --weights telecom.toml \\
        --connect bank.example:7000 --identity telecom.id
  The same for files in different orders with partly different customers; who is not in common gets 0:
    hushtable score --join id --default 0 --threshold 0.8 --reveal me --features bank.csv \\
        --weights bank.toml --output out.csv --listen 0.0.0.0:7000 --identity bank.id
    hushtable score --join id --default 0 --threshold 0.8 --reveal peer --features telecom.csv \\
        --weights telecom.toml --connect bank.example:7000 --identity telecom.id
  What that would show, to whom, and what it takes; nothing is sent:
    hushtable explain score --threshold 0.8 --reveal me --features bank.csv --weights bank.toml \\
        --listen 0.0.0.0:7000 --identity bank.id
  Both get one of four bands; the peer names the same:
    hushtable score --bands 0.2,0.5,0.8 --features bank.csv --weights bank.toml --output out.csv \\
        --listen 0.0.0.0:7000 --identity bank.id";

/// Score rows with a logistic regression whose features and weights both parties hold parts of
///
/// The listening party is P0. The result is a decision for each row, at 0.5 unless --threshold, --bands or
/// --reveal-exact asks for something else: a column `at_least_T` of 0 and 1, a column `band`, or `probability`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Score {
    /// This party's features: a CSV file with a header, or a Parquet or Arrow file
    #[arg(long, value_name = "FILE", required_unless_present = "joined")]
    pub features: Option<PathBuf>,
    /// This party's weights: a TOML file
    #[arg(long, value_name = "FILE")]
    pub weights: PathBuf,
    /// The column that names the rows
    #[arg(long, value_name = "NAME", default_value = "id", value_parser = named::name)]
    pub id: String,
    #[command(flatten)]
    pub asked: Asked,
    #[command(flatten)]
    pub rowing: Rowing,
    /// Binary digits after the point of scores and probabilities, 4 to 24
    #[arg(long, help_heading = None, value_name = "F", default_value_t = FRACTION_BITS, value_parser = clap::value_parser!(u32).range(4..=24))]
    pub fraction_bits: u32,
    /// Bits that hold a score with its sign, 16 to 64
    #[arg(long, help_heading = None, value_name = "BITS", default_value_t = BITS, value_parser = clap::value_parser!(u32).range(16..=64))]
    pub bits: u32,
    #[command(flatten)]
    pub csv: Dialect,
    #[command(flatten)]
    pub accord: Accord,
    #[command(flatten)]
    pub delivery: Delivery,
    #[command(flatten)]
    pub stored: Stored,
    #[command(flatten)]
    pub link: Link,
}

/// What is asked about each row; the peer asks the same.
#[derive(Args, Debug)]
#[group(multiple = false)]
pub struct Asked {
    /// Whether the probability is at least T, more than 0 and less than 1: one bit a row [default: 0.5]
    #[arg(long, value_name = "T")]
    pub threshold: Option<f64>,
    /// How many of 1 to 15 increasing thresholds the probability reaches: 0.2,0.5,0.8 gives 0 to 3
    #[arg(long, value_name = "A,B,...", value_delimiter = ',')]
    pub bands: Option<Vec<f64>>,
    /// The probability; whoever gets it can compute the other party's part of the score
    #[arg(long)]
    pub reveal_exact: bool,
}

/// Rows that are not in the same order at both.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Rows in common")]
pub struct Rowing {
    /// Score the rows of this file of a `join`, in place of --features; results go to who owns the rows
    ///
    /// Each party's weights are for its own columns of numbers in the join.
    #[arg(long, value_name = "FILE", conflicts_with = "features")]
    pub joined: Option<PathBuf>,
    /// Join --features with the peer's by this column of ids, or several, and score the rows in common, in one go
    #[arg(long, value_name = "NAME,...", conflicts_with = "joined")]
    pub join: Vec<String>,
    /// With --join: how ids are brought into one form, as for `join` [default: trim,nfc]
    #[arg(long, alias = "normalize", value_name = "RULE,...", value_parser = column::rules, requires = "join")]
    pub normalise: Vec<Rules>,
    /// With --join: tell the peer the pattern that most ids have, such as A999999, and compare it with the peer's before
    /// anything is joined, as for `join`; the peer says so too
    #[arg(long, requires = "join")]
    pub tell_form: bool,
    /// With --join: a bound on the number of ids here, which the peer learns in place of the number itself; a clock may
    /// tell more
    #[arg(long, value_name = "N", value_parser = count, requires = "join")]
    pub pad_to: Option<usize>,
    /// With --join: refuse a peer that says it has more ids, before anything is computed
    #[arg(long, value_name = "N", value_parser = count, requires = "join")]
    pub peer_at_most: Option<usize>,
    /// The result of a row that the peer does not have: a result there can be, or empty; the peer says the same
    ///
    /// With empty, the default, the results tell which rows are in common. With a value such a row looks like others
    /// with that result.
    #[arg(long, value_name = "VALUE")]
    pub default: Option<String>,
}

impl Rowing {
    /// Whether any of it is asked for.
    pub fn asked(&self) -> bool {
        self.joined.is_some() || !self.join.is_empty()
    }

    /// The columns of an id to join by.
    pub fn ids(&self) -> Result<Vec<String>> {
        column::ids(&self.join, "--join")
    }
}

impl Asked {
    /// As the library has it.
    pub fn question(&self) -> Question {
        match (&self.bands, self.reveal_exact) {
            (Some(thresholds), _) => Question::Bands(thresholds.clone()),
            (None, true) => Question::Probability,
            (None, false) => Question::AtLeast(self.threshold.unwrap_or(THRESHOLD)),
        }
    }

    /// Nothing was asked for.
    pub fn nothing(&self) -> bool {
        self.threshold.is_none() && self.bands.is_none() && !self.reveal_exact
    }
}

impl Score {
    /// The files that are read.
    pub fn inputs(&self) -> Vec<&Path> {
        let files = [&self.features, &self.rowing.joined].into_iter().flatten().map(PathBuf::as_path);
        let files = files.chain([self.weights.as_path()]);
        let inputs = files.chain(self.stored.path());
        inputs.chain(self.csv.inputs()).collect()
    }

    /// To whom results go; a probability tells numbers, so that it must be said.
    pub fn reveal(&self) -> Result<Reveal> {
        let telling =
            "Whoever gets the probability can compute the other party's part of the score, nearly exactly.";
        self.accord.reveal(&self.link, self.asked.reveal_exact.then_some(telling))
    }

    pub fn features(&self) -> &Path {
        self.features.as_deref().expect("clap requires it")
    }
}
