//! Arithmetic on shared numbers: products, truncation and comparison.

mod millionaires;
mod thermometer;
mod tree;

pub use millionaires::Millionaires;
