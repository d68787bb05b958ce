//! Gates on shared bits: AND, OR, multiplexers and conversions to additive shares.
//!
//! Batches of single bits are [`Bits`], 64 a word: XOR and NOT are local, AND spends [`Triples`].
//! [`mux`] selects words by a shared bit, [`b2a`] and [`DaBits`] turn bits into additive words.

mod and;
mod b2a;
mod bits;
mod mux;
mod nmt;
mod products;
mod triples;

pub use and::{Ands, and, and_all, and_pairs, and_shared, or};
pub use b2a::{DaBits, b2a};
pub use bits::Bits;
pub use mux::mux;
pub(crate) use products::{Products, multiply};
pub use triples::Triples;
