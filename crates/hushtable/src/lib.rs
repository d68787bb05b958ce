//! Two parties look things up together without showing what they looked up.
#![forbid(unsafe_code)]

pub mod error;

pub use error::{Error, Result};
