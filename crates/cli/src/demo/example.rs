//! The two organisations of the example, what they have, and what came out.

use std::{path::PathBuf, str::FromStr};

use clap::Args;
use hushtable::net::LinkShape;
use hushtable_jobs::cost::Phases;
use serde::Deserialize;

const EXAMPLES: &str = "\
Examples:
  hushtable demo
  hushtable demo --net wan";

/// The parties' tables and weights.
pub const BANK: [&str; 2] = [
    include_str!("../../../../examples/data/joining/bank.csv"),
    include_str!("../../../../examples/data/joining/bank.toml"),
];
pub const TELECOM: [&str; 2] = [
    include_str!("../../../../examples/data/joining/telecom.csv"),
    include_str!("../../../../examples/data/joining/telecom.toml"),
];

/// The column of ids of each, and what they join.
pub const IDS: [&str; 2] = ["customer", "subscriber"];
pub const COLUMNS: [&str; 2] = [
    "income_keur:1000,debt_ratio:10,late_instalments:100,years_customer:100,region:north/south/east/west",
    "contract_months:1000,late_bills:100,prepaid_share:1,handset_instalments:100",
];

/// Rows of each listing.
pub const SHOWN: usize = 5;

/// What the bank asks.
pub const THRESHOLD: f64 = 0.8;

/// Run the example of two organisations: both on this machine, two processes, mutual TLS
///
/// A bank and a telecom company have about a thousand customers each, of whom two thirds are common, in different
/// orders. They join their tables without showing who is in them, see means of the common customers by region, and
/// decide by a common model who repays: each has the weights of its own columns. The bank alone gets one bit for each of
/// its customers, whether the probability is at least 0.8, and 0 where the telecom company does not know the customer.
/// Every result is compared with plaintext; a wrong one ends with exit code 1.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Demo {
    /// Simulated network: loopback, lan, wan or RATE:RTT (Mbit/s : ms)
    #[arg(long, value_name = "NET", default_value = "loopback", value_parser = LinkShape::from_str)]
    pub net: LinkShape,
}

/// What is read of the report of `join --json` and `score --json`.
#[derive(Deserialize)]
pub struct Report {
    #[serde(flatten)]
    pub phases: Phases,
}

/// One party of the example.
pub struct Side {
    pub role: usize,
    pub name: &'static str,
    pub files: [&'static str; 2],
    pub folder: PathBuf,
    pub identity: PathBuf,
}

/// What came out.
pub struct Found {
    /// The table of `stats`.
    pub means: String,
    pub explained: String,
    pub rows: Vec<Row>,
    /// Of the join and of the scores.
    pub reports: [Report; 2],
}

/// One customer.
pub struct Row {
    pub id: String,
    /// The parts of both; nothing if the telecom company does not know the customer.
    pub parts: Option<[f64; 2]>,
    pub at_least: f64,
}

/// How many customers are in common.
pub fn common(rows: &[Row]) -> usize {
    rows.iter().filter(|row| row.parts.is_some()).count()
}
