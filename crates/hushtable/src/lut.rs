//! Lookups of shared indices in public tables.

mod protocol;
pub mod read;
pub mod splut;
mod table;

pub use protocol::{Job, Prepared, Protocol};
pub use table::Table;
