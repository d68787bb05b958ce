//! Lookups of shared indices in public tables.
//!
//! Each file is a protocol, or what readers of one-hot vectors have in common; [`Protocol`] has all of them behind one
//! call, for programs that let a user or a plan choose.

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
