//! Applications: what the library's parts make together, each in a file or folder of its own.
//!
//! They know neither files nor command lines; those are the program's.
#![forbid(unsafe_code)]

pub mod aes;
pub mod circuit_psi;
pub mod embedding;
pub mod fusion;
pub mod held_table;
pub mod ids;
pub mod inference;
pub mod join;
pub mod join_query;
pub mod label;
pub mod private_table;
pub mod proximity;
pub mod psi;
pub mod scoring;
pub mod statistics;

/// What the signatures here name.
pub use hushtable;
