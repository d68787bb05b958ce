//! Lookups of shared indices in public tables.

pub mod read;
pub mod splut;
mod table;

pub use table::Table;
