//! `hushtable-bench`: what the protocols cost, measured between two processes, every result verified.
#![forbid(unsafe_code)]

mod args;
mod baseline;
mod benchmark;
mod inputs;
mod lanes;
mod lattice;
mod measured;
mod paper;
mod report;
mod run;
mod stock;
mod work;

use std::process::ExitCode;

/// Runs what the command line asks for.
pub fn main() -> ExitCode {
    match args::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            failure.exit_code()
        }
    }
}
