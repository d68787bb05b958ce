//! Where one-time material comes from: made with the peer, or read from a store in which it was written.
//!
//! Material is put together from a few kinds that have no parts, the [`Atom`]s: triples, pads, one-hot vectors. What
//! puts them together takes a [`Source`], and is the same code whether they are made or read. So the bytes of any
//! material are those of its atoms, in the order in which they were made. Nothing else is stored: widths, tables and
//! plans are public, and follow from what the material is for.
//!
//! The same code, reading zeros, says which atoms there are: the [`Shape`] of what is stored, which tells what else
//! may spend it.

mod atom;
mod origin;
mod shape;
mod trace;

pub use atom::Atom;
pub(crate) use origin::MAX_ITEMS;
pub use origin::{Origin, Source};
#[doc(hidden)]
pub use origin::{Window, cut, read, written};
pub use shape::Shape;
pub(crate) use shape::short;
