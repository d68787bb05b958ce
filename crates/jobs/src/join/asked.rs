//! What is asked of a join.

use clap::ValueEnum;

/// What comes out in the clear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shown {
    /// Nothing: each party keeps shares
    None,
    /// Which ids are common
    Ids,
    /// How many ids are common
    Count,
}

/// What becomes of rows with the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Duplicates {
    /// An error that names the lines
    Refuse,
    /// The first row counts
    First,
    /// The numbers of the rows are added up
    Sum,
    /// With --reveal ids all rows of a common id are written
    All,
}
