//! The arguments of `apply`, which steps of job files have too.

use std::path::{Path, PathBuf};

use crate::{accuracy::How, agree::Accord, choice::Choosing, delivery::Delivery, link::Link, stock::Stored};
use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use hushtable::{math::Function, operation::Relation};
use hushtable_columns::{Dialect, named};

const EXAMPLES: &str = "\
How the numbers are read:
  x is the sum of this party's and the peer's number in the same row. Each number is rounded to the \
nearest multiple of 2^-F, F = --fraction-bits, ties away from zero.
  Each party's own number must fit an eighth of what --bits hold; outside the domain the sum is treated \
as --outside says. With --outside wrap each party's own number must lie in its half of the domain lo:hi, \
lo/2 (included) to hi/2 (excluded). Both are checked here before anything is connected, and the first row \
that fails is named.
  If --input is a share file, neither party knows the numbers, and no number can be checked; instead \
the function must take all values that the step before can give.
  With --joined the numbers are the columns of a join, shared, with its fraction bits. Results go to who owns the \
rows (--reveal: me, peer, or both, each of its own), in the order of its file. They tell which of its rows the other \
has: the cells of others are empty, or --default. The other party does not learn which rows match.
  `hushtable functions NAME` prints a function's card: domain, accuracy, bytes, rounds, and what comes out where the \
function has no value.
Who gets the results:
  From the function of a sum and its own number a party computes the other's number. So --reveal must be given for \
functions, tables, max and min. Comparisons tell a bit, and go to both unless --reveal says otherwise.
  In comparisons by order sums that are equal to y count as equal: numbers with more digits than --fraction-bits are \
rounded up or down for that, less than a step each. Of sums that differ by less than was rounded off, `explain` says it, \
it may be the other side. eq and ne refuse to round columns of both sums: 0.1 + 0.2 would differ from 0.3; whole units, \
such as cents, are exact. Columns of a join are rounded to nearest, and --constant as they are.
  With --reveal none results are kept as shares, with 24 binary digits after the point or as many as fit: a later \
comparison with a constant may be wrong for results nearer to it than they are exact, as `explain` says. In a job file \
(`hushtable run`) a threshold of a function that only rises or falls, but for exp, is decided on what the function is of, exactly.

Examples:
  The bank listens, the telecom company connects, both get the results, and so each other's numbers:
    hushtable apply sigmoid --reveal both --input bank.csv --column score --output out.csv \\
        --listen 0.0.0.0:7000 --identity bank.id
    hushtable apply sigmoid --reveal both --input telecom.csv --column score --output out.csv \\
        --connect bank.example:7000 --identity telecom.id
  Only the bank gets the results; the telecom company needs no --output:
    hushtable apply sigmoid --reveal me --input bank.csv --column score --output out.csv \\
        --listen 0.0.0.0:7000 --identity bank.id
    hushtable apply sigmoid --reveal peer --input telecom.csv --column score \\
        --connect bank.example:7000 --identity telecom.id
  Keep the results shared and go on with them later; likewise at the peer:
    hushtable apply tanh --reveal none --input bank.csv --column score --output tanh.json \\
        --listen 0.0.0.0:7000 --identity bank.id
    hushtable apply exp --reveal both --input tanh.json --output out.csv \\
        --listen 0.0.0.0:7000 --identity bank.id
  Who paid the bank later than the telecom company, and nothing else; the bank alone learns it:
    hushtable apply ge --column late_instalments --reveal me --input bank.csv \\
        --output later.csv --listen 0.0.0.0:7000 --identity bank.id
    hushtable apply ge --against late_bills --reveal peer --input telecom.csv \\
        --connect bank.example:7000 --identity telecom.id
  Whether the sum of two columns is at most 5; the peer names its column and the same constant:
    hushtable apply le --column late_instalments --constant 5 --reveal both --input bank.csv \\
        --output fine.csv --listen 0.0.0.0:7000 --identity bank.id
  A table of 256 values for sums of whole numbers; each party's are 0 to 127:
    hushtable apply --table tariff.csv --reveal both --input bank.csv \\
        --column late_instalments --output fees.csv --listen 0.0.0.0:7000 --identity bank.id
  Over a hidden join (`hushtable join`): for each of the bank's rows whether income is at least the \
contract's months, 0 where the peer has no such row; a result per row other than the default tells the bank that the \
peer has it:
    hushtable apply ge --joined joined.json --column income_keur --against contract_months \\
        --default 0 --reveal me --output out.csv --listen 0.0.0.0:7000 --identity bank.id
    hushtable apply ge --joined joined.json --column income_keur --against contract_months \\
        --default 0 --reveal peer --connect bank.example:7000 --identity telecom.id";

