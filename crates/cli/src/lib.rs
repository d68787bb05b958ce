//! The program `hushtable`: arguments, files and processes around the library.
#![forbid(unsafe_code)]

mod apply;
mod args;
mod bench;
mod calibrate;
mod choice;
mod cost;
mod count;
mod csv_file;
mod demo;
mod doctor;
mod failure;
mod functions;
#[doc(hidden)]
pub mod hostile;
mod identity;
mod info;
mod link;
mod pair;
mod plan;
mod prepare;
mod progress;
mod score;
mod store;

pub use args::run;
