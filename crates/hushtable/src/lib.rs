//! Two parties look things up together without showing what they looked up.
#![forbid(unsafe_code)]

pub mod error;
pub mod lut;
pub mod net;
pub mod onehot;
pub mod ot;
pub mod party;
pub mod session;
pub mod share;

pub use error::{Error, Result};
pub use net::Role;
pub use party::{Party, run_pair};
pub use share::{AShare, BShare};
