//! Two parties look things up together without showing what they looked up.
//!
//! Each party holds a share of every index; the table is public; each gets a share of the entry.
//! Start at [`Party`], which is one end of a session, and [`net`], which connects two of them.
//! [`onehot`] makes one-time material offline, [`lut`] spends it online; [`gates`], [`arith`] and
//! [`math`] compute with the shares. Every protocol's page has the headings *Functionality, Protocol,
//! Cost, Source*.
//!
//! Material is made by a [`Party`] and spent by a [`session::Session`], which can make none. What it
//! costs is its [`bill`]. A program that does not know beforehand what it will compute holds an
//! [`operation`], and [`mod@run`] runs any of them.
//!
//! Security is semi-honest, with 128 bits: a party that follows the protocol learns nothing but its
//! outputs and the sizes. The network and malformed messages are treated as hostile: they end a
//! session with an [`Error`].
#![forbid(unsafe_code)]

pub mod arith;
pub mod bill;
pub mod chance;
pub mod circuit;
mod codec;
pub mod confidential;
pub mod cuckoo;
pub mod error;
pub mod fss;
pub mod gates;
#[doc(hidden)]
pub mod inner;
pub mod lut;
pub mod math;
pub mod net;
pub mod okvs;
pub mod onehot;
pub mod operation;
pub mod oprf;
pub mod ot;
pub mod party;
pub mod permutation;
pub mod plan;
pub mod process;
pub mod reference;
pub mod run;
pub mod session;
pub mod share;
pub mod source;
pub mod store;
pub mod terms;
mod tree;

pub use error::{Error, Result};
pub use net::Role;
pub use party::{Party, run_pair};
pub use share::{AShare, BShare};

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
