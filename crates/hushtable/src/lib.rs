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
//! # Where to find what
//! | to | take |
//! |---|---|
//! | look indices up in a public table | [`operation::Lookup`]; by a protocol of your choice [`lut`], [`onehot`] |
//! | compute sigmoid, tanh, exp, sqrt or any function of a number | [`math::Evaluation`] |
//! | tell on which side of public numbers a shared one lies | [`operation::Bands`], [`operation::Intervals`] |
//! | compare two shared numbers; take the larger one | [`operation::Compare`] |
//! | multiply numbers or matrices; truncate; select; ReLU | [`operation::Multiply`], [`operation::Products`], [`operation::SymmetricProducts`], [`operation::Truncate`], [`operation::Select`], [`operation::Elsewhere`], [`operation::Rectify`] |
//! | softmax, GELU, layer norm | [`math::SoftmaxJob`], [`math::GeluJob`], [`operation::LayerNorm`] |
//! | evaluate any circuit on shared bits: in a round for each layer, or garbled, in two | [`circuit::Layers`], [`gc`] |
//! | look keys up in a table that its owner must not show | [`confidential`]; served to many, the crate `hushtable-apps` |
//! | join two tables, intersect ids, add up by groups, score | the crate `hushtable-apps` |
//! | run any of these | [`run::Job`] |
//! | connect two machines, with pinned certificates | [`net::Listener`], [`net::connect`], [`net::Identity`] |
//! | run over a stream of your own | [`net::Connection::over`] |
//! | use several connections and threads | [`Party::fork`], [`Party::tickets`] |
//! | do most of the work ahead; keep it on disk | [`run::prepare`], [`store`] |
//! | know the cost before | [`run::bill`], [`operation::Operation::card`], [`plan`] |
//! | show progress; stop from another thread | [`run::Watch`], [`net::Log`], the feature `tracing`; [`net::Farewell`], [`net::HangUp`] |
//!
//! [`prelude`] has what most programs name. `examples/` has a program for each of the usual ways.
//!
//! # Features
//! * `tls`, on by default: identities, connections over TLS between pinned peers, stores, and records that both sign.
//!   Without it the crate needs neither rustls, ring nor what reads certificates, [`net::Identity`] has no values, and
//!   there are plain TCP, pairs in one process, and streams of a program's own.
//! * `tracing`, off: runs and connections as events of the crate `tracing`.
//!
//! # What is promised
//! Security is semi-honest, with 128 bits: a party that follows the protocol learns nothing but its
//! outputs and the sizes. The network and malformed messages are treated as hostile: they end a
//! session with an [`Error`].
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

pub mod arith;
pub mod bill;
pub mod chance;
pub mod circuit;
mod codec;
pub mod confidential;
mod cores;
pub mod cuckoo;
pub mod error;
pub mod forms;
pub mod fss;
pub mod gates;
pub mod gc;
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
pub mod prelude;
pub mod process;
pub mod reference;
pub mod run;
pub mod session;
pub mod share;
pub mod source;
pub mod store;
pub mod terms;
mod tree;

/// Blocks, words and kernels, which some signatures name.
pub use ::prim;
pub use error::{Error, Result};
pub use net::Role;
pub use party::{Party, run_pair};
pub use share::{AShare, BShare};
pub use terms::Digest;
/// A secret that is wiped when it is dropped.
pub use zeroize::Zeroizing;

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
