//! What the programs share above files and below commands: the link to the peer, records, choices and their costs.
#![forbid(unsafe_code)]
#![allow(missing_docs, reason = "for the programs of this workspace; names say it")]

// What is printed goes through the terminal of that crate.
#[macro_use(eprintln)]
extern crate hushtable_columns;

pub mod calibration;
pub mod choice;
pub mod cost;
pub mod count;
pub mod digits;
pub mod extension;
pub mod hex;
pub mod link;
pub mod page;
pub mod progress;
pub mod record;
pub mod seal;
pub mod throttle;
pub mod toml_file;
pub mod two_processes;
