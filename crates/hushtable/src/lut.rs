//! Lookups of shared indices in public tables.

pub mod arithmetic;
pub mod flute;
mod merged;
pub mod oplut;
pub mod ottt;
mod protocol;
pub mod read;
pub mod splut;
mod stored;
pub mod switching;
mod table;

pub use merged::Merged;
pub use protocol::{Job, Prepared, Protocol};
pub(crate) use stored::MAX_PIECE;
pub use table::Table;
