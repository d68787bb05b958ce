//! Gates on shared bits: AND, OR, multiplexers and conversions to additive shares.
//!
//! Batches of single bits are [`Bits`], 64 a word: XOR and NOT are local, AND spends [`Triples`].
//! [`Mux`] selects words by a shared bit, [`B2a`] and [`DaBits`] turn bits into additive words.

mod and;
mod b2a;
mod bits;
mod drawn_bits;
mod drawn_mux;
mod halved;
mod known_mux;
mod mux;
pub(crate) mod products;
mod stored;
mod triples;

pub(crate) use and::and_all_beside;
pub use and::{Ands, and, and_all, and_pairs, and_shared, or};
pub use b2a::{B2a, DaBits};
pub use bits::Bits;
pub use drawn_bits::DrawnBits;
pub use drawn_mux::DrawnMux;
pub(crate) use halved::Halved;
pub use known_mux::KnownMux;
pub use mux::Mux;
pub(crate) use products::{Direction, Products, multiply};
pub use triples::Triples;
