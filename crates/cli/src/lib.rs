//! The program `hushtable`: arguments, files and processes around the library.
//!
//! Public is what `hushtable-bench` shares with it.
#![forbid(unsafe_code)]

// First, as its macros hold in what follows.
#[macro_use]
mod terminal;

mod apply;
mod args;
pub mod calibrate;
pub mod choice;
mod columns;
pub mod cost;
pub mod count;
mod demo;
mod digits;
mod doctor;
mod errand;
mod explain;
pub mod extension;
pub mod failure;
mod functions;
#[doc(hidden)]
pub mod hostile;
mod identity;
mod info;
mod join;
pub mod link;
mod lookup;
pub mod pair;
mod per_row;
mod plan;
mod prepare;
mod private;
pub mod progress;
mod proximity;
mod record;
mod room;
mod run;
mod score;
mod serve;
mod stats;
mod store;
mod throttle;
mod toml_file;

pub use args::run;
pub use identity::pair as identities;