/// Compute a function of the sum of both parties' numbers, or compare two sums, row by row
///
/// Neither party learns the other's numbers, only what the results tell. The listening party is P0. Rows are
/// matched by position; both parties compare their numbers of rows and a hash of their ids before any work.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Apply {
    /// The function, or the comparison of x with y; the result column has its name
    #[arg(
        value_name = "FUNCTION",
        value_parser = operations(),
        required_unless_present = "table",
        conflicts_with = "table"
    )]
    pub operation: Option<Operation>,
    /// A public table in place of a function: CSV of 2^k values, or of index,value, k from 1 to 16
    ///
    /// Both parties need the same values. The result column is named after the file.
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,
    /// This party's numbers: a CSV file with a header, a Parquet or an Arrow file; or a share file that `--reveal none`
    /// wrote
    #[arg(long, value_name = "FILE", required_unless_present = "joined")]
    pub input: Option<PathBuf>,
    /// The column of --input with the numbers; to compare, a party without any for x leaves it out
    #[arg(long, value_name = "NAME", value_parser = named::name)]
    pub column: Option<String>,
    /// The column that names the rows
    #[arg(long, value_name = "NAME", default_value = "id", value_parser = named::name)]
    pub id: String,
    /// Match rows by position only and write no ids; the peer must say so too
    #[arg(long, conflicts_with = "id")]
    pub no_ids: bool,
    #[command(flatten)]
    pub stored: Stored,
    #[command(flatten)]
    pub csv: Dialect,
    #[command(flatten)]
    pub how: How,
    #[command(flatten)]
    pub second: Second,
    #[command(flatten)]
    pub rowing: Rowing,
    #[command(flatten)]
    pub accord: Accord,
    #[command(flatten)]
    pub delivery: Delivery,
    #[command(flatten)]
    pub choosing: Choosing,
    #[command(flatten)]
    pub link: Link,
}

/// What comparisons need besides.
#[derive(Args, Debug)]
#[command(next_help_heading = "Comparisons")]
pub struct Second {
    /// The column with the numbers of y; a party without any for y leaves it out
    #[arg(long, value_name = "NAME", value_parser = named::name)]
    pub against: Option<String>,
    /// A file for y in place of --input: CSV with the column --against, or shares
    #[arg(long, value_name = "FILE")]
    pub other: Option<PathBuf>,
    /// y is this public number; the peer names the same. In an order, sums of columns that are equal to it count as equal
    #[arg(
        long,
        value_name = "NUMBER",
        allow_hyphen_values = true,
        value_parser = number,
        conflicts_with_all = ["against", "other"]
    )]
    pub constant: Option<f64>,
}

/// Rows of a join.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Rows in common")]
pub struct Rowing {
    /// Compute over the rows of this file of a `join`, in place of --input; results go to who owns the rows
    ///
    /// --column and --against name columns of either party; both parties name the same.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["input", "other"])]
    pub joined: Option<PathBuf>,
    /// With --joined: the result of a row that the peer does not have: a result there can be, or empty; the peer says
    /// the same
    ///
    /// With empty, the default, the results tell which rows are in common. With a value such a row looks like others
    /// with that result.
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub default: Option<String>,
}

/// What is computed.
#[derive(Clone, Copy, Debug)]
pub enum Operation {
    Function(Function),
    Relation(Relation),
}

/// For clap: functions and comparisons with a line of help each.
pub fn operations() -> impl TypedValueParser<Value = Operation> {
    let functions = Function::ALL
        .map(|f| PossibleValue::new(f.name()).help(format!("{}, default domain {}", f.about(), f.domain())));
    let relations = Relation::ALL.map(|r| PossibleValue::new(r.name()).help(r.about()));
    PossibleValuesParser::new(functions.into_iter().chain(relations)).map(|name| {
        match Relation::ALL.into_iter().find(|relation| relation.name() == name) {
            Some(relation) => Operation::Relation(relation),
            None => Operation::Function(name.parse().expect("a name that clap knows")),
        }
    })
}

fn number(text: &str) -> std::result::Result<f64, String> {
    text.parse().ok().filter(|v: &f64| v.is_finite()).ok_or_else(|| "not a number".to_owned())
}

impl Apply {
    /// The files and folders that are read.
    pub fn inputs(&self) -> Vec<&Path> {
        let others = [&self.second.other, &self.table, &self.choosing.calibration];
        let others =
            others.into_iter().flatten().chain(&self.input).chain(&self.rowing.joined).map(PathBuf::as_path);
        others.chain(self.stored.path()).chain(self.csv.inputs()).collect()
    }
}
