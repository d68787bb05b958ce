//! What the programs share above files and below commands: the link to the peer, records, jobs and their results, joins, pages of explanation.
#![forbid(unsafe_code)]
#![allow(missing_docs, reason = "for the programs of this workspace; names say it")]

// What is printed goes through the terminal of that crate.
#[macro_use(eprint, eprintln)]
extern crate hushtable_columns;

pub mod accuracy;
pub mod aes;
pub mod agree;
pub mod apply;
pub mod calibration;
pub mod choice;
pub mod circuit;
pub mod constant;
pub mod cost;
pub mod count;
pub mod dates;
pub mod decision;
pub mod delivery;
pub mod describe;
pub mod digits;
pub mod evaluate;
pub mod explain;
pub mod extension;
pub mod fixed;
pub mod forecast;
pub mod hex;
pub mod job;
pub mod job_file;
pub mod join;
pub mod link;
pub mod lookup;
pub mod means;
pub mod meeting;
pub mod options;
pub mod page;
pub mod plain;
pub mod private_table;
pub mod progress;
pub mod proximity;
pub mod record;
pub mod row_results;
pub mod score;
pub mod seal;
pub mod shared_results;
pub mod stage;
pub mod stats;
pub mod steps;
pub mod stock;
pub mod task;
pub mod threads;
pub mod throttle;
pub mod toml_file;
pub mod took;
pub mod two_processes;
