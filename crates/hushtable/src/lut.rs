//! Lookups of shared indices in public tables.
//!
//! Each file is a protocol, or what readers of one-hot vectors have in common; [`Protocol`] has all of them behind one
//! call, for programs that let a user or a plan choose.

pub mod arithmetic;
pub mod flute;
pub mod oplut;
pub mod ottt;
mod protocol;
pub mod read;
mod shared;
mod spec;
pub mod splut;
mod stored;
mod table;
pub(crate) mod vectors;

pub use protocol::{Prepared, Protocol};
pub use shared::{MAX_SHARED_BITS, SharedTables};
pub use spec::LookupJob;
pub use table::Table;
