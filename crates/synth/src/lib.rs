//! Circuits from Verilog, BLIF and Bristol files, and forms of them with few ANDs.

pub mod blif;
pub mod bristol;
pub mod equal;
mod error;
pub mod library;
pub mod optimise;
pub mod verilog;
pub(crate) mod words;

pub use error::{Error, Result};
