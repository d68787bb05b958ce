//! Lookups of shared indices in public tables.

pub mod arithmetic;
pub mod flute;
mod merged;
pub mod oplut;
pub mod ottt;
mod protocol;
pub mod read;
mod spec;
pub mod splut;
mod stored;
pub mod switching;
mod table;
mod vectors;

pub use merged::Merged;
pub use protocol::{Prepared, Protocol};
pub use spec::Job;
pub(crate) use stored::MAX_PIECE;
pub use table::Table;
