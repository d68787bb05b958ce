//! The compiler of circuits.
pub mod mapping;
