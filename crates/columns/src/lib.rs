//! Files that people give and get: columns as CSV, Parquet or Arrow, shares, outputs that appear complete; and what is
//! said of them on a terminal. Knows no command.
#![forbid(unsafe_code)]
#![allow(missing_docs, reason = "for the programs of this workspace; names say it")]

// First, as its macros hold in what follows.
#[macro_use]
pub mod terminal;

#[cfg(feature = "arrow")]
mod arrow;
mod bad;
mod bytes;
mod cell;
mod csv;
mod dialect;
pub mod disk;
mod encoding;
pub mod failure;
mod file;
mod format;
#[cfg(any(feature = "parquet", feature = "arrow"))]
mod guard;
mod ids;
pub mod manner;
pub mod memory;
pub mod named;
mod notation;
pub mod numbers;
pub mod output;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod parquet_pages;
#[cfg(feature = "parquet")]
mod parquet_series;
mod records;
mod rounding;
mod rows;
mod scale;
mod series;
pub mod shares;
mod sniff;
mod standing;
mod style;
pub mod table_file;
pub mod units;
mod write;

pub use crate::{
    bad::Bad,
    bytes::{read, read_at_most},
    cell::{Cell, quoted, written},
    dialect::Dialect,
    encoding::Encoding,
    file::{ColumnFile, Columns, LeftOut},
    format::FileFormat,
    ids::Ids,
    notation::is_exact,
    rounding::Rounding,
    rows::Row,
    scale::Format,
    series::Series,
    style::Style,
    write::{write, write_series},
};
