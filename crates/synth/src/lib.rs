//! Circuits from Verilog, BLIF and Bristol files, and forms of them with few ANDs, few layers, or lookups.

mod error;
pub mod mapping;
pub mod verilog;
pub(crate) mod words;

pub use error::{Error, Result};
