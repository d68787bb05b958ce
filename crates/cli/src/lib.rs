//! The program `hushtable`: arguments, files and processes around the library.
//!
//! Commands are thin and know nothing of each other, but for `explain`, which runs them; what they share stands in
//! `hushtable-jobs` and `hushtable-columns`. Public is what fuzzers and tests call.
#![forbid(unsafe_code)]

// What it prints goes through the terminal of that crate.
#[macro_use(eprint, eprintln)]
extern crate hushtable_columns;

mod aes;
mod apply;
mod args;
mod calibrate;
mod compile;
mod demo;
mod doctor;
mod explain;
mod functions;
#[doc(hidden)]
pub mod fuzzing;
mod help;
mod identity;
mod info;
mod join;
mod lookup;
mod plan;
mod prepare;
mod proximity;
mod run;
mod score;
mod serve;
mod settings;
mod shells;
mod stats;
mod store;
mod verify;

pub use crate::args::run;
