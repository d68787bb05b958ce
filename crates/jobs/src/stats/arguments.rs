//! The arguments of `stats`.

use std::path::PathBuf;

use clap::Args;
use hushtable_columns::{
    failure::{Failure, Result},
    named,
};

use crate::{delivery::Delivery, link::Link};

const EXAMPLES: &str = "\
Both parties name their files of one `join`, and ask the same; what each asks is compared before anything is opened. \
Both get the results, and nothing else.
  COLUMN is the name of a column of either party; p0.NAME and p1.NAME where both have one of that name, p0 being who \
listened at the join. A name with , : = / | < > ! or a quote in it stands in quotes: '\"a,b\"', '\"p0.a,b\"'.
  With each result stands the number of rows in common: means and variances follow from sums that are opened, and tell \
these too. A variance is the population variance of the rows in common, divided by n; likewise a covariance.
  Numbers are printed with the decimals that rounding leaves, those of columns with 8 fraction bits or fewer as they are: \
a sum or mean with those that are sure, a single number with as few as tell it from all others that its column can have.
  Groups of fewer than --least rows, 10 if nothing is said, are not shown at all: small and empty ones look alike. \
That does not help where the same follows from another question: one over all rows beside one by groups tells a group \
that is missing, and two questions that differ in one row tell that row. Keep a list of what was asked.
  Sums without noise are exact. Whoever chose the numbers of a column learns from its sum or mean which of its rows are in \
it: with 1 in one row and 0 elsewhere, whether this row is in common; with a power of two in each, all of them, as \
many as the number has bits. A covariance with such a \
column is a sum of the other's numbers with weights of one's own; with a weight on one row, that row's number. --least \
does not prevent this. Use --noise where the peer chose a column that is summed.
  --min, --max, --median and --quantile COLUMN:Q show a number of one row, or of two next to each other, between which \
the quantile lies, as NumPy and spreadsheets have it. --quantile COLUMN:Q:CUTS shows only the first of the cuts below which \
a share Q of the rows lies. Many of them tell numbers of rows.
  --by COLUMN groups by the groups of a column (`join --columns region:north/south`), --by COLUMN:10,20 by below 10, \
10 up to below 20, and from 20 on. --histogram COLUMN:CUTS counts rows so. Two columns give the groups by both.
  --where CONDITION leaves out rows for which it does not hold: a column of either party, a relation, and a number or labels. \
Which rows these are stays hidden. Two questions with other conditions can differ in one row.
  Where cells of a column may be missing (`join --missing`), its statistics are of the rows where it is there, and say how \
many these are, so how many lack it, however few; a covariance is of those where both are. A column that is also added up \
over other rows then tells the sum over the rest, of one row its number. A condition does not hold of a missing cell, and groups leave it out.
  --noise EPS: each party adds discrete Laplace noise to the counts and sums before they are opened, so that what is \
shown is differentially private with the epsilon EPS against the other party, for a row more or less; EPS is shared \
among count and sums in equal parts. A small group may then be shown and a large one not. Epsilons of several \
questions add up. `explain` says how far off each number is: the error grows with the limit of a column and with 1 / EPS.

Examples:
  Each at both parties; the one that connects has --connect in place of --listen:
    hushtable stats joined.json --count --mean income_keur --by region \\
        --listen 0.0.0.0:7000 --identity bank.id
    hushtable stats joined.json --count --mean income_keur --by region \\
        --connect bank.example:7000 --identity telecom.id
  Spread, how two columns go together, and the median between cuts:
    hushtable stats joined.json --variance income_keur --covariance income_keur,late_bills \\
        --quantile income_keur:0.5:20,30,40 --listen 0.0.0.0:7000 --identity bank.id
  The median income of customers with a late bill, by region and length of contract:
    hushtable stats joined.json --median income_keur --where 'late_bills>=1' \\
        --by region --by contract_months:12,24 --listen 0.0.0.0:7000 --identity bank.id
  Counts between cuts, with noise:
    hushtable stats joined.json --histogram late_bills:1,2,4 --least 25 --noise 0.5 \\
        --listen 0.0.0.0:7000 --identity bank.id
  What it would show; nothing is sent:
    hushtable explain stats joined.json --mean income_keur --listen 0.0.0.0:7000 --identity bank.id";

