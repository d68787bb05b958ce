//! `hushtable-bench`: what the protocols cost, measured between two processes, every result verified.
#![forbid(unsafe_code)]

mod args;
mod benchmark;
mod inputs;
mod lanes;
mod measured;
mod paper;
mod report;
mod run;
mod stock;
mod work;

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// That of the program, so that both meet the same costs.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    match args::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            failure.exit_code()
        }
    }
}
