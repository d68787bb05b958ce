//! Circuits from Verilog, BLIF and Bristol files, and forms of them with few ANDs.

mod error;
pub mod verilog;
pub(crate) mod words;

pub use error::{Error, Result};
