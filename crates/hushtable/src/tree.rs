//! Half-trees from correlated OTs: both parties grow one over the bits of an index that they share.
//!
//! What hangs at the leaves is up to those who ask for them.

mod group;
pub(crate) mod half_tree;
pub(crate) mod index;

pub use group::{Cyclic, Group, Xor};