/// Count, add up and compare over the rows that a hidden join has in common
///
/// Results are opened to both parties: a table on standard output, with --json one line of JSON, with --output a file
/// with the columns group, statistic and value: CSV as the table here was written, or by the extension Parquet or Arrow.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Stats {
    /// This party's file of the join
    #[arg(value_name = "FILE")]
    pub joined: PathBuf,
    #[command(flatten)]
    pub asked: Asked,
    #[command(flatten)]
    pub delivery: Delivery,
    #[command(flatten)]
    pub link: Link,
}

/// What is asked; the peer asks the same.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Statistics")]
pub struct Asked {
    /// The number of rows in common
    #[arg(long)]
    pub count: bool,
    /// The sum of a column; may be given more than once, as all of these
    #[arg(long, value_name = "COLUMN")]
    pub sum: Vec<String>,
    /// Its mean
    #[arg(long, value_name = "COLUMN")]
    pub mean: Vec<String>,
    /// Its variance
    #[arg(long, value_name = "COLUMN")]
    pub variance: Vec<String>,
    /// The covariance of two columns
    #[arg(long, value_name = "COLUMN,COLUMN")]
    pub covariance: Vec<String>,
    /// The smallest number of a column, which is the number of one row
    #[arg(long, value_name = "COLUMN")]
    pub min: Vec<String>,
    /// The largest
    #[arg(long, value_name = "COLUMN")]
    pub max: Vec<String>,
    /// Its median, exactly: the number in the middle, or half way between the two there
    #[arg(long, value_name = "COLUMN")]
    pub median: Vec<String>,
    /// The number at a share Q of the rows, exactly, as income:0.9 or income:1/3; or the first of increasing cuts below
    /// which a share Q of the rows lies, which tells less: income:0.5:10,20,30
    #[arg(long, value_name = "COLUMN:Q[:CUTS]")]
    pub quantile: Vec<String>,
    /// Counts between increasing cuts: the same as --count --by COLUMN:CUTS
    #[arg(long, value_name = "COLUMN:CUTS", conflicts_with = "by")]
    pub histogram: Option<String>,
    /// For each group of a column, or between cuts of a column of numbers; given more than once, for each combination
    #[arg(long, value_name = "COLUMN[:CUTS]")]
    pub by: Vec<String>,
    /// Only of rows for which this holds, as age>=30, region=north/south or region!=west; given more than once, all of them
    #[arg(long = "where", value_name = "CONDITION")]
    pub condition: Vec<String>,
    /// Show nothing of fewer rows than this, in a group or in all; with 0 also show that a group has none
    #[arg(long, value_name = "N", default_value_t = LEAST)]
    pub least: u32,
    /// Add noise to counts and sums before they are shown: the epsilon of all of them together
    #[arg(long, value_name = "EPS")]
    pub noise: Option<f64>,
}

impl Asked {
    /// The same with one column in each text of what takes lists.
    pub fn one_by_one(&self) -> Result<Self> {
        let each = |texts: &[String]| -> Result<Vec<String>> {
            let pieces = named::pieces(texts).map_err(Failure::new)?;
            Ok(pieces.into_iter().map(|piece| piece.trim().to_owned()).collect())
        };
        let Self { sum, mean, variance, min, max, median, .. } = self;
        let [sum, mean, variance] = [each(sum)?, each(mean)?, each(variance)?];
        Ok(Self {
            sum,
            mean,
            variance,
            min: each(min)?,
            max: each(max)?,
            median: each(median)?,
            ..self.clone()
        })
    }
}

/// The least size unless another is asked for.
pub const LEAST: u32 = 10;
